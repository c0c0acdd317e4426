"""Limits on one connection and on all connections, with real sockets."""

import asyncio
import contextlib
import json

import pytest
from running_edge import Edge, StartEdge, exchange, listening

from edge.server import MAX_HEAD_BYTES, MAX_HEADERS, BoundedHttp, Connections, bounded_http

LIVEZ = b"GET /livez HTTP/1.1\r\nhost: x\r\n"
CLOSE = b"connection: close\r\n\r\n"


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
    body = json.dumps({"label": "x", "filler": "y" * 100_000}).encode()
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
    assert edge.keys.batches == []


async def test_a_connection_with_an_unread_answer_is_closed(edge: Edge) -> None:
    edge.land.unit.geometry = json.dumps({"type": "LineString", "coordinates": [[2.1, 47.1]] * 800_000}).encode()
    body = b'{"parcel_ids": ["00001000AB0012"]}'
    head = (
        f"POST /api/v1/land-units/geojson HTTP/1.1\r\nhost: x\r\nx-api-key: {edge.key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    protocol = bounded_http(edge.settings)
    protocol.write_deadline_s = 0.2
    ended = asyncio.Event()
    lost = protocol.connection_lost

    def connection_lost(self: BoundedHttp, exc: Exception | None) -> None:
        ended.set()
        lost(self, exc)

    protocol.connection_lost = connection_lost  # type: ignore[method-assign]
    async with listening(edge, protocol) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(head.encode() + body)
        async with asyncio.timeout(60):
            await ended.wait()
        assert reader is not None
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_connection_above_the_limit_is_refused_and_others_continue(start_edge: StartEdge) -> None:
    async with start_edge(max_connections=3) as edge, listening(edge) as port:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        for _ in range(2):
            answer = await exchange(port, b"")
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: 1" in answer
        held[0][1].write(LIVEZ + CLOSE)
        assert (await held[0][0].read()).startswith(b"HTTP/1.1 200 ")
        async with asyncio.timeout(60):
            while not (await exchange(port, LIVEZ + CLOSE)).startswith(b"HTTP/1.1 200 "):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        for _, writer in held:
            writer.close()


def test_connections_are_counted_by_address_and_by_64_of_ipv6() -> None:
    connections = Connections(10, 2, ())
    assert [connections.opened("203.0.113.9") for _ in range(3)] == [True, True, False]
    assert [connections.opened(f"2001:db8::{end}") for end in ("1", "2", "3")] == [True, True, False]
    assert connections.opened("2001:db8:0:1::1")
    connections.closed("203.0.113.9")
    connections.closed("203.0.113.9")
    assert connections.opened("203.0.113.9")


async def test_a_trusted_proxy_has_no_limit_per_address(start_edge: StartEdge) -> None:
    async with start_edge(max_connections_per_address=1, trusted_proxies="10.0.0.0/8") as edge:
        connections = bounded_http(edge.settings).open_connections
        assert connections is not None
        assert [connections.opened("10.0.0.7") for _ in range(3)] == [True] * 3
        assert [connections.opened("10.1.0.7") for _ in range(3)] == [True] * 3
        assert [connections.opened("11.0.0.7") for _ in range(2)] == [True, False]
