"""Idempotency-Key on divide-land: one run and one bill for each key, and replays of its answer."""

import asyncio
import os
import re
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from fakes import Refusal, wait_until
from raw_requests import request, send_and_leave
from running_edge import Edge, edge_process, listening

from edge.metering.spool import SpoolFull
from landpartner.keys.v1 import keys_pb2

DIVIDE = "/api/v1/assistant/divide-land"
BODY = {"parcel_ids": ["75118000AB0012"]}
SENT = b'{"parcel_ids": ["75118000AB0012"]}'
JSON, EVENTS = "application/json", "text/event-stream"
FORMS = (JSON, EVENTS)
BILLED, FREE = keys_pb2.ASSISTANT_USE_RULES, keys_pb2.ASSISTANT_USE_REPLAYED


@pytest.fixture(autouse=True)
def _rules(edge: Edge) -> None:
    edge.assistant.prompt.provider = "rules"


async def ask(
    edge: Edge, accept: str = JSON, body: Any = BODY, name: str = "order-17", **headers: str
) -> httpx.Response:
    response: httpx.Response = await edge.post(
        DIVIDE, body, headers={"idempotency-key": name, "accept": accept, **headers}
    )
    return response


def sent(key: str, accept: str = JSON) -> bytes:
    """As `ask` sends it."""
    return request(DIVIDE, key, SENT, f"accept: {accept}", "idempotency-key: order-17")


def data_of(stream: bytes) -> dict[str, str]:
    return dict(re.findall(r"event: (.+)\ndata: (.+)\n\n", stream.decode()))


def outcomes(edge: Edge) -> dict[bytes, tuple[int, int, int]]:
    """The status, use and tokens of each event. keys counts the first outcome of an event."""
    counted: dict[bytes, tuple[int, int, int]] = {}
    for each in edge.keys.outcomes:
        tokens = each.input_tokens + each.output_tokens
        counted.setdefault(each.event_id, (each.status, each.assistant_use, tokens))
    return counted


async def settled(edge: Edge, *expected: tuple[int, int, int]) -> None:
    """Waits until each request has the expected outcome, and no other."""
    await wait_until(lambda: len(outcomes(edge)) >= len(expected))
    await asyncio.sleep(0.3)
    assert sorted(outcomes(edge).values()) == sorted(expected)


@pytest.mark.parametrize("again", FORMS)
@pytest.mark.parametrize("first", FORMS)
async def test_a_repeated_request_gets_the_first_answer_in_the_form_it_accepts(
    edge: Edge, first: str, again: str
) -> None:
    one = await ask(edge, first)
    assert one.status_code == 200
    assert "idempotency-replayed" not in one.headers
    assert "idempotency-stored" not in one.headers
    two = await ask(edge, again)
    assert (two.status_code, two.headers["idempotency-replayed"]) == (200, "true")
    assert two.headers["content-type"].startswith(again)
    same_form = await ask(edge, first)
    assert same_form.content == one.content
    events = one if first == EVENTS else two if again == EVENTS else await ask(edge, EVENTS)
    answer = one if first == JSON else two if again == JSON else await ask(edge, JSON)
    assert re.findall(r"event: (.+)", events.text) == [
        "quick_assessment", "context", "answer.delta", "answer.reset", "answer", "prompt", "done",
    ]  # fmt: skip
    parts = data_of(events.content)
    names = ("prompt", "quick_assessment", "context", "answer")
    assert answer.text == "{" + ",".join(f'"{name}":{parts[name]}' for name in names) + "}"
    assert len(edge.land.requests) == len(edge.assistant.requests) == 1
    free = [(200, FREE, 0)] * (len(edge.keys.queries) - 1)
    await settled(edge, (200, BILLED, 18), *free)


async def test_the_answer_is_the_same_with_and_without_a_key(edge: Edge) -> None:
    without = await edge.post(DIVIDE, BODY)
    assert (await ask(edge)).json().keys() == without.json().keys()
    stream = await edge.post(DIVIDE, BODY, headers={"accept": EVENTS})
    assert (await ask(edge, EVENTS, name="another")).content == stream.content


