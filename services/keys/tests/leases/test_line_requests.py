"""Requests with many lines: one reservation, each line charged once."""

import secrets
from dataclasses import dataclass, replace
from typing import Any

import pytest
from keys_world import RAW_DAYS, World
from sqlalchemy import select

from contract.counters import NOTHING
from contract.endpoints import GEOJSON, LAND_UNITS_BATCH, MAX_LINES, RESOLVE_BATCH
from keys.store.request_lines import MAX_RUNS, LineRequest
from keys.store.tables import usage_hours
from keys.values import secret
from keys.values.outcomes import AnsweredLines, Outcome
from keys.values.records import IssuedKey
from keys.values.secret import KeyMode
from servicekit.errors import InvalidPayload


@dataclass(frozen=True)
class File:
    """A request with lines of a key."""

    world: World
    issued: IssuedKey
    lines: LineRequest
    endpoint: str = LAND_UNITS_BATCH

    @property
    def key_id(self) -> str:
        return self.issued.record.id

    def run(self, number: int) -> "File":
        return replace(self, lines=replace(self.lines, run=number))

    def reserve(self) -> int | str:
        """Reserves the lines, or renews them. Returns the reserved units, the code of the denial, or "later"."""
        leased = self.world.lease(self.issued.secret.text, self.endpoint, goes_on=True, lines=self.lines)
        if leased.code != "granted":
            return leased.code
        assert leased.counters == NOTHING
        assert leased.granted.line_units is not None
        assert leased.id not in {lease.id for lease in self.world.leases()}
        self.world.check_reserved()
        return leased.granted.line_units

    def answered(self, succeeded: int, *, first: int = 0, run: int = 1, is_last: bool = False) -> Outcome:
        """`succeeded` has a bit for each line."""
        at, part = self.world.clock(), succeeded.to_bytes(4, "little")
        lines = AnsweredLines(request_id=self.lines.id, run=run, first_line=first, succeeded=part, is_last=is_last)
        return Outcome(
            event_id=secrets.token_bytes(16),
            lease_id=b"",
            key_id=self.key_id,
            endpoint=self.endpoint,
            status=200,
            latency_us=0,
            input_tokens=0,
            output_tokens=0,
            occurred_at=at,
            leased_at=at,
            lines=lines,
        )

    def record(self, *outcomes: Outcome) -> list[bytes]:
        acknowledged = self.world.record(outcomes)
        self.world.check_reserved()
        return acknowledged

    def month(self, month: str = "2026-03") -> dict[str, int]:
        return self.world.month(self.key_id, month)


def file_of(
    world: World, issued: IssuedKey | None = None, lines: int = 10, endpoint: str = LAND_UNITS_BATCH, **changes: Any
) -> File:
    request = replace(LineRequest(id=secrets.token_bytes(16), lines=lines, digest=b"digest", run=1), **changes)
    return File(world, issued or world.key(), request, endpoint)


def test_lines_that_succeeded_are_charged_and_the_rest_is_released(world: World) -> None:
    file = file_of(world)
    assert file.reserve() == 20
    assert file.month() == {"reserved_units": 20}
    file.record(file.answered(0b1011))
    assert file.month() == {"units": 6, "reserved_units": 14}
    file.record(file.answered(0b11, first=8, is_last=True))
    assert file.month() == {"units": 10}
    with world.database.reading() as connection:
        assert connection.execute(
            select(usage_hours.c.endpoint, usage_hours.c.units, usage_hours.c.requests)
        ).all() == [(LAND_UNITS_BATCH, 10, 0)]


def test_a_line_is_charged_once_in_any_number_of_runs_and_reports(world: World) -> None:
    file = file_of(world)
    file.reserve()
    first = file.answered(0b0101, is_last=True)
    file.record(first)
    assert file.run(2).reserve() == 16
    file.record(first, first, file.answered(0b0111, run=2))
    assert file.month() == {"units": 6, "reserved_units": 14}
    file.record(file.answered(0b0111, run=2, is_last=True))
    assert file.month() == {"units": 6}


@pytest.mark.parametrize("first_to_end", [1, 2])
def test_the_end_of_one_run_releases_nothing_of_another(world: World, first_to_end: int) -> None:
    file = file_of(world)
    file.reserve()
    file.run(2).reserve()
    file.record(file.answered(0b1, run=first_to_end, is_last=True))
    assert file.month() == {"units": 2, "reserved_units": 18}
    file.record(file.answered(0b10, run=3 - first_to_end, is_last=True))
    assert file.month() == {"units": 4}


def test_a_run_that_ended_is_not_renewed(world: World) -> None:
    file = file_of(world)
    file.reserve()
    file.record(file.answered(0b1, is_last=True))
    assert file.reserve() == "deadline_exceeded"  # a renewal that was on its way
    assert file.month() == {"units": 2}


