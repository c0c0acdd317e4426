"""Limits on attempts without a valid credential, and on concurrent requests."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from types import SimpleNamespace

import pytest
from fakes import Refusal, wait_until
from running_edge import Edge, StartEdge, make_key

from edge.middleware import attempts
from edge.middleware.attempts import AddressLimit, FreeAnswers
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2

RESOLVE = "/api/v1/addresses/resolve"
UNKNOWN = keys_pb2.Denial(code="invalid_key")


def deny_all_but(edge: Edge, *good: str) -> None:
    decide = edge.keys.decide

    def decide_by_key(request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        return decide(request) if request.api_key in good else keys_pb2.LeaseResponse(denial=UNKNOWN)

    edge.keys.decide = decide_by_key


async def test_unknown_keys_of_an_address_are_limited_and_a_valid_key_is_not(
    start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.app.AddressLimit", partial(AddressLimit, clock=lambda: 0.0))  # no attempt is forgotten
    async with start_edge(unknown_credentials_per_minute=5) as edge:
        deny_all_but(edge, edge.key)
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
        statuses = [
            (await edge.post(RESOLVE, {"label": "x"}, headers={"x-api-key": make_key(ident=f"wrong{number:03}")}))
            for number in range(20)
        ]
        assert [response.status_code for response in statuses[:5]] == [401] * 5
        assert {response.status_code for response in statuses[5:]} == {429}
        assert int(statuses[-1].headers["retry-after"]) >= 1
        assert len(edge.keys.lease_requests) == 6
        for _ in range(20):
            assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200


async def test_concurrent_first_requests_of_a_valid_key_are_one_attempt(start_edge: StartEdge) -> None:
    async with start_edge(unknown_credentials_per_minute=1) as edge:
        answers = await asyncio.gather(*(edge.post(RESOLVE, {"label": "x"}) for _ in range(50)))
        assert {response.status_code for response in answers} == {200}


@pytest.mark.parametrize(
    ("is_valid", "waiting", "refused", "expected"),
    [(True, 128, 0, {200: 50}), (False, 128, 0, {401: 5, 429: 45}), (True, 3, 42, {200: 8, 429: 42})],
)
async def test_new_keys_of_an_address_wait_for_the_decisions_on_others(
    start_edge: StartEdge,
    monkeypatch: pytest.MonkeyPatch,
    is_valid: bool,
    waiting: int,
    refused: int,
    expected: dict[int, int],
) -> None:
    monkeypatch.setattr("edge.app.AddressLimit", partial(AddressLimit, clock=lambda: 0.0))
    monkeypatch.setattr(attempts, "MAX_WAITING_CREDENTIALS", waiting)
    async with start_edge(unknown_credentials_per_minute=5) as edge:
        api_keys = [make_key(ident=f"other{number:03}") for number in range(50)]
        deny_all_but(edge, *(api_keys if is_valid else ()))
        edge.keys.may_decide.clear()
        asked = [
            asyncio.create_task(edge.post(RESOLVE, {"label": "x"}, headers={"x-api-key": key})) for key in api_keys
        ]
        await wait_until(lambda: len(edge.keys.lease_requests) >= 5 and sum(task.done() for task in asked) == refused)
        assert len(edge.keys.lease_requests) == 5
        edge.keys.may_decide.set()
        statuses = Counter(answer.status_code for answer in await asyncio.gather(*asked))
        assert statuses == expected


async def test_a_revoked_key_is_not_limited(start_edge: StartEdge) -> None:
    async with start_edge(unknown_credentials_per_minute=2) as edge:
        edge.keys.denial = keys_pb2.Denial(code="revoked_key")
        codes = [(await edge.post(RESOLVE, {"label": "x"})).json()["code"] for _ in range(10)]
        assert set(codes) == {"revoked_key"}


async def test_unavailable_keys_costs_no_attempt(start_edge: StartEdge) -> None:
    async with start_edge(unknown_credentials_per_minute=2) as edge:
        edge.keys.is_down = True
        assert {(await edge.post(RESOLVE, {"label": "x"})).status_code for _ in range(5)} == {503}
        edge.keys.is_down = False
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200


async def test_guessed_admin_tokens_are_limited(start_edge: StartEdge) -> None:
    async with start_edge(unknown_credentials_per_minute=3) as edge:
        for method in ("VerifyCaller",):
            edge.admin.failures[method] = Refusal("sign_in_required")
        codes = []
        for number in range(10):
            headers = {"authorization": f"Bearer lpa_{number}"}
            codes.append((await edge.client.get("/api/v1/admin/api-keys", headers=headers)).json()["code"])
        assert codes == ["sign_in_required"] * 3 + ["rate_limited"] * 7
        assert len(edge.admin.calls) == 3


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/v1/admin/session"), ("POST", "/api/v1/admin/setup"), ("GET", "/api/v1/admin/setup")],
)
async def test_open_admin_routes_are_limited_before_their_body_is_read(
    start_edge: StartEdge, method: str, path: str
) -> None:
    async with start_edge(open_attempts_per_minute=4) as edge:
        answers = [await edge.client.request(method, path, content=b"{") for _ in range(6)]
        assert [response.status_code == 429 for response in answers] == [False] * 4 + [True] * 2
        assert answers[-1].json()["code"] == "rate_limited"


async def test_requests_without_a_key_do_not_limit_a_key_of_the_same_address(start_edge: StartEdge) -> None:
    async with start_edge(open_attempts_per_minute=4) as edge:
        statuses = [(await edge.client.post(RESOLVE)).status_code for _ in range(6)]
        assert statuses == [401] * 4 + [429] * 2
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200


async def test_a_request_above_the_capacity_is_refused_and_not_metered(start_edge: StartEdge) -> None:
    async with start_edge(max_requests=2) as edge:
        edge.keys.may_decide.clear()
        under_way = [asyncio.create_task(edge.post(RESOLVE, {"label": "x"})) for _ in range(2)]
        await wait_until(lambda: edge.keys.lease_requests)
        response = await edge.post(RESOLVE, {"label": "x"})
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
        assert response.headers["retry-after"] == "1"
        assert (await edge.client.get("/livez")).status_code == 200
        edge.keys.may_decide.set()
        assert {response.status_code for response in await asyncio.gather(*under_way)} == {200}
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
        assert len(edge.keys.lease_requests) == 3


def test_attempts_refill_over_a_minute_and_ipv6_counts_by_64() -> None:
    now = [0.0]
    limit = AddressLimit(2, lambda: now[0])
    for address in ("2001:db8::1", "2001:db8::2"):
        limit.take(address)
    with pytest.raises(Problem) as refused:
        limit.take("2001:db8:0:0:ffff::3")
    assert refused.value.retry_after_s == 31
    limit.take("2001:db8:0:1::1")
    now[0] = 30.0
    limit.take("2001:db8::1")
    with pytest.raises(Problem):
        limit.take("2001:db8::1")


PER_SECOND = 2


@pytest.fixture
async def timed_edge(start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Edge, list[float]]]:
    """An edge that sends two free answers a second, while the time stands still, and how long its answers waited."""
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("edge.app.FreeAnswers", partial(FreeAnswers, clock=lambda: 0.0))
    monkeypatch.setattr(attempts, "asyncio", SimpleNamespace(sleep=wait))
    async with start_edge(free_answers_per_second=PER_SECOND, trusted_proxies="127.0.0.1") as edge:
        yield edge, waits


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/v1/status"), ("POST", RESOLVE), ("GET", "/nothing"), ("PUT", RESOLVE)]
)
async def test_free_answers_to_an_address_wait_for_their_turn(
    timed_edge: tuple[Edge, list[float]], method: str, path: str
) -> None:
    edge, waits = timed_edge
    edge.keys.denial = keys_pb2.Denial(code="quota_exhausted", key_id="key-1", facts={"units": "1", "left": "0"})
    for _ in range(attempts.BURST_S * PER_SECOND):
        await edge.client.request(method, path, headers={"x-api-key": edge.key})
    assert waits == []
    for _ in range(6):
        await edge.client.request(method, path, headers={"x-api-key": edge.key})
    assert waits == [0.5, 1.0, 1.5, 2.0, 2.0, 2.0]
    await edge.client.request(method, path, headers={"x-api-key": edge.key, "x-forwarded-for": "192.0.2.1"})
    assert len(waits) == 6


async def test_a_long_answer_counts_as_several(timed_edge: tuple[Edge, list[float]]) -> None:
    edge, waits = timed_edge
    answer = await edge.client.get("/api/v1/openapi.json", headers={"accept-encoding": "identity"})
    assert waits == [min(2.0, len(answer.content) // attempts.TURN_BYTES * 0.5 - 3.5)]


async def test_what_is_paid_probes_and_failures_never_wait(timed_edge: tuple[Edge, list[float]]) -> None:
    edge, waits = timed_edge
    for _ in range(attempts.BURST_S * PER_SECOND + 1):
        await edge.client.get("/nothing")
    assert waits == [0.5]
    assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
    assert (await edge.client.get("/livez")).status_code == 200
    admin = await edge.client.get("/api/v1/admin/api-keys", headers={"authorization": "Bearer lpa_1"})
    assert admin.status_code == 200
    edge.keys.is_down = True
    assert (await edge.post(RESOLVE, {"label": "x"}, headers={"x-api-key": make_key(ident="other123")})).is_server_error
    assert waits == [0.5]


async def test_few_answers_to_an_address_wait_at_a_time(start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on = asyncio.Event()

    async def wait(_: float) -> None:
        await may_go_on.wait()

    monkeypatch.setattr(attempts, "MAX_WAITING", 2)
    monkeypatch.setattr(attempts, "asyncio", SimpleNamespace(sleep=wait))
    async with start_edge(free_answers_per_second=1) as edge:
        asked = [asyncio.create_task(edge.client.get("/nothing")) for _ in range(attempts.BURST_S + 10)]
        await wait_until(lambda: sum(task.done() for task in asked) == attempts.BURST_S + 8)
        may_go_on.set()
        assert {answer.status_code for answer in await asyncio.gather(*asked)} == {404}
