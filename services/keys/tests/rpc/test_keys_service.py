"""The server over a real loopback connection, on SQLite."""

import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from keys_world import ACTOR, DRAFT

from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE, RESOLVE_BATCH, WEIGHTS
from keys.api_keys import changes as key_changes
from keys.rpc import keys_service
from keys.server import KeysServer
from keys.settings import KeysSettings
from keys.store.change import changing
from keys.values.clock import system_clock
from keys.values.hashing import Peppers
from keys.values.policy import Quota
from keys.values.records import IssuedKey
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.callers import entry
from servicekit.health import SELLER
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import decode

PEPPERS = f"1:{bytes(range(32)).hex()}"
CALL = Outgoing("token")


@contextlib.asynccontextmanager
async def running(folder: Path, **changes: Any) -> AsyncIterator[tuple[KeysServer, grpc.aio.Channel, IssuedKey]]:
    settings = KeysSettings(
        callers=entry("edge", "token"), database_url=f"sqlite:///{folder}/keys.sqlite", peppers=PEPPERS, workers=2
    )
    server = KeysServer(settings)
    server.database.migrate()
    with changing(server.database, system_clock, ACTOR) as change:
        issued = key_changes.create(change, Peppers.parse(PEPPERS), replace(DRAFT, **changes))
    port = await server.rpc.start()
    try:
        async with server.background_tasks(), open_channel(f"127.0.0.1:{port}") as channel:
            yield server, channel, issued
    finally:
        await server.rpc.stop()
        server.close()


def request_of(api_key: str, endpoint: str, **members: Any) -> keys_pb2.LeaseRequest:
    ids = {"lease_id": secrets.token_bytes(16), "holder": b"h" * 16}
    members = {**ids, "api_key": api_key, "endpoint": endpoint, "client_address": "192.0.2.7", **members}
    return keys_pb2.LeaseRequest(**members)


async def test_health_says_that_no_bill_is_issued_without_a_seller(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, channel, _):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=SELLER))
    assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING


async def test_requests_of_a_lease_are_settled_and_seen_in_the_usage(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, channel, issued):
        stub = keys_pb2_grpc.KeysServiceStub(channel)
        key_id = issued.record.id
        first = request_of(issued.secret.text, RESOLVE, expected=keys_pb2.Counters(units=3, requests=4))
        leased = await stub.Lease(first, **CALL(60.0))
        grant = leased.grant
        assert grant.terms == keys_pb2.KeyTerms(
            key_id=key_id,
            partner_id=issued.record.partner.id,
            mode=keys_pb2.KEY_MODE_LIVE,
            assistant_mode=keys_pb2.ASSISTANT_MODE_RULES,
            tokens_per_call=8_000,
            weights=WEIGHTS,
        )
        assert grant.counters == keys_pb2.Counters(units=3, requests=4)
        assert 0 < grant.valid_ms <= 1_000
        assert grant.is_only_holder
        assert not grant.HasField("line_units")
        assert [(limit.policy, limit.remaining) for limit in leased.rate_limits] == [("burst", 996), ("minute", 59_996)]

        divided = await stub.Lease(request_of(issued.secret.text, DIVIDE_LAND), **CALL(60.0))
        assert divided.grant.counters == keys_pb2.Counters(units=10, requests=1, calls=1)
        assert not divided.grant.is_only_holder

        outcome = keys_pb2.Outcome(
            event_id=secrets.token_bytes(16),
            lease_id=first.lease_id,
            key_id=key_id,
            endpoint=RESOLVE,
            status=200,
            latency_us=1_200,
            occurred_at=grant.leased_at,
            leased_at=grant.leased_at,
            units=1,
        )
        unused = keys_pb2.Counters(units=2, requests=3)
        settlement = keys_pb2.SettleRequest(
            outcomes=[outcome], ended=[keys_pb2.LeaseEnd(lease_id=first.lease_id, key_id=key_id, unused=unused)]
        )
        settled = await stub.Settle(settlement, **CALL(60.0))
        assert settled == keys_pb2.SettleResponse(acknowledged=[outcome.event_id, first.lease_id])

        usage = await stub.GetKeyUsage(keys_pb2.GetKeyUsageRequest(key_id=key_id), **CALL(60.0))
        assert (usage.requests, usage.errors, usage.units, usage.reserved_units) == (1, 0, 1, 10)
        assert (usage.quota.per_minute, usage.quota.burst, usage.quota.hard) == (60_000, 1_000, True)
        assert not usage.quota.HasField("monthly_units")
        assert usage.assistant_policy.mode == keys_pb2.ASSISTANT_MODE_RULES


