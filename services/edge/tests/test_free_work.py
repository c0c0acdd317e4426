"""What a key without units can make the edge do, on every route and by every small body that is expensive to read.

Work is counted as calls of functions in the event loop, since times differ between machines. What later requests share
is built in a thread.
"""

import json
import re
import sys
from contextlib import AsyncExitStack
from typing import Any

import cql2
import httpx
import pytest
from running_edge import Edge, StartEdge
from test_route_admission import BODIES, PATHS, QUERIES

from contract.endpoints import EVENT_PAGES, LINE_ENDPOINTS, SCOPES, WATCH_PAGES, WEIGHTS
from edge import body
from edge.access import PathClass
from edge.api.v1 import agents
from landpartner.keys.v1 import keys_pb2

MAX_CALLS = 25_000
"""Counting the values of the largest message of an agent takes 22,000. Describing the tools takes 150,000."""
MAX_BYTES = 16 * 1024
NO_LIMITS = {"open_attempts_per_minute": 1_000_000, "free_answers_per_second": 1_000_000}
PAGED = {"/api/v1/watches": "cursor=w1", "/api/v1/events": "after=6"}
FILTERS = ["(((((((a", "(" * 8 + "a%2B" * 900, "NOT%20" * 300 + "a=1", "a%20IN%20(" + "'x'," * 900 + "'x')"]


def messages() -> list[bytes]:
    call = {"name": "usage", "arguments": {}, "inputResponses": {f"m{number}": {} for number in range(4_000)}}
    documents = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": [{}] * 3_900}},
    ]
    return [*(json.dumps(document).encode() for document in documents), b"{"]


def requests_of(edge: Edge) -> list[tuple[PathClass, str, str, str, bytes]]:
    """The class, the endpoint, the method, the path with its query, and the body of each request."""
    hostile = [b'{"include": [' + b"{}," * 900 + b"{}]}", b'{"label": "' + b"\\u0041" * 2_000 + b'"}', b"[" * 4_000]
    found = []
    for route in edge.routes():
        path = re.sub(r"\{.*?\}", "dictionary" if route.path.startswith("/api/docs/") else "k1", route.path)
        path = PATHS.get(route.path, path)
        valid = json.dumps(BODIES.get(route.path, {})).encode()
        for method in route.methods or ():
            bodies = [b""] if method == "GET" else messages() if path.endswith("/mcp") else [valid, *hostile]
            queries = [QUERIES.get(path, ""), *([f"filter={text}" for text in FILTERS] if "/items" in path else ())]
            queries += [PAGED[path]] if method == "GET" and path in PAGED else []
            for query in queries:
                pages = {"cursor=w1": WATCH_PAGES, "after=6": EVENT_PAGES}.get(query, route.access.endpoint)
                found += [(route.access.path_class, pages, method, f"{path}?{query}", content) for content in bodies]
    return found


class Counting:
    """The edge, which counts the calls of functions while it answers a request."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.calls = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.calls = 0
        sys.setprofile(self._count)
        try:
            await self._app(scope, receive, send)
        finally:
            sys.setprofile(None)

    def _count(self, frame: object, event: str, argument: object) -> None:
        self.calls += event in ("call", "c_call")


@pytest.mark.parametrize("is_all_denied", [False, True], ids=["without units", "denied"])
async def test_a_key_causes_little_work_on_any_route(
    start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch, is_all_denied: bool
) -> None:
    read: list[str] = []

    def deny_units(request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        denial = keys_pb2.Denial(code="quota_exhausted", key_id="key-1", facts={"units": "1", "left": "0"})
        is_paid = is_all_denied or WEIGHTS.get(request.endpoint, 0) > 0
        return keys_pb2.LeaseResponse(denial=denial) if is_paid and not request.goes_on else decide(request)

    def note(name: str, owner: Any, function: str) -> None:
        original = getattr(owner, function)

        def noted(*given: Any) -> Any:
            read.append(name)
            return original(*given)

        monkeypatch.setattr(owner, function, noted)

    note("a filter", cql2, "parse_text")
    note("a body", body, "to_document")
    note("a message", agents, "read_request")
    async with AsyncExitStack() as stack:
        edge = await stack.enter_async_context(start_edge(**NO_LIMITS))
        decide, edge.keys.decide = edge.keys.decide, deny_units
        edge.keys.lines_denial = keys_pb2.Denial(code="quota_exhausted", key_id="key-1")
        edge.keys.terms.scopes.extend(SCOPES)
        sent, counting = requests_of(edge), Counting(edge.app)
        transport = httpx.ASGITransport(app=counting, client=("127.0.0.1", 1234))
        client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://localhost"))
        assert {kind for kind, *_ in sent} == set(PathClass)
        for kind, endpoint, method, target, content in sent:
            media_type = "application/x-ndjson" if "/batch" in target else "application/json"
            headers = {"content-type": media_type, "x-api-key": edge.key, "accept-language": "fr"}
            for _ in range(2):
                read.clear()
                edge.land.requests.clear()
                edge.keys.lease_requests.clear()
                response = await client.request(method, target, content=content, headers=headers)
                assert counting.calls <= MAX_CALLS, (method, target[:80], content[:40], counting.calls)
            what = (method, target[:80], content[:40], response.status_code, counting.calls, len(response.content))
            assert response.status_code < 500 or kind is PathClass.OUTSIDE, what  # pages that are not built
            assert len(edge.land.requests) <= 1, what
            assert len(edge.keys.lease_requests) <= 1 + (kind is PathClass.AGENT), what  # a message, and its tool
            if response.status_code >= 400:
                assert len(response.content) <= MAX_BYTES, what
            if kind is PathClass.KEY and (is_all_denied or WEIGHTS[endpoint]):
                assert (response.status_code, read, edge.land.requests) == (429, [], []), what
            if kind is PathClass.AGENT and is_all_denied and b"tools/call" not in content:
                assert (response.status_code, set(read)) == (429, {"a body"}), what  # it may name a tool
            if endpoint in LINE_ENDPOINTS:
                assert edge.land.requests == [], what
        assert edge.assistant.requests == []
