"""One outcome for each granted request, whatever becomes of it: over a real server and real sockets."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn

from edge.server import BoundedHead

RESOLVE = "/api/v1/addresses/resolve"
DIVIDE = "/api/v1/assistant/divide-land"


@contextlib.asynccontextmanager
async def listening(edge: Any) -> AsyncIterator[int]:
    """Serves the edge's application on a port, as `edge serve` does, but in this loop."""
    config = uvicorn.Config(
        edge.app, port=0, http=BoundedHead, ws="none", lifespan="off", log_config=None, access_log=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    task = asyncio.create_task(server._serve())
    async with asyncio.timeout(5):
        while not server.started:  # noqa: ASYNC110 (uvicorn has no event for it)
            await asyncio.sleep(0.005)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


def head(path: str, key: str, *lines: str) -> bytes:
    fixed = (f"POST {path} HTTP/1.1", "host: localhost", f"x-api-key: {key}", "content-type: application/json")
    return "\r\n".join((*fixed, *lines, "", "")).encode()


async def exchange(port: int, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    with contextlib.suppress(ConnectionError):
        await writer.drain()
    answer = b""
    with contextlib.suppress(ConnectionError):
        answer = await reader.read()
    writer.close()
    return answer


async def test_an_answer_has_one_outcome(edge: Any, wait_until: Any) -> None:
    response = await edge.post(RESOLVE, {"label": "x"})
    assert response.status_code == 200
    outcome = await edge.keys.outcome()
    assert (outcome.key_id, outcome.endpoint, outcome.status) == ("key-1", "addresses.resolve", 200)
    assert outcome.reservation_id == outcome.event_id == edge.keys.queries[0].reservation_id
    assert outcome.latency_us > 0
    assert outcome.occurred_at.endswith("Z")
    await asyncio.sleep(0.1)
    assert len(edge.keys.outcomes) == 1


@pytest.mark.parametrize(("path", "body", "status"), [(RESOLVE, {}, 400), ("/api/v1/nothing", {}, 404)])
async def test_failures_have_outcomes_too(edge: Any, path: str, body: Any, status: int) -> None:
    assert (await edge.post(path, body)).status_code == status
    assert (await edge.keys.outcome()).status == status


async def test_a_body_over_the_limit_is_refused_while_it_streams(edge: Any) -> None:
    async with listening(edge) as port:
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        answer = await exchange(port, head(RESOLVE, edge.key, "transfer-encoding: chunked") + chunk * 6)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"payload_too_large" in answer
        declared = await exchange(port, head(RESOLVE, edge.key, "content-length: 262145"))
        assert declared.startswith(b"HTTP/1.1 413 ")
    assert (await edge.keys.outcome()).status == 413
    assert edge.land.requests == []


async def test_a_body_up_to_the_limit_is_read(edge: Any) -> None:
    body = json.dumps({"label": "x", "filler": ""}).encode()
    body = body[:-2] + b"y" * (262_144 - len(body)) + b'"}'
    assert len(body) == 262_144
    headers = {"x-api-key": edge.key, "content-type": "application/json"}
    assert (await edge.client.post(RESOLVE, content=body, headers=headers)).status_code == 200
    assert (await edge.client.post(RESOLVE, content=body + b" ", headers=headers)).status_code == 413


async def test_without_a_key_a_large_body_is_401_unread(edge: Any) -> None:
    async with listening(edge) as port:
        request = head(RESOLVE, "none", "content-length: 99999999", "connection: close")
        assert (await exchange(port, request)).startswith(b"HTTP/1.1 401 ")


async def test_a_client_that_leaves_after_work_began_is_499(edge: Any) -> None:
    edge.land.delay_s = 0.3
    async with listening(edge) as port:
        body = b'{"label": "x"}'
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(RESOLVE, edge.key, f"content-length: {len(body)}") + body)
        await writer.drain()
        await asyncio.sleep(0.15)
        writer.close()
        assert (await edge.keys.outcome()).status == 499
    assert len(edge.keys.outcomes) == 1


async def test_a_client_that_leaves_before_a_failure_pays_nothing(edge: Any, refusal: Any) -> None:
    edge.land.delay_s = 0.3
    edge.land.failure = refusal("source_unavailable")
    async with listening(edge) as port:
        body = b'{"label": "x"}'
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(RESOLVE, edge.key, f"content-length: {len(body)}") + body)
        await writer.drain()
        await asyncio.sleep(0.15)
        writer.close()
        assert (await edge.keys.outcome()).status == 503


