"""Rows that another transaction has locked on PostgreSQL. Requests that need none of them are always answered."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from keys_world import World
from serving import CALL, PEPPERS, SAFETY_S, Serving, serving, until
from sqlalchemy import TextClause, create_engine, select, text

from keys.clock import system_clock
from keys.errors import Blocked
from keys.quota.months import month_of
from keys.records import IssuedKey
from keys.store.tables import waiting_outcomes
from landpartner.keys.v1 import keys_pb2
from servicekit.endpoints import GEOJSON, RESOLVE

pytestmark = pytest.mark.docker

KEY_ROW = text("SELECT id FROM keys WHERE id = :id FOR UPDATE")
COUNTS_ROW = text("SELECT key_id FROM key_months WHERE key_id = :id FOR UPDATE")


@pytest.fixture
def world(migrated_postgres: str, open_world: Callable[..., World]) -> World:
    return open_world(migrated_postgres, clock=system_clock, peppers=PEPPERS)


@contextmanager
def locked(url: str, key: IssuedKey, row: TextClause = KEY_ROW) -> Iterator[None]:
    """Another program's transaction, which locks a row until the block ends."""
    engine = create_engine(url)
    with engine.connect() as connection:
        assert connection.execute(row, {"id": key.record.id}).all()
        yield
        connection.rollback()
    engine.dispose()


def query(key: IssuedKey, endpoint: str = RESOLVE) -> keys_pb2.AuthorizationQuery:
    return keys_pb2.AuthorizationQuery(
        reservation_id=secrets.token_bytes(16), api_key=key.secret.text, endpoint=endpoint
    )


async def authorize(running: Serving, *keys: IssuedKey) -> list[keys_pb2.AuthorizationDecision]:
    request = keys_pb2.AuthorizeRequest(queries=[query(key) for key in keys])
    return list((await running.stub.Authorize(request, **CALL(SAFETY_S))).decisions)


def result(decision: keys_pb2.AuthorizationDecision) -> str:
    return str(decision.WhichOneof("result"))


def outcome(decision: keys_pb2.AuthorizationDecision, key: IssuedKey) -> keys_pb2.Outcome:
    return keys_pb2.Outcome(
        event_id=decision.reservation_id,
        reservation_id=decision.reservation_id,
        key_id=key.record.id,
        endpoint=RESOLVE,
        status=200,
        latency_us=1_000,
    )


def month(world: World, key: IssuedKey) -> dict[str, int]:
    return world.month(key.record.id, month_of(system_clock()))


@pytest.mark.parametrize("row", [KEY_ROW, COUNTS_ROW])
async def test_only_the_locked_key_of_a_batch_fails(world: World, migrated_postgres: str, row: TextClause) -> None:
    """On a busy machine a free key may fail too: the batch is sent again then."""
    blocked, first, second = world.key(), world.key(), world.key()
    world.ask(blocked.secret.text)
    granted = [0, 0]
    async with serving(migrated_postgres, workers=4) as running:

        async def only_the_locked_one_fails() -> bool:
            of_first, *of_blocked, of_second = await authorize(running, first, blocked, blocked, second)
            for decision in of_blocked:
                assert (result(decision), decision.failure.retry_after_s) == ("failure", 1)
            are_granted = [result(decision) == "grant" for decision in (of_first, of_second)]
            granted[:] = map(sum, zip(granted, are_granted, strict=True))
            return all(are_granted)

        with locked(migrated_postgres, blocked, row):
            for _ in range(3):
                await until(only_the_locked_one_fails)

        async def is_free() -> bool:
            return [result(decision) for decision in await authorize(running, blocked)] == ["grant"]

        await until(is_free)
    assert [month(world, key)["reserved_units"] for key in (first, second)] == granted
    assert month(world, blocked)["reserved_units"] == 2  # the first request of the test, and the last one


async def test_many_calls_for_a_locked_key_leave_threads_for_others(world: World, migrated_postgres: str) -> None:
    blocked, free = world.key(), world.key()
    async with serving(migrated_postgres, workers=2) as running:
        with locked(migrated_postgres, blocked):
            calls = [asyncio.create_task(authorize(running, blocked)) for _ in range(50)]
            for _ in range(20):
                (decision,) = await authorize(running, free)
                assert result(decision) == "grant"
            assert {result(decision) for (decision,) in await asyncio.gather(*calls)} == {"failure"}
        (decision,) = await authorize(running, blocked)
        assert result(decision) == "grant"