async def test_without_a_key_each_request_runs(edge: Edge) -> None:
    for _ in range(2):
        assert "idempotency-replayed" not in (await edge.post(DIVIDE, BODY)).headers
    assert len(edge.assistant.requests) == 2
    assert edge.answers.claims == {}


async def test_a_replay_sends_the_outcome_of_the_first_request_again(edge: Edge) -> None:
    """The first edge may have been killed before it recorded the outcome."""
    await ask(edge)
    first = await edge.keys.outcome()
    await ask(edge)
    await wait_until(lambda: len(edge.keys.outcomes) == 3)
    repeated = [each for each in edge.keys.outcomes[1:] if each.event_id == first.event_id]
    assert len(repeated) == 1
    assert (repeated[0].reservation_id, repeated[0].key_id, repeated[0].endpoint, repeated[0].status) == (
        first.reservation_id, "key-1", "assistant.divide-land", 200,
    )  # fmt: skip
    assert (repeated[0].assistant_use, repeated[0].input_tokens, repeated[0].output_tokens) == (BILLED, 11, 7)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ({"parcel_ids": ["75118000AB0013"]}, {}),
        ({**BODY, "question": "En trois ?"}, {}),
        (BODY, {"accept-language": "en"}),
    ],
)
async def test_a_key_used_for_another_request_is_409(edge: Edge, body: Any, headers: dict[str, str]) -> None:
    await ask(edge)
    response = await ask(edge, body=body, **headers)
    assert (response.status_code, response.json()["code"]) == (409, "idempotency_mismatch")
    assert len(edge.land.requests) == 1
    await settled(edge, (200, BILLED, 18), (409, keys_pb2.ASSISTANT_USE_NONE, 0))


async def test_the_same_request_may_be_written_differently(edge: Edge) -> None:
    await ask(edge)
    body = {"address": {}, "question": " ", "parcel_ids": ["75118000ab0012", "75118000AB0012"], "unknown": 1}
    response = await ask(edge, body=body, **{"accept-language": "fr-FR, en;q=0.5"})
    assert response.headers["idempotency-replayed"] == "true"


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("accept", FORMS)
async def test_a_running_request_is_409_with_retry_after(edge: Edge, accept: str, language: str) -> None:
    edge.assistant.stall = True
    first = asyncio.create_task(ask(edge, accept, **{"accept-language": language}))
    await wait_until(lambda: bool(edge.assistant.requests))
    response = await ask(edge, accept, **{"accept-language": language})
    assert (response.status_code, response.json()["code"]) == (409, "idempotency_in_progress")
    assert int(response.headers["retry-after"]) > 0
    assert ("réessayez" in response.json()["detail"]) == (language == "fr")
    edge.assistant.may_continue.set()
    assert (await first).status_code == 200
    assert len(edge.assistant.requests) == 1


@pytest.mark.parametrize("accept", FORMS)
@pytest.mark.parametrize("fault", ["land", "assistant", "midway", "crash"])
async def test_a_failed_request_releases_the_key(edge: Edge, fault: str, accept: str) -> None:
    edge.land.failure = Refusal("parcel_not_found") if fault == "land" else None
    edge.assistant.failure = {"assistant": Refusal("upstream_failed"), "crash": RuntimeError()}.get(fault)
    edge.assistant.fails_midway = fault == "midway"
    failed = await ask(edge, accept)
    if fault == "midway" and accept == EVENTS:
        assert failed.status_code == 200
        assert '"code":"upstream_failed"' in data_of(failed.content)["error"]
        assert "done" not in data_of(failed.content)
    else:
        assert failed.status_code == (404 if fault == "land" else 502)
    edge.land.failure = edge.assistant.failure = None
    edge.assistant.fails_midway = False
    retry = await ask(edge, accept)
    assert retry.status_code == 200
    assert "idempotency-replayed" not in retry.headers
    use = keys_pb2.ASSISTANT_USE_NONE if fault == "land" else keys_pb2.ASSISTANT_USE_UNKNOWN
    await settled(edge, (404 if fault == "land" else 502, use, 0), (200, BILLED, 18))


