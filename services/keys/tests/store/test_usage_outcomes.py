"""Usage by status and code, and the newest calls of a key, each test on SQLite and PostgreSQL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from keys_world import NOON, World
from sqlalchemy import insert, text

from keys.admin.outcome_report import CodeCount, OutcomeReport, outcome_report
from keys.clock import hour_of
from keys.errors import Unavailable
from keys.metering.buckets import Bucket, Range, read_range
from keys.metering.outcomes import Outcome
from keys.store import driver, rollups
from keys.store.change import Transaction
from keys.store.database import MIGRATIONS, Database
from keys.store.key_calls import NEWEST, KeyCall, newest_calls
from keys.store.rollups import RollupKey, Scope
from keys.store.tables import usage_hours
from servicekit.endpoints import GEOJSON, RESOLVE

MARCH = Range(NOON - timedelta(days=10), NOON + timedelta(days=10))


def report(world: World, period: Range = MARCH, scope: Scope | None = None) -> OutcomeReport:
    world.refusals.flush()
    with world.database.reading() as connection:
        return outcome_report(Transaction(connection, world.clock()), period, scope or Scope())


def calls(world: World, key_id: str) -> list[KeyCall]:
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
    assert len(world.settler.record([*sent, sent[0]])) == 4
    world.settler.record([replace(sent[0], status=500, code="internal")])  # the same event id
    world.ask(issued.secret.text, "coverage")  # refused without a reservation
    found = report(world)
    assert found.total.statuses == [(200, 1), (403, 1), (404, 2), (499, 1)]
    assert found.endpoints[RESOLVE].statuses == [(200, 1), (404, 2)]
    assert found.endpoints["coverage"] == replace(found.total, statuses=[(403, 1)], p95_latency_ms=None)
    assert found.endpoints[GEOJSON].p95_latency_ms == pytest.approx(900, rel=0.1)
    assert sorted(found.codes, key=str) == [
        CodeCount("address_not_found", 404, 1),
        CodeCount("place_missing", 404, 1),
        CodeCount("scope_denied", 403, 1),
        CodeCount(None, 499, 1),
    ]
    assert report(world, scope=Scope(key_id="another1")).total.statuses == []


def test_a_day_of_paris_has_its_own_counts_and_a_part_of_it_counts_as_a_whole(world: World) -> None:
    issued = world.key()
    for at in (datetime(2026, 3, 28, 22, 59, tzinfo=UTC), datetime(2026, 3, 28, 23, 0, tzinfo=UTC)):
        world.clock.now = at
        world.settler.record([world.outcome(world.ask(issued.secret.text))])
    for start, end, requests in (
        ("2026-03-28", "2026-03-28", 1),
        ("2026-03-29T20:00:00+02:00", "2026-03-29T21:00:00+02:00", 1),
        ("2026-03-28T12:00:00Z", "2026-03-28T23:30:00Z", 2),
    ):
        found = report(world, read_range(start, end, Bucket.DAY, world.clock()))
        assert found.total.statuses == [(200, requests)]


def test_retries_and_replicas_count_an_outcome_once(
    world: World, open_world: Callable[..., World], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = world.key()
    sent = outcomes_of(world, issued.secret.text)

    def fail(_: object) -> None:
        raise Unavailable("The process ends before its commit.")

    with monkeypatch.context() as patched, pytest.raises(Unavailable):
        patched.setattr(driver, "_commit", fail)
        world.settler.record(sent)
    assert report(world).total.statuses == []
    replicas = [world, *(open_world(database_url) for _ in range(3))]
    with ThreadPoolExecutor(len(replicas)) as threads:
        list(threads.map(lambda replica: replica.settler.record(sent), replicas))
    assert report(world).total.statuses == [(200, 1), (404, 2), (499, 1)]
    assert len(calls(world, issued.record.id)) == 4


def test_queued_outcomes_keep_their_request_id_and_code(world: World) -> None:
    issued = world.key()
    failed = world.outcome(world.ask(issued.secret.text), status=404, code="place_missing", request_id="waiting")
    world.settler.queue([failed])
    assert world.settler.count_queued() == 1
    assert [(each.request_id, each.code) for each in calls(world, issued.record.id)] == [("waiting", "place_missing")]
    assert report(world).codes == [CodeCount("place_missing", 404, 1)]


def test_codes_and_statuses_that_nobody_knows_add_few_rows(world: World) -> None:
    issued = world.key()
    for number in range(3):
        made = world.outcome(world.ask(issued.secret.text), status=500 + number * 1_000, code=f"invented_{number}")
        world.settler.record([made])
    found = report(world)
    assert found.total.statuses == [(500, 1), (None, 2)]
    assert found.codes == [CodeCount(None, None, 2), CodeCount("other", 500, 1)]


def test_what_an_earlier_version_counted_is_unknown(world: World) -> None:
    issued = world.key()
    world.settler.record([world.outcome(world.ask(issued.secret.text))])
    with world.database.writing() as connection:
        place = RollupKey(hour_of(NOON), issued.record.id, RESOLVE)
        rollups.add(connection, {place: {"requests": 5, "errors": 2, "timed_requests": 5, "latency_us": 50}})
    found = report(world)
    assert found.total.statuses == [(200, 1), (None, 5)]
    assert found.endpoints[RESOLVE].statuses == found.total.statuses
    assert found.codes == [CodeCount(None, None, 2)]


def test_the_newest_calls_of_a_key_are_listed(world: World) -> None:
    issued, other = world.key(), world.key()
    world.settler.record([world.outcome(world.ask(other.secret.text))])
    for number in range(NEWEST + 5):
        world.clock.advance(seconds=1)
        world.settler.record([world.outcome(world.ask(issued.secret.text), request_id=f"request-{number}")])
    listed = calls(world, issued.record.id)
    assert [each.request_id for each in listed] == [f"request-{NEWEST + 4 - number}" for number in range(NEWEST)]
    assert listed[0].occurred_at == world.clock()
    assert (listed[0].units, listed[0].latency_us, listed[0].code) == (1, 1_500, None)


def test_the_migration_keeps_events_and_says_that_their_codes_are_unknown(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/keys.sqlite")
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    with database.writing() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0008")
        connection.execute(
            text(
                "INSERT INTO events (id, reservation_id, key_id, endpoint, status, latency_us, units, input_tokens,"
                " output_tokens, month, occurred_at, recorded_at)"
                " VALUES (x'01', x'02', 'abcdefgh', 'parcels', 404, 1500, 0, 0, 0, '2026-03', :at, :at)"
            ),
            {"at": NOON.strftime("%Y-%m-%d %H:%M:%S.%f")},
        )
        row = {"hour": hour_of(NOON), "key_id": "abcdefgh", "endpoint": "parcels", "requests": 1, "errors": 1}
        connection.execute(insert(usage_hours), row)
    database.migrate()
    with database.reading() as connection:
        [call] = newest_calls(connection, "abcdefgh")
        found = outcome_report(Transaction(connection, NOON), Range(NOON, NOON + timedelta(hours=1)), Scope())
    assert (call.status, call.request_id, call.code) == (404, None, None)
    assert found.total.statuses == []  # `usage_days` is computed by the reconciler
    database.close()
