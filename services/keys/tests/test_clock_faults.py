"""A server whose clock is wrong at the start, or jumps later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import grpc
import pytest
from keys_world import World
from serving import PEPPERS, Serving, result, serving, until

from keys.values.clock import system_clock
from keys.values.months import month_of
from keys.values.records import IssuedKey
from servicekit.rpc_errors import decode

JUMPS = [timedelta(hours=1), timedelta(hours=-1), timedelta(days=130), timedelta(days=365)]


class MovedClock:
    def __init__(self) -> None:
        self.by = timedelta(0)

    def __call__(self) -> datetime:
        return system_clock() + self.by


@pytest.fixture
def world(database_url: str, open_world: Callable[..., World]) -> World:
    return open_world(database_url, clock=system_clock, peppers=PEPPERS)


async def lease(running: Serving, key: IssuedKey) -> str:
    try:
        return result(await running.lease(key))
    except grpc.aio.AioRpcError as error:
        remote = decode(error)
        assert remote is not None
        assert remote.retry_after_s == 5
        return remote.code


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_clock_that_jumps_is_refused_until_it_is_right(
    world: World, database_url: str, jump: timedelta
) -> None:
    clock, key = MovedClock(), world.key()
    async with serving(database_url, clock, housekeeping_interval_s=0.05) as running:
        assert await lease(running, key) == "grant"
        clock.by = jump
        assert await lease(running, key) == "unavailable"
        await until(lambda: is_down(running))
        assert await lease(running, key) == "unavailable"
        clock.by = timedelta(0)
        await until(running.is_serving)
        assert await lease(running, key) == "grant"
    assert world.month(key.record.id, month_of(system_clock()))["reserved_units"] == 2
    assert world.month(key.record.id, month_of(system_clock() + jump)) in (
        {},
        world.month(key.record.id, month_of(system_clock())),
    )


@pytest.mark.docker
@pytest.mark.parametrize("jump", JUMPS)
async def test_a_clock_that_differs_from_the_databases_is_refused_at_the_start(
    migrated_postgres: str, open_world: Callable[..., World], jump: timedelta
) -> None:
    clock, key = MovedClock(), open_world(migrated_postgres, clock=system_clock, peppers=PEPPERS).key()
    clock.by = jump
    async with serving(migrated_postgres, clock) as running:
        assert not await running.is_serving()
        assert await lease(running, key) == "unavailable"


async def is_down(running: Serving) -> bool:
    return not await running.is_serving()
