"""GET /status and GET /coverage/communes: what is up, and what is loaded."""

import grpc
import pytest
from answer_schemas import checked
from fakes import Unreachable
from grpc_health.v1 import health_pb2
from running_edge import Edge, StartEdge

from edge.clients.states import HealthClient
from landpartner.land.v1 import land_pb2


async def test_loaded_communes_are_those_of_the_key(edge: Edge) -> None:
    answered = await edge.client.get("/api/v1/coverage/communes?limit=7&cursor=00000", headers={"x-api-key": edge.key})
    page = checked("CommunesResponse", answered.content)
    assert page == {
        "communes": [{"code": "00001", "name": None, "datasets": ["ban"], "geometry": None}], "next_cursor": "00001"
    }  # fmt: skip
    (request,) = edge.land.requests
    assert (request.page_size, request.page_token, request.scope) == (7, "00000", land_pb2.SCOPE_ALL)


async def test_the_status_needs_no_key_and_asks_land_once(edge: Edge) -> None:
    for _ in range(3):
        answered = await edge.client.get("/api/v1/status")
        body = checked("StatusResponse", answered.content)
        assert (body["status"], [state["partition_count"] for state in body["datasets"]]) == ("ok", [3])
        assert answered.headers["cache-control"] == "public, max-age=5"
    assert len(edge.land.requests) == 1
    assert edge.keys.lease_requests == []


async def test_the_status_keeps_what_is_known_while_land_is_down(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.clients.states.DATASETS_CACHE_S", 0.0)
    before = (await edge.client.get("/api/v1/status")).json()
    edge.land.failure = Unreachable()
    after = (await edge.client.get("/api/v1/status")).json()
    assert len(edge.land.requests) > 1
    assert (after["datasets"], after["datasets_at"]) == (before["datasets"], before["datasets_at"])


async def test_a_change_of_a_service_is_dated_when_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.clients.states.HEALTH_CACHE_S", 0.0)
    states = iter([True, True, False, False])
    client = HealthClient({"land": grpc.aio.insecure_channel("127.0.0.1:1")}, deadline_s=1)

    async def check(*_: object) -> int:
        status = health_pb2.HealthCheckResponse
        return int(status.SERVING if next(states) else status.NOT_SERVING)

    monkeypatch.setattr(client, "_status", check)
    changes = []
    for _ in range(4):
        await client.serving()
        changes.append(client.changed_at.get("land"))
    assert changes[:2] == [None, None], "nobody knows since when"
    assert changes[2] is not None
    assert changes[2] == changes[3]


async def test_the_status_without_an_answer_of_land_has_no_datasets(start_edge: StartEdge) -> None:
    async with start_edge(land_target="127.0.0.1:1") as edge:
        body = (await edge.client.get("/api/v1/status")).json()
        assert (body["datasets"], body["datasets_at"]) == ([], None)
        assert {"name": "land", "status": "down", "since": None} in body["services"]
