"""Requests with many lines: one reservation, each line charged once."""

import secrets
from dataclasses import replace
from typing import Any

import pytest
from keys_world import RULES, World
from sqlalchemy import select

from keys.errors import NotFound
from keys.metering.outcomes import AnsweredLines, Outcome
from keys.leases.rules import Denial
from keys.store.line_requests import MAX_RUNS, LineRequest, LineReservations, LinesGrant
from keys.store.tables import usage_hours
from servicekit.endpoints import LAND_UNITS_BATCH, MAX_LINES, RESOLVE_BATCH
from servicekit.errors import InvalidPayload


@pytest.fixture
def lines(world: World) -> LineReservations:
    return LineReservations(world.database, RULES, world.clock)


def request_of(key_id: str, lines: int = 10, endpoint: str = LAND_UNITS_BATCH, **changes: Any) -> LineRequest:
    return replace(
        LineRequest(secrets.token_bytes(16), key_id, endpoint, lines, b"digest", "192.0.2.7", 1),
        **changes,
    )


def grant_of(lines: LineReservations, request: LineRequest) -> LinesGrant:
    decision = lines.reserve(request).decision
    assert isinstance(decision, LinesGrant)
    return decision


def denial_of(lines: LineReservations, request: LineRequest) -> str:
    decision = lines.reserve(request).decision
    assert isinstance(decision, Denial)
    return decision.code


def answered(
    world: World, request: LineRequest, succeeded: int, *, first: int = 0, run: int = 1, is_last: bool = False
) -> Outcome:
    """`succeeded` has a bit for each line."""
    part = AnsweredLines(request.id, run, first, succeeded.to_bytes(4, "little"), is_last)
    return Outcome(
        secrets.token_bytes(16), b"", request.key_id, request.endpoint, 200, 0, 0, 0, world.clock(), lines=part
    )


def test_lines_that_succeeded_are_charged_and_the_rest_is_released(world: World, lines: LineReservations) -> None:
    key_id = world.key().record.id
    request = request_of(key_id)
    assert grant_of(lines, request) == LinesGrant(20)
    assert world.month(key_id) == {"reserved_units": 20}
    world.record([answered(world, request, 0b1011)])
    assert world.month(key_id) == {"units": 6, "reserved_units": 14}
    world.record([answered(world, request, 0b11, first=8, is_last=True)])
    assert world.month(key_id) == {"units": 10}
    with world.database.reading() as connection:
        assert connection.execute(
            select(usage_hours.c.endpoint, usage_hours.c.units, usage_hours.c.requests)
        ).all() == [(LAND_UNITS_BATCH, 10, 0)]


def test_a_line_is_charged_once_in_any_number_of_runs_and_reports(world: World, lines: LineReservations) -> None:
    key_id = world.key().record.id
    request = request_of(key_id)
    grant_of(lines, request)
    first = answered(world, request, 0b0101, is_last=True)
    world.record([first])
    assert grant_of(lines, replace(request, run=2)) == LinesGrant(16)
    world.record([first, first, answered(world, request, 0b0111, run=2)])
    assert world.month(key_id) == {"units": 6, "reserved_units": 14}
    world.record([answered(world, request, 0b0111, run=2, is_last=True)])
    assert world.month(key_id) == {"units": 6}


@pytest.mark.parametrize("first_to_end", [1, 2])
def test_the_end_of_one_run_releases_nothing_of_another(
    world: World, lines: LineReservations, first_to_end: int
) -> None:
    key_id = world.key().record.id
    request = request_of(key_id)
    grant_of(lines, request)
    grant_of(lines, replace(request, run=2))
    world.record([answered(world, request, 0b1, run=first_to_end, is_last=True)])
    assert world.month(key_id) == {"units": 2, "reserved_units": 18}
    world.record([answered(world, request, 0b10, run=3 - first_to_end, is_last=True)])
    assert world.month(key_id) == {"units": 4}


def test_a_run_that_ended_is_not_renewed(world: World, lines: LineReservations) -> None:
    key_id = world.key().record.id
    request = request_of(key_id)
    grant_of(lines, request)
    world.record([answered(world, request, 0b1, is_last=True)])
    assert denial_of(lines, request) == "deadline_exceeded"  # a renewal that was on its way
    assert world.month(key_id) == {"units": 2}


