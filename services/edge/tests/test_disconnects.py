"""A client that leaves during divide-land ends the call of the assistant, since a language model costs money."""

import asyncio
import gc
import itertools
from typing import Any

import pytest
from fakes import wait_until
from raw_requests import asgi_scope, request, send_and_leave
from running_edge import Edge, listening

from landpartner.keys.v1 import keys_pb2

DIVIDE = "/api/v1/assistant/divide-land"
BODY = b'{"parcel_ids": ["75118000AB0012"]}'
EVENTS = "text/event-stream"


async def test_a_disconnect_during_a_stream_is_499(edge: Edge) -> None:
    edge.assistant.stall = True
    async with listening(edge) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(DIVIDE, edge.key, BODY, f"accept: {EVENTS}"))
        await reader.readuntil(b"answer.delta")
        writer.close()
        outcome = await edge.keys.outcome()
        assert (outcome.status, outcome.code) == (499, "")


@pytest.mark.parametrize("accept", ["application/json", EVENTS])
async def test_a_disconnect_cancels_the_assistant_and_is_recorded_once(edge: Edge, accept: str) -> None:
    edge.assistant.stall = True
    async with listening(edge) as port:
        sent = request(DIVIDE, edge.key, BODY, f"accept: {accept}")
        await send_and_leave(port, sent, lambda: bool(edge.assistant.requests))
        await asyncio.wait_for(edge.assistant.is_cancelled.wait(), 60)
        outcome = await edge.keys.outcome()
        assert (outcome.status, outcome.assistant_use) == (499, keys_pb2.ASSISTANT_USE_UNKNOWN)
    assert len(edge.assistant.requests) == 1
    assert len(edge.keys.outcomes) == 1


async def test_a_disconnect_cancels_the_assistant_also_if_another_request_follows(edge: Edge) -> None:
    edge.assistant.stall = True
    async with listening(edge) as port:
        sent = request(DIVIDE, edge.key, BODY) + b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n"
        await send_and_leave(port, sent, lambda: bool(edge.assistant.requests))
        await asyncio.wait_for(edge.assistant.is_cancelled.wait(), 60)
        assert (await edge.keys.outcome()).status == 499


@pytest.mark.parametrize("accept", ["application/json", EVENTS])
async def test_a_disconnect_before_the_assistant_call_uses_no_allowance(edge: Edge, accept: str) -> None:
    edge.assistant.stall = True
    edge.land.delay_s = 1.0
    async with listening(edge) as port:
        sent = request(DIVIDE, edge.key, BODY, f"accept: {accept}")
        await send_and_leave(port, sent, lambda: bool(edge.land.requests))
        outcome = await edge.keys.outcome()
        assert (outcome.status, outcome.assistant_use) == (499, keys_pb2.ASSISTANT_USE_NONE)
    assert len(edge.keys.outcomes) == 1
    assert edge.assistant.requests == []


async def test_a_disconnect_before_the_first_event_cancels_the_assistant(edge: Edge) -> None:
    edge.assistant.stall = edge.assistant.stalls_before_events = True
    async with listening(edge) as port:
        sent = request(DIVIDE, edge.key, BODY, f"accept: {EVENTS}")
        await send_and_leave(port, sent, lambda: bool(edge.assistant.requests))
        await asyncio.wait_for(edge.assistant.is_cancelled.wait(), 60)
        outcome = await edge.keys.outcome()
        assert (outcome.status, outcome.assistant_use) == (499, keys_pb2.ASSISTANT_USE_UNKNOWN)


@pytest.mark.parametrize("reads", range(1, 6))
async def test_no_call_survives_a_disconnect_at_any_read(edge: Edge, reads: int) -> None:
    """Not even until the next collection of garbage, which would end a call that nothing refers to."""
    edge.assistant.stall = True
    counted = itertools.count()

    async def receive() -> Any:
        number = next(counted)
        if number == 0:
            return {"type": "http.request", "body": BODY, "more_body": False}
        if number < reads:
            await asyncio.sleep(0.3)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    headers = {"x-api-key": edge.key, "content-type": "application/json", "accept": EVENTS}
    gc.disable()
    try:
        await asyncio.wait_for(edge.app(asgi_scope("POST", DIVIDE, headers), receive, send), 60)
        await wait_until(lambda: not edge.assistant.requests or edge.assistant.is_cancelled.is_set())
    finally:
        gc.enable()
    assert (await edge.keys.outcome()).status == 499