async def test_a_denial_says_why_and_when_to_retry(tmp_path: Path) -> None:
    async with running(tmp_path, quota=Quota(2, 60, 1), scopes=(RESOLVE, GEOJSON)) as (_, channel, issued):
        stub = keys_pb2_grpc.KeysServiceStub(channel)

        async def lease(api_key: str, endpoint: str, **members: Any) -> keys_pb2.LeaseResponse:
            return await stub.Lease(request_of(api_key, endpoint, **members), **CALL(60.0))

        nonsense = await lease("nonsense", "other")
        assert nonsense == keys_pb2.LeaseResponse(denial=keys_pb2.Denial(code="invalid_key"))
        assert not nonsense.denial.HasField("retry_after_s")
        scope = await lease(issued.secret.text, DIVIDE_LAND)
        assert scope.denial == keys_pb2.Denial(
            code="scope_denied", key_id=issued.record.id, facts={"endpoint": DIVIDE_LAND}
        )
        assert [limit.policy for limit in scope.rate_limits] == ["burst", "minute", "month"]
        held = request_of(issued.secret.text, GEOJSON)
        assert (await stub.Lease(held, **CALL(60.0))).HasField("grant")
        later = await lease(issued.secret.text, GEOJSON)
        assert 100 <= later.later.retry_after_ms <= 1_100
        used = keys_pb2.LeaseEnd(lease_id=held.lease_id, key_id=issued.record.id, unused=keys_pb2.Counters())
        limited = (await lease(issued.secret.text, RESOLVE, ended=[used])).denial
        assert (limited.code, limited.retry_after_s) == ("rate_limited", 1)
        assert dict(limited.facts) == {"per_minute": "60", "burst": "1"}


async def test_lines_are_reserved_by_a_lease_without_counters(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, channel, issued):
        stub = keys_pb2_grpc.KeysServiceStub(channel)
        lines = keys_pb2.LineRequest(request_id=b"l" * 16, lines=7, request_digest=b"digest", run=1, lasts_s=900)
        request = request_of(issued.secret.text, RESOLVE_BATCH, goes_on=True, lines=lines)
        grant = (await stub.Lease(request, **CALL(60.0))).grant
        assert (grant.line_units, grant.valid_ms, grant.counters) == (7, 0, keys_pb2.Counters())
        answered = keys_pb2.AnsweredLines(request_id=b"l" * 16, run=1, succeeded=b"\x03", is_last=True)
        outcome = keys_pb2.Outcome(
            event_id=b"e" * 16,
            key_id=issued.record.id,
            endpoint=RESOLVE_BATCH,
            status=200,
            occurred_at=grant.leased_at,
            lines=answered,
        )
        settled = await stub.Settle(keys_pb2.SettleRequest(outcomes=[outcome]), **CALL(60.0))
        assert list(settled.acknowledged) == [outcome.event_id]
        usage = await stub.GetKeyUsage(keys_pb2.GetKeyUsageRequest(key_id=issued.record.id), **CALL(60.0))
        assert (usage.requests, usage.units, usage.reserved_units) == (0, 2, 0)


@pytest.mark.parametrize("name", keys_pb2.AssistantUse.keys())
def test_every_use_of_the_assistant_has_its_meaning(name: str) -> None:
    message = keys_pb2.Outcome(assistant_use=keys_pb2.AssistantUse.Value(name))
    assert f"ASSISTANT_USE_{keys_service.outcome(message).assistant_use.name}" == name


async def test_the_usage_of_an_unknown_key_is_not_found(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, channel, _issued):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await keys_pb2_grpc.KeysServiceStub(channel).GetKeyUsage(
                keys_pb2.GetKeyUsageRequest(key_id="nothing1"), **CALL(60.0)
            )
        error = decode(caught.value)
        assert error is not None
        assert (error.code, error.status) == ("not_found", grpc.StatusCode.NOT_FOUND)


async def test_a_database_that_does_not_answer_fails_the_whole_call(tmp_path: Path) -> None:
    async with running(tmp_path) as (server, channel, issued):
        with server.database.writing() as connection:
            connection.exec_driver_sql("DROP TABLE leases")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await keys_pb2_grpc.KeysServiceStub(channel).Lease(request_of(issued.secret.text, RESOLVE), **CALL(60.0))
        error = decode(caught.value)
        assert error is not None
        assert (error.code, error.status) == ("unavailable", grpc.StatusCode.UNAVAILABLE)
