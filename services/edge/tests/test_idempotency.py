"""Idempotency-Key on divide-land: the request is one line, whose reservation has the same id in each run."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from fakes import Refusal, wait_until
from pyproj import CRS
from raw_requests import request, send_and_leave
from running_edge import Edge, StartEdge, edge_process, listening

from contract.endpoints import DIVIDE_LAND
from edge.batches.geopackage import GEOPACKAGE
from edge.divisions.files import DXF
from landpartner.assistant.v1 import assistant_pb2
from landpartner.keys.v1 import keys_pb2

DIVIDE = "/api/v1/assistant/divide-land"
BODY = {"parcel_ids": ["75118000AB0012"]}
JSON, EVENTS = "application/json", "text/event-stream"
FORMS = (JSON, EVENTS, DXF, GEOPACKAGE)
STREAMED = (JSON, EVENTS)


@pytest.fixture(autouse=True)
def _drawing(edge: Edge) -> None:
    edge.assistant.drawing = assistant_pb2.Drawing(
        projection=2154,
        projection_name="RGF93 v1 / Lambert-93",
        projection_wkt=CRS.from_epsg(2154).to_wkt("WKT1_GDAL"),
        generated_at="2026-11-20T10:00:00Z",
    )


async def divide(
    edge: Edge, accept: str = JSON, body: Any = BODY, name: str | bytes = "order-17", **headers: str
) -> httpx.Response:
    all_headers: Any = {"idempotency-key": name, "accept": accept, **headers}
    response: httpx.Response = await edge.post(DIVIDE, body, headers=all_headers)
    return response


def sent(key: str, accept: str = JSON) -> bytes:
    """The bytes of the request that `divide` sends."""
    return request(DIVIDE, key, b'{"parcel_ids": ["75118000AB0012"]}', f"accept: {accept}", "idempotency-key: order-17")


def ended_run(outcome: keys_pb2.Outcome, reserved: keys_pb2.LeaseRequest) -> bool:
    """Whether the outcome counts a request and ends this run of it."""
    lines = outcome.lines
    is_run = (lines.request_id, lines.run) == (reserved.lines.request_id, reserved.lines.run)
    return is_run and lines.is_last and len(outcome.lease_id) == 16


@pytest.mark.parametrize("accept", FORMS)
async def test_a_request_reserves_one_line_that_its_outcome_settles(edge: Edge, accept: str) -> None:
    assert (await divide(edge, accept)).status_code == 200
    [query], [reserved] = edge.keys.lease_requests, edge.keys.line_requests
    assert query.reserves_line
    assert (reserved.lines.lines, reserved.endpoint, reserved.api_key) == (1, DIVIDE_LAND, edge.key)
    assert reserved.goes_on
    assert not reserved.ended
    assert reserved.lines.lasts_s == edge.settings.divide_land_deadline_s
    outcome = await edge.keys.outcome()
    assert ended_run(outcome, reserved)
    assert (outcome.lease_id, outcome.status, outcome.units) == (query.lease_id, 200, 0)
    assert outcome.assistant_mode == keys_pb2.ASSISTANT_MODE_RULES
    assert (outcome.input_tokens, outcome.output_tokens) == (11, 7)


async def test_a_stream_renews_its_reservation_until_it_ends(start_edge: StartEdge) -> None:
    async with start_edge(divide_land_deadline_s=1.5) as edge:
        edge.assistant.stall = True
        await divide(edge, EVENTS)
        assert 2 <= len(edge.keys.line_requests) <= 3
        assert len({reserved.lines.run for reserved in edge.keys.line_requests}) == 1
        await edge.keys.outcome()
        count = len(edge.keys.line_requests)
        await asyncio.sleep(0.6)
        assert len(edge.keys.line_requests) == count


async def test_without_a_key_keys_reserves_the_request(edge: Edge) -> None:
    assert (await edge.post(DIVIDE, BODY)).status_code == 200
    assert not edge.keys.lease_requests[0].reserves_line
    assert edge.keys.line_requests == []
    assert not (await edge.keys.outcome()).HasField("lines")


async def test_the_header_changes_nothing_on_other_routes(edge: Edge) -> None:
    await edge.post("/api/v1/addresses/resolve", {"label": "x"}, headers={"idempotency-key": "order-17"})
    assert not edge.keys.lease_requests[0].reserves_line


async def test_the_answer_is_the_same_with_and_without_a_key(edge: Edge) -> None:
    for accept in FORMS:
        plain = await edge.post(DIVIDE, BODY, headers={"accept": accept})
        assert (await divide(edge, accept)).content == plain.content


async def test_a_repetition_is_another_run_of_the_same_request_in_any_form(edge: Edge) -> None:
    for accept in (*FORMS, JSON):
        assert (await divide(edge, accept)).status_code == 200
    reserved = edge.keys.line_requests
    assert (
        len({line.lines.request_id for line in reserved}) == len({line.lines.request_digest for line in reserved}) == 1
    )
    assert len({line.lines.run for line in reserved}) == len(edge.assistant.requests) == 5


async def test_the_same_request_may_be_written_differently(edge: Edge) -> None:
    await divide(edge)
    body = {"address": {}, "question": " ", "parcel_ids": ["75118000ab0012", "75118000AB0012"]}
    await divide(edge, body=body, **{"accept-language": "fr-FR, en;q=0.5"})
    first, second = edge.keys.line_requests
    assert first.lines.request_digest == second.lines.request_digest


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ({"parcel_ids": ["75118000AB0013"]}, {}),
        ({**BODY, "question": "En trois ?"}, {}),
        (BODY, {"accept-language": "en"}),
    ],
)
async def test_another_request_has_another_digest(edge: Edge, body: Any, headers: dict[str, str]) -> None:
    await divide(edge)
    await divide(edge, body=body, **headers)
    first, second = edge.keys.line_requests
    assert first.lines.request_id == second.lines.request_id
    assert first.lines.request_digest != second.lines.request_digest


async def test_the_id_belongs_to_one_api_key_and_one_idempotency_key(edge: Edge) -> None:
    await divide(edge)
    await divide(edge, name="order-18")
    edge.keys.terms.key_id = "key-2"
    await divide(edge)
    assert len({line.lines.request_id for line in edge.keys.line_requests}) == 3


@pytest.mark.parametrize("accept", STREAMED)
@pytest.mark.parametrize(
    ("denial", "status"),
    [
        (keys_pb2.Denial(code="idempotency_mismatch"), 422),
        (keys_pb2.Denial(code="idempotency_used_up"), 422),
        (keys_pb2.Denial(code="idempotency_in_progress", retry_after_s=2), 409),
        (keys_pb2.Denial(code="quota_exhausted", retry_after_s=9), 429),
        (keys_pb2.Denial(code="revoked_key"), 401),
    ],
)
async def test_a_denied_line_is_a_problem_before_any_work(
    edge: Edge, denial: keys_pb2.Denial, status: int, accept: str
) -> None:
    edge.keys.lines_denial = denial
    response = await divide(edge, accept)
    assert (response.status_code, response.json()["code"]) == (status, denial.code)
    assert response.headers.get("retry-after") == (str(denial.retry_after_s) if denial.retry_after_s else None)
    assert edge.land.requests == []
    outcome = await edge.keys.outcome()
    assert (outcome.status, outcome.assistant_use) == (status, keys_pb2.ASSISTANT_USE_NONE)


@pytest.mark.parametrize(("language", "text"), [("fr", "réessayez"), ("en", "try again")])
async def test_a_running_request_says_so_in_the_language_of_the_call(edge: Edge, language: str, text: str) -> None:
    edge.keys.lines_denial = keys_pb2.Denial(code="idempotency_in_progress", retry_after_s=2)
    response = await divide(edge, **{"accept-language": language})
    assert text in response.json()["detail"]


async def test_a_run_that_has_just_ended_delays_its_repetition_only(edge: Edge) -> None:
    """The outcome of the run is in the spool and not in keys yet."""
    edge.keys.lines_denial = keys_pb2.Denial(code="idempotency_in_progress", retry_after_s=2)
    repetition = asyncio.create_task(divide(edge))
    await wait_until(lambda: bool(edge.keys.line_requests))
    edge.keys.lines_denial = None
    assert (await repetition).status_code == 200
    first, second = edge.keys.line_requests
    assert first.lines == second.lines


async def test_a_lost_answer_of_keys_is_503_and_the_outcome_ends_the_run(edge: Edge) -> None:
    edge.keys.lines_abort_with = grpc.StatusCode.UNAVAILABLE
    response = await divide(edge)
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert edge.land.requests == []
    outcome = await edge.keys.outcome()
    assert outcome.status == 503
    assert ended_run(outcome, edge.keys.line_requests[0])


@pytest.mark.parametrize("accept", STREAMED)
@pytest.mark.parametrize("fault", ["land", "assistant", "midway", "crash"])
async def test_the_outcome_of_a_failed_request_ends_its_run_without_a_charge(
    edge: Edge, fault: str, accept: str
) -> None:
    edge.land.failure = Refusal("parcel_not_found") if fault == "land" else None
    edge.assistant.failure = {"assistant": Refusal("upstream_failed"), "crash": RuntimeError()}.get(fault)
    if fault == "midway":
        edge.assistant.fails_midway, accept = True, EVENTS
    response = await divide(edge, accept)
    assert response.status_code >= 400 or b"event: error" in response.content
    outcome = await edge.keys.outcome()
    assert ended_run(outcome, edge.keys.line_requests[0])
    assert outcome.status >= 400
    assert outcome.status != 499


@pytest.mark.parametrize("accept", STREAMED)
async def test_a_client_that_disconnects_ends_the_run_and_pays(edge: Edge, accept: str) -> None:
    edge.assistant.stall = True
    async with listening(edge) as port:
        await send_and_leave(port, sent(edge.key, accept), lambda: bool(edge.assistant.requests))
        outcome = await edge.keys.outcome()
    await asyncio.wait_for(edge.assistant.is_cancelled.wait(), 60)
    assert outcome.status == 499
    assert ended_run(outcome, edge.keys.line_requests[0])


async def test_a_run_that_a_shutdown_cuts_is_free(edge: Edge, tmp_path: Path) -> None:
    edge.assistant.stall = True
    async with edge_process(edge, tmp_path / "shared", EDGE_DRAIN_S="1") as (process, url):
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(sent(edge.key))
        await wait_until(lambda: bool(edge.assistant.requests))
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait)
        writer.close()
    outcome = await edge.keys.outcome()
    assert outcome.status == 503
    assert ended_run(outcome, edge.keys.line_requests[0])


@pytest.mark.parametrize("name", ["", " ", "x" * 256, "clé".encode(), b"a\tb", b"a\x7f"])
async def test_an_invalid_key_is_400(edge: Edge, name: str | bytes) -> None:
    response = await divide(edge, name=name)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
    assert response.json()["errors"][0]["code"] == "malformed"
    assert edge.keys.line_requests == []
    assert edge.assistant.requests == []


async def test_two_keys_are_400(edge: Edge) -> None:
    headers = [("x-api-key", edge.key), ("idempotency-key", "a"), ("idempotency-key", "b")]
    assert (await edge.client.post(DIVIDE, json=BODY, headers=headers)).status_code == 400
    assert edge.assistant.requests == []


@pytest.mark.parametrize("name", ["x" * 255, "Order 17 / 2026", "~!"])
async def test_any_printable_ascii_is_a_key(edge: Edge, name: str) -> None:
    for header in (name, f" {name} "):
        assert (await divide(edge, name=header)).status_code == 200
    first, second = edge.keys.line_requests
    assert first.lines.request_id == second.lines.request_id


async def test_neither_log_nor_keys_gets_the_idempotency_key(edge: Edge, caplog: Any) -> None:
    caplog.set_level("DEBUG")
    await divide(edge, name="dupont@example.fr")
    logged = " ".join(str(vars(record)) for record in caplog.records if record.name.startswith("edge"))
    assert "divide-land" in logged
    assert "dupont" not in logged
    assert b"dupont" not in b"".join(line.SerializeToString() for line in edge.keys.line_requests)