def test_the_quota_covers_all_lines_or_none(world: World) -> None:
    issued = world.key(quota={"monthly_units": 19})
    file = file_of(world, issued, lines=9)
    assert file_of(world, issued).reserve() == "quota_exhausted"
    assert file.month() == {}
    file.reserve()
    other = file_of(world, issued, lines=1)
    assert other.reserve() == "later", "the lines may fail"
    assert world.lease(issued.secret.text, GEOJSON).code == "later"
    assert file.reserve() == 18  # its own units do not count against it
    assert file_of(world, issued, lines=1, endpoint=RESOLVE_BATCH).reserve() == 1
    file.record(file.answered(0b1_1111_1111, is_last=True))
    assert other.reserve() == "quota_exhausted"
    assert world.lease(issued.secret.text, GEOJSON).code == "quota_exhausted"


def test_lines_that_fail_return_what_others_wait_for(world: World) -> None:
    issued = world.key(quota={"monthly_units": 20})
    file, other = file_of(world, issued), file_of(world, issued)
    file.reserve()
    assert other.reserve() == "later"
    file.record(file.answered(0, is_last=True))
    assert other.reserve() == 20


def test_a_revoked_key_gets_no_more_lines(world: World) -> None:
    file = file_of(world)
    file.reserve()
    world.revoke(file.key_id)
    assert file.reserve() == "revoked_key"
    file.record(file.answered(0b1, is_last=True))  # what was answered before is charged
    assert file.month() == {"units": 2}


def test_an_id_belongs_to_one_content_of_one_key_for_a_day_and_ten_runs(world: World) -> None:
    file = file_of(world)
    for run in range(1, MAX_RUNS + 1):
        assert file.run(run).reserve() == 20
    assert file.run(MAX_RUNS + 1).reserve() == "idempotency_used_up"
    assert file.reserve() == 20  # a running one goes on
    assert replace(file, issued=world.key()).reserve() == "idempotency_mismatch"
    assert replace(file, lines=replace(file.lines, digest=b"other")).reserve() == "idempotency_mismatch"
    later = file_of(world, file.issued)
    later.reserve()
    world.clock.advance(hours=25)
    assert later.run(2).reserve() == "idempotency_used_up"


def test_what_nobody_renews_lapses_and_is_still_charged(world: World) -> None:
    file = file_of(world)
    file.reserve()
    world.clock.advance(minutes=14)
    file.reserve()
    world.clock.advance(minutes=14)
    assert world.leasing.lapse() == 0
    world.clock.advance(minutes=2)
    assert world.leasing.lapse() == 1
    assert world.leasing.lapse() == 0
    assert file.month() == {}
    assert file.reserve() == "deadline_exceeded"
    file.record(file.answered(0b1))
    assert file.month() == {"units": 2}


def test_a_run_in_the_next_month_moves_the_reservation(world: World) -> None:
    file = file_of(world)
    world.clock.advance(days=17, hours=9, minutes=30)  # 23:30 of the last day in Paris
    file.reserve()
    file.record(file.answered(0b1))
    world.clock.advance(hours=1)
    file.run(2).reserve()
    file.record(file.answered(0b11, run=2))
    assert file.month() == {"units": 2}
    assert file.month("2026-04") == {"units": 2, "reserved_units": 16}


def test_an_outcome_is_counted_without_its_request(world: World) -> None:
    file = file_of(world, endpoint=RESOLVE_BATCH)
    outcome = file.answered(0b111)
    assert file.record(outcome) == [outcome.event_id]
    assert file.month() == {"units": 3}
    world.clock.advance(days=RAW_DAYS)
    assert file.record(outcome) == [outcome.event_id]  # known, however old
    assert outcome.lines is not None
    unknown = replace(outcome, lines=replace(outcome.lines, request_id=secrets.token_bytes(16)))
    assert file.record(unknown) == []


def test_malformed_requests_are_refused(world: World) -> None:
    issued = world.key()
    for changes in ({"lines": 0}, {"lines": MAX_LINES + 1}, {"endpoint": "usage"}, {"id": b"short"}):
        with pytest.raises(InvalidPayload):
            file_of(world, issued, **changes).reserve()


def test_lines_of_an_unknown_key_reserve_nothing(world: World) -> None:
    unknown = secret.generate(KeyMode.LIVE, "unknown1").text
    lines = LineRequest(id=secrets.token_bytes(16), lines=1, digest=b"digest", run=1)
    assert world.lease(unknown, LAND_UNITS_BATCH, goes_on=True, lines=lines).code == "invalid_key"