async def test_a_locked_key_that_is_revoked_gets_its_denial(world: World, migrated_postgres: str) -> None:
    blocked = world.key()
    world.revoke(blocked.record.id)
    async with serving(migrated_postgres) as running:
        with locked(migrated_postgres, blocked):
            (decision,) = await authorize(running, blocked)
            assert decision.denial.code == "revoked_key"


@pytest.mark.parametrize("row", [KEY_ROW, COUNTS_ROW])
async def test_outcomes_of_a_locked_key_are_counted_once_after_its_release_and_others_at_once(
    world: World, migrated_postgres: str, row: TextClause
) -> None:
    blocked, free = world.key(), world.key()
    async with serving(migrated_postgres, workers=2) as running:
        used = (blocked, free, blocked)
        outcomes = [outcome((await authorize(running, key))[0], key) for key in used]
        request = keys_pb2.RecordOutcomesRequest(outcomes=outcomes)
        with locked(migrated_postgres, blocked, row):
            for _ in range(3):  # an edge may repeat them
                answer = await running.stub.RecordOutcomes(request, **CALL(SAFETY_S))
                assert list(answer.acknowledged) == [outcome.event_id for outcome in outcomes]
            assert month(world, free) == {"requests": 1, "units": 1}
            assert month(world, blocked) == {"reserved_units": 2}

        async def is_counted() -> bool:
            return "units" in month(world, blocked)

        await until(is_counted)
        await running.stub.RecordOutcomes(request, **CALL(SAFETY_S))
    assert month(world, blocked) == {"requests": 2, "units": 2}
    with world.database.reading() as connection:
        assert connection.execute(select(waiting_outcomes)).all() == []


def test_reservations_of_other_keys_lapse_while_one_is_locked(world: World, migrated_postgres: str) -> None:
    blocked, free = world.key(), world.key()
    old = replace_clock(world, -timedelta(hours=1))
    for key in (blocked, free, free):
        old.ask(key.secret.text, GEOJSON)
    with locked(migrated_postgres, blocked):
        assert world.settler.lapse() == 2
        assert world.settler.lapse() == 0
    assert world.settler.lapse() == 1


def test_refusals_of_other_keys_are_counted_while_the_counts_of_one_are_locked(
    world: World, migrated_postgres: str
) -> None:
    blocked, free = (world.key(scopes=(RESOLVE,)) for _ in range(2))
    world.ask(blocked.secret.text)
    with locked(migrated_postgres, blocked, COUNTS_ROW):
        for key in (blocked, free, blocked):
            world.ask(key.secret.text, GEOJSON)
        assert world.refusals.flush() == 1
        assert month(world, free) == {"requests": 1, "errors": 1}
    assert world.refusals.flush() == 2
    assert month(world, blocked) == {"requests": 2, "errors": 2, "reserved_units": 1}


def test_changing_a_locked_key_raises_blocked_with_retry_after(world: World, migrated_postgres: str) -> None:
    blocked = world.key()
    with locked(migrated_postgres, blocked), pytest.raises(Blocked) as caught:
        world.revoke(blocked.record.id)
    assert (caught.value.code, caught.value.retry_after_s) == ("unavailable", 1)


async def test_a_read_only_database_fails_health_and_not_liveness(
    fresh_postgres: str, open_world: Callable[..., World]
) -> None:
    world = open_world(fresh_postgres, clock=system_clock, peppers=PEPPERS)
    world.database.migrate()
    key = world.key()
    outside = create_engine(fresh_postgres, isolation_level="AUTOCOMMIT")
    name = outside.url.database

    def set_read_only(value: str) -> None:
        ended = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name AND pid <> pg_backend_pid()"
        )
        with outside.connect() as connection:
            connection.execute(text("SET default_transaction_read_only = off"))
            connection.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}"))
            connection.execute(text(ended), {"name": name})

    async with serving(fresh_postgres) as running:
        assert await running.is_serving()
        set_read_only("on")

        async def is_down() -> bool:
            return not await running.is_serving()

        await until(is_down)
        assert await running.is_serving("liveness")
        set_read_only("off")
        await until(running.is_serving)
        (decision,) = await authorize(running, key)
        assert result(decision) == "grant"
    outside.dispose()


def replace_clock(world: World, by: timedelta) -> World:
    """Returns the world of another replica, with another clock."""
    return World(world.database, clock=lambda: system_clock() + by, peppers=world.peppers)  # type: ignore[arg-type]
