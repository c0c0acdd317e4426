"""Every way in which an answer can end, and whether the partner pays for it: the table of docs/billing.md, row by row.

Keys charges the weight of a request for a 2xx status and for 499, and the lines that an outcome names.
"""

import asyncio
import re
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from fakes import Refusal, wait_until
from raw_requests import head, request, send_and_leave
from running_edge import Edge, StartEdge, edge_process, listening

from edge.server import BoundedHttp
from landpartner.keys.v1 import keys_pb2

RESOLVE, DIVIDE = "/api/v1/addresses/resolve", "/api/v1/assistant/divide-land"
RESOLVE_FILE, UNITS_FILE = "/api/v1/addresses/resolve/batch", "/api/v1/land-units/batch"
GEOPACKAGE = "accept: application/geopackage+sqlite3"
LAND = b'{"parcel_ids": ["75118000AB0012"]}'
EVENTS, IDEMPOTENT = "accept: text/event-stream", "idempotency-key: order-1"
DOCUMENT = Path(__file__).parents[3] / "docs" / "billing.md"
SHUTDOWN, FILES = "cut by a shutdown", ("a file", "a GeoPackage")
DIVIDE_DEADLINE_S, WRITE_DEADLINE_S = 2.0, 3.0
LARGE = "x" * 1_000_000


class World(NamedTuple):
    """The edge, its port, and what the scenarios of the table need."""

    edge: Edge
    port: int


Scenario = Callable[[World], Awaitable[object]]
ROWS: dict[str, Scenario] = {}


def row(name: str) -> Callable[[Scenario], Scenario]:
    def register(scenario: Scenario) -> Scenario:
        ROWS[name] = scenario
        return scenario

    return register


def lines(count: int) -> bytes:
    return b'{"parcel_ids": ["75118000AB0012"]}\n' * count


def file_request(world: World, path: str, body: bytes, *header_lines: str) -> bytes:
    """A POST of NDJSON."""
    sent = request(path, world.edge.key, body, *header_lines)
    return sent.replace(b"application/json", b"application/x-ndjson", 1)


