"""Leases counters of keys to edges, and ends the leases that no edge ends."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, select

from contract.counters import NAMES, NOTHING, Counters
from keys.store import request_lines
from keys.store.database import Database
from keys.store.lease_book import LeaseBook, LeaseEnd
from keys.store.lease_states import (
    LAST_USE,
    OF_KEY,
    StoredKey,
    ValidSecret,
    lease_of,
    lock,
    lock_free,
    read_key,
    read_leases,
)
from keys.store.request_lines import ID_BYTES, LAPSE_BATCH, LineRequest
from keys.store.tables import leases
from keys.values import lease_rules as deciding
from keys.values import secret, texts
from keys.values.clock import Clock
from keys.values.errors import Unavailable
from keys.values.hashing import Peppers
from keys.values.lease_rules import LEASE_LIFETIME, Asking, Denial, KeyState, Later, Lease, RateLimit
from keys.values.policy import KeyPolicy, Rules
from servicekit.context import remaining_s
from servicekit.errors import InvalidPayload
from servicekit.languages import Text

_INVALID = Denial("invalid_key")
_OLDEST = (
    select(leases.c.id, leases.c.key_id).where(leases.c.leased_at < bindparam("before")).order_by(leases.c.leased_at)
)
_WITH_REQUESTS = _OLDEST.where(leases.c.requests > 0).limit(LAPSE_BATCH)
_OVERDUE = _OLDEST.limit(LAPSE_BATCH)
_DELETE_OVER = delete(leases).where(
    leases.c.leased_at < bindparam("before"),
    leases.c.is_ended,
    *(leases.c[name] == 0 for name in NAMES),
)


@dataclass(frozen=True)
class LeaseRequest:
    """An edge asks for a lease. The key's text is in no representation."""

    lease_id: bytes
    holder: bytes
    api_key: str = field(repr=False)
    asking: Asking
    ended: Sequence[LeaseEnd] = ()
    lines: LineRequest | None = None
    """Set if the request reserves lines. It then gets no lease."""


@dataclass(frozen=True)
class Granted:
    counters: Counters
    leased_at: datetime
    valid_for: timedelta
    is_only_holder: bool = True
    line_units: int | None = None


@dataclass(frozen=True)
class LeaseAnswer:
    """`key` and `limits` are empty if no key was identified."""

    decision: Granted | Denial | Later
    key: KeyPolicy | None = None
    limits: Sequence[RateLimit] = ()


