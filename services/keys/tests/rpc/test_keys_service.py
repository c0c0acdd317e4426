"""The server over a real loopback connection, on SQLite."""

import contextlib
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from keys_world import ACTOR, DRAFT

from keys.admin import key_changes
from keys.clock import system_clock
from keys.issuing.hashing import Peppers
from keys.records import IssuedKey
from keys.rpc import convert
from keys.server import KeysServer, create_server
from keys.settings import KeysSettings
from keys.store.change import changing
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.callers import entry
from servicekit.endpoints import DIVIDE_LAND, RESOLVE
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import decode

PEPPERS = f"1:{bytes(range(32)).hex()}"
CALL = Outgoing("token")


@contextlib.asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[KeysServer, grpc.aio.Channel, IssuedKey]]:
    settings = KeysSettings(
        callers=entry("edge", "token"), database_url=f"sqlite:///{folder}/keys.sqlite", peppers=PEPPERS, workers=2
    )
    server = create_server(settings)
    server.database.migrate()
    with changing(server.database, system_clock, ACTOR) as change:
        issued = key_changes.create(change, Peppers.parse(PEPPERS), DRAFT)
    port = await server.rpc.start()
    try:
        async with server.background_tasks(), open_channel(f"127.0.0.1:{port}") as channel:
            yield server, channel, issued
    finally:
        await server.rpc.stop()
        server.close()


def query(api_key: str, endpoint: str) -> keys_pb2.AuthorizationQuery:
    return keys_pb2.AuthorizationQuery(
        reservation_id=secrets.token_bytes(16), api_key=api_key, endpoint=endpoint, client_address="192.0.2.7"
    )


async def test_a_request_is_authorized_settled_and_seen_in_the_usage(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, channel, issued):
        stub = keys_pb2_grpc.KeysServiceStub(channel)
        queries = [
            query(issued.secret.text, RESOLVE),
            query(issued.secret.text, DIVIDE_LAND),
            query("nonsense", "other"),
        ]
        response = await stub.Authorize(keys_pb2.AuthorizeRequest(queries=queries), **CALL(60.0))
        resolve, divide, nonsense = response.decisions
        assert [decision.reservation_id for decision in response.decisions] == [q.reservation_id for q in queries]
        assert resolve.grant == keys_pb2.Grant(
            key_id=issued.record.id,
            partner_id=issued.record.partner.id,
            mode=keys_pb2.KEY_MODE_LIVE,
            reserved_units=1,
        )
        assert [limit.policy for limit in resolve.rate_limits] == ["burst", "minute"]
        assert divide.grant.assistant == keys_pb2.AssistantGrant(mode=keys_pb2.ASSISTANT_MODE_RULES)
        assert (nonsense.denial.code, nonsense.denial.key_id, list(nonsense.rate_limits)) == ("invalid_key", "", [])
        assert not nonsense.denial.HasField("retry_after_s")

        outcome = keys_pb2.Outcome(
            event_id=secrets.token_bytes(16),
            reservation_id=queries[0].reservation_id,
            key_id=issued.record.id,
            endpoint=RESOLVE,
            status=200,
            latency_us=1_200,
            occurred_at="not a time",
        )
        recorded = await stub.RecordOutcomes(keys_pb2.RecordOutcomesRequest(outcomes=[outcome]), **CALL(60.0))
        assert list(recorded.acknowledged) == [outcome.event_id]

        usage = await stub.GetKeyUsage(keys_pb2.GetKeyUsageRequest(key_id=issued.record.id), **CALL(60.0))
        assert (usage.requests, usage.errors, usage.units, usage.reserved_units) == (1, 0, 1, 10)
        assert (usage.quota.per_minute, usage.quota.burst, usage.quota.hard) == (60_000, 1_000, True)
        assert not usage.quota.HasField("monthly_units")
        assert usage.assistant_policy.mode == keys_pb2.ASSISTANT_MODE_RULES


@pytest.mark.parametrize("name", keys_pb2.AssistantUse.keys())
def test_every_use_of_the_assistant_has_its_meaning(name: str) -> None:
    message = keys_pb2.Outcome(assistant_use=keys_pb2.AssistantUse.Value(name))
    assert f"ASSISTANT_USE_{convert.outcome(message).assistant_use.name}" == name


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
            connection.exec_driver_sql("DROP TABLE reservations")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await keys_pb2_grpc.KeysServiceStub(channel).Authorize(
                keys_pb2.AuthorizeRequest(queries=[query(issued.secret.text, RESOLVE)]), **CALL(60.0)
            )
        error = decode(caught.value)
        assert error is not None
        assert (error.code, error.status) == ("unavailable", grpc.StatusCode.UNAVAILABLE)
