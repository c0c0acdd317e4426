"""Clients that reset their connections leave no traceback in the log of a real edge, whose event loop is uvloop."""

import asyncio
import json
import socket
import struct
from pathlib import Path

from raw_requests import head, request
from running_edge import Edge, edge_process

GEOJSON = "/api/v1/land-units/geojson"
DIVIDE = "/api/v1/assistant/divide-land"
BODY = b'{"parcel_ids": ["75118000AB0012"]}'
WITHIN_S = 60


async def reset(port: int, sent: bytes, *, reads: bool) -> None:
    """Sends the bytes, reads the start of the answer if there is one, and resets the connection."""
    loop = asyncio.get_running_loop()
    with socket.socket() as connection:
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await loop.sock_connect(connection, ("127.0.0.1", port))
        await loop.sock_sendall(connection, sent)
        if reads:
            answer = await asyncio.wait_for(loop.sock_recv(connection, 100), WITHIN_S)
            assert answer.startswith(b"HTTP/1.1 200 ")
        await asyncio.sleep(0.1)


async def log_after(edge: Edge, tmp_path: Path, *resets: tuple[bytes, bool]) -> str:
    """The log of an edge that got these requests, whose clients reset their connections."""
    edge.land.unit.geometry = json.dumps({"type": "LineString", "coordinates": [[2.1, 47.1]] * 800_000}).encode()
    edge.assistant.stall = True
    log_file = tmp_path / "log"
    async with edge_process(edge, tmp_path / "other-spool", log_file=log_file, EDGE_LOG_LEVEL="DEBUG") as (
        process,
        url,
    ):
        for sent, reads in resets:
            await reset(int(url.rpartition(":")[2]), sent, reads=reads)
    assert process.returncode == 0
    return log_file.read_text()


async def test_a_reset_leaves_no_traceback(edge: Edge, tmp_path: Path) -> None:
    log = await log_after(
        edge,
        tmp_path,
        (b"", False),
        (b"GET /livez HT", False),
        (head(GEOJSON, edge.key, "content-length: 100"), False),
        (head(GEOJSON, edge.key, "content-length: 100") + b'{"parcel', False),
        (head("/api/v1/admin/sessions", "", "content-length: 100") + b'{"email', False),
        (head("/api/v1/addresses/resolve-batch", edge.key, "transfer-encoding: chunked") + b"4\r\n{}\n\n", False),
        (request(GEOJSON, edge.key, BODY), False),
        (request(GEOJSON, edge.key, BODY), True),
        (request(GEOJSON, edge.key, BODY, "accept-encoding: zstd"), True),
        (request(DIVIDE, edge.key, BODY, "accept: text/event-stream"), True),
        (b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n", True),
    )
    assert "the client disconnected before its answer was sent" in log
    assert "Traceback" not in log


async def test_a_reset_during_the_first_of_several_requests_leaves_no_traceback(edge: Edge, tmp_path: Path) -> None:
    log = await log_after(edge, tmp_path, (5 * request(GEOJSON, edge.key, BODY), True))
    assert "Traceback" not in log
