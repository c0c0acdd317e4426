"""Health over HTTP: its answers, its bounds, and the check of the images."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from servicekit import health_port
from servicekit.callers import entry
from servicekit.health_port import HealthPort
from servicekit.rpc_server import RpcServer
from servicekit.settings import RpcSettings

CHECK = Path(__file__).parents[3] / "deploy/compose/healthcheck.sh"


@asynccontextmanager
async def listening(*, is_serving: bool) -> AsyncIterator[int]:
    listener = HealthPort("127.0.0.1", 0, lambda: is_serving)
    try:
        yield await listener.start()
    finally:
        listener.close()


async def said(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def checked(port: int, path: str = "/readyz") -> int:
    process = await asyncio.create_subprocess_exec(
        "bash", str(CHECK), str(port), path, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


@pytest.mark.parametrize(
    ("is_serving", "path", "status"),
    [(True, "/readyz", 200), (False, "/readyz", 503), (False, "/livez", 200), (True, "/metrics", 404)],
)
async def test_it_answers_with_the_state_and_the_check_agrees(is_serving: bool, path: str, status: int) -> None:
    async with listening(is_serving=is_serving) as port:
        answer = await said(port, f"GET {path} HTTP/1.0\r\n\r\n".encode())
        assert answer.startswith(f"HTTP/1.0 {status} ".encode())
        assert (await checked(port, path) == 0) == (status == 200)


@pytest.mark.parametrize(
    "request_",
    [b"", b"GET /readyz", b"x" * 10_000, b"\r\n\r\n", b"POST /readyz HTTP/1.0\r\n\r\n"],
)
async def test_anything_else_gets_no_200_and_the_next_request_is_answered(request_: bytes) -> None:
    async with listening(is_serving=True) as port:
        assert b" 200 " not in await said(port, request_)
        assert await checked(port) == 0


async def test_connections_over_the_limit_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_port, "MAX_CONNECTIONS", 1)
    async with listening(is_serving=True) as port:
        _, silent = await asyncio.open_connection("127.0.0.1", port)
        reader, further = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        further.close()
        silent.close()


async def test_the_check_fails_without_a_server(unused_tcp_port: int) -> None:
    assert await checked(unused_tcp_port) != 0


async def test_a_server_is_ready_while_its_probe_succeeds(unused_tcp_port: int) -> None:
    faults: list[Exception] = []

    def probe() -> None:
        if faults:
            raise faults[0]

    settings = RpcSettings(callers=entry("edge", "right"), health_port=unused_tcp_port, health_interval_s=0.01)
    server = RpcServer(settings, [], {}, probe=probe)
    await server.start()
    try:
        assert await checked(unused_tcp_port) == 0
        faults.append(OSError("the database does not answer"))
        async with asyncio.timeout(60):
            while b" 503 " not in await said(unused_tcp_port, b"GET /readyz HTTP/1.0\r\n\r\n"):
                pass
        assert await checked(unused_tcp_port, "/livez") == 0
    finally:
        await server.stop()
    assert await checked(unused_tcp_port) != 0
