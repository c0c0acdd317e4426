"""The route that answers is the route that was authorized and metered, for every spelling of its path."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, cast
from unittest.mock import AsyncMock
from urllib.parse import quote, unquote

import pytest
from fastapi import Depends, Path
from raw_requests import asgi_scope
from running_edge import Edge
from starlette.requests import Request

from contract.endpoints import SCOPES
from edge.access import ADMIN, Access, Admission, NotAdmitted, PathClass, admit, require_admission
from edge.dependencies import CurrentAdmission
from edge.leases.decisions import Grant, RequestKind
from edge.leases.leases import Leases, RequestKey
from edge.routing import new_router, with_access
from landpartner.keys.v1 import keys_pb2

PLACEHOLDER = "k1"
PATHS = {
    "/api/v1/tiles/{layer}/{z}/{x}/{y}.mvt": "/api/v1/tiles/parcels/17/1/1.mvt",
    "/api/v1/keys/{keyId}/rotate": "/api/v1/keys/k1/rotate",
    "/api/v1/ogc/collections/{collection}": "/api/v1/ogc/collections/parcels",
    "/api/v1/ogc/collections/{collection}/queryables": "/api/v1/ogc/collections/parcels/queryables",
    "/api/v1/ogc/collections/{collection}/items": "/api/v1/ogc/collections/parcels/items",
    "/api/v1/ogc/collections/{collection}/items/{feature}": "/api/v1/ogc/collections/parcels/items/00001000AB0012",
}
BODIES = {
    "/api/v1/addresses/resolve": {"label": "x"},
    "/api/v1/addresses/resolve/batch": {"label": "x"},
    "/api/v1/land-units/batch": {"parcel_ids": ["00001000AB0012"]},
    "/api/v1/land-units/geojson": {"parcel_ids": ["00001000AB0012"]},
    "/api/v1/assistant/divide-land": {"parcel_ids": ["00001000AB0012"]},
    "/api/v1/parcels/search": {"neighbours_of": "00001000AB0012"},
    "/api/v1/watches": {"commune_code": "00001"},
    "/api/v1/webhooks": {"url": "https://partner.example/events"},
    "/api/v1/keys/events/webhooks": {"url": "https://partner.example/events"},
}
QUERIES = {
    "/api/v1/addresses/suggest": "q=x",
    "/api/v1/addresses/reverse": "lat=1&lon=2",
    "/api/v1/parcels": "lat=47&lon=2",
    "/api/v1/statistics/sales": "commune_code=00001",
}
CONTROL_CHARACTERS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]
SEPARATORS = ["/", "//", "/.", "/..", "/./", ".", "..", ";", ";a=b", "?", "%3F", "%23", "\\", "%5C", " ", "%25"]


def variants(path: str) -> Iterator[str]:
    """Other spellings of a path, percent-encoded if necessary."""
    for at, character in enumerate(path):
        yield f"{path[:at]}%{ord(character):02X}{path[at + 1 :]}"
        yield (
            f"{path[:at]}{quote(quote(character, safe=''), safe='')}{path[at + 1 :]}"
            if not character.isalnum()
            else path
        )
        if character == "/":
            yield f"{path[:at]}//{path[at + 1 :]}"
            yield f"{path[:at]}/./{path[at + 1 :]}"
            yield f"{path[:at]}/x/../{path[at + 1 :]}"
        elif character.isalpha():
            yield f"{path[:at]}{character.swapcase()}{path[at + 1 :]}"
    for end in [*SEPARATORS, "%00", "%0A", "%0D", "%7F"]:
        yield path + end
        if end != "?":  # a query of the home page
            yield end + path if end.startswith("/") else f"/{end}{path}"
    yield path.upper()
    yield path + "%0D%0A"
    yield path + "%C0%AF"  # an overlong slash
    yield path + "%EF%BC%8F"  # a full-width slash
    yield path + "%E2%80%A8"  # a line separator


@dataclass
class Answer:
    status_code: int = 0
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


async def ask(edge: Edge, method: str, path: str, body: Any) -> Answer:
    """Sends the path unchanged, decoded like in uvicorn. httpx would normalize it."""
    answer = Answer()
    messages = iter([{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}])

    async def receive() -> Any:
        if (message := next(messages, None)) is None:
            await asyncio.sleep(60)
        return message

    async def send(message: Any) -> None:
        answer.status_code = message.get("status", answer.status_code)
        answer.body += message.get("body", b"")

    content_type = "application/x-ndjson" if "batch" in unquote(path).lower() else "application/json"
    headers = {"x-api-key": edge.key, "content-type": content_type}
    await edge.app(asgi_scope(method, path, headers), receive, send)
    return answer


def keyed_routes(edge: Edge) -> list[tuple[str, str, str]]:
    return [
        (method, route.path, route.access.endpoint)
        for route in edge.routes()
        if route.access.path_class is PathClass.KEY
        for method in route.methods or ()
    ]


@pytest.mark.thorough
async def test_every_spelling_of_a_keyed_route_is_refused_or_metered_as_its_endpoint(edge: Edge) -> None:
    edge.keys.terms.scopes.extend(SCOPES)
    routes = keyed_routes(edge)
    assert {endpoint for _, _, endpoint in routes} >= {"addresses.resolve", "land-units.geojson", "usage", "coverage"}
    for method, template, endpoint in routes:
        path, served = PATHS.get(template, template), 0
        for variant in dict.fromkeys(variants(path)):
            edge.keys.lease_requests.clear()
            edge.land.requests.clear()
            edge.assistant.requests.clear()
            mark = "&" if "?" in variant else "?"
            response = await ask(edge, method, f"{variant}{mark}{QUERIES.get(path, '')}", BODIES.get(path))
            endpoints = [request.endpoint for request in edge.keys.lease_requests if not request.goes_on]
            if response.status_code < 300:
                assert endpoints == [endpoint], variant
                served += 1
                continue
            assert response.status_code in (400, 404, 405), (variant, response.status_code)
            named = [
                name
                for _, route, name in routes
                if "{" in route and unquote(variant).startswith(route.partition("{")[0])
            ]
            assert endpoints in ([], ["other"], *([name] for name in named)), variant
            assert edge.land.requests == [], variant
            assert edge.assistant.requests == [], variant
        assert served > len(path)  # a percent-encoded character equals the character


async def test_a_key_without_the_scope_gets_nothing_from_any_spelling(edge: Edge) -> None:
    """keys grants `other` to a key with the scope `usage` and denies all other endpoints, as the edge does."""

    def decide(request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        if request.endpoint in ("usage", "other"):
            return edge.keys.grant(keys_pb2.Counters(requests=100, units=100))
        return keys_pb2.LeaseResponse(denial=keys_pb2.Denial(code="scope_denied", key_id="key-1"))

    edge.keys.terms.scopes.append("usage")
    edge.keys.decide = decide
    for path, body in BODIES.items():
        for variant in dict.fromkeys(variants(path)):
            assert (await ask(edge, "POST", variant, body)).status_code in (400, 403, 404, 405), variant
    assert edge.land.requests == []
    assert edge.assistant.requests == []


async def test_every_spelling_of_an_admin_route_needs_a_session_or_is_404(edge: Edge) -> None:
    for route in edge.routes():
        if route.access != ADMIN:
            continue
        path = route.path.replace("{key_id}", PLACEHOLDER)
        for variant in dict.fromkeys(variants(path)):
            for method in route.methods or ():
                response = await ask(edge, method, variant, None)
                assert response.status_code in (400, 401, 404), (method, variant, response.status_code)
    assert edge.admin.calls == []


async def test_a_control_character_in_a_path_is_a_bad_request(edge: Edge) -> None:
    for path in ("/api/v1/addresses/resolve", "/api/v1/admin/session", "/livez", "/admin", "/assets/x", "/nothing"):
        for character in CONTROL_CHARACTERS:
            response = await ask(edge, "POST", f"{path}{quote(character, safe='')}", {"label": "x"})
            assert (response.status_code, response.json()["code"]) == (400, "invalid_payload"), (path, character)
    assert edge.keys.lease_requests == []


async def test_an_unknown_path_reaches_no_handler_and_is_counted_as_other(edge: Edge) -> None:
    response = await edge.post("/api/v1/addresses/resolve/", {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    outcome = await edge.keys.outcome()
    assert (outcome.endpoint, outcome.status) == ("other", 404)
    assert edge.land.requests == []


def admission(endpoint: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    grant = Grant("key-1", "partner-1", keys_pb2.KEY_MODE_LIVE)
    leases = Leases(cast(Any, None), b"", interval_s=1, deadline_s=1)
    admit(scope, Admission(grant, endpoint, RequestKey(leases, "", RequestKind(endpoint, ""))))
    return scope


def test_a_route_refuses_an_admission_for_another_endpoint() -> None:
    access = Access(PathClass.KEY, "addresses.resolve")
    require_admission(admission("addresses.resolve"), access)
    for scope in (admission("usage"), admission("other"), {}):
        with pytest.raises(NotAdmitted):
            require_admission(scope, access)
    with pytest.raises(NotAdmitted):
        require_admission(admission("addresses.resolve"), ADMIN)


async def test_a_handler_does_not_run_if_the_request_was_authorized_for_another_route(edge: Edge) -> None:
    resolve = next(route for route in edge.routes() if route.path.endswith("/addresses/resolve"))
    scope = {
        "type": "http",
        "method": "POST",
        "path": resolve.path,
        "root_path": "",
        "headers": [],
        **admission("usage"),
    }
    with pytest.raises(NotAdmitted):
        await resolve.handle(scope, AsyncMock(), AsyncMock())
    assert edge.land.requests == []


def test_a_route_under_the_api_cannot_be_registered_without_an_access() -> None:
    router = new_router()

    async def handler() -> None: ...

    with pytest.raises(ValueError, match="declares no access"):
        router.add_api_route("/api/v1/new", handler)
    router.add_api_route("/api/v1/new", handler, openapi_extra=with_access(ADMIN))
    router.add_api_route("/page", handler)


async def _nested(admission: CurrentAdmission) -> None: ...


async def _plain_query(text: str) -> None: ...


async def _number(number: Annotated[int, Path()]) -> None: ...


async def _limited(number: Annotated[str, Path(max_length=3)]) -> None: ...


async def _with_nested(nested: Annotated[None, Depends(_nested)]) -> None: ...


async def _with_query(text: Annotated[None, Depends(_plain_query)]) -> None: ...


@pytest.mark.parametrize("handler", [_plain_query, _number, _limited, _with_nested, _with_query])
def test_a_handler_with_arguments_that_nobody_would_validate_cannot_be_registered(handler: Any) -> None:
    with pytest.raises(ValueError, match="takes the request"):
        new_router().add_api_route("/page/{number}", handler)


async def test_a_synchronous_dependency_or_handler_cannot_be_registered() -> None:
    def dependency(request: Request) -> None: ...

    async def handler(value: Annotated[None, Depends(dependency)]) -> None: ...

    def synchronous() -> None: ...

    for function in (handler, synchronous):
        with pytest.raises(ValueError, match="asynchronous"):
            new_router().add_api_route("/page", function)


async def test_a_denied_request_is_not_counted_as_a_request_of_its_route(
    edge: Edge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "edge.requests")
    path = "/api/v1/addresses/resolve"
    await edge.client.post(path)
    await edge.post(path, {"label": "x"})
    assert [vars(record)["route"] for record in caplog.records if record.name == "edge.requests"] == ["unmatched", path]


async def test_the_log_line_of_a_request_names_its_key_and_what_it_cost(
    edge: Edge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "edge.requests")
    await edge.client.post("/api/v1/addresses/resolve")
    await edge.post("/api/v1/addresses/resolve", {"label": "x"})
    await edge.post("/api/v1/addresses/resolve", {"label": 1})
    lines = [vars(record) for record in caplog.records if record.name == "edge.requests"]
    facts = [tuple(line.get(name) for name in ("status", "code", "key_id", "endpoint", "units")) for line in lines]
    assert facts == [
        (401, "missing_key", None, None, None),
        (200, None, lines[1]["key_id"], "addresses.resolve", 1),
        (400, "invalid_payload", lines[1]["key_id"], "addresses.resolve", 0),
    ]
    assert lines[1]["key_id"]
    assert lines[1]["partner_id"]
