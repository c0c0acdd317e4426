"""More calls than keys can serve."""

import asyncio
import threading
from collections.abc import Callable

import grpc
import pytest
from keys_world import World
from serving import PEPPERS, SAFETY_S, Serving, result, serving, until

from keys.values.clock import system_clock
from keys.values.months import month_of
from keys.values.records import IssuedKey
from servicekit.rpc_errors import decode

WORKERS = 2
QUEUED = 4
CALLS = 50


@pytest.fixture
def world(migrated_sqlite: str, open_world: Callable[..., World]) -> World:
    return open_world(migrated_sqlite, clock=system_clock, peppers=PEPPERS)


async def lease(running: Serving, key: IssuedKey) -> str:
    """Returns "grant", or the code and the gRPC status of the refusal."""
    try:
        return result(await running.lease(key))
    except grpc.aio.AioRpcError as error:
        remote = decode(error)
        assert remote is not None
        assert remote.retry_after_s == 1
        return f"{remote.code} {error.code().name}"


async def test_calls_beyond_the_queue_are_refused_at_once_and_queued_calls_complete(
    world: World, migrated_sqlite: str
) -> None:
    key = world.key()
    async with serving(migrated_sqlite, workers=WORKERS, max_queued_calls=QUEUED, health_interval_s=600) as running:
        go, is_held = threading.Event(), threading.Event()

        def hold() -> None:
            with running.server.database.writing():
                is_held.set()
                assert go.wait(SAFETY_S)

        holding = threading.Thread(target=hold)
        holding.start()
        await asyncio.to_thread(is_held.wait, SAFETY_S)
        calls = [asyncio.create_task(lease(running, key)) for _ in range(CALLS)]

        async def are_refused() -> bool:
            return (
                sum(call.done() for call in calls) >= CALLS - WORKERS - QUEUED
            )  # a background task may have taken a slot

        await until(are_refused)
        assert {call.result() for call in calls if call.done()} == {"unavailable RESOURCE_EXHAUSTED"}
        go.set()
        holding.join()
        results = await asyncio.gather(*calls)
    granted = results.count("grant")
    assert granted > 0
    assert results.count("unavailable RESOURCE_EXHAUSTED") == CALLS - granted
    assert world.month(key.record.id, month_of(system_clock())) == {"reserved_units": granted}
