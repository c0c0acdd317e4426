"""Authorization of every path, with or without a route, with every method."""

import asyncio

import pytest
from fakes import wait_until
from running_edge import Edge, StartEdge

from contract.problem_codes import PROBLEMS
from landpartner.keys.v1 import keys_pb2

KEY_PATHS = [
    "/api/v1/addresses/resolve",
    "/api/v1/land-units/geojson",
    "/api/v1/assistant/divide-land",
    "/api/v1/usage",
    "/api/v1/coverage",
    "/api/v1/coverage/communes",
    "/api/v1/status/",
    "/api/v1/nothing-here",
    "/api/v1/health/",
    "/api/v1/administrator",
    "/api/v1/",
    "/api/v1",
]
ADMIN_PATHS = ["/api/v1/admin", "/api/v1/admin/api-keys", "/api/v1/admin/api-keys/k1/revoke", "/api/v1/admin/nothing"]
PUBLIC_PATHS = ["/api/v1/health", "/api/v1/status", "/api/v1/openapi.json", "/api/v1/openapi-public.json"]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


@pytest.mark.parametrize("path", KEY_PATHS)
async def test_without_a_key_every_path_gives_the_same_401(edge: Edge, path: str) -> None:
    for method in METHODS:
        response = await edge.client.request(method, path, content=b"{" if method == "POST" else None)
        assert response.status_code == 401, method
        assert response.headers["www-authenticate"] == 'ApiKey realm="x-api-key"'
        if method != "HEAD":
            assert response.json()["code"] == "missing_key"
            assert response.headers["content-type"] == "application/problem+json"
    assert edge.keys.lease_requests == []


@pytest.mark.parametrize("path", ADMIN_PATHS)
async def test_admin_paths_need_a_session_and_accept_no_key(edge: Edge, path: str) -> None:
    for method in METHODS:
        response = await edge.client.request(method, path, headers={"x-api-key": edge.key})
        assert response.headers["www-authenticate"] == 'Bearer realm="admin"'
        assert response.status_code == 401, method
        if method != "HEAD":
            assert response.json()["code"] == "sign_in_required"
    assert edge.keys.lease_requests == []
    assert edge.admin.calls == []


@pytest.mark.parametrize("path", PUBLIC_PATHS)
async def test_public_paths_answer_without_a_key(edge: Edge, path: str) -> None:
    for method in METHODS:
        response = await edge.client.request(method, path)
        assert response.status_code == (200 if method in ("GET", "HEAD") else 405)
        if response.status_code == 405:
            assert response.headers["allow"] == "GET, HEAD"


async def test_the_docs_address_redirects(edge: Edge) -> None:
    response = await edge.client.get("/api/v1/docs/public")
    assert (response.status_code, response.headers["location"]) == (302, "/api/docs/public")


async def test_with_a_key_unknown_paths_are_404_and_wrong_methods_405(edge: Edge) -> None:
    headers = {"x-api-key": edge.key}
    missing = await edge.client.post("/api/v1/nothing-here", headers=headers)
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    wrong = await edge.client.get("/api/v1/addresses/resolve", headers=headers)
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"
    assert [query.endpoint for query in edge.keys.lease_requests] == ["other", "other"]


@pytest.mark.parametrize(
    "key",
    [b"garbage", b"lp_live_", b"lp_live_" + b"a" * 57, b"x" * 257, b"x" * 100_000, "clé".encode(), b"\xff\xfe"],
)
async def test_malformed_keys_are_refused_without_a_call(edge: Edge, key: bytes) -> None:
    response = await edge.client.post("/api/v1/addresses/resolve", headers={b"x-api-key": key})
    assert (response.status_code, response.json()["code"]) == (401, "invalid_key")
    assert edge.keys.lease_requests == []


async def test_two_keys_are_refused(edge: Edge) -> None:
    headers = [("x-api-key", edge.key), ("x-api-key", edge.key)]
    response = await edge.client.post("/api/v1/addresses/resolve", headers=headers)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")


@pytest.mark.parametrize("query", ["x-api-key=a", "api_key=a", "apikey=", "API_KEY=a", "key=lp_live_x", "anything=KEY"])
async def test_a_key_in_the_query_is_refused_on_every_path(edge: Edge, query: str) -> None:
    query = query.replace("KEY", edge.key) if query.endswith("KEY") else query
    for path in ("/api/v1/addresses/resolve", "/api/v1/health", "/api/v1/admin/api-keys"):
        response = await edge.client.get(f"{path}?{query}", headers={"x-api-key": edge.key})
        assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
        assert edge.key not in response.text


