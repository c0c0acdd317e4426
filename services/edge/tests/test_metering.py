"""Each authorized request has exactly one outcome. The tests use a real server and real sockets."""

import asyncio
import json
import sqlite3
from typing import Any

import pytest
from fakes import Refusal, wait_until
from raw_requests import head, request, send_and_leave
from running_edge import Edge, StartEdge, exchange, listening

from edge.metering.spool import SpoolFile, SpoolFull
from landpartner.keys.v1 import keys_pb2

RESOLVE = "/api/v1/addresses/resolve"
DIVIDE = "/api/v1/assistant/divide-land"


async def test_an_answer_has_one_outcome(edge: Edge) -> None:
    response = await edge.post(RESOLVE, {"label": "x"})
    assert response.status_code == 200
    outcome = await edge.keys.outcome()
    assert (outcome.key_id, outcome.endpoint, outcome.status) == ("key-1", "addresses.resolve", 200)
    assert (outcome.lease_id, outcome.units) == (edge.keys.lease_requests[0].lease_id, 1)
    assert outcome.leased_at == "2026-11-20T10:00:00.000Z"
    assert len(outcome.event_id) == 16
    assert outcome.latency_us > 0
    assert outcome.occurred_at.endswith("Z")
    assert (outcome.request_id, outcome.code) == (response.headers["x-request-id"], "")
    await asyncio.sleep(0.1)
    assert len(edge.keys.outcomes) == 1


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [(RESOLVE, {}, 400, "invalid_payload"), ("/api/v1/nothing", {}, 404, "not_found")],
)
async def test_failures_have_outcomes_too(edge: Edge, path: str, body: Any, status: int, code: str) -> None:
    problem = await edge.post(path, body)
    outcome = await edge.keys.outcome()
    assert (problem.status_code, outcome.status, outcome.code) == (status, status, code)
    assert outcome.request_id == problem.json()["request_id"]


async def test_a_body_of_twice_the_limit_is_refused_while_it_streams(edge: Edge) -> None:
    async with listening(edge) as port:
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        answer = await exchange(port, head(RESOLVE, edge.key, "transfer-encoding: chunked") + chunk * 9)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"payload_too_large" in answer
        declared = await exchange(port, head(RESOLVE, edge.key, "content-length: 524289"))
        assert declared.startswith(b"HTTP/1.1 413 ")
    assert (await edge.keys.outcome()).status == 413
    assert edge.land.requests == []


async def test_a_body_up_to_the_limit_is_read(edge: Edge) -> None:
    body = json.dumps({"label": "x"}).encode()
    body += b" " * (262_144 - len(body))
    assert len(body) == 262_144
    headers = {"x-api-key": edge.key, "content-type": "application/json"}
    assert (await edge.client.post(RESOLVE, content=body, headers=headers)).status_code == 200
    assert (await edge.client.post(RESOLVE, content=body + b" ", headers=headers)).status_code == 413


async def test_a_request_without_a_key_is_401_before_its_body_is_read(edge: Edge) -> None:
    async with listening(edge) as port:
        sent = head(RESOLVE, "none", "content-length: 99999999", "connection: close")
        assert (await exchange(port, sent)).startswith(b"HTTP/1.1 401 ")


async def test_a_disconnect_after_work_began_is_499(edge: Edge) -> None:
    edge.land.delay_s = 1.0
    async with listening(edge) as port:
        sent = request(RESOLVE, edge.key, b'{"label": "x"}')
        await send_and_leave(port, sent, lambda: bool(edge.land.requests))
        assert (await edge.keys.outcome()).status == 499
    assert len(edge.keys.outcomes) == 1


async def test_a_failure_after_a_disconnect_is_not_billed(edge: Edge) -> None:
    edge.land.delay_s = 1.0
    edge.land.failure = Refusal("source_unavailable")
    async with listening(edge) as port:
        sent = request(RESOLVE, edge.key, b'{"label": "x"}')
        await send_and_leave(port, sent, lambda: bool(edge.land.requests))
        outcome = await edge.keys.outcome()
        assert (outcome.status, outcome.code) == (503, "source_unavailable")


async def test_a_disconnect_during_the_body_is_not_billed(edge: Edge) -> None:
    async with listening(edge) as port:
        sent = head(RESOLVE, edge.key, "content-length: 100") + b'{"label"'
        await send_and_leave(port, sent, lambda: bool(edge.keys.lease_requests))
        assert (await edge.keys.outcome()).status == 400
    assert edge.land.requests == []


