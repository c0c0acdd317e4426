"""A route whose removal is announced says so in every answer and in the API description."""

from datetime import date
from typing import Any

import httpx
import pytest
from running_edge import Edge
from starlette.requests import Request
from starlette.responses import Response

from contract.dictionary import dictionary
from contract.messages.schemas import Plain
from edge.access import API
from edge.descriptions.document import describe
from edge.descriptions.operations import route_options
from edge.problems import Problem
from edge.routing import Deprecation, PlainRoute, new_router

REMOVAL = Deprecation(date(2027, 1, 1), date(2028, 1, 1), "https://partner.example/changes")


@pytest.fixture
def routes(monkeypatch: pytest.MonkeyPatch) -> list[PlainRoute]:
    operations = dictionary().operations
    assert isinstance(operations, dict)
    monkeypatch.setitem(operations, "oldHealth", operations["health"])
    router = new_router()

    @router.get(
        f"{API}/old", **route_options("public", Plain({"type": "string"}), takes_any_query=True, deprecation=REMOVAL)
    )
    async def old_health(request: Request) -> Any:
        if "fail" in request.query_params:
            raise Problem("unavailable")
        return Response("ok")

    return [route for route in router.routes if isinstance(route, PlainRoute)]


@pytest.mark.parametrize(("query", "status"), [("", 200), ("?fail=1", 503)])
async def test_every_answer_announces_the_removal(routes: list[PlainRoute], query: str, status: int) -> None:
    (route,) = routes
    async with httpx.AsyncClient(transport=httpx.ASGITransport(route.handle), base_url="http://edge") as client:
        answer = await client.get(f"{API}/old{query}")
    assert answer.status_code == status
    assert answer.headers["deprecation"] == "@1798761600"
    assert answer.headers["sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"
    assert answer.headers["link"] == '<https://partner.example/changes>; rel="deprecation"; type="text/html"'


def test_the_description_marks_the_operation(routes: list[PlainRoute]) -> None:
    assert describe(routes, "en")["paths"][f"{API}/old"]["get"]["deprecated"] is True


async def test_no_other_route_announces_one(edge: Edge) -> None:
    answer = await edge.client.get("/api/v1/health")
    assert not {"deprecation", "sunset"} & set(answer.headers)
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    assert "deprecated" not in full["paths"]["/api/v1/health"]["get"]


def test_a_removal_is_announced_a_year_ahead() -> None:
    with pytest.raises(ValueError, match="twelve months"):
        Deprecation(date(2027, 1, 1), date(2027, 12, 31), "https://partner.example/changes")