async def test_a_client_that_leaves_before_its_body_is_whole_pays_nothing(edge: Any, wait_until: Any) -> None:
    async with listening(edge) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(RESOLVE, edge.key, "content-length: 100") + b'{"label"')
        await writer.drain()
        await wait_until(lambda: bool(edge.keys.queries))
        writer.close()
        assert (await edge.keys.outcome()).status == 400
    assert edge.land.requests == []


async def test_a_body_that_never_comes_ends_in_time(start_edge: Any) -> None:
    async with start_edge(body_deadline_s=0.1) as edge, listening(edge) as port:
        answer = await exchange(port, head(RESOLVE, edge.key, "content-length: 100") + b'{"label"')
        assert answer.startswith(b"HTTP/1.1 400 ")


async def test_a_client_that_leaves_a_stream_is_499(edge: Any) -> None:
    edge.assistant.stall = True
    async with listening(edge) as port:
        body = b'{"parcel_ids": ["75118000AB0012"]}'
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        lines = (f"content-length: {len(body)}", "accept: text/event-stream")
        writer.write(head(DIVIDE, edge.key, *lines) + body)
        await reader.readuntil(b"answer.delta")
        writer.close()
        assert (await edge.keys.outcome()).status == 499


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_client_that_leaves_the_assistant_ends_its_work_and_is_settled_once(
    edge: Any, wait_until: Any, accept: str
) -> None:
    edge.assistant.stall = True
    async with listening(edge) as port:
        body = b'{"parcel_ids": ["75118000AB0012"]}'
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(DIVIDE, edge.key, f"content-length: {len(body)}", f"accept: {accept}") + body)
        await wait_until(lambda: bool(edge.assistant.requests))
        writer.close()
        await asyncio.wait_for(edge.assistant.cut_off.wait(), 10)
        assert (await edge.keys.outcome()).status == 499
    assert len(edge.assistant.requests) == 1
    assert len(edge.keys.outcomes) == 1


async def test_a_client_that_left_before_the_assistant_was_asked_ends_it_at_once(edge: Any) -> None:
    edge.assistant.stall = True
    edge.land.delay_s = 0.3
    async with listening(edge) as port:
        body = b'{"parcel_ids": ["75118000AB0012"]}'
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(DIVIDE, edge.key, f"content-length: {len(body)}") + body)
        await writer.drain()
        await asyncio.sleep(0.15)
        writer.close()
        assert (await edge.keys.outcome()).status == 499
    assert len(edge.keys.outcomes) == 1


async def test_a_head_without_end_is_cut(edge: Any) -> None:
    async with listening(edge) as port:
        answer = await exchange(port, b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\nx-api-key: " + b"k" * 100_000)
        assert answer.startswith(b"HTTP/1.1 431 ")
        await exchange(port, b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\nx-api-key: " + b"k" * 5_000_000)
        assert (await edge.client.get("/api/v1/health")).status_code == 200


async def test_a_connection_that_never_asks_is_ended(edge: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(BoundedHead, "head_deadline_s", 0.1)
    async with listening(edge) as port:
        assert await exchange(port, b"") == b""
        assert await exchange(port, b"GET /api/v1/health HT") == b""
        answer = await exchange(port, b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 ")


async def test_no_room_for_outcomes_refuses_before_keys_is_asked(start_edge: Any) -> None:
    async with start_edge(spool_max_bytes=1024 * 1024) as edge:
        edge.keys.takes_outcomes = False
        held = edge.app.state.outcomes
        for _ in range(1024 * 1024 // 1032):
            held.hold()
        response = await edge.post(RESOLVE, {"label": "x"})
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
        assert edge.keys.batches == []
        held.release()
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
        edge.keys.takes_outcomes = True


async def test_an_outcome_that_cannot_be_written_holds_the_answer_back(edge: Any, monkeypatch: Any) -> None:
    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "pwrite", fail)
    response = await edge.post(RESOLVE, {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")


async def test_outcomes_survive_keys_being_away(edge: Any) -> None:
    edge.keys.takes_outcomes = False
    for _ in range(3):
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
    await asyncio.sleep(0.2)
    edge.keys.takes_outcomes = True
    async with asyncio.timeout(8):
        while len(edge.keys.outcomes) < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert len({outcome.event_id for outcome in edge.keys.outcomes}) == 3


async def test_the_log_names_neither_key_nor_address(edge: Any, caplog: Any) -> None:
    caplog.set_level("DEBUG")
    await edge.post(RESOLVE, {"label": "10 rue Secrète"})
    await edge.client.post(RESOLVE, headers={"x-api-key": edge.key + "x"})
    told = " ".join(str(vars(record)) for record in caplog.records if record.name.startswith("edge"))
    assert "addresses/resolve" in told
    assert edge.key not in told
    assert "Secr" not in told
