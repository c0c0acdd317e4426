"""Leases counters of keys to edges, and ends the leases that no edge ends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, select

from keys import months, texts
from keys.clock import Clock
from keys.errors import Unavailable
from keys.keys import secret
from keys.keys.hashing import Peppers
from keys.keys.policy import KeyPolicy, Rules
from keys.leases import lines
from keys.leases import rules as deciding
from keys.leases.book import LeaseBook, LeaseEnd, reserved_counts
from keys.leases.counters import NOTHING, Counters, Lease
from keys.leases.lines import LineRequest
from keys.leases.rules import LEASE_LIFETIME, Asking, Denial, KeyState, Later, RateLimit
from keys.leases.states import (
    LAST_USE,
    OPEN,
    StoredKey,
    ValidSecret,
    lease_of,
    lease_row,
    lock,
    lock_free,
    read_key,
    read_leases,
)
from keys.metering import rollups
from keys.store.database import Database, add_missing, put_rows
from keys.store.tables import key_activity, leases
from servicekit.context import remaining_s
from servicekit.errors import InvalidPayload

ID_BYTES = 16
_LAPSE_BATCH = 500
_INVALID = Denial("invalid_key")
_OLDEST = select(leases).where(leases.c.leased_at < bindparam("before")).order_by(leases.c.leased_at)
_WITH_REQUESTS = _OLDEST.where(leases.c.requests > 0).limit(_LAPSE_BATCH)
_OVERDUE = _OLDEST.limit(_LAPSE_BATCH)


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


class Leasing:
    def __init__(self, database: Database, peppers: Peppers, rules: Rules, clock: Clock, lease_time: timedelta) -> None:
        self._database = database
        self._peppers = peppers
        self._rules = rules
        self._clock = clock
        self._lease_time = lease_time

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
        with self._database.writing() as connection:
            lock(connection, [key.key_id])
            now = self._clock()
            if request.ended:
                book = LeaseBook()
                book.end_all(connection, [end for end in request.ended if end.key_id == key.key_id])
                book.write(connection, now)
            stored = read_key(connection, key.key_id, now)
            secrets = self._right_secrets(request.api_key, stored)
            if stored is None or not secrets:
                return LeaseAnswer(_INVALID)
            answer = self._answer(connection, request, stored.state, secrets[0].ends_at, now)
            if remaining_s() == 0:
                raise Unavailable(texts.TOO_LATE)
            return answer

    def lapse(self) -> int:
        """Returns what is left of leases that are 15 minutes old, and of files of lines that nobody renewed for as
        long. Returns their number. After a full batch, more may remain. Those of locked keys lapse in a later call.

        Leases whose time is over hold no requests any more, so that a dead edge does not reduce the burst of a key.
        """
        with self._database.writing() as connection:
            now = self._clock()
            over = connection.execute(_WITH_REQUESTS, {"before": now - LAST_USE}).mappings().all()
            _change(connection, [lease_of(row) for row in over], LeaseBook.expire, now)
            rows = connection.execute(_OVERDUE, {"before": now - LEASE_LIFETIME}).mappings().all()
            overdue = [lease_of(row) for row in rows]
            locked = drop(connection, overdue, now)
            return sum(lease.key_id not in locked for lease in overdue) + lines.lapse(connection, now)

    def _right_secrets(self, api_key: str, stored: StoredKey | None) -> list[ValidSecret]:
        """The secrets of the key that this one is. Without a key it does the work of a wrong secret."""
        secrets = stored.secrets if stored is not None else ()
        if not secrets:
            self._peppers.verify(api_key, ())
        return [valid for valid in secrets if self._peppers.verify(api_key, [valid.hashed])]

    def _answer(
        self,
        connection: Connection,
        request: LeaseRequest,
        state: KeyState,
        secret_ends_at: datetime | None,
        now: datetime,
    ) -> LeaseAnswer:
        policy = state.policy
        open_leases = _open_leases(connection, policy.key_id)
        answer: Granted | Denial | Later
        decision = deciding.decide(state, request.asking, open_leases, now, self._lease_time, self._rules)
        if isinstance(decision, Counters) and request.lines is not None:
            endpoint = request.asking.endpoint
            units, state = lines.reserve(
                connection, request.lines, endpoint, state, open_leases, now, self._lease_time, self._rules
            )
            answer = Granted(NOTHING, now, timedelta(0), line_units=units) if isinstance(units, int) else units
        else:
            answer, state = self._grant(connection, request, state, decision, secret_ends_at, now)
        return LeaseAnswer(answer, policy, deciding.rate_limits(policy, state.rates, state.month, now, self._rules))

    def _grant(
        self,
        connection: Connection,
        request: LeaseRequest,
        state: KeyState,
        decision: Counters | Denial | Later,
        secret_ends_at: datetime | None,
        now: datetime,
    ) -> tuple[Granted | Denial | Later, KeyState]:
        """Stores the lease. If the request is repeated, it gets the same lease, which ends at the same time."""
        policy = state.policy
        counters = decision if isinstance(decision, Counters) else NOTHING
        lease = Lease(request.lease_id, policy.key_id, request.holder, months.month_of(now), now, counters)
        is_only_holder = not state.rates.leased
        if isinstance(decision, Counters) and add_missing(connection, leases, [lease_row(lease)]):
            state = deciding.leased(state, counters)
            rollups.add_months(connection, {(policy.key_id, lease.month): reserved_counts(counters)})
            activity = {"key_id": policy.key_id, **vars(state.rates), "last_used_at": now}
            put_rows(connection, key_activity, [activity])
        elif (first := read_leases(connection, [lease.id]).get(lease.id)) and first.key_id == policy.key_id:
            lease, is_only_holder = first, False
        elif isinstance(decision, Counters):
            raise InvalidPayload(texts.RESERVATION_OF_ANOTHER_KEY)
        else:
            return decision, state
        age = max(timedelta(0), now - lease.leased_at)
        valid_for = deciding.validity(policy, secret_ends_at, lease.leased_at, self._lease_time) - age
        return Granted(lease.left, lease.leased_at, valid_for, is_only_holder), state


def drop(connection: Connection, candidates: Sequence[Lease], now: datetime) -> set[str]:
    """Returns what is left of these leases, and removes them, except those of locked keys. Returns the locked keys."""
    return _change(connection, candidates, LeaseBook.drop, now)


def _change(
    connection: Connection, candidates: Sequence[Lease], change: Callable[[LeaseBook, Lease], None], now: datetime
) -> set[str]:
    """Changes the leases of keys that it can lock at once. Returns the other keys."""
    locked = lock_free(connection, {lease.key_id for lease in candidates})
    book = LeaseBook()
    stored = read_leases(connection, [lease.id for lease in candidates if lease.key_id not in locked])
    for lease in stored.values():
        change(book, lease)
    book.write(connection, now)
    return locked


def _open_leases(connection: Connection, key_id: str) -> Iterator[Lease]:
    """Reads the leases of the key that have not ended, once they are needed."""
    yield from map(lease_of, connection.execute(OPEN, {"key_id": key_id}).mappings())
