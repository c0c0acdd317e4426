"""Limits on one connection and on all connections, with real sockets."""

import asyncio
import contextlib
import json
from importlib.metadata import version
from pathlib import Path

import pytest
from framing_servers import haproxy
from running_edge import Edge, exchange, listening

from edge.server import MAX_HEAD_BYTES, MAX_HEADERS, BoundedHttp, make_server

LIVEZ = b"GET /livez HTTP/1.1\r\nhost: x\r\n"
CLOSE = b"connection: close\r\n\r\n"


def test_uvicorn_has_the_version_whose_insides_the_edge_uses() -> None:
    """`BoundedHttp` overrides and calls private parts of its protocol, and `_is_disconnect` of metered.py advances its
    `receive` by one step. Compare both with another version before it is named here.
    """
    assert version("uvicorn") == "0.54.0"


@pytest.mark.parametrize(
    "lines",
    [
        b"x-filler: " + b"k" * 70_000 + b"\r\n",
        b"".join(b"x-%d: %s\r\n" % (number, b"k" * 1_000) for number in range(70)),
        b"".join(b"x-%d: y\r\n" % number for number in range(MAX_HEADERS + 1)),
    ],
    ids=["one long header", "many headers", "more headers than allowed"],
)
async def test_a_head_over_the_limit_in_one_write_is_refused(edge: Edge, lines: bytes) -> None:
    async with listening(edge) as port:
        assert (await exchange(port, LIVEZ + lines + CLOSE)).startswith(b"HTTP/1.1 431 ")
        long_path = b"GET /" + b"a" * (MAX_HEAD_BYTES + 1) + b" HTTP/1.1\r\nhost: x\r\n"
        assert (await exchange(port, long_path + CLOSE)).startswith(b"HTTP/1.1 431 ")
        assert (await exchange(port, LIVEZ + CLOSE)).startswith(b"HTTP/1.1 200 ")


async def test_an_endless_head_is_refused(edge: Edge) -> None:
    async with listening(edge) as port:
        answer = await exchange(port, b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\nx-api-key: " + b"k" * 100_000)
        assert answer.startswith(b"HTTP/1.1 431 ")
        head, _, body = answer.partition(b"\r\n\r\n")
        problem = json.loads(body)
        assert problem["status"] == 431
        assert f"x-request-id: {problem['request_id']}".encode() in head.lower()
        await exchange(port, b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\nx-api-key: " + b"k" * 5_000_000)
        assert (await edge.client.get("/api/v1/health")).status_code == 200


async def test_an_idle_connection_is_closed(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedHttp, "head_deadline_s", 0.1)
    async with listening(edge) as port:
        assert await exchange(port, b"") == b""
        assert await exchange(port, b"GET /api/v1/health HT") == b""
        answer = await exchange(port, b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 ")


async def test_a_head_up_to_the_limit_and_a_long_body_in_one_write_are_read(edge: Edge) -> None:
    body = json.dumps({"label": "x"}).encode() + b" " * 100_000
    head = (
        f"POST /api/v1/addresses/resolve HTTP/1.1\r\nhost: x\r\nx-api-key: {edge.key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\nx-filler: {'k' * 60_000}\r\n\r\n"
    )
    async with listening(edge) as port:
        answer = await exchange(port, head.encode() + body + LIVEZ + CLOSE)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b"HTTP/1.1 200 ") == 2


async def test_trailers_are_not_headers(edge: Edge) -> None:
    head = "POST /api/v1/addresses/resolve HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    async with listening(edge) as port:
        trailer = f"2\r\n{{}}\r\n0\r\nx-api-key: {edge.key}\r\n\r\n"
        assert b"missing_key" in await exchange(port, f"{head}{trailer}".encode() + LIVEZ + CLOSE)
        endless = b"".join(b"x-%d: y\r\n" % number for number in range(MAX_HEADERS + 1))
        await exchange(port, head.encode() + b"2\r\n{}\r\n0\r\n" + endless)
    assert edge.keys.lease_requests == []


async def test_a_connection_with_an_unread_answer_is_closed(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    edge.land.unit.geometry = json.dumps({"type": "LineString", "coordinates": [[2.1, 47.1]] * 800_000}).encode()
    body = b'{"parcel_ids": ["00001000AB0012"]}'
    head = (
        f"POST /api/v1/land-units/geojson HTTP/1.1\r\nhost: x\r\nx-api-key: {edge.key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    monkeypatch.setattr(BoundedHttp, "write_deadline_s", 0.2)
    ended = asyncio.Event()
    lost = BoundedHttp.connection_lost

    def connection_lost(self: BoundedHttp, exc: Exception | None) -> None:
        ended.set()
        lost(self, exc)

    monkeypatch.setattr(BoundedHttp, "connection_lost", connection_lost)
    async with listening(edge) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(head.encode() + body)
        async with asyncio.timeout(60):
            await ended.wait()
        assert reader is not None
        await closed(writer)


async def test_requests_get_503_while_there_are_too_many_connections(edge: Edge) -> None:
    server = make_server(edge.settings.model_copy(update={"max_connections": 3}))
    async with listening(edge, limit_concurrency=server.config.limit_concurrency) as port:
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        assert (await exchange(port, LIVEZ + CLOSE)).startswith(b"HTTP/1.1 503 ")
        idle[0][1].write(LIVEZ + CLOSE)
        assert (await idle[0][0].read()).startswith(b"HTTP/1.1 200 ")
        async with asyncio.timeout(60):
            while not (await exchange(port, LIVEZ + CLOSE)).startswith(b"HTTP/1.1 200 "):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        for _, writer in idle:
            await closed(writer)


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def connect(port: int) -> asyncio.StreamWriter | None:
    """A connection that was answered and stays open. None if it was refused."""
    with contextlib.suppress(ConnectionError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            writer.write(LIVEZ + b"\r\n")
            await reader.readuntil(b"HTTP/1.1 200 ")
            return writer
        await closed(writer)
    return None


async def connected(port: int) -> asyncio.StreamWriter:
    """Repeats refused attempts, since HAProxy may still count a connection that was closed."""
    async with asyncio.timeout(60):
        while (writer := await connect(port)) is None:  # noqa: ASYNC110 (HAProxy has no event)
            await asyncio.sleep(0.05)
        return writer


@pytest.mark.programs
async def test_haproxy_limits_the_connections_of_an_address(edge: Edge, tmp_path: Path) -> None:
    async with listening(edge) as edge_port:
        with haproxy(edge_port, tmp_path, connections_per_address=2) as port:
            writers = [await connected(port) for _ in range(2)]
            assert await connect(port) is None
            await closed(writers.pop())
            writers.append(await connected(port))
            for writer in writers:
                await closed(writer)
