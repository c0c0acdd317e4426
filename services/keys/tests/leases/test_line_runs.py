"""Runs of files, over several edges, never answer more units than the quota has.

A state machine starts, reads, resets and kills runs in any order. Runs of one file share its lines. A single request
with an Idempotency-Key is a file of one line, whose answer goes on after its time. Outcomes reach keys late, twice and
in any order, since those that keys postponed are overtaken: what is released never depends on it.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from keys_world import NOON, World

from contract.endpoints import DIVIDE_LAND, LAND_UNITS_BATCH, LINES_RESERVED_S
from keys.store.request_lines import LIFETIME, LineRequest
from keys.values.outcomes import AnsweredLines, Outcome

QUOTA, EDGES = 30, 2
FILES = ((LAND_UNITS_BATCH, 8, 2), (LAND_UNITS_BATCH, 8, 2), (DIVIDE_LAND, 1, 10))
"""The endpoint of each request, its lines and the weight of a line."""
SINGLE_S = 30
places = st.integers(0, 3)


@dataclass
class Run:
    request: LineRequest
    edge: int
    file: int
    reserved_at: datetime
    next_line: int = 0
    is_open: bool = True
    succeeded: set[int] = field(default_factory=set)


@dataclass
class Spool:
    """The outcomes of one edge that keys has not acknowledged."""

    outcomes: list[Outcome] = field(default_factory=list)


class FileRuns(RuleBasedStateMachine):
    world: World

    def __init__(self) -> None:
        super().__init__()
        self.world.clock.now = NOON
        self.issued = self.world.key(quota={"monthly_units": QUOTA})
        self.key_id = self.issued.record.id
        self.request_ids = [secrets.token_bytes(16) for _ in FILES]
        self.answered: list[set[int]] = [set() for _ in FILES]
        self.spools = [Spool() for _ in range(EDGES)]
        self.runs: list[Run] = []

    @rule(file=st.integers(0, len(FILES) - 1), edge=st.integers(0, EDGES - 1))
    def start(self, file: int, edge: int) -> None:
        self.begin(file, edge)

    def begin(self, file: int, edge: int) -> bool:
        endpoint, lines, _ = FILES[file]
        lasts_s = SINGLE_S if endpoint == DIVIDE_LAND else LINES_RESERVED_S
        run = Run(
            LineRequest(id=self.request_ids[file], lines=lines, digest=b"", run=len(self.runs) + 1, lasts_s=lasts_s),
            edge,
            file,
            self.world.clock(),
        )
        if self.is_reserved(run):
            self.runs.append(run)
            return True
        return False

    @rule(edge=st.integers(0, EDGES - 1))
    def refuse_the_single_request_again(self, edge: int) -> None:
        """Answers the request with an error, after the time of the answers that go on."""
        self.world.clock.advance(seconds=SINGLE_S + 1)
        if self.begin(len(FILES) - 1, edge):
            self.report(self.runs[-1], set(), is_last=True)
            self.ship(edge, count=len(self.spools[edge].outcomes))

    @rule(place=places, count=st.sampled_from((1, 8)), failing=st.sets(st.integers(0, 7), max_size=2))
    def send(self, place: int, count: int, failing: set[int]) -> None:
        """Answers some lines of a run, with the outcome in the spool first."""
        for run in self.open_run(place):
            if not self.is_in_time(run):
                continue
            lines = run.request.lines
            sent = set(range(run.next_line, min(lines, run.next_line + count))) - failing
            run.next_line = min(lines, run.next_line + count)
            self.answered[run.file] |= sent
            self.report(run, sent, is_last=run.next_line == lines)

    @rule(place=places, is_shipped=st.sampled_from((True, True, False)))
    def reset(self, place: int, is_shipped: bool) -> None:
        for run in self.open_run(place):
            self.report(run, set(), is_last=True)
            if is_shipped:
                self.ship(run.edge)

    @rule(kind=st.sampled_from(("renew", "kill", "wait", "pause")), place=places, minutes=st.integers(1, 20))
    def disturb(self, kind: str, place: int, minutes: int) -> None:
        match kind:
            case "renew":
                self.renew(place)
            case "kill":
                self.kill(place % EDGES)
            case "pause":
                self.world.clock.advance(seconds=SINGLE_S + 1)
            case _:
                self.wait(minutes)

    def renew(self, place: int) -> None:
        for run in self.open_run(place):
            now = self.world.clock()
            if self.is_reserved(run):
                run.reserved_at = now

    def kill(self, edge: int) -> None:
        """Ends the runs of an edge without a report. Its spool stays."""
        for run in self.runs:
            run.is_open &= run.edge != edge

    @rule(edge=st.integers(0, EDGES - 1), first=st.integers(0, 4), count=st.integers(1, 9), again=st.booleans())
    def ship(self, edge: int, first: int = 0, count: int = 9, again: bool = False) -> None:
        """Sends some outcomes of an edge. Those before the first one were postponed."""
        spool = self.spools[edge]
        self.world.record(spool.outcomes[first : first + count])
        if not again:
            del spool.outcomes[first : first + count]

    def wait(self, minutes: int) -> None:
        """Passes time, in which every spool reaches keys, as the promise of 15 minutes demands."""
        for edge in range(EDGES):
            self.ship(edge, count=len(self.spools[edge].outcomes))
        self.world.clock.advance(minutes=minutes)
        self.world.leasing.lapse()

    @invariant()
    def answered_units_are_within_the_quota(self) -> None:
        month = Counter(self.world.month(self.key_id))
        assert self.units_of(map(len, self.answered)) <= month["units"] + month["reserved_units"] <= QUOTA

    @invariant()
    def what_open_runs_may_still_answer_is_reserved(self) -> None:
        running = {run.file for run in self.runs if run.is_open and self.is_in_time(run)}
        most = (FILES[file][1] if file in running else len(answered) for file, answered in enumerate(self.answered))
        month = Counter(self.world.month(self.key_id))
        assert self.units_of(most) <= month["units"] + month["reserved_units"]

    def teardown(self) -> None:
        """Every answered line is charged once, and nothing stays reserved."""
        self.kill(0)
        self.kill(1)
        self.wait(20)
        self.wait(20)
        month = self.world.month(self.key_id)
        assert (month.get("units", 0), month.get("reserved_units", 0)) == (self.units_of(map(len, self.answered)), 0)

    def units_of(self, lines: Iterable[int]) -> int:
        return sum(count * weight for count, (_, _, weight) in zip(lines, FILES, strict=True))

    def is_reserved(self, run: Run) -> bool:
        """Reserves the lines of a run, or renews them."""
        endpoint, _, _ = FILES[run.file]
        leased = self.world.lease(self.issued.secret.text, endpoint, goes_on=True, lines=run.request)
        return leased.code == "granted"

    def is_in_time(self, run: Run) -> bool:
        return self.world.clock() - run.reserved_at < LIFETIME

    def open_run(self, place: int) -> Iterator[Run]:
        runs = [run for run in self.runs if run.is_open]
        return iter(runs[place % len(runs) :][:1] if runs else ())

    def report(self, run: Run, succeeded: set[int], *, is_last: bool) -> None:
        """Writes the outcome of some lines. The last one of a run names all lines of the run."""
        run.is_open &= not is_last
        run.succeeded |= succeeded
        bits = sum(1 << line for line in (run.succeeded if is_last else succeeded))
        part = AnsweredLines(
            request_id=run.request.id,
            run=run.request.run,
            first_line=0,
            succeeded=bits.to_bytes(1, "little"),
            is_last=is_last,
        )
        status = 200 if bits or FILES[run.file][0] != DIVIDE_LAND else 422
        outcome = Outcome(
            event_id=secrets.token_bytes(16),
            lease_id=b"",
            key_id=self.key_id,
            endpoint=FILES[run.file][0],
            status=status,
            latency_us=0,
            input_tokens=0,
            output_tokens=0,
            occurred_at=self.world.clock(),
            leased_at=self.world.clock(),
            lines=part,
        )
        self.spools[run.edge].outcomes.append(outcome)


def test_no_interleaving_of_runs_answers_more_than_the_quota(world: World) -> None:
    machine: Any = type("Machine", (FileRuns,), {"world": world})
    checks: Sequence[HealthCheck] = list(HealthCheck)
    chosen = settings(
        max_examples=settings().max_examples // 2,
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=checks,
    )
    run_state_machine_as_test(machine, settings=chosen)