@pytest.mark.parametrize("accept", FORMS)
@pytest.mark.parametrize("at", ["land", "assistant"])
async def test_a_disconnect_does_not_end_the_run_and_the_retry_is_free(edge: Edge, at: str, accept: str) -> None:
    edge.assistant.stall = at == "assistant"
    edge.land.delay_s = 0.3 if at == "land" else 0
    asked = edge.assistant if at == "assistant" else edge.land
    async with listening(edge) as port:
        await send_and_leave(port, sent(edge.key, accept), lambda: bool(asked.requests))
        await asyncio.sleep(0.1)
        edge.assistant.may_continue.set()
        await wait_until(lambda: bool(edge.answers.answers))
        retry = await ask(edge, accept)
        assert (retry.status_code, retry.headers["idempotency-replayed"]) == (200, "true")
        assert not edge.assistant.is_cancelled.is_set()
        await settled(edge, (200, BILLED, 18), (200, FREE, 0))
    assert len(edge.assistant.requests) == 1


async def test_a_client_that_stops_reading_does_not_delay_the_run(edge: Edge) -> None:
    edge.land.unit.geometry = b'{"type":"MultiPoint","coordinates":[' + b",".join([b"[2.1,47.1]"] * 300_000) + b"]}"
    async with listening(edge) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_000)
        writer.write(sent(edge.key, EVENTS))
        await reader.readuntil(b"HTTP/1.1 200")
        await wait_until(lambda: bool(edge.answers.answers))
        writer.transport.abort()
        await settled(edge, (200, BILLED, 18))


@pytest.mark.parametrize("accept", FORMS)
@pytest.mark.parametrize("fault", ["refused", "unavailable", "too large"])
async def test_an_answer_that_is_not_stored_says_so_and_releases_the_key(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, fault: str, accept: str
) -> None:
    edge.answers.accepts_answers = fault != "refused"
    edge.answers.failing = {"StoreAnswer"} if fault == "unavailable" else set()
    if fault == "too large":
        monkeypatch.setattr("edge.idempotency.MAX_CONTENT_BYTES", 10)
    response = await ask(edge, accept)
    assert response.status_code == 200
    if accept == JSON:
        assert response.headers["idempotency-stored"] == "false"
    else:
        assert data_of(response.content)["done"] == '{"idempotency_stored":false}'
    assert (edge.answers.claims, edge.answers.answers) == ({}, {})
    again = await ask(edge, accept)
    assert "idempotency-replayed" not in again.headers
    await settled(edge, (200, BILLED, 18), (200, BILLED, 18))


@pytest.mark.parametrize("accept", FORMS)
async def test_an_answer_that_is_neither_stored_nor_received_is_free(edge: Edge, accept: str) -> None:
    edge.answers.accepts_answers = False
    edge.assistant.stall = edge.assistant.stalls_before_events = True
    async with listening(edge) as port:
        await send_and_leave(port, sent(edge.key, accept), lambda: bool(edge.assistant.requests))
        await asyncio.sleep(0.1)
        edge.assistant.may_continue.set()
        await settled(edge, (503, BILLED, 18))
    assert edge.answers.claims == {}


async def test_a_store_that_is_away_is_503_before_any_work(edge: Edge) -> None:
    edge.answers.failing = {"ClaimAnswer"}
    response = await ask(edge)
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert edge.land.requests == []
    assert (await edge.post(DIVIDE, BODY)).status_code == 200


@pytest.mark.parametrize("name", ["", " ", "x" * 256, "clé".encode(), b"a\tb", b"a\x7f"])
async def test_an_invalid_key_is_400(edge: Edge, name: Any) -> None:
    response = await ask(edge, name=name)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
    assert response.json()["errors"][0]["code"] == "malformed"
    assert edge.answers.claims == {}


async def test_two_keys_are_400(edge: Edge) -> None:
    headers = [("x-api-key", edge.key), ("idempotency-key", "a"), ("idempotency-key", "b")]
    assert (await edge.client.post(DIVIDE, json=BODY, headers=headers)).status_code == 400


@pytest.mark.parametrize("name", ["x" * 255, "Order 17 / Été".encode("ascii", "ignore").decode(), "~!"])
async def test_any_printable_ascii_is_a_key(edge: Edge, name: str) -> None:
    assert (await ask(edge, name=name)).status_code == 200
    assert (await ask(edge, name=f" {name} ")).headers["idempotency-replayed"] == "true"


