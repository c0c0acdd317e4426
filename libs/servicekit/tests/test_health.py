"""The health of a server whose probe fails and recovers."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

from servicekit.callers import entry
from servicekit.health import LIVENESS, HealthProbe
from servicekit.healthcheck import is_serving
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings

NAME = "landpartner.land.v1.LandService"
SAFETY_S = 60.0


class Database:
    def __init__(self, *, is_up: bool) -> None:
        self.is_up = is_up

    def probe(self) -> None:
        if not self.is_up:
            raise RuntimeError("the database does not answer")


async def until(check: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(SAFETY_S):
        while not await check():  # noqa: ASYNC110 (polls a server)
            await asyncio.sleep(0.01)


def server_of(probe: Callable[[], None]) -> RpcServer:
    settings = RpcSettings(callers=entry("edge", "right"), health_interval_s=0.01)
    return RpcServer(settings, [Registration(NAME, lambda _: None, {})], {}, probe=probe)


async def test_health_follows_the_probe_and_liveness_does_not() -> None:
    database = Database(is_up=False)
    server = server_of(database.probe)
    target = f"127.0.0.1:{await server.start()}"

    async def serves(name: str = "") -> bool:
        return await asyncio.to_thread(is_serving, target, name)

    assert not await serves()
    assert not await serves(NAME)
    assert await serves(LIVENESS)
    database.is_up = True
    await until(serves)
    assert await serves(NAME)
    database.is_up = False

    async def fails() -> bool:
        return not await serves()

    await until(fails)
    assert await serves(LIVENESS)
    await server.stop()


async def test_a_probe_that_hangs_has_failed_and_is_not_started_again() -> None:
    go, probes, states = threading.Event(), [], []

    def probe() -> None:
        probes.append(1)
        assert go.wait(SAFETY_S)

    async def set_health(*, is_serving: bool) -> None:
        states.append(is_serving)

    async def has_recovered() -> bool:
        return states[:2] == [False, True]

    health = HealthProbe(probe, set_health, interval_s=0.01, timeout_s=0.5)
    await health.start()
    assert states == [False]
    await asyncio.sleep(0.2)
    assert probes == [1]
    go.set()
    await until(has_recovered)
    await health.stop()
