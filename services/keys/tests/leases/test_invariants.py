"""Whatever edges, replicas of keys and clocks do, in any order: what is reserved is what is left of the leases, no
limit is exceeded, and each outcome is counted once.

A state machine has several edges. They lease, use, report and end, lose answers, repeat calls and die. The clocks of
the replicas differ, and a key is revoked while its leases are open.
"""

import secrets
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from keys_world import LEASE_TIME, NOON, RAW_DAYS, RULES, Leased, World
from sqlalchemy import func, select

from contract.counters import NOTHING, Counters
from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE, RESOLVE_BATCH, SUGGEST
from keys.store.lease_book import LeaseEnd
from keys.store.lease_states import LAST_USE
from keys.store.leasing import Leasing
from keys.store.request_lines import LIFETIME, LineRequest
from keys.store.settling import Settlement, Settler
from keys.store.tables import events
from keys.values import months
from keys.values.lease_rules import LEASE_LIFETIME, Lease
from keys.values.outcomes import AnsweredLines, AssistantUse, Outcome
from keys.values.policy import SUGGESTIONS_PER_UNIT, AssistantMode, AssistantPolicy
from keys.values.records import IssuedKey
from servicekit.database import is_sqlite

pytestmark = pytest.mark.thorough

UNITS, BURST, PER_MINUTE, CALLS, TOKENS, LINES, EDGES = 16, 20, 60, 3, 20_000, 6, 3
MOST_SKEW = timedelta(seconds=8)
MACHINE_RULES = replace(RULES, free_suggestions=4)
MONTH_END = datetime(2026, 3, 31, 21, 59, 50, tzinfo=UTC)  # in Paris
NEED = {
    RESOLVE: Counters(1, 1),
    GEOJSON: Counters(1, 2),
    SUGGEST: Counters(1, suggestions=1),
    DIVIDE_LAND: Counters(1, 10, calls=1, tokens=1),
}
expectations = st.builds(Counters, st.integers(0, 20), st.integers(0, UNITS), st.integers(0, 20), st.integers(0, 2))
edges = st.integers(0, EDGES - 1)
skews = st.sampled_from((0, 0, 0, -4, 4))
"""How far the clock of the replica that answers is ahead, in seconds."""


def tenths(suggestions: int) -> int:
    """The most units that so many suggestions of a month cost."""
    return max(0, suggestions - MACHINE_RULES.free_suggestions) // SUGGESTIONS_PER_UNIT


@dataclass
class OpenLease:
    """A lease as its edge knows it."""

    id: bytes
    key: IssuedKey
    leased_at: datetime
    ends_at: datetime
    left: Counters


@dataclass
class Edge:
    holder: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    lease: OpenLease | None = None
    spool: list[Outcome] = field(default_factory=list)
    ended: list[LeaseEnd] = field(default_factory=list)
    """Ends that keys has not acknowledged."""

    def end(self) -> None:
        """Ends the open lease."""
        if self.lease is not None:
            self.ended.append(LeaseEnd(self.lease.id, self.lease.key.record.id, self.lease.left))
        self.lease = None


@dataclass
class FileRun:
    """A file of lines that one edge answers."""

    key: IssuedKey
    request: LineRequest
    renewed_at: datetime
    next_line: int = 0


