"""The health of a server whose probe fails and recovers."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from servicekit.callers import entry
from servicekit.health import LIVENESS, HealthProbe
from servicekit.healthcheck import is_serving
from servicekit.rpc_client import Outgoing, open_channel
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


def server_of(probe: Callable[[], None], answer: bytes = b"") -> RpcServer:
    """Returns a server whose method Ask returns `answer`. It would drain for a day."""

    async def ask(_request: bytes, _context: object) -> bytes:
        return answer

    def add_to(server: grpc.aio.Server) -> None:
        handlers: Any = {"Ask": grpc.unary_unary_rpc_method_handler(ask)}
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(NAME, handlers)])

    settings = RpcSettings(callers=entry("edge", "right"), health_interval_s=0.01, drain_s=86_400)
    return RpcServer(settings, [Registration(NAME, add_to, {"edge": ["Ask"]})], {}, probe=probe)


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

    async def set_health(is_serving: bool) -> None:
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


async def test_a_channel_that_follows_health_avoids_a_replica_that_cannot_work_and_holds_up_no_stop() -> None:
    databases = [Database(is_up=True), Database(is_up=True)]
    servers = [server_of(database.probe, bytes([number])) for number, database in enumerate(databases)]
    target = ",".join([f"127.0.0.1:{await server.start()}" for server in servers])
    async with open_channel(target, follows_health=True) as channel:
        call: Any = channel.unary_unary(f"/{NAME}/Ask")

        async def answered() -> set[int]:
            """The servers that answer four calls in a row."""
            return {(await call(b"", **Outgoing("right")(SAFETY_S)))[0] for _ in range(4)}

        async def answers(*expected: int) -> None:
            async def check() -> bool:
                return await answered() == set(expected)

            await until(check)

        await answers(0, 1)
        databases[0].is_up = False
        await answers(1)
        databases[0].is_up = True
        await answers(0, 1)
        async with asyncio.timeout(SAFETY_S):
            await servers[0].stop()
        await answers(1)
        databases[1].is_up = False

        async def is_refused() -> bool:
            try:
                await answered()
            except grpc.aio.AioRpcError as error:
                return error.code() is grpc.StatusCode.UNAVAILABLE
            return False

        await until(is_refused)
        async with asyncio.timeout(SAFETY_S):
            await servers[1].stop()
