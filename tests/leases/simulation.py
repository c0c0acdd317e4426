"""Simulates edges and keys for one API key. Nothing runs in parallel, and chance comes from a seed.

The edges decide with `edge.leases.key_leases`, and keys with `keys.values.lease_rules` and its book of leases. The
simulation has the rest: time, messages that are delayed, doubled or lost, spools on disk, crashes, and a database whose
transactions happen at one instant. It checks what must hold at any time (`Violation`).
"""

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from contract.counters import Counters
from contract.endpoints import GEOJSON, RESOLVE
from edge.leases.decisions import Denied, Grant, Later, RequestKind
from edge.leases.key_leases import KeyLeases
from keys.store.change import LAST_LEASE_S
from keys.store.lease_book import LeaseBook, LeaseEnd
from keys.store.lease_states import LAST_USE
from keys.values import lease_rules as deciding
from keys.values import months
from keys.values.lease_rules import LEASE_LIFETIME, Asking, Denial, KeyState, Lease, MonthCounts
from keys.values.policy import AssistantMode, AssistantPolicy, KeyPolicy, Quota, Rules
from keys.values.rates import RateState
from keys.values.secret import KeyMode
from landpartner.keys.v1 import keys_pb2

START = datetime(2026, 3, 14, 12, 0, 50, tzinfo=UTC)
"""Ten seconds before the end of a minute, which ends leases."""
KEY_ID = "simulate"
LEASE_TIME = timedelta(seconds=1)
RULES = Rules({RESOLVE: 1, GEOJSON: 2})
WAIT_S = 1.6
"""How long a request waits for a decision."""
SETTLE_S = 0.2


class Violation(AssertionError):
    """Something that must always hold did not."""


@dataclass
class Request:
    kind: RequestKind
    begun_at: float


@dataclass
class Outcome:
    """A finished request in a spool."""

    id: int
    lease_id: bytes
    leased_at: str
    units: int
    is_charged: bool


@dataclass
class Site:
    """Time, chance, and messages. `loss` is the probability that a message or its answer is lost, and `locked` that
    Settle finds the key locked.
    """

    seed: int
    loss: float
    locked: float = 0.0
    settles_until: float = 14.0
    now: float = 0.0
    log: list[str] = field(default_factory=list)
    admitted: list[tuple[float, int]] = field(default_factory=list)
    """When a request was granted, and its units."""
    outcomes: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311 (must be repeatable)
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._serial = 0

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        self._serial += 1
        heapq.heappush(self._queue, (self.now + seconds, self._serial, action))

    def run_until(self, end: float) -> None:
        while self._queue and self._queue[0][0] <= end:
            self.now, _, action = heapq.heappop(self._queue)
            action()
        self.now = end

    def send(self, serve: Callable[[], Any], answered: Callable[[Any], None]) -> None:
        """Delivers a message once, twice or never, and its answer or none."""
        copies = self.random.choices((0, 1, 2), (self.loss, 1 - self.loss, self.loss))[0]
        for _ in range(copies):

            def deliver() -> None:
                answer = serve()
                if self.random.random() >= self.loss:
                    self.after(self._delay(), lambda: answered(answer))

            self.after(self._delay(), deliver)

    def note(self, text: str) -> None:
        self.log.append(f"{self.now:8.3f} {text}")

    def _delay(self) -> float:
        return self.random.choice((0.001, 0.002, 0.01, 0.2)) * (1 + 20 * (self.random.random() < self.loss))