async def test_other_query_parameters_are_accepted(edge: Edge) -> None:
    assert (await edge.client.get("/api/v1/health?key=1&q=lp_live_ab")).status_code == 200


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("invalid_key", 401),
        ("revoked_key", 401),
        ("expired_key", 401),
        ("scope_denied", 403),
        ("ip_denied", 403),
        ("assistant_denied", 403),
        ("rate_limited", 429),
        ("quota_exhausted", 429),
        ("assistant_allowance_exhausted", 429),
        ("spend_cap_reached", 429),
    ],
)
async def test_denials_have_their_codes(edge: Edge, code: str, status: int) -> None:
    edge.keys.denial = keys_pb2.Denial(code=code, retry_after_s=7 if status == 429 else None)
    response = await edge.post("/api/v1/addresses/resolve", {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers.get("retry-after") == ("7" if status == 429 else None)
    assert edge.land.requests == []
    if code == "invalid_key":
        await asyncio.sleep(0.3)
        assert edge.keys.refused == []
    else:
        await wait_until(lambda: edge.keys.refused)
        counted = [(refused.key_id, refused.endpoint, refused.code, refused.requests) for refused in edge.keys.refused]
        assert counted == [("key-1", "addresses.resolve", code, 1)]
    assert edge.keys.outcomes == []


DENIALS = [
    (
        "quota_exhausted",
        {"units": "10", "left": "3"},
        "coûte 10 unités\N{NARROW NO-BREAK SPACE}; il en reste 3",
        "takes 10 units; 3 of this month's are left",
    ),
    (
        "rate_limited",
        {"per_minute": "60", "burst": "5"},
        "60 requêtes par minute, dont 5",
        "60 requests a minute, 5",
    ),
    ("scope_denied", {"endpoint": "usage"}, "point d’accès usage", "endpoint usage"),
    ("spend_cap_reached", {"cap": "12.50"}, "12,50\N{NO-BREAK SPACE}EUR", "EUR 12.50"),
    ("assistant_allowance_exhausted", {"of": "tokens"}, "de jetons", "assistant tokens"),
    ("revoked_key", {"subject": "partner"}, "partenaire est désactivé", "partner's access is disabled"),
]


@pytest.mark.parametrize(("code", "facts", "french", "english"), DENIALS)
async def test_a_denial_keeps_its_facts_in_both_languages(
    edge: Edge, code: str, facts: dict[str, str], french: str, english: str
) -> None:
    edge.keys.denial = keys_pb2.Denial(code=code, facts=facts)
    for language, expected in (("fr", french), ("en", english)):
        response = await edge.post("/api/v1/usage", {}, headers={"accept-language": language})
        assert response.json()["code"] == code
        assert expected in response.json()["detail"]
    assert edge.keys.lease_calls == 1  # the denial is kept


@pytest.mark.parametrize("code", [code for code, *_ in DENIALS])
async def test_a_denial_with_facts_of_another_version_has_its_general_sentence(edge: Edge, code: str) -> None:
    edge.keys.denial = keys_pb2.Denial(code=code, facts={"another": "version"})
    response = await edge.post("/api/v1/usage", {}, headers={"accept-language": "en"})
    assert response.json()["detail"] == str(PROBLEMS[code].detail)


async def test_requests_are_refused_if_keys_is_unavailable(edge: Edge) -> None:
    edge.keys.is_down = True
    response = await edge.post("/api/v1/addresses/resolve", {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert int(response.headers["retry-after"]) > 0
    assert edge.land.requests == []


async def test_rate_limit_headers_are_structured_fields(edge: Edge) -> None:
    edge.keys.rate_limits = [
        keys_pb2.RateLimitState(policy="minute", limit=600, remaining=599, window_s=60, reset_s=42),
        keys_pb2.RateLimitState(policy="month", limit=10000, remaining=0, window_s=2_592_000, reset_s=86_400),
    ]
    response = await edge.post("/api/v1/addresses/resolve", {"label": "x"})
    assert response.headers["ratelimit-policy"] == '"minute";q=600;w=60, "month";q=10000;w=2592000'
    assert response.headers["ratelimit"] == '"minute";r=599;t=42, "month";r=0;t=86400'


async def test_concurrent_requests_of_a_key_share_its_lease(edge: Edge) -> None:
    edge.keys.decide = lambda request: edge.keys.grant(request.expected)
    edge.keys.may_decide.clear()
    requests = [
        asyncio.create_task(
            edge.post("/api/v1/addresses/resolve", {"label": "x"}, headers={"x-request-id": "constant"})
        )
        for _ in range(101)
    ]
    await wait_until(lambda: edge.keys.lease_requests)
    await asyncio.sleep(0.2)
    edge.keys.may_decide.set()
    assert {response.status_code for response in await asyncio.gather(*requests)} == {200}
    assert len(edge.keys.lease_requests) < 10
    assert {len(request.lease_id) for request in edge.keys.lease_requests} == {16}
    await wait_until(lambda: len(edge.keys.outcomes) == 101)
    assert len({outcome.event_id for outcome in edge.keys.outcomes}) == 101
    assert {outcome.lease_id for outcome in edge.keys.outcomes} <= {
        request.lease_id for request in edge.keys.lease_requests
    }


async def test_an_unknown_denial_code_is_502(edge: Edge) -> None:
    edge.keys.denial = keys_pb2.Denial(code="moon_phase")
    response = await edge.post("/api/v1/addresses/resolve", {"label": "x"})
    assert response.status_code == 502
    assert edge.land.requests == []


async def test_forwarded_addresses_count_only_from_trusted_proxies(start_edge: StartEdge) -> None:
    headers = {"x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.0.0.7"}
    async with start_edge() as edge:
        await edge.post("/api/v1/addresses/resolve", {"label": "x"}, headers=headers)
        assert edge.keys.lease_requests[0].client_address == "127.0.0.1"
    async with start_edge(trusted_proxies="127.0.0.0/8, 10.0.0.0/8") as edge:
        await edge.post("/api/v1/addresses/resolve", {"label": "x"}, headers=headers)
        assert edge.keys.lease_requests[0].client_address == "203.0.113.9"
