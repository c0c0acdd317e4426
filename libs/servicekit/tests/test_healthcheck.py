"""The health check program against a real server."""

import asyncio
import sys

import pytest

from servicekit.callers import entry
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings

NAME = "landpartner.land.v1.LandService"


async def status_of(*arguments: str) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "servicekit.healthcheck", *arguments, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


@pytest.mark.parametrize(("service", "status"), [((), 0), ((NAME,), 0), (("landpartner.Unknown",), 1)])
async def test_a_running_server_is_healthy_for_its_services(service: tuple[str, ...], status: int) -> None:
    registration = Registration(NAME, lambda _: None, {})
    server = RpcServer(RpcSettings(callers=entry("edge", "right")), [registration], {})
    port = await server.start()
    try:
        assert await status_of(f"127.0.0.1:{port}", *service) == status
    finally:
        await server.stop()


async def test_a_port_without_server_is_unhealthy(unused_tcp_port: int) -> None:
    assert await status_of(f"127.0.0.1:{unused_tcp_port}") == 1


async def test_without_a_target_the_program_fails() -> None:
    assert await status_of() == 1
