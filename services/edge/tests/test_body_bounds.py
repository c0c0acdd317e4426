"""Limits on the cost of a body, on every route that reads one."""

import json
from typing import Any

import pytest
from running_edge import Edge, StartEdge

from contract.endpoints import SCOPES
from edge.access import PathClass
from edge.body import MAX_VALUES, OPEN_BODY_BYTES
from edge.problems import MAX_VIOLATIONS
from edge.routing import PlainRoute

OPEN_ROUTES = ["/api/v1/admin/session", "/api/v1/admin/setup"]
MAX_ANSWER_BYTES = 8 * 1024


def hostile_bodies() -> dict[str, bytes]:
    """Bodies of at most 256 KiB that are expensive for a server without limits."""
    return {
        "unknown members": json.dumps({f"m{number}": 1 for number in range(20_000)}).encode(),
        "items": json.dumps({"include": ["a"] * 52_000}).encode()[: 256 * 1024],
        "wrong ids": json.dumps({"parcel_ids": [1] * 60_000}).encode(),
        "nested lists": b"[" * 200_000,
        "balanced lists": b"[" * 100_000 + b"]" * 100_000,
        "empty objects": b'{"include": [' + b"{}," * 80_000 + b"{}]}",
        "a long text": json.dumps({"label": "é" * 40_000, "email": "a" * 100}).encode(),
        "a number without end": b'{"label": ' + b"9" * 250_000 + b"}",
        "escapes": b'{"label": "' + b"\\u0041" * 40_000 + b'"}',
        "members at the limit": json.dumps({f"m{number}": [] for number in range(MAX_VALUES)}).encode(),
    }


def body_routes(edge: Edge) -> list[tuple[str, str, PathClass]]:
    return [
        (method, route.path.replace("{key_id}", "k1"), route.access.path_class)
        for route in edge.app.router.routes
        if isinstance(route, PlainRoute)
        for method in route.methods or ()
        if method in ("POST", "PATCH")
    ]


@pytest.mark.parametrize("name", hostile_bodies())
async def test_a_hostile_body_gets_a_short_answer_on_every_route(start_edge: StartEdge, name: str) -> None:
    body = hostile_bodies()[name]
    assert len(body) <= 256 * 1024 + 8
    async with start_edge(open_attempts_per_minute=1_000) as edge:
        edge.keys.terms.scopes.extend(SCOPES)
        routes = body_routes(edge)
        assert {kind for _, _, kind in routes} == set(PathClass) - {PathClass.OUTSIDE, PathClass.PUBLIC}
        for method, path, kind in routes:
            media_type = "application/x-ndjson" if path.endswith("/batch") else "application/json"
            headers = {"content-type": media_type, "x-api-key": edge.key, "authorization": "Bearer lpa_x"}
            response = await edge.client.request(method, path, content=body, headers=headers)
            if kind is PathClass.KEY and name in ("a long text", "escapes"):
                assert response.status_code in (200, 204, 400), path  # 204: the route reads no body
            assert response.status_code < 500, (path, response.text[:200])
            if response.status_code == 400:
                assert len(response.content) <= MAX_ANSWER_BYTES, path
                assert len(response.json().get("errors", ())) <= MAX_VIOLATIONS, path


async def test_an_open_route_reads_4_kib(edge: Edge) -> None:
    for path in OPEN_ROUTES:
        for content in (b" " * (OPEN_BODY_BYTES + 1), b'{"email": "' + b"a" * OPEN_BODY_BYTES + b'"}'):
            response = await edge.client.post(path, content=content, headers={"content-type": "application/json"})
            assert (response.status_code, response.json()["code"]) == (413, "payload_too_large"), path
        fitting = json.dumps({"email": "ann@example.org", "password": "p" * 1_000, "token": "t"})
        fitting += " " * (OPEN_BODY_BYTES - len(fitting))
        response = await edge.client.post(path, content=fitting, headers={"content-type": "application/json"})
        assert response.status_code != 413


async def test_violations_above_the_limit_are_counted_and_not_listed(edge: Edge) -> None:
    response = await edge.post("/api/v1/land-units/geojson", {"parcel_ids": ["x"] * 60})
    assert response.status_code == 400
    assert len(response.json()["errors"]) == MAX_VIOLATIONS
    assert "60" in response.json()["detail"]


async def test_the_largest_useful_body_is_accepted(edge: Edge) -> None:
    body: dict[str, list[Any]] = {
        "parcel_ids": [f"00001000AB{number:04}" for number in range(1, 101)],
        "warnings": [1] * (MAX_VALUES - 102),
    }
    assert (await edge.post("/api/v1/land-units/geojson", body)).status_code == 200
    body["warnings"].append(1)
    response = await edge.post("/api/v1/land-units/geojson", body)
    assert (response.status_code, response.json()["errors"][0]["code"]) == (400, "too_many")


async def test_a_question_of_commas_is_accepted(edge: Edge) -> None:
    body = {"parcel_ids": ["00001000AB0012"], "question": "," * 2_000, "address": {"label": "," * 500}}
    assert (await edge.post("/api/v1/assistant/divide-land", body)).status_code == 200


async def test_too_many_query_parameters_are_a_bad_request(edge: Edge) -> None:
    response = await edge.client.get("/api/v1/coverage?" + "&".join(["a=1"] * 101), headers={"x-api-key": edge.key})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