class Keys:
    """Keys and its database, with several replicas whose clocks differ. Each call is a transaction."""

    def __init__(self, site: Site, quota: Quota) -> None:
        self.site = site
        self.policy = KeyPolicy(
            KEY_ID,
            "partner",
            KeyMode.LIVE,
            is_partner_active=True,
            revoked_at=None,
            suspended_at=None,
            expires_at=None,
            scopes=frozenset(),
            networks=(),
            quota=quota,
            assistant=AssistantPolicy(AssistantMode.RULES),
        )
        self.rates = RateState.full(quota.burst, int(START.timestamp() * 1_000_000))
        self.month = MonthCounts()
        self.leases: dict[bytes, Lease] = {}
        self.events: set[int] = set()
        self.clock_offsets = [0.0]
        self.narrowed_at: float | None = None
        """When the revocation has answered."""

    def clock(self) -> datetime:
        """The clock of the replica that answers this call."""
        return START + timedelta(seconds=self.site.now + self.site.random.choice(self.clock_offsets))

    def lease(self, request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        now = self.clock()
        self._end(request.ended, now)
        state = self._state(now)
        asking = Asking(request.endpoint, request.client_address, expected=Counters.of(request.expected))
        with_rest = [lease for lease in self.leases.values() if not lease.is_over]
        decision = deciding.decide(state, asking, with_rest, now, LEASE_TIME, RULES)
        lease = self.leases.get(request.lease_id)
        if lease is not None and lease.is_ended:
            lease, decision = None, deciding.Later(timedelta(0))
        if lease is None and isinstance(decision, Counters):
            changed = deciding.leased(state, decision)
            self.rates, self.month = changed.rates, changed.month
            lease = Lease(request.lease_id, KEY_ID, request.holder, months.month_of(now), now, decision)
            self.leases[lease.id] = lease
        self.check()
        if lease is not None:
            left = lease.left
            self.site.note(f"keys leases {left.units} units, {left.requests} requests: {lease.id.hex()[:4]}")
            valid_for = deciding.validity(self.policy, None, lease.leased_at, now, LEASE_TIME)
            return keys_pb2.LeaseResponse(
                grant=keys_pb2.LeaseGrant(
                    terms=keys_pb2.KeyTerms(key_id=KEY_ID, partner_id="partner", weights=RULES.weights),
                    counters=keys_pb2.Counters(**vars(left)),
                    valid_ms=max(0, valid_for // timedelta(milliseconds=1)),
                    leased_at=lease.leased_at.isoformat(),
                )
            )
        if isinstance(decision, deciding.Later):
            milliseconds = decision.retry_after // timedelta(milliseconds=1)
            return keys_pb2.LeaseResponse(later=keys_pb2.Later(retry_after_ms=milliseconds))
        assert isinstance(decision, Denial)
        self.site.note(f"keys denies {decision.code}")
        return keys_pb2.LeaseResponse(denial=keys_pb2.Denial(code=decision.code, key_id=KEY_ID))

    def settle(self, outcomes: list[Outcome], ended: list[keys_pb2.LeaseEnd], dead: list[bytes]) -> set[int]:
        now = self.clock()
        book = LeaseBook()
        for outcome in outcomes:
            if not self._is_new(outcome):
                continue
            self.events.add(outcome.id)
            units = outcome.units if outcome.is_charged else 0
            self.month = replace(self.month, units=self.month.units + units)
            lease = self.leases.get(outcome.lease_id)
            if lease is not None:
                book.use(lease, Counters(1, outcome.units))
        self._apply(book, now)
        self._end(ended, now)
        for holder in dead:
            self._drop([lease for lease in self.leases.values() if lease.holder == holder], now)
        self.check()
        return {outcome.id for outcome in outcomes}

    def settle_unless_locked(self, outcomes: list[Outcome], ended: list[keys_pb2.LeaseEnd]) -> set[int] | None:
        """Returns None, and does nothing, if a lease locks the key."""
        return None if self.site.random.random() < self.site.locked else self.settle(outcomes, ended, [])

    def lapse(self) -> None:
        now = self.clock()
        book = LeaseBook()
        for lease in self.leases.values():
            if lease.leased_at < now - LAST_USE and lease.left.requests:
                book.expire(lease)
        self._apply(book, now)
        self._drop([lease for lease in self.leases.values() if lease.leased_at < now - LEASE_LIFETIME], now)
        for lease in [lease for lease in self.leases.values() if lease.is_over and lease.leased_at < now - LAST_USE]:
            del self.leases[lease.id]
        self.check()

    def revoke(self, answered: Callable[[], None]) -> None:
        """Commits, and answers when no edge can act on the earlier terms."""
        self.policy = replace(self.policy, revoked_at=self.clock())
        self.site.note("revoked")
        self.site.after(self.narrowing_wait_s(), answered)

    def narrowing_wait_s(self) -> float:
        return LAST_LEASE_S

    def check(self) -> None:
        limit = self.policy.quota.monthly_units
        if limit is not None and self.month.units + self.month.reserved_units > limit:
            raise Violation(f"{self.month} exceeds the quota")
        if self.month.reserved_units != sum(lease.left.units for lease in self.leases.values()):
            raise Violation(f"{self.month.reserved_units} reserved units are not what is left of {self.leases}")

    def _is_new(self, outcome: Outcome) -> bool:
        return outcome.id not in self.events

    def _state(self, now: datetime) -> KeyState:
        quota = self.policy.quota
        rates = self.rates.at(int(now.timestamp() * 1_000_000), quota.per_minute, quota.burst)
        return KeyState(self.policy, rates, self.month, months.month_of(now))

    def _end(self, ended: Any, now: datetime) -> None:
        book = LeaseBook()
        ends = [
            LeaseEnd(end.lease_id, end.key_id, Counters.of(end.unused) if end.HasField("unused") else None)
            for end in ended
        ]
        book.end_all(self.leases, ends, now)
        self._apply(book, now)

    def _drop(self, dropped: list[Lease], now: datetime) -> None:
        book = LeaseBook()
        for lease in dropped:
            book.drop(lease)
        self._apply(book, now)

    def _apply(self, book: LeaseBook, now: datetime) -> None:
        self.leases.update((lease.id, lease) for lease in book.changed)
        for counts in book.months.values():
            self.month = replace(self.month, reserved_units=self.month.reserved_units + counts["reserved_units"])
        quota = self.policy.quota
        self.rates = book.rates_after(KEY_ID, self.rates, now, quota.per_minute, quota.burst)


class Edge:
    """One process of an edge, with its spool. Its monotonic clock has an offset of its own."""

    def __init__(self, site: Site, keys: Keys, number: int) -> None:
        self.site = site
        self.keys = keys
        self.holder = number.to_bytes(16, "big")
        self.clock_offset = site.random.uniform(-1e6, 1e6)
        self.leases = KeyLeases(self.holder)
        self.waiting: list[Request] = []
        self.spool: dict[int, Outcome] = {}
        self.ends: dict[bytes, keys_pb2.LeaseEnd] = {}
        self.is_alive = True
        self.is_cut_off = False
        self._paused_until = 0.0
        self._call: bytes | None = None
        self.refused: set[bytes] = set()
        """Leases that keys refused. A copy of the message may get one, which lapses."""
        self._decisions_at: set[float] = set()
        self._after(site.random.uniform(0, SETTLE_S), self._settle)

    def clock(self) -> float:
        return self.site.now + self.clock_offset

    def begin(self, request: Request) -> None:
        def arrive() -> None:
            if self.is_alive:
                self.waiting.append(request)
                self._decide()

        self._when_running(arrive)

    def pause(self, seconds: float) -> None:
        """Nothing happens in the process for so long, while its clock goes on."""
        self.site.note(f"edge {self.holder[-1]} is stopped for {seconds:.1f} s")
        self._paused_until = self.site.now + seconds

    def _when_running(self, action: Callable[[], None]) -> None:
        """Does it at once, or when a pause has ended: then timers and messages are due in any order."""
        if self.site.now < self._paused_until:
            delay = self._paused_until - self.site.now + self.site.random.uniform(0, 0.01)
            self.site.after(delay, lambda: self._when_running(action))
        else:
            action()

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        self.site.after(seconds, lambda: self._when_running(action))

    def _send(self, serve: Callable[[], Any], answered: Callable[[Any], None]) -> None:
        if not self.is_cut_off:
            self.site.send(serve, lambda answer: self._when_running(lambda: answered(answer)))

    def crash(self) -> None:
        """Loses all that is in memory. The spool stays."""
        self.site.note(f"edge {self.holder[-1]} is killed")
        self.is_alive = False
        self.waiting.clear()

    def _decide(self) -> None:
        if not self.is_alive:
            return
        now = self.clock()
        for request in list(self.waiting):
            decision = self.leases.decide(request.kind, now)
            if isinstance(decision, Grant):
                self.waiting.remove(request)
                self._admit(decision)
            elif isinstance(decision, Denied):
                self.waiting.remove(request)
                self._check_denial(decision, RULES.weight(request.kind.endpoint))
            elif self.site.now - request.begun_at > WAIT_S:
                self.waiting.remove(request)
            elif isinstance(decision, Later):
                self._decide_at(max(0.0, decision.until - now) + 0.001 + self.site.now)
            elif self._call is None:
                self._ask(request)

    def _check_denial(self, denied: Denied, units: int) -> None:
        """No denial while units are free or may come back: only those of served requests are gone."""
        limit = self.keys.policy.quota.monthly_units
        assert limit is not None
        left = limit - sum(outcome.units for outcome in self.site.outcomes if outcome.is_charged)
        if denied.denial.code == "quota_exhausted" and left >= units:
            raise Violation(f"edge {self.holder[-1]} denies {units} units of {left} that are left")

    def _decide_at(self, at: float) -> None:
        """Decides again at this time, once for all requests that wait for it."""
        if at not in self._decisions_at:
            self._decisions_at.add(at)
            self._after(at - self.site.now, self._decide)

    def _ask(self, request: Request) -> None:
        lease_id = self.site.random.randbytes(16)
        self._call = lease_id
        asked_at = self.clock()
        message = self.leases.request(lease_id, "secret", request.kind, asked_at)
        message.ended.extend(self.ends.values())
        self.ends.clear()

        def answered(response: keys_pb2.LeaseResponse) -> None:
            if self._call == lease_id and self.is_alive:
                self._call = None
                if self.leases.accept(message, response, asked_at, self.clock()) is not None:
                    self.refused.add(lease_id)
                self._decide()

        def give_up() -> None:
            if self._call == lease_id and self.is_alive:
                self._call = None
                unanswered = keys_pb2.LeaseEnd(lease_id=lease_id, key_id=KEY_ID)
                for end in (unanswered, *message.ended):
                    self.ends[end.lease_id] = end
                self._decide()

        self._send(lambda: self.keys.lease(message), answered)
        self._after(1.0, give_up)

    def _admit(self, grant: Grant) -> None:
        """The answer is on its way from now on. Its outcome is in the spool before it is complete."""
        self.site.note(f"edge {self.holder[-1]} admits {grant.units} units by {grant.lease_id.hex()[:4]}")
        if self.keys.narrowed_at is not None:
            raise Violation("a request was granted after its key's revocation had answered")
        self.site.admitted.append((self.site.now, grant.units))

        def finish() -> None:
            if self.is_alive:
                number = len(self.site.outcomes)
                is_charged = self.site.random.random() < 0.8
                outcome = Outcome(number, grant.lease_id, grant.leased_at, grant.units, is_charged)
                self.site.outcomes.append(outcome)
                self.spool[number] = outcome

        self._after(self.site.random.choice((0.0, 0.005, 0.3, 3.0)), finish)

    def _settle(self) -> None:
        if not self.is_alive:
            return
        if (end := self.leases.end(self.clock())) is not None:
            self.ends[end.lease_id] = end
        outcomes, ends = list(self.spool.values()), list(self.ends.values())

        def answered(counted: set[int] | None) -> None:
            if counted is None:
                return
            for number in counted:
                self.spool.pop(number, None)
            for end in ends:
                self.ends.pop(end.lease_id, None)

        if outcomes or ends:
            self._send(lambda: self.keys.settle_unless_locked(outcomes, ends), answered)
        if self.site.now < self.site.settles_until:
            self._after(SETTLE_S, self._settle)