@contextmanager
def unread(world: World, sent: bytes) -> Iterator[None]:
    """A client that reads nothing of its answer until the block ends."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", world.port))
        client.sendall(sent)
        yield


async def read_until(world: World, sent: bytes, part: bytes) -> asyncio.StreamWriter:
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port, limit=10_000_000)
    writer.write(sent)
    await reader.readuntil(part)
    return writer


@row("2xx")
async def _complete(world: World) -> None:
    await world.edge.post(RESOLVE, {"label": "x"})


@row("an error")
async def _error(world: World) -> None:
    world.edge.land.failure = Refusal("parcel_not_found")
    await world.edge.post(DIVIDE, {"parcel_ids": ["75118000AB0012"]})


@row("the client disconnected before its body was complete")
async def _half_body(world: World) -> None:
    sent = head(RESOLVE, world.edge.key, "content-length: 100") + b"{"
    await send_and_leave(world.port, sent, lambda: bool(world.edge.keys.lease_requests))


@row("the client disconnected after work began")
async def _left(world: World) -> None:
    world.edge.land.delay_s = 0.3
    sent = request(RESOLVE, world.edge.key, b'{"label": "x"}')
    await send_and_leave(world.port, sent, lambda: bool(world.edge.land.requests))


@row("the client does not read its answer")
async def _unread_answer(world: World) -> None:
    world.edge.land.resolution.address.label = LARGE * 12
    with unread(world, request(RESOLVE, world.edge.key, b'{"label": "x"}')):
        await world.edge.keys.outcome()


@row("a stream: complete")
async def _stream(world: World) -> None:
    await world.edge.post(DIVIDE, {"parcel_ids": ["75118000AB0012"]}, headers={"accept": "text/event-stream"})


@row("a stream: the client disconnected")
async def _left_stream(world: World) -> None:
    world.edge.assistant.stall = True
    sent = request(DIVIDE, world.edge.key, LAND, EVENTS)
    (await read_until(world, sent, b"event: context")).close()


@row("a stream: the client does not read, and its connection is closed")
async def _unread_stream(world: World) -> None:
    world.edge.assistant.deltas = [LARGE] * 12
    with unread(world, request(DIVIDE, world.edge.key, LAND, EVENTS)):
        await world.edge.keys.outcome()


@row("a stream: the client reads it after the deadline of the request")
async def _late_reader(world: World) -> None:
    world.edge.assistant.deltas = [LARGE] * 12
    sent = request(DIVIDE, world.edge.key, LAND, EVENTS, "connection: close")
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
    writer.write(sent)
    await asyncio.sleep(DIVIDE_DEADLINE_S + 0.5)
    answer = await reader.read()
    writer.close()
    assert b"event: done" in answer


@row("a stream: the client takes more than 14 minutes to read it, and its connection is closed")
async def _slow_reader(world: World) -> None:
    world.edge.assistant.deltas = [LARGE] * 12
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("edge.api.v1.assistant.MAX_STREAM_S", 0.5)
        async with asyncio.timeout(WRITE_DEADLINE_S):
            with unread(world, request(DIVIDE, world.edge.key, LAND, EVENTS)):
                await world.edge.keys.outcome()


@row("a stream: the service fails midway (event `error`)")
async def _failed_stream(world: World) -> None:
    world.edge.assistant.fails_midway = True
    await _stream(world)


@row("with an `Idempotency-Key`: the client disconnected")
async def _left_idempotent(world: World) -> None:
    world.edge.assistant.stall = True
    sent = request(DIVIDE, world.edge.key, LAND, IDEMPOTENT)
    await send_and_leave(world.port, sent, lambda: bool(world.edge.assistant.requests))


@row("a file: complete")
async def _file(world: World) -> None:
    await _post_file(world, UNITS_FILE, lines(10))


@row("a file: the client disconnected, or the edge was stopped or killed")
async def _left_file(world: World) -> None:
    world.edge.land.delay_s = 0.02
    sent = file_request(world, UNITS_FILE, lines(500))
    (await read_until(world, sent, b'"line":2,')).close()


@row("a file: the client does not read, and its connection is closed")
async def _unread_file(world: World) -> None:
    world.edge.land.resolution.address.label = LARGE
    with unread(world, file_request(world, RESOLVE_FILE, b'{"label": "x"}\n' * 500)):
        await wait_until(lambda: any(outcome.lines.is_last for outcome in world.edge.keys.outcomes))


@row("a file: its deadline (`EDGE_BATCH_DEADLINE_S`)")
async def _late_file(world: World) -> None:
    world.edge.land.delay_s = 0.1
    await _post_file(world, UNITS_FILE, lines(200))


@row("a file: the key was revoked")
async def _revoked_file(world: World) -> None:
    world.edge.land.delay_s = 0.05
    sending = asyncio.create_task(_post_file(world, UNITS_FILE, lines(200)))
    await wait_until(world.edge.keys.charged)
    world.edge.keys.lines_denial = keys_pb2.Denial(code="revoked_key")
    await sending


@row("a GeoPackage: the client disconnected before it was complete")
async def _left_geopackage(world: World) -> None:
    world.edge.land.delay_s = 0.02
    sent = file_request(world, UNITS_FILE, lines(500), GEOPACKAGE)
    await send_and_leave(world.port, sent, lambda: len(world.edge.keys.charged()) > 3)


async def _post_file(world: World, path: str, body: bytes) -> httpx.Response:
    headers = {"x-api-key": world.edge.key, "content-type": "application/x-ndjson"}
    response: httpx.Response = await world.edge.client.post(path, content=body, headers=headers)
    return response


def documented() -> dict[str, str]:
    """What each row of the table costs."""
    [table] = re.findall(r"## What is billed\n\n\|.*\n\|.*\n((?:\|.*\n)+)", DOCUMENT.read_text(encoding="utf-8"))
    return dict(re.findall(r"^\| (.+?) \| (.+?) \|$", table, re.MULTILINE))


def is_charged(outcome: Any) -> bool:
    return outcome.status in (*range(200, 300), 499)


def test_each_row_of_the_table_has_a_test() -> None:
    assert documented().keys() == {*ROWS, SHUTDOWN}


@pytest.mark.parametrize("name", [name for name in ROWS if not name.startswith(FILES)])
async def test_a_request_costs_what_the_table_says(
    name: str, start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedHttp, "write_deadline_s", WRITE_DEADLINE_S)
    async with start_edge(divide_land_deadline_s=DIVIDE_DEADLINE_S) as edge, listening(edge) as port:
        await ROWS[name](World(edge, port))
        outcome = await edge.keys.outcome()
        assert ("the weight" if is_charged(outcome) else "0") == documented()[name], outcome.status


async def test_a_request_that_a_shutdown_cuts_costs_what_the_table_says(edge: Edge, tmp_path: Path) -> None:
    edge.assistant.stall = True
    async with edge_process(edge, tmp_path / "spool", EDGE_DRAIN_S="1") as (process, url):
        port = int(url.rpartition(":")[2])
        writer = await read_until(World(edge, port), request(DIVIDE, edge.key, LAND, EVENTS), b"context")
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait)
        writer.close()
        assert not is_charged(await edge.keys.outcome())
    assert documented()[SHUTDOWN] == "0"


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith(FILES)])
async def test_a_file_costs_what_the_table_says(
    name: str, start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedHttp, "write_deadline_s", 1.0)
    settings = {"batch_renewal_s": 0.05}
    if "deadline" in name:
        settings["batch_deadline_s"] = 0.5
    async with start_edge(**settings) as edge, listening(edge) as port:
        response = await ROWS[name](World(edge, port))
        await wait_until(lambda: any(outcome.lines.is_last for outcome in edge.keys.outcomes))
        charged, count = len(edge.keys.charged()), edge.keys.line_requests[0].lines.lines
        assert 0 < charged < count or name == "a file: complete", (charged, count)
        assert documented()[name] in ("the lines with status 200 that were sent", "the lines that were answered")
        assert not isinstance(response, httpx.Response) or charged == response.text.count('"status":200')
