"""Rows that another transaction has locked on PostgreSQL. What needs none of them does not wait."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import grpc
import pytest
from keys_world import World
from serving import CALL, PEPPERS, SAFETY_S, Serving, result, serving, until
from sqlalchemy import NullPool, TextClause, create_engine, text

from contract.endpoints import GEOJSON, RESOLVE
from keys.store.settling import Settlement
from keys.values.clock import system_clock
from keys.values.errors import Blocked
from keys.values.months import month_of
from keys.values.records import IssuedKey
from landpartner.keys.v1 import keys_pb2
from servicekit.rpc_errors import decode

pytestmark = pytest.mark.docker

KEY_ROW = text("SELECT id FROM keys WHERE id = :id FOR UPDATE")
COUNTS_ROW = text("SELECT key_id FROM key_months WHERE key_id = :id FOR UPDATE")


@pytest.fixture
def world(migrated_postgres: str, open_world: Callable[..., World]) -> World:
    return open_world(migrated_postgres, clock=system_clock, peppers=PEPPERS)


@contextmanager
def locked(url: str, key: IssuedKey, row: TextClause = KEY_ROW) -> Iterator[None]:
    """Another program's transaction, which locks a row until the block ends."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        assert connection.execute(row, {"id": key.record.id}).all()
        yield


async def lease(running: Serving, key: IssuedKey) -> str:
    """Returns "grant", or the code of the refusal."""
    try:
        return result(await running.lease(key))
    except grpc.aio.AioRpcError as error:
        remote = decode(error)
        assert remote is not None
        assert remote.retry_after_s == 1
        return remote.code


def outcome(key: IssuedKey) -> keys_pb2.Outcome:
    return keys_pb2.Outcome(
        event_id=secrets.token_bytes(16),
        lease_id=secrets.token_bytes(16),
        key_id=key.record.id,
        endpoint=RESOLVE,
        status=200,
        latency_us=1_000,
        occurred_at=system_clock().isoformat(),
        units=1,
    )


def month(world: World, key: IssuedKey) -> dict[str, int]:
    return world.month(key.record.id, month_of(system_clock()))


@pytest.mark.parametrize("row", [KEY_ROW, COUNTS_ROW])
async def test_a_locked_row_delays_its_own_key_only(world: World, migrated_postgres: str, row: TextClause) -> None:
    blocked, free = world.key(), world.key()
    world.ask(blocked.secret.text)
    async with serving(migrated_postgres, workers=4) as running:
        with locked(migrated_postgres, blocked, row):
            calls = [asyncio.create_task(lease(running, blocked)) for _ in range(2)]
            assert await lease(running, free) == "grant"
            assert not any(call.done() for call in calls), "it does not wait for the lock, as they do"
            for _ in range(9):
                assert await lease(running, free) == "grant"
            assert await asyncio.gather(*calls) == ["unavailable"] * 2
        assert await lease(running, blocked) == "grant"
    assert month(world, free) == {"reserved_units": 10}
    assert month(world, blocked) == {"reserved_units": 2}  # the first request of the test, and the last one
    world.check_reserved()


async def test_outcomes_and_ends_of_a_locked_key_are_postponed_and_others_are_counted_at_once(
    world: World, migrated_postgres: str
) -> None:
    blocked, free = world.key(), world.key()
    async with serving(migrated_postgres, workers=2) as running:
        leases = {
            key.record.id: await running.lease(key, lease_id=key.record.id.encode() * 2) for key in (blocked, free)
        }
        assert {result(answer) for answer in leases.values()} == {"grant"}
        outcomes = {key.record.id: [outcome(key), outcome(key)] for key in (blocked, free)}
        unused = keys_pb2.Counters(units=1, requests=1)
        request = keys_pb2.SettleRequest(
            outcomes=[outcomes[key.record.id][number] for number in range(2) for key in (blocked, free)],
            ended=[keys_pb2.LeaseEnd(lease_id=key_id.encode() * 2, key_id=key_id, unused=unused) for key_id in leases],
            refused=[
                keys_pb2.RefusedRequests(key_id=key_id, endpoint=RESOLVE, code="rate_limited", requests=3)
                for key_id in leases
            ],
            dead_holders=[bytes(16)],
        )
        for refused in request.refused:
            refused.occurred_at = system_clock().isoformat()
        ids = {
            key_id: {*(reported.event_id for reported in outcomes[key_id]), key_id.encode() * 2} for key_id in leases
        }
        with locked(migrated_postgres, blocked):
            for number in range(3):  # an edge may repeat them
                if number:
                    del request.refused[:]
                answer = await running.stub.Settle(request, **CALL(SAFETY_S))
                assert set(answer.acknowledged) == ids[free.record.id]
                assert set(answer.postponed) == ids[blocked.record.id]
                assert list(answer.locked_keys) == [blocked.record.id]
            assert month(world, free) == {"requests": 5, "errors": 3, "units": 2}
            assert month(world, blocked) == {"reserved_units": 1}
        answer = await running.stub.Settle(request, **CALL(SAFETY_S))
        assert set(answer.acknowledged) == ids[free.record.id] | ids[blocked.record.id]
        assert not answer.postponed
    assert month(world, blocked) == {"requests": 2, "units": 2}
    world.check_reserved()


def test_leases_of_other_keys_lapse_and_their_dead_holders_release_them_while_one_is_locked(
    world: World, migrated_postgres: str
) -> None:
    blocked, free = world.key(), world.key()
    old = replace_clock(world, -timedelta(hours=1))
    for key in (blocked, free, free):
        old.ask(key.secret.text, GEOJSON)
    dead = b"d" * 16
    for key in (blocked, free):
        world.lease(key.secret.text, holder=dead)
    with locked(migrated_postgres, blocked):
        world.settler.settle(Settlement(dead_holders=[dead]))
        assert {lease.key_id for lease in world.leases() if lease.holder == dead} == {blocked.record.id}
        assert world.leasing.lapse() == 2
        assert world.leasing.lapse() == 0
    assert world.leasing.lapse() == 1
    world.check_reserved()


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
        assert await lease(running, key) == "grant"
    outside.dispose()


def replace_clock(world: World, by: timedelta) -> World:
    """Returns the world of another replica, with another clock."""
    return World(world.database, clock=lambda: system_clock() + by, peppers=world.peppers)  # type: ignore[arg-type]
