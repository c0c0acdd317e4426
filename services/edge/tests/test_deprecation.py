"""A route whose removal is announced says so in every answer and in the API description."""

from datetime import date
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request

from edge.access import API
from edge.descriptions.document import describe
from edge.descriptions.operations import route_options
from edge.dictionary import OPERATIONS
from edge.messages.schemas import Plain
from edge.problems import Problem, to_response
from edge.routing import Deprecation, PlainRoute, RouteTable, new_router, set_route

REMOVAL = Deprecation(date(2027, 1, 1), date(2028, 1, 1), "https://partner.example/changes")


@pytest.fixture
def routes(monkeypatch: pytest.MonkeyPatch) -> list[PlainRoute]:
    monkeypatch.setitem(OPERATIONS, "oldHealth", OPERATIONS["health"])
    router = new_router()

    @router.get(f"{API}/old", **route_options("public", Plain({"type": "string"}), deprecation=REMOVAL))
    async def old_health(request: Request) -> Any:
        if "fail" in request.query_params:
            raise Problem("unavailable")
        return "ok"

    return [route for route in router.routes if isinstance(route, PlainRoute)]


@pytest.mark.parametrize(("query", "status"), [("", 200), ("?fail=1", 503)])
async def test_every_answer_announces_the_removal(routes: list[PlainRoute], query: str, status: int) -> None:
    app = FastAPI()
    app.router.routes.extend(routes)
    app.add_exception_handler(Problem, lambda request, error: to_response(error, request.url.path))
    table = RouteTable(routes)

    async def authorized(scope: Any, receive: Any, send: Any) -> None:
        set_route(scope, table.lookup(scope["path"]).by_method["GET"], {})
        await app(scope, receive, send)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(authorized), base_url="http://edge") as client:
        answer = await client.get(f"{API}/old{query}")
    assert answer.status_code == status
    assert answer.headers["deprecation"] == "@1798761600"
    assert answer.headers["sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"
    assert answer.headers["link"] == '<https://partner.example/changes>; rel="deprecation"; type="text/html"'


def test_the_description_marks_the_operation(routes: list[PlainRoute]) -> None:
    assert describe(routes, "en")["paths"][f"{API}/old"]["get"]["deprecated"] is True


async def test_no_other_route_announces_one(edge: Any) -> None:
    answer = await edge.client.get("/api/v1/health")
    assert not {"deprecation", "sunset"} & set(answer.headers)
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    assert "deprecated" not in full["paths"]["/api/v1/health"]["get"]


def test_a_removal_is_announced_a_year_ahead() -> None:
    with pytest.raises(ValueError, match="twelve months"):
        Deprecation(date(2027, 1, 1), date(2027, 12, 31), "https://partner.example/changes")