class Machine(RuleBasedStateMachine):
    world: World

    @initialize(start=st.sampled_from((NOON, MONTH_END)))
    def begin(self, start: datetime) -> None:
        self.now = start
        world = self.world
        world.clock.now = start
        world.leasing = Leasing(world.database, world.peppers, MACHINE_RULES, world.clock, LEASE_TIME)
        world.settler = Settler(world.database, MACHINE_RULES, world.clock, raw_days=RAW_DAYS)
        self.edges = [Edge() for _ in range(EDGES)]
        self.files: list[FileRun] = []
        self.answered: Counter[tuple[str, str]] = Counter()
        """The charged units of all answers, by key and month, without those of suggestions."""
        self.suggested: Counter[tuple[str, str]] = Counter()
        self.answered_at: defaultdict[str, list[datetime]] = defaultdict(list)
        self.leases: dict[bytes, Lease] = {}
        """What must be stored of each lease."""
        self.reported: set[bytes] = set()
        """The outcomes that keys has."""
        self.is_late = False
        """An outcome came after its lease had lapsed: it is counted, over any limit."""
        self.keys: list[IssuedKey] = []
        self.add_key()

    @property
    def key(self) -> IssuedKey:
        return self.keys[-1]

    @rule(
        number=edges,
        endpoint=st.sampled_from(list(NEED)),
        expected=expectations,
        times=st.integers(1, 12),
        status=st.sampled_from((200, 200, 499, 404)),
        tokens=st.integers(0, 8_000),
        skew=skews,
        is_repeated=st.booleans(),
    )
    def serve(
        self,
        number: int,
        endpoint: str,
        expected: Counters,
        times: int,
        status: int,
        tokens: int,
        skew: int,
        is_repeated: bool,
    ) -> None:
        """Answers some requests from the lease, with the outcome in the spool first. Asks once for another lease."""
        edge, may_ask = self.edges[number], True
        for _ in range(times):
            if not self.is_covered(edge, endpoint) and may_ask:
                may_ask = False
                edge.end()
                ended = edge.ended
                leased = self.ask(edge, endpoint, skew, expected=expected, ended=ended)
                edge.ended = ended if is_repeated else []
                if leased.code == "granted":
                    ends_at = self.now + leased.granted.valid_for
                    edge.lease = OpenLease(
                        leased.id, self.key, leased.granted.leased_at, ends_at, leased.granted.counters
                    )
            if edge.lease is not None and self.is_covered(edge, endpoint):
                self.answer(edge, edge.lease, endpoint, status, tokens)

    def is_covered(self, edge: Edge, endpoint: str) -> bool:
        lease = edge.lease
        return lease is not None and self.now < lease.ends_at and NEED[endpoint].at_most(lease.left) == NEED[endpoint]

    def answer(self, edge: Edge, lease: OpenLease, endpoint: str, status: int, tokens: int) -> None:
        is_call = endpoint == DIVIDE_LAND
        taken = replace(NEED[endpoint], tokens=min(8_000, lease.left.tokens) if is_call else 0)
        lease.left -= taken
        outcome = Outcome(
            event_id=secrets.token_bytes(16),
            lease_id=lease.id,
            key_id=lease.key.record.id,
            endpoint=endpoint,
            status=status,
            latency_us=1_000,
            input_tokens=min(tokens, taken.tokens),
            output_tokens=0,
            occurred_at=self.now,
            leased_at=lease.leased_at,
            units=taken.units,
            assistant_mode=AssistantMode.MODEL if is_call else None,
            token_limit=taken.tokens,
            assistant_use=AssistantUse.MODEL if is_call else AssistantUse.UNSPECIFIED,
        )
        edge.spool.append(outcome)
        place = outcome.key_id, months.month_of(lease.leased_at)
        self.answered[place] += outcome.charged_units
        self.suggested[place] += taken.suggestions
        self.answered_at[outcome.key_id].append(self.now)

    def lease_without_an_answer(self, edge: Edge, skew: int) -> None:
        """The edge does not know whether it got the lease."""
        leased = self.ask(edge, RESOLVE, skew, expected=Counters(5, 5))
        edge.ended.append(LeaseEnd(leased.id, self.key.record.id, None))

    def repeat_the_lease(self, edge: Edge, skew: int) -> None:
        """A message comes twice. No message is so late that its lease has lapsed."""
        if edge.lease is not None and edge.lease.key is self.key and edge.lease.id in self.leases:
            again = self.ask(edge, RESOLVE, skew, lease_id=edge.lease.id)
            assert again.code != "granted" or again.granted.valid_for <= LEASE_TIME

    @rule(
        number=edges,
        first=st.integers(0, 3),
        count=st.integers(0, 9),
        is_repeated=st.booleans(),
        with_ends=st.booleans(),
        skew=skews,
    )
    def ship(self, number: int, first: int, count: int, is_repeated: bool, with_ends: bool, skew: int) -> None:
        """Reports outcomes of the spool, without the first ones, which keys postponed. If the answer is lost, the edge
        reports them again.
        """
        edge, sent = self.edges[number], slice(first, first + count)
        ended = edge.ended if with_ends else []
        self.settle(Settlement(edge.spool[sent], ended), skew)
        if not is_repeated:
            del edge.spool[sent]
            edge.ended = [] if with_ends else edge.ended

    @rule(
        kind=st.sampled_from(
            ("end", "end", "lost", "repeat", "repeat", "wait", "lapse", "kill", "kill", "kill late", "revoke")
        ),
        number=edges,
        minutes=st.integers(1, 20),
        skew=skews,
    )
    def disturb(self, kind: str, number: int, minutes: int, skew: int) -> None:
        edge = self.edges[number]
        match kind:
            case "end":
                edge.end()
            case "lost":
                self.lease_without_an_answer(edge, skew)
            case "repeat":
                self.repeat_the_lease(edge, skew)
            case "wait":
                self.wait(minutes)
            case "lapse":
                self.lapse(skew)
            case "revoke":
                self.revoke()
            case _:
                self.kill(number, kind == "kill late")

    def kill(self, number: int, is_late: bool) -> None:
        """Another edge sends the outcomes of the dead one, and says that no more will come."""
        dead, self.edges[number] = self.edges[number], Edge()
        if is_late:
            self.wait(16)
            self.lapse(0)
            self.is_late |= bool(dead.spool)
        self.settle(Settlement(dead.spool))
        for _ in range(2):
            self.settle(Settlement(dead.spool, [], dead_holders=[dead.holder]))

    @rule(milliseconds=st.sampled_from((50, 400, 999, 1_000, 3_000, 25_000)))
    def advance(self, milliseconds: int) -> None:
        self.now += timedelta(milliseconds=milliseconds)
        self.world.clock.now = self.now

    def wait(self, minutes: int) -> None:
        """Passes time, in which every spool reaches keys."""
        for number in range(EDGES):
            self.ship(number, 0, len(self.edges[number].spool), False, True, 0)
        self.now += timedelta(minutes=minutes)
        self.world.clock.now = self.now

    def lapse(self, skew: int) -> None:
        self.world.clock.now = now = self.now + timedelta(seconds=skew)
        self.world.leasing.lapse()
        for lease in list(self.leases.values()):
            if lease.leased_at < now - LEASE_LIFETIME:
                del self.leases[lease.id]
            elif lease.leased_at < now - LAST_USE:
                self.leases[lease.id] = replace(lease, left=replace(lease.left, requests=0))

    @rule(lines=st.integers(1, LINES), run=st.integers(1, 3))
    def reserve_lines(self, lines: int, run: int) -> None:
        """Begins a file, or another run of the last one."""
        request = LineRequest(id=secrets.token_bytes(16), lines=lines, digest=b"", run=run)
        if self.files and self.files[-1].key is self.key and run > 1:
            request = replace(self.files[-1].request, run=run)
        leased = self.ask(self.edges[0], RESOLVE_BATCH, 0, goes_on=True, lines=request)
        if leased.code == "granted":
            self.files.append(FileRun(self.key, request, self.now))

    @rule(count=st.integers(1, LINES), is_last=st.booleans())
    def answer_lines(self, count: int, is_last: bool) -> None:
        for file in self.files[-1:]:
            if self.now - file.renewed_at >= LIFETIME:
                return
            end = min(file.request.lines, file.next_line + count)
            is_last |= end == file.request.lines
            first = 0 if is_last else file.next_line  # the last outcome names all lines of the run
            bits = sum(1 << line for line in range(first, end)).to_bytes(1, "little")
            lines = AnsweredLines(
                request_id=file.request.id, run=file.request.run, first_line=0, succeeded=bits, is_last=is_last
            )
            file.next_line = end
            key_id = file.key.record.id
            self.edges[0].spool.append(
                Outcome(
                    event_id=secrets.token_bytes(16),
                    lease_id=b"",
                    key_id=key_id,
                    endpoint=RESOLVE_BATCH,
                    status=200,
                    latency_us=0,
                    input_tokens=0,
                    output_tokens=0,
                    occurred_at=self.now,
                    leased_at=self.now,
                    lines=lines,
                )
            )
            if lines.is_last:
                self.files.remove(file)

    def revoke(self) -> None:
        """Once the change is answered, no edge acts on a lease."""
        revoked = self.key
        self.world.clock.now = self.now
        self.world.revoke(revoked.record.id)
        self.now = self.world.clock.now
        for edge in self.edges:
            assert edge.lease is None or edge.lease.key is not revoked or edge.lease.ends_at <= self.now
            assert self.ask(edge, RESOLVE, 0).code == "revoked_key"
        self.add_key()

    @invariant()
    def what_is_reserved_is_what_is_left(self) -> None:
        self.world.check_reserved()
        assert {lease.id: lease for lease in self.world.leases()} == {
            id_: lease for id_, lease in self.leases.items() if not lease.is_over
        }

    @invariant()
    def no_burst_is_exceeded(self) -> None:
        for at in self.answered_at.values():
            for number, first in enumerate(at):
                refilled = (at[-1] - first + MOST_SKEW).total_seconds() * PER_MINUTE / 60
                assert len(at) - number <= BURST + refilled

    @invariant()
    def units_are_those_of_events_and_lines(self) -> None:
        for key in self.keys:
            key_id = key.record.id
            months_ = [self.world.month(key_id, month) for month in ("2026-03", "2026-04")]
            with self.world.database.reading() as connection:
                of_key = select(func.count(), func.sum(events.c.units)).where(events.c.key_id == key_id)
                event_count, units = connection.execute(of_key).one()
            assert sum(month.get("requests", 0) for month in months_) == event_count
            units_of_lines = self.world.units_of_lines(key_id)
            assert sum(month.get("units", 0) for month in months_) == (units or 0) + units_of_lines

    @invariant()
    def no_limit_is_exceeded(self) -> None:
        for key in self.keys:
            key_id = key.record.id
            for name in ("2026-03", "2026-04"):
                month = self.world.month(key_id, name)
                if self.is_late:
                    continue
                counted = Counter(month)
                suggestions = counted["suggestions"]
                held_tenths = tenths(suggestions + counted["reserved_suggestions"]) - tenths(suggestions)
                assert counted["units"] + counted["reserved_units"] + held_tenths <= UNITS
                assert counted["calls"] + counted["reserved_calls"] <= CALLS
                assert counted["tokens"] + counted["reserved_tokens"] <= TOKENS
                assert self.answered[key_id, name] + tenths(self.suggested[key_id, name]) <= UNITS

    def teardown(self) -> None:
        """Every answer is counted once, and nothing stays reserved."""
        if not hasattr(self, "edges"):
            return
        for edge in self.edges:
            edge.end()
        self.wait(16)
        self.wait(16)
        while self.world.leasing.lapse():
            pass
        assert self.world.leases() == []
        for key in self.keys:
            key_id = key.record.id
            for name in ("2026-03", "2026-04"):
                assert not [field for field in self.world.month(key_id, name) if field.startswith("reserved")]
            with self.world.database.reading() as connection:
                count = connection.execute(select(func.count()).where(events.c.key_id == key_id)).scalar_one()
                units = connection.execute(
                    select(func.sum(events.c.units)).where(events.c.key_id == key_id, events.c.endpoint != SUGGEST)
                ).scalar_one()
            assert count == len(self.answered_at[key_id])
            assert (units or 0) == sum(
                units for (answered_id, _), units in self.answered.items() if answered_id == key_id
            )

    def add_key(self) -> None:
        quota = {"monthly_units": UNITS, "burst": BURST, "per_minute": PER_MINUTE}
        assistant = AssistantPolicy(AssistantMode.MODEL, CALLS, TOKENS)
        self.keys.append(self.world.key(quota=quota, assistant=assistant))

    def ask(self, edge: Edge, endpoint: str, skew: int, ended: Sequence[LeaseEnd] = (), **members: Any) -> Leased:
        self.world.clock.now = self.now + timedelta(seconds=skew)
        key = self.key
        leased = self.world.lease(key.secret.text, endpoint, holder=edge.holder, ended=ended, **members)
        for end in ended:
            if end.key_id == key.record.id:
                self.note_end(end)
        if leased.code == "granted" and "lines" not in members and leased.id not in self.leases:
            at = leased.granted.leased_at
            self.leases[leased.id] = Lease(
                id=leased.id,
                key_id=key.record.id,
                holder=edge.holder,
                month=months.month_of(at),
                leased_at=at,
                left=leased.counters,
            )
        self.world.clock.now = self.now
        return leased

    def settle(self, settlement: Settlement, skew: int = 0) -> None:
        self.world.clock.now = self.now + timedelta(seconds=skew)
        ids = {outcome.event_id for outcome in settlement.outcomes} | {end.lease_id for end in settlement.ended}
        settled = self.world.settler.settle(settlement)
        assert {*settled.counted, *settled.ended} == ids
        for outcome in settlement.outcomes:
            lease = self.leases.get(outcome.lease_id)
            if lease is not None and outcome.event_id not in self.reported:
                left = lease.left - replace(outcome.taken, requests=0)
                self.leases[lease.id] = replace(lease, left=left)
            self.reported.add(outcome.event_id)
        for end in settlement.ended:
            self.note_end(end)
        for lease in list(self.leases.values()):
            if lease.holder in settlement.dead_holders:
                del self.leases[lease.id]
        self.world.clock.now = self.now

    def note_end(self, end: LeaseEnd) -> None:
        lease = self.leases.get(end.lease_id)
        if lease is not None and not lease.is_ended:
            left = NOTHING if end.unused is None else replace(lease.left - end.unused, requests=0)
            self.leases[lease.id] = replace(lease, left=left, is_ended=True)


def test_no_interleaving_breaks_what_leases_promise(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keys.store.change.time.sleep", lambda seconds: world.clock.advance(seconds=seconds))
    machine: Any = type("WithWorld", (Machine,), {"world": world})
    share, steps = (0.8, 40) if is_sqlite(world.database.engine) else (0.08, 40)
    examples = round(share * settings().max_examples)
    chosen = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(machine, settings=chosen)