@pytest.mark.parametrize("accept", FORMS)
async def test_an_outcome_that_cannot_be_written_releases_the_key(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", fail)
        response = await ask(edge, accept)
    if accept == JSON:
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    else:
        assert '"code":"unavailable"' in data_of(response.content)["error"]
    assert "idempotency-replayed" not in (await ask(edge, accept)).headers


async def test_a_replay_without_space_for_the_first_outcome_is_503(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    await ask(edge)
    held = edge.app.state.outcomes
    hold, calls = held.hold, iter(range(10))

    def hold_once() -> None:
        if next(calls):
            raise SpoolFull("full")
        hold()

    monkeypatch.setattr(held, "hold", hold_once)
    assert (await ask(edge)).status_code == 503
    monkeypatch.undo()
    assert (await ask(edge)).status_code == 200


async def send(url: str, edge: Edge, accept: str = JSON) -> httpx.Response | None:
    headers = {"x-api-key": edge.key, "idempotency-key": "order-17", "accept": accept}
    async with httpx.AsyncClient(timeout=60) as client:
        try:
            return await client.post(url + DIVIDE, json=BODY, headers=headers)
        except httpx.TransportError:
            return None


@pytest.mark.parametrize("accept", FORMS)
async def test_an_edge_killed_after_the_store_is_billed_by_the_replay(edge: Edge, tmp_path: Path, accept: str) -> None:
    edge.answers.may_confirm.clear()
    async with edge_process(edge, tmp_path / "shared") as (process, url):
        first = asyncio.create_task(send(url, edge, accept))
        await wait_until(lambda: bool(edge.answers.answers))
        process.kill()
        await first
    edge.answers.may_confirm.set()
    async with edge_process(edge, tmp_path / "shared") as (_, url):
        retry = await send(url, edge, accept)
        assert retry is not None
        assert (retry.status_code, retry.headers["idempotency-replayed"]) == (200, "true")
        await settled(edge, (200, BILLED, 18), (200, FREE, 0))
    assert len(edge.assistant.requests) == 1
    assert {each.event_id for each in edge.keys.outcomes} == {query.reservation_id for query in edge.keys.queries}


@pytest.mark.parametrize("accept", FORMS)
async def test_a_run_that_a_shutdown_interrupts_releases_the_key_and_is_free(
    edge: Edge, tmp_path: Path, accept: str
) -> None:
    edge.assistant.stall = True
    async with edge_process(edge, tmp_path / "shared", EDGE_DRAIN_S="1") as (process, url):
        first = asyncio.create_task(send(url, edge, accept))
        await wait_until(lambda: bool(edge.assistant.requests))
        process.send_signal(signal.SIGTERM)
        await first
        await process.wait()
    await wait_until(lambda: not edge.answers.claims)
    await settled(edge, (503, keys_pb2.ASSISTANT_USE_UNKNOWN, 0))
    edge.assistant.stall = False
    assert (await ask(edge)).status_code == 200


async def test_a_shutdown_completes_a_run_whose_client_disconnected(edge: Edge, tmp_path: Path) -> None:
    edge.assistant.stall = True
    async with edge_process(edge, tmp_path / "shared", EDGE_DRAIN_S="60") as (process, url):
        await send_and_leave(int(url.rpartition(":")[2]), sent(edge.key), lambda: bool(edge.assistant.requests))
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.3)
        edge.assistant.may_continue.set()
        await process.wait()
    await settled(edge, (200, BILLED, 18))
    assert (await ask(edge)).headers["idempotency-replayed"] == "true"


async def test_neither_log_nor_store_contains_the_key(edge: Edge, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    await ask(edge, name="dupont@example.fr")
    await ask(edge, name="dupont@example.fr")
    logged = " ".join(str(vars(record)) for record in caplog.records if record.name.startswith("edge"))
    assert "divide-land" in logged
    assert "dupont" not in logged
    assert b"dupont" not in b"".join(request.SerializeToString() for request in edge.answers.claims.values())
