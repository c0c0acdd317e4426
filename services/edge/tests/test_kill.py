"""SIGKILL of the edge under load. Each answer that a client received completely is counted once."""

import asyncio
import contextlib
import signal
import socket
from pathlib import Path

import httpx
import pytest
from fakes import wait_until
from running_edge import Edge, edge_process

from replicas import spooled

pytestmark = pytest.mark.thorough

CLIENTS = 8
RESOLVE = "/api/v1/addresses/resolve"


async def send_requests(url: str, key: str, completed: list[int]) -> None:
    """Sends requests until the server ends. Records each complete answer."""
    async with httpx.AsyncClient(timeout=60) as client:
        while True:
            try:
                response = await client.post(url + RESOLVE, json={"label": "x"}, headers={"x-api-key": key})
            except httpx.TransportError:
                return
            completed.append(response.status_code)


@pytest.mark.parametrize("keys_counts", [True, False], ids=["while keys counts", "while keys is away"])
async def test_a_killed_edge_loses_no_complete_answer(edge: Edge, tmp_path: Path, keys_counts: bool) -> None:
    spool = tmp_path / "shared-spool"
    edge.keys.accepts_outcomes = keys_counts
    completed: list[int] = []
    async with edge_process(edge, spool) as (process, url):
        clients = [asyncio.create_task(send_requests(url, edge.key, completed)) for _ in range(CLIENTS)]
        await wait_until(lambda: len(completed) > 150)
        process.kill()
        await asyncio.gather(*clients)
    assert set(completed) == {200}
    edge.keys.accepts_outcomes = True
    async with edge_process(edge, spool):
        await wait_until(lambda: _counted(edge) >= len(completed))
        await wait_until(lambda: len(spooled(spool)) == 1)
    assert len(completed) <= _counted(edge) <= len(completed) + CLIENTS
    assert spooled(spool) == []


async def test_two_edges_share_one_volume(edge: Edge, tmp_path: Path) -> None:
    spool = tmp_path / "shared-spool"
    edge.keys.accepts_outcomes = False
    completed: list[int] = []
    async with edge_process(edge, spool) as (first, first_url), edge_process(edge, spool) as (_, second_url):
        clients = [asyncio.create_task(send_requests(url, edge.key, completed)) for url in (first_url, second_url)]
        await wait_until(lambda: len(completed) > 50)
        first.kill()
        await clients[0]
        before = len(completed)
        await wait_until(lambda: len(completed) > before + 20)
        edge.keys.accepts_outcomes = True
        await wait_until(lambda: len(spooled(spool)) == 1)  # the running edge has adopted the folder of the dead one
        clients[1].cancel()
        await asyncio.gather(clients[1], return_exceptions=True)
    assert len(completed) <= _counted(edge) <= len(completed) + 2
    assert spooled(spool) == []


async def test_a_stopping_edge_finishes_its_requests(edge: Edge, tmp_path: Path) -> None:
    edge.land.delay_s = 0.5
    async with edge_process(edge, tmp_path / "spool-2") as (process, url):
        completed: list[int] = []
        client = asyncio.create_task(send_requests(url, edge.key, completed))
        while not edge.land.requests:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        await client
        assert await asyncio.to_thread(process.wait) == 0
    assert completed == [200]
    assert _counted(edge) == 1


async def test_requests_interrupted_by_a_shutdown_are_not_billed(edge: Edge, tmp_path: Path) -> None:
    edge.land.delay_s = 30
    async with edge_process(edge, tmp_path / "spool-4", EDGE_DRAIN_S="1", EDGE_RESOLVE_DEADLINE_S="60") as (
        process,
        url,
    ):
        completed: list[int] = []
        client = asyncio.create_task(send_requests(url, edge.key, completed))
        while not edge.land.requests:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        await client
        await asyncio.to_thread(process.wait)
    assert 200 not in completed
    assert [outcome.status for outcome in edge.keys.outcomes] == [503]