async def test_a_missing_body_is_400_after_the_timeout(start_edge: StartEdge) -> None:
    async with start_edge(body_deadline_s=0.1) as edge, listening(edge) as port:
        answer = await exchange(port, head(RESOLVE, edge.key, "content-length: 100") + b'{"label"')
        assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("provider", "use"), [("rules", keys_pb2.ASSISTANT_USE_RULES), ("openai", keys_pb2.ASSISTANT_USE_MODEL)]
)
async def test_the_outcome_has_the_provider_and_the_tokens(edge: Edge, accept: str, provider: str, use: Any) -> None:
    edge.assistant.prompt.provider = provider
    response = await edge.post(DIVIDE, {"parcel_ids": ["75118000AB0012"]}, headers={"accept": accept})
    assert response.status_code == 200
    outcome = await edge.keys.outcome()
    assert (outcome.assistant_use, outcome.input_tokens, outcome.output_tokens) == (use, 11, 7)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_failed_assistant_call_has_unknown_use_and_no_tokens(edge: Edge, accept: str) -> None:
    edge.assistant.failure = None if "event" in accept else Refusal("upstream_failed")
    edge.assistant.fails_midway = True
    await edge.post(DIVIDE, {"parcel_ids": ["75118000AB0012"]}, headers={"accept": accept})
    outcome = await edge.keys.outcome()
    assert (outcome.status, outcome.code) == (502, "upstream_failed")
    assert outcome.assistant_use == keys_pb2.ASSISTANT_USE_UNKNOWN
    assert outcome.input_tokens + outcome.output_tokens == 0


async def test_outcomes_of_other_endpoints_have_no_assistant_use(edge: Edge) -> None:
    await edge.post(RESOLVE, {"label": "x"})
    assert (await edge.keys.outcome()).assistant_use == keys_pb2.ASSISTANT_USE_UNSPECIFIED


async def test_a_full_spool_refuses_requests_without_a_call_to_keys(start_edge: StartEdge) -> None:
    async with start_edge(spool_max_bytes=1024 * 1024) as edge:
        edge.keys.accepts_outcomes = False
        outcomes = edge.app.state.outcomes
        with pytest.raises(SpoolFull):
            while True:
                outcomes.hold()
        response = await edge.post(RESOLVE, {"label": "x"})
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
        assert edge.keys.lease_requests == []
        outcomes.release()
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
        edge.keys.accepts_outcomes = True


async def test_an_answer_without_a_written_outcome_becomes_503(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(SpoolFile, "insert", fail)
    response = await edge.post(RESOLVE, {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")


async def test_outcomes_survive_an_outage_of_keys(edge: Edge) -> None:
    edge.keys.accepts_outcomes = False
    for _ in range(3):
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
    await asyncio.sleep(0.2)
    edge.keys.accepts_outcomes = True
    await wait_until(lambda: len(edge.keys.outcomes) >= 3)
    assert len({outcome.event_id for outcome in edge.keys.outcomes}) == 3


async def test_a_probe_has_a_log_line_only_if_it_fails(edge: Edge, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "edge.requests")
    for path in ("/livez", "/health", "/api/v1/health", "/api/v1/livez", "/no/health"):
        await edge.client.get(path)
    routes = [vars(record)["route"] for record in caplog.records if record.name == "edge.requests"]
    assert routes == ["unmatched"]


async def test_the_log_contains_neither_key_nor_address(edge: Edge, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    await edge.post(RESOLVE, {"label": "10 rue Secrète"})
    await edge.client.post(RESOLVE, headers={"x-api-key": edge.key + "x"})
    logged = " ".join(str(vars(record)) for record in caplog.records if record.name.startswith("edge"))
    assert "addresses/resolve" in logged
    assert edge.key not in logged
    assert "Secr" not in logged


@pytest.mark.parametrize(
    ("path", "endpoint"),
    [
        ("/api/v1/parcels?lat=47&lon=2", "other"),
        ("/api/v1/statistics/sales?commune_code=75118", "other"),
        ("/api/v1/addresses/suggest?q=rue", "other"),
        ("/api/v1/usage", "usage"),
    ],
)
async def test_a_head_costs_nothing(edge: Edge, path: str, endpoint: str) -> None:
    response = await edge.client.head(path, headers={"x-api-key": edge.key})
    assert (response.status_code, response.content) == (200, b"")
    await wait_until(lambda: len(edge.keys.outcomes) == 1)
    assert [(outcome.endpoint, outcome.units) for outcome in edge.keys.outcomes] == [(endpoint, 0)]
    assert edge.land.requests == []
    assert ("content-length" in response.headers) == (endpoint == "usage")
    assert (await edge.client.head(path)).status_code == 401