def test_the_quota_covers_all_lines_or_none(world: World, lines: LineReservations) -> None:
    key_id = world.key(quota={"monthly_units": 19}).record.id
    assert denial_of(lines, request_of(key_id)) == "quota_exhausted"
    assert world.month(key_id) == {}
    request = request_of(key_id, lines=9)
    grant_of(lines, request)
    assert denial_of(lines, request_of(key_id, lines=1, endpoint=LAND_UNITS_BATCH)) == "quota_exhausted"
    assert grant_of(lines, request) == LinesGrant(18)  # its own units do not count against it
    assert grant_of(lines, request_of(key_id, lines=1, endpoint=RESOLVE_BATCH)).units == 1


def test_a_revoked_key_gets_no_more_lines(world: World, lines: LineReservations) -> None:
    key_id = world.key().record.id
    request = request_of(key_id)
    grant_of(lines, request)
    world.revoke(key_id)
    assert denial_of(lines, request) == "revoked_key"
    world.record([answered(world, request, 0b1, is_last=True)])  # what was answered before is charged
    assert world.month(key_id) == {"units": 2}


def test_an_id_belongs_to_one_content_of_one_key_for_a_day_and_ten_runs(world: World, lines: LineReservations) -> None:
    key_id, other = world.key().record.id, world.key().record.id
    request = request_of(key_id)
    for run in range(1, MAX_RUNS + 1):
        assert grant_of(lines, replace(request, run=run)) == LinesGrant(20)
    assert denial_of(lines, replace(request, run=MAX_RUNS + 1)) == "idempotency_mismatch"
    assert grant_of(lines, request) == LinesGrant(20)  # a running one goes on
    assert denial_of(lines, replace(request, key_id=other)) == "idempotency_mismatch"
    assert denial_of(lines, replace(request, digest=b"other")) == "idempotency_mismatch"
    later = request_of(key_id)
    grant_of(lines, later)
    world.clock.advance(hours=25)
    assert denial_of(lines, replace(later, run=2)) == "idempotency_mismatch"


def test_what_nobody_renews_lapses_and_is_still_charged(world: World, lines: LineReservations) -> None:
    key_id = world.key().record.id
    request = request_of(key_id)
    grant_of(lines, request)
    world.clock.advance(minutes=14)
    grant_of(lines, request)
    world.clock.advance(minutes=14)
    assert lines.lapse() == 0
    world.clock.advance(minutes=2)
    assert lines.lapse() == 1
    assert lines.lapse() == 0
    assert world.month(key_id) == {}
    assert denial_of(lines, request) == "deadline_exceeded"
    world.record([answered(world, request, 0b1)])
    assert world.month(key_id) == {"units": 2}


def test_a_run_in_the_next_month_moves_the_reservation(world: World, lines: LineReservations) -> None:
    key_id = world.key().record.id
    request = request_of(key_id)
    world.clock.advance(days=17, hours=9, minutes=30)  # 23:30 of the last day in Paris
    grant_of(lines, request)
    world.record([answered(world, request, 0b1)])
    world.clock.advance(hours=1)
    grant_of(lines, replace(request, run=2))
    world.record([answered(world, request, 0b11, run=2)])
    assert world.month(key_id) == {"units": 2}
    assert world.month(key_id, "2026-04") == {"units": 2, "reserved_units": 16}


def test_an_outcome_is_counted_without_its_request_and_waits_for_a_locked_key(world: World) -> None:
    key_id = world.key().record.id
    request = request_of(key_id, endpoint=RESOLVE_BATCH)
    outcome = answered(world, request, 0b111)
    assert world.settler.queue([outcome]) == [outcome.event_id]
    assert world.settler.count_queued() == 1
    assert world.record([outcome]) == [outcome.event_id]
    assert world.month(key_id) == {"units": 3}
    world.clock.advance(days=4)
    assert world.record([outcome]) == [outcome.event_id]  # known, however old
    assert outcome.lines is not None
    unknown = replace(outcome, lines=replace(outcome.lines, request_id=secrets.token_bytes(16)))
    assert world.record([unknown]) == []


def test_malformed_requests_are_refused(world: World, lines: LineReservations) -> None:
    key_id = world.key().record.id
    for changes in ({"lines": 0}, {"lines": MAX_LINES + 1}, {"endpoint": "usage"}, {"id": b"short"}):
        with pytest.raises(InvalidPayload):
            lines.reserve(replace(request_of(key_id), **changes))
    with pytest.raises(NotFound):
        lines.reserve(request_of("unknown1"))
