"""Usage by status and code, and the newest calls of a key, each test on SQLite and PostgreSQL."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from keys_world import NOON, World
from sqlalchemy import event

from contract.endpoints import GEOJSON, RESOLVE
from keys.metering.outcome_report import CodeCount, OutcomeReport, outcome_report
from keys.store.answered_requests import NEWEST, KeyCall, newest_calls
from keys.store.change import Transaction
from keys.store.rollups import Scope
from keys.values.buckets import Bucket, Range, read_range
from keys.values.errors import Unavailable
from keys.values.outcomes import Outcome

MARCH = Range(NOON - timedelta(days=10), NOON + timedelta(days=10))


def report(world: World, period: Range = MARCH, scope: Scope | None = None) -> OutcomeReport:
    with world.database.reading() as connection:
        return outcome_report(Transaction(connection, world.clock()), period, scope or Scope())


def calls(world: World, key_id: str) -> Sequence[KeyCall]:
    with world.database.reading() as connection:
        return newest_calls(connection, key_id)


def outcomes_of(world: World, secret: str) -> list[Outcome]:
    return [
        world.outcome(world.ask(secret), latency_us=1_000, request_id="first"),
        world.outcome(world.ask(secret), status=404, code="address_not_found", latency_us=2_000),
        world.outcome(world.ask(secret), status=404, code="place_missing", latency_us=2_000),
        world.outcome(world.ask(secret, GEOJSON), GEOJSON, 499, latency_us=900_000),
    ]


def test_requests_are_counted_by_endpoint_status_and_code(world: World) -> None:
    issued = world.key(scopes=(RESOLVE, GEOJSON))
    sent = outcomes_of(world, issued.secret.text)
    assert len(world.record([*sent, sent[0]])) == 4
    world.record([replace(sent[0], status=500, code="internal")])  # the same event id
    world.report_denial(world.ask(issued.secret.text, "coverage"), "coverage")
    usage = report(world)
    assert usage.total.statuses == [(200, 1), (403, 1), (404, 2), (499, 1)]
    assert usage.endpoints[RESOLVE].statuses == [(200, 1), (404, 2)]
    assert usage.endpoints["coverage"] == replace(usage.total, statuses=[(403, 1)], p95_latency_ms=None)
    assert usage.endpoints[GEOJSON].p95_latency_ms == pytest.approx(900, rel=0.1)
    assert sorted(usage.codes, key=str) == [
        CodeCount("address_not_found", 404, 1),
        CodeCount("place_missing", 404, 1),
        CodeCount("scope_denied", 403, 1),
        CodeCount(None, 499, 1),
    ]
    assert report(world, scope=Scope(key_id="another1")).total.statuses == []


def test_a_success_that_is_free_gives_back_what_it_took(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    for is_free in (True, False):
        world.record([world.outcome(world.ask(issued.secret.text), is_free=is_free)])
    assert world.month(issued.record.id) == {"requests": 2, "units": 1}


def test_a_day_of_paris_has_its_own_counts_and_a_part_of_it_counts_as_a_whole(world: World) -> None:
    issued = world.key()
    for at in (datetime(2026, 3, 28, 22, 59, tzinfo=UTC), datetime(2026, 3, 28, 23, 0, tzinfo=UTC)):
        world.clock.now = at
        world.record([world.outcome(world.ask(issued.secret.text))])
    for start, end, requests in (
        ("2026-03-28", "2026-03-28", 1),
        ("2026-03-29T20:00:00+02:00", "2026-03-29T21:00:00+02:00", 1),
        ("2026-03-28T12:00:00Z", "2026-03-28T23:30:00Z", 2),
    ):
        usage = report(world, read_range(start, end, Bucket.DAY, world.clock()))
        assert usage.total.statuses == [(200, requests)]


def test_retries_and_replicas_count_an_outcome_once(
    world: World, open_world: Callable[..., World], database_url: str
) -> None:
    issued = world.key()
    sent = outcomes_of(world, issued.secret.text)

    def fail(_: object) -> None:
        raise Unavailable("The process ends before its commit.")

    event.listen(world.database.engine, "commit", fail)
    with pytest.raises(Unavailable):
        world.record(sent)
    event.remove(world.database.engine, "commit", fail)
    assert report(world).total.statuses == []
    replicas = [world, *(open_world(database_url) for _ in range(3))]
    with ThreadPoolExecutor(len(replicas)) as threads:
        list(threads.map(lambda replica: replica.record(sent), replicas))
    assert report(world).total.statuses == [(200, 1), (404, 2), (499, 1)]
    assert len(calls(world, issued.record.id)) == 4


def test_codes_and_statuses_that_nobody_knows_add_few_rows(world: World) -> None:
    issued = world.key()
    for number in range(3):
        outcome = world.outcome(world.ask(issued.secret.text), status=500 + number * 1_000, code=f"invented_{number}")
        world.record([outcome])
    usage = report(world)
    assert usage.total.statuses == [(500, 1), (None, 2)]
    assert usage.codes == [CodeCount("other", None, 2), CodeCount("other", 500, 1)]


def test_the_newest_calls_of_a_key_are_listed(world: World) -> None:
    issued, other = world.key(), world.key()
    world.record([world.outcome(world.ask(other.secret.text))])
    for number in range(NEWEST + 5):
        world.clock.advance(seconds=1)
        world.record([world.outcome(world.ask(issued.secret.text), request_id=f"request-{number}")])
    listed = calls(world, issued.record.id)
    assert [call.request_id for call in listed] == [f"request-{NEWEST + 4 - number}" for number in range(NEWEST)]
    assert listed[0].occurred_at == world.clock()
    assert (listed[0].units, listed[0].latency_us, listed[0].code) == (1, 1_500, None)