async def test_with_a_full_disk_requests_are_refused_and_no_outcome_is_lost(edge: Edge, tmp_path: Path) -> None:
    small = edge_process(edge, tmp_path / "spool-3", largest_file_bytes=100_000)
    async with small as (_, url), httpx.AsyncClient(timeout=60) as client:
        response = await client.post(url + RESOLVE, json={"label": "x"}, headers={"x-api-key": edge.key})
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
        assert "retry-after" in response.headers
        assert (await client.get(url + "/api/v1/health")).status_code == 200
    assert edge.keys.lease_requests == []


async def _send_once(url: str, key: str) -> int | None:
    """The status of a complete answer; None without one."""
    async with httpx.AsyncClient(timeout=60) as client:
        try:
            return (await client.post(url + RESOLVE, json={"label": "x"}, headers={"x-api-key": key})).status_code
        except httpx.TransportError:
            return None


@pytest.mark.parametrize("step", ["authorizing", "working", "answered", "recorded"])
async def test_a_kill_at_any_step_keeps_the_count_of_complete_answers(edge: Edge, tmp_path: Path, step: str) -> None:
    """Steps: keys decides, land works, the outcome is only on disk, the outcome is counted and not acknowledged."""
    spool = tmp_path / "shared-spool"
    if step == "authorizing":
        edge.keys.may_decide.clear()
    if step == "working":
        edge.land.delay_s = 30
    if step == "answered":
        edge.keys.accepts_outcomes = False
    if step == "recorded":
        edge.keys.may_acknowledge.clear()
    reached = {
        "authorizing": lambda: bool(edge.keys.lease_requests),
        "working": lambda: bool(edge.land.requests),
        "answered": lambda: True,
        "recorded": lambda: bool(edge.keys.outcomes),
    }[step]
    async with edge_process(edge, spool) as (process, url):
        asking = asyncio.create_task(_send_once(url, edge.key))
        if step in ("answered", "recorded"):
            assert await asking == 200
        await wait_until(reached)
        process.kill()
        status = await asking
    edge.keys.may_decide.set()
    edge.keys.may_acknowledge.set()
    edge.keys.accepts_outcomes = True
    edge.land.delay_s = 0
    async with edge_process(edge, spool) as (_, url):
        await wait_until(lambda: len(spooled(spool)) == 1)  # the new edge has adopted the folder of the dead one
        await wait_until(lambda: _counted(edge) == (status == 200))
        assert await _send_once(url, edge.key) == 200
    assert (status, _counted(edge)) == ((200, 2) if step in ("answered", "recorded") else (None, 1))
    assert spooled(spool) == []


async def test_a_kill_during_an_answer_counts_at_most_one_event(edge: Edge, tmp_path: Path) -> None:
    spool = tmp_path / "shared-spool"
    edge.land.unit.geometry = b'{"type":"MultiPoint","coordinates":[' + b",".join([b"[2.1,47.1]"] * 500_000) + b"]}"
    body = b'{"parcel_ids":["00001000AB0012"],"include":[]}'
    head = f"POST /api/v1/land-units/geojson HTTP/1.1\r\nhost: x\r\nx-api-key: {edge.key}\r\n".encode()
    head += b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    async with edge_process(edge, spool) as (process, url):
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)  # otherwise the system buffers the whole answer
        narrow.connect(("127.0.0.1", httpx.URL(url).port))
        reader, writer = await asyncio.open_connection(sock=narrow)
        writer.write(head + body)
        begun = await reader.readexactly(1_000)
        process.kill()
        with contextlib.suppress(ConnectionError):
            begun += await reader.read()
        writer.close()
    assert begun.startswith(b"HTTP/1.1 200")
    assert not begun.endswith(b"}")  # it is incomplete
    async with edge_process(edge, spool):
        await wait_until(lambda: len(spooled(spool)) == 1)
    assert _counted(edge) <= 1
    assert spooled(spool) == []


def _counted(edge: Edge) -> int:
    """The number of distinct events."""
    return len({outcome.event_id for outcome in edge.keys.outcomes})