@dataclass(frozen=True)
class Leasing:
    database: Database
    peppers: Peppers
    rules: Rules
    clock: Clock
    lease_time: timedelta

    def lease(self, request: LeaseRequest) -> LeaseAnswer:
        """Raises InvalidPayload for a malformed request, Blocked if the key is locked for too long, and Unavailable.
        Nothing is leased then.
        """
        if any(len(id_) != ID_BYTES for id_ in (request.lease_id, request.holder)):
            raise InvalidPayload(texts.WRONG_RESERVATION_ID.format(size=ID_BYTES))
        if request.lines is not None:
            request.lines.check(request.asking.endpoint)
        key = secret.parse(request.api_key)
        if key is None:
            return LeaseAnswer(_INVALID)
        with self.database.writing() as connection:
            lock(connection, [key.key_id])
            now = self.clock()
            stored = read_key(connection, key.key_id, now)
            secrets = self._right_secrets(request.api_key, stored)
            if stored is None or not secrets:
                return LeaseAnswer(_INVALID)
            stored_leases = read_leases(connection, [request.lease_id, *(end.lease_id for end in request.ended)])
            book = LeaseBook()
            book.end_all(stored_leases, [end for end in request.ended if end.key_id == key.key_id], now)
            state = book.state_after(stored.state, now)
            decision, state = self._decide(connection, book, request, state, stored_leases.get(request.lease_id), now)
            book.write(connection, now)
            if remaining_s() == 0:
                raise Unavailable(
                    Text(
                        "La décision arrive trop tard pour son appelant.", "The decision comes too late for its caller."
                    )
                )
        limits = deciding.rate_limits(state.policy, state.rates, state.month, now, self.rules)
        if isinstance(decision, Lease):
            decision = Granted(
                decision.left,
                decision.leased_at,
                deciding.validity(state.policy, secrets[0].ends_at, decision.leased_at, now, self.lease_time),
                is_only_holder=state.rates.leased == decision.left.requests,
            )
        return LeaseAnswer(decision, state.policy, limits)

    def lapse(self) -> int:
        """Returns what is left of leases that are 15 minutes old, and of files of lines that nobody renewed for as
        long. Returns their number. After a full batch, more may remain. Those of locked keys lapse in a later call.

        Leases whose time is over hold no requests any more, so that a dead edge does not reduce the burst of a key.
        Leases of which nothing is left are kept until no call for them can arrive, and are deleted.
        """
        with self.database.writing() as connection:
            now = self.clock()
            connection.execute(_DELETE_OVER, {"before": now - LAST_USE})
            over = connection.execute(_WITH_REQUESTS, {"before": now - LAST_USE}).all()
            _change(connection, [(id_, key_id) for id_, key_id in over], LeaseBook.expire, now)
            overdue = connection.execute(_OVERDUE, {"before": now - LEASE_LIFETIME}).all()
            locked = drop(connection, overdue, now)
            return sum(key_id not in locked for _, key_id in overdue) + request_lines.lapse(connection, now)

    def _right_secrets(self, api_key: str, stored: StoredKey | None) -> list[ValidSecret]:
        """The secrets of the key that this one is. Without a key it does the work of a wrong secret."""
        secrets = stored.secrets if stored is not None else ()
        if not secrets:
            self.peppers.verify(api_key, ())
        return [valid for valid in secrets if self.peppers.verify(api_key, [valid.hashed])]

    def _decide(
        self,
        connection: Connection,
        book: LeaseBook,
        request: LeaseRequest,
        state: KeyState,
        repeated: Lease | None,
        now: datetime,
    ) -> tuple[Lease | Granted | Denial | Later, KeyState]:
        """Returns the decision, and the state of the key after it. A `repeated` request gets the same lease, unless its
        edge has ended it: then nobody waits for it.
        """
        policy, asking, lines_ = state.policy, request.asking, request.lines
        if repeated is not None:
            if repeated.key_id != policy.key_id:
                raise InvalidPayload(
                    Text(
                        "Un identifiant de réservation appartient à une autre clé.",
                        "A reservation id belongs to another key.",
                    )
                )
            return Later(timedelta(0)) if repeated.is_ended else repeated, state
        open_leases = _leases_of(connection, policy.key_id, book)
        counters = deciding.decide(state, asking, open_leases, now, self.lease_time, self.rules)
        if not isinstance(counters, Counters):
            return counters, state
        if lines_ is not None:
            units, state = request_lines.reserve(
                connection, lines_, asking.endpoint, state, open_leases, now, self.lease_time, self.rules
            )
            return Granted(NOTHING, now, timedelta(0), line_units=units) if isinstance(units, int) else units, state
        lease = Lease(
            id=request.lease_id,
            key_id=policy.key_id,
            holder=request.holder,
            month=state.month_name,
            leased_at=now,
            left=counters,
        )
        state = deciding.leased(state, counters)
        book.add(lease, state.rates)
        return lease, state


def drop(connection: Connection, candidates: Iterable[tuple[bytes, str]], now: datetime) -> set[str]:
    """Returns what is left of these leases, and removes them, except those of locked keys. Returns the locked keys.
    A candidate is the id of a lease and that of its key.
    """
    return _change(connection, candidates, LeaseBook.drop, now)


def _change(
    connection: Connection,
    candidates: Iterable[tuple[bytes, str]],
    change: Callable[[LeaseBook, Lease], None],
    now: datetime,
) -> set[str]:
    """Changes the leases of keys that it can lock at once. Returns the other keys."""
    key_of = dict(candidates)
    locked = lock_free(connection, key_of.values())
    book = LeaseBook()
    stored = read_leases(connection, [lease_id for lease_id, key_id in key_of.items() if key_id not in locked])
    for lease in stored.values():
        change(book, lease)
    book.write(connection, now)
    return locked


def _leases_of(connection: Connection, key_id: str, book: LeaseBook) -> Iterator[Lease]:
    """Reads the leases of the key with something left, once they are needed."""
    leases_ = (book.current(lease_of(row)) for row in connection.execute(OF_KEY, {"key_id": key_id}).mappings())
    yield from (lease for lease in leases_ if not lease.is_over)
