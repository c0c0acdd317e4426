"""Runs of files, over several edges, never answer more units than the quota has.

A state machine starts, reads, resets and kills runs in any order. Runs of one file share its lines. Outcomes reach keys
late, twice, and only in the order of their spool.
"""

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from keys_world import NOON, World

from contract.endpoints import LAND_UNITS_BATCH
from keys.leases.lines import LIFETIME, LineRequest
from keys.metering.outcomes import AnsweredLines, Outcome

QUOTA, WEIGHT, LINES, FILES, EDGES = 20, 2, 8, 2, 2
places = st.integers(0, 3)


@dataclass
class Run:
    request: LineRequest
    edge: int
    reserved_at: datetime
    next_line: int = 0
    is_open: bool = True


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
        self.request_ids = [secrets.token_bytes(16) for _ in range(FILES)]
        self.answered: list[set[int]] = [set() for _ in range(FILES)]
        self.spools = [Spool() for _ in range(EDGES)]
        self.runs: list[Run] = []

    @rule(file=st.integers(0, FILES - 1), edge=st.integers(0, EDGES - 1))
    def start(self, file: int, edge: int) -> None:
        request = LineRequest(self.request_ids[file], LINES, b"", len(self.runs) + 1)
        if self.is_reserved(request):
            self.runs.append(Run(request, edge, self.world.clock()))

    @rule(place=places, count=st.sampled_from((1, LINES)), failing=st.sets(st.integers(0, LINES - 1), max_size=2))
    def send(self, place: int, count: int, failing: set[int]) -> None:
        """Answers some lines of a run, with the outcome in the spool first."""
        for run in self.open_run(place):
            if not self.is_in_time(run):
                continue
            sent = set(range(run.next_line, min(LINES, run.next_line + count))) - failing
            run.next_line = min(LINES, run.next_line + count)
            self.answered[self.request_ids.index(run.request.id)] |= sent
            self.report(run, sent, is_last=run.next_line == LINES)

    @rule(place=places, is_shipped=st.sampled_from((True, True, False)))
    def reset(self, place: int, is_shipped: bool) -> None:
        for run in self.open_run(place):
            self.report(run, set(), is_last=True)
            if is_shipped:
                self.ship(run.edge)

    @rule(kind=st.sampled_from(("renew", "kill", "wait")), place=places, minutes=st.integers(1, 20))
    def disturb(self, kind: str, place: int, minutes: int) -> None:
        match kind:
            case "renew":
                self.renew(place)
            case "kill":
                self.kill(place % EDGES)
            case _:
                self.wait(minutes)

    def renew(self, place: int) -> None:
        for run in self.open_run(place):
            now = self.world.clock()
            if self.is_reserved(run.request):
                run.reserved_at = now

    def kill(self, edge: int) -> None:
        """Ends the runs of an edge without a report. Its spool stays."""
        for run in self.runs:
            run.is_open &= run.edge != edge

    @rule(edge=st.integers(0, EDGES - 1), count=st.integers(1, 9), again=st.booleans())
    def ship(self, edge: int, count: int = 9, again: bool = False) -> None:
        spool = self.spools[edge]
        self.world.record(spool.outcomes[:count])
        if not again:
            del spool.outcomes[:count]

    def wait(self, minutes: int) -> None:
        """Passes time, in which every spool reaches keys, as the promise of 15 minutes demands."""
        for edge in range(EDGES):
            self.ship(edge, len(self.spools[edge].outcomes))
        self.world.clock.advance(minutes=minutes)
        self.world.leasing.lapse()

    @invariant()
    def answered_units_are_within_the_quota(self) -> None:
        month = Counter(self.world.month(self.key_id))
        assert sum(map(len, self.answered)) * WEIGHT <= month["units"] + month["reserved_units"] <= QUOTA

    @invariant()
    def what_open_runs_may_still_answer_is_reserved(self) -> None:
        running = {run.request.id for run in self.runs if run.is_open and self.is_in_time(run)}
        most = sum(
            LINES if request_id in running else len(answered)
            for request_id, answered in zip(self.request_ids, self.answered, strict=True)
        )
        month = Counter(self.world.month(self.key_id))
        assert most * WEIGHT <= month["units"] + month["reserved_units"]

    def teardown(self) -> None:
        """Every answered line is charged once, and nothing stays reserved."""
        self.kill(0)
        self.kill(1)
        self.wait(20)
        self.wait(20)
        units = sum(map(len, self.answered)) * WEIGHT
        assert self.world.month(self.key_id) == ({"units": units} if units else {})

    def is_reserved(self, request: LineRequest) -> bool:
        """Reserves the lines of a run, or renews them."""
        leased = self.world.lease(self.issued.secret.text, LAND_UNITS_BATCH, goes_on=True, lines=request)
        return leased.code == "granted"

    def is_in_time(self, run: Run) -> bool:
        return self.world.clock() - run.reserved_at < LIFETIME

    def open_run(self, place: int) -> Iterator[Run]:
        runs = [run for run in self.runs if run.is_open]
        return iter(runs[place % len(runs) :][:1] if runs else ())

    def report(self, run: Run, succeeded: set[int], *, is_last: bool) -> None:
        run.is_open &= not is_last
        bits = sum(1 << line for line in succeeded)
        part = AnsweredLines(run.request.id, run.request.run, 0, bits.to_bytes(1, "little"), is_last)
        outcome = Outcome(
            secrets.token_bytes(16), b"", self.key_id, LAND_UNITS_BATCH, 200, 0, 0, 0, self.world.clock(),
            self.world.clock(), lines=part,
        )  # fmt: skip
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
