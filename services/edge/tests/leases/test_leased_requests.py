"""Requests to an edge with leases: exact quotas, revocation, an outage of keys, and the end of the process."""

import asyncio
import time
from pathlib import Path

import httpx
import pytest
from fakes import wait_until
from running_edge import GEOJSON, RESOLVE, Edge, edge_process, make_key

from landpartner.keys.v1 import keys_pb2

CLIENTS = 64
QUOTA = 120
BODY = {"label": "x"}
UNIT = {"parcel_ids": ["75118000AB0012"]}


class Quota:
    """Leases of one key, as keys gives them: at most half of what is left, and at least what is needed."""

    def __init__(self, edge: Edge, units: int) -> None:
        self._edge = edge
        self.left = units
        self._ended: set[bytes] = set()
        edge.keys.decide = self._decide

    def _decide(self, request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        for end in self._edge.keys.ended:
            if end.lease_id not in self._ended:
                self._ended.add(end.lease_id)
                self.left += end.unused.units
        need = 1 if request.endpoint == "addresses.resolve" else 2
        if self.left < need:
            return keys_pb2.LeaseResponse(denial=keys_pb2.Denial(code="quota_exhausted", key_id="key-1"))
        units = max(need, min(request.expected.units, self.left // 2))
        self.left -= units
        return self._edge.keys.grant(keys_pb2.Counters(units=units, requests=max(1, request.expected.requests)))


async def test_a_quota_is_granted_to_the_last_unit_and_not_passed(edge: Edge) -> None:
    Quota(edge, QUOTA)
    statuses: list[int] = []

    async def send_until_refused() -> None:
        while True:
            statuses.append((await edge.post(RESOLVE, BODY)).status_code)
            if statuses[-1] != 200:
                return

    await asyncio.gather(*(send_until_refused() for _ in range(CLIENTS)))
    assert (statuses.count(200), statuses.count(429)) == (QUOTA, CLIENTS)
    await wait_until(lambda: len(edge.keys.outcomes) == QUOTA)
    assert sum(outcome.units for outcome in edge.keys.outcomes) == QUOTA
    await wait_until(lambda: sum(refused.requests for refused in edge.keys.refused) == CLIENTS)


async def test_a_unit_that_one_endpoint_cannot_use_is_left_to_another(edge: Edge) -> None:
    Quota(edge, 5)
    statuses = [(await edge.post(GEOJSON, UNIT)).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert (await edge.post(RESOLVE, BODY)).status_code == 200
    assert (await edge.post(RESOLVE, BODY)).status_code == 429


async def test_twenty_revoked_keys_answer_nothing_once_their_leases_are_over(edge: Edge) -> None:
    edge.keys.valid_ms = 300
    edge.keys.decide = lambda _: edge.keys.grant(keys_pb2.Counters(units=1_000, requests=1_000))
    keys = [make_key(ident=f"revoke{number:02}") for number in range(20)]
    assert {(await edge.post(RESOLVE, BODY, headers={"x-api-key": key})).status_code for key in keys} == {200}
    edge.keys.denial = keys_pb2.Denial(code="revoked_key")
    edge.keys.decide = edge.keys._decide
    await asyncio.sleep(edge.keys.valid_ms / 1000)  # keys answers the change after this time
    answered = len(edge.land.requests)
    answers = await asyncio.gather(*(edge.post(RESOLVE, BODY, headers={"x-api-key": key}) for key in keys))
    assert {response.json()["code"] for response in answers} == {"revoked_key"}
    assert len(edge.land.requests) == answered


async def test_a_lease_outlasts_an_outage_of_keys_until_its_end(edge: Edge) -> None:
    edge.keys.valid_ms = 500
    edge.keys.decide = lambda _: edge.keys.grant(keys_pb2.Counters(units=1_000, requests=1_000))
    began = time.monotonic()
    assert (await edge.post(RESOLVE, BODY)).status_code == 200
    edge.keys.is_down = True
    statuses = [200]
    while statuses[-1] == 200:
        statuses.append((await edge.post(RESOLVE, BODY)).status_code)
    assert statuses[-1] == 503
    assert len(statuses) > 2
    assert time.monotonic() - began >= 0.5
    edge.keys.is_down = False
    assert (await edge.post(RESOLVE, BODY)).status_code == 200


async def test_a_denial_of_the_edge_takes_nothing_and_is_counted(edge: Edge) -> None:
    edge.keys.terms.scopes.append("addresses.resolve")
    edge.keys.decide = lambda _: edge.keys.grant(keys_pb2.Counters(units=1_000, requests=1_000))
    assert (await edge.post(RESOLVE, BODY)).status_code == 200
    for _ in range(3):
        refused = await edge.post(GEOJSON, UNIT, headers={"accept-language": "en"})
        assert (refused.status_code, refused.json()["code"]) == (403, "scope_denied")
        assert "land-units.geojson" in refused.json()["detail"]
    assert edge.keys.lease_calls == 1
    await wait_until(lambda: sum(item.requests for item in edge.keys.refused) == 3)
    assert {(item.key_id, item.endpoint, item.code) for item in edge.keys.refused} == {
        ("key-1", "land-units.geojson", "scope_denied")
    }
    assert len(edge.keys.outcomes) <= 1


async def test_the_headers_state_what_is_left_when_the_request_was_admitted(edge: Edge) -> None:
    edge.keys.rate_limits = [
        keys_pb2.RateLimitState(policy="minute", limit=600, remaining=500, window_s=60, reset_s=42),
        keys_pb2.RateLimitState(policy="month", limit=9_000, remaining=8_000, window_s=2_592_000, reset_s=86_400),
    ]
    edge.keys.decide = lambda _: edge.keys.grant(keys_pb2.Counters(units=10, requests=5))
    for used in (1, 2):
        response = await edge.post(GEOJSON, UNIT)
        assert response.headers["ratelimit-policy"] == '"minute";q=600;w=60, "month";q=9000;w=2592000'
        expected = f'"minute";r={505 - used};t=42, "month";r={8_010 - 2 * used};t=86400'
        assert response.headers["ratelimit"] == expected


@pytest.mark.parametrize("is_killed", [True, False])
async def test_a_process_that_ends_returns_its_leases(edge: Edge, tmp_path: Path, is_killed: bool) -> None:
    edge.keys.valid_ms = 60_000
    edge.keys.decide = lambda _: edge.keys.grant(keys_pb2.Counters(units=10, requests=10))
    spool = tmp_path / "shared-spool"
    async with edge_process(edge, spool) as (process, url):
        headers = {"x-api-key": edge.key}
        async with httpx.AsyncClient(timeout=60) as client:
            assert (await client.post(url + RESOLVE, json=BODY, headers=headers)).status_code == 200
        if is_killed:
            process.kill()
    [request] = edge.keys.lease_requests
    if not is_killed:
        [end] = edge.keys.ended
        assert (end.lease_id, end.unused.units) == (request.lease_id, 9)
        return
    async with edge_process(edge, spool):
        await wait_until(lambda: edge.keys.dead_holders)
    assert edge.keys.dead_holders[0] == request.holder
    assert len(edge.keys.outcomes) == 1
