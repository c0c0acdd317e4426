"""The service of stored answers, over a loopback connection."""

from __future__ import annotations  # the async stub is a type only

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest

from assistant.server import AssistantServer, create_server
from assistant.settings import AssistantSettings
from assistant.store.answers import LIFETIME, MAX_CONTENT_BYTES
from landpartner.assistant.v1 import answers_pb2 as pb
from landpartner.assistant.v1 import answers_pb2_grpc
from servicekit.callers import entry
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import decode

OUTGOING = Outgoing("right")
CLAIM = pb.AnswerClaim(key_id="key-1", idempotency_digest=b"i" * 32, claim_id=b"c" * 16)
RETRY = pb.AnswerClaim(key_id="key-1", idempotency_digest=b"i" * 32, claim_id=b"d" * 16)
ANSWER = pb.StoredAnswer(content=b"\x00content", outcome=b"outcome")


class Clock:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@contextlib.asynccontextmanager
async def running(
    url: str, clock: Clock
) -> AsyncIterator[tuple[AssistantServer, answers_pb2_grpc.AnswerStoreServiceAsyncStub]]:
    settings = AssistantSettings(
        callers=entry("edge", "right"), database_url=url, workers=2, drain_s=0.5, purge_interval_s=0.02
    )
    server = create_server(settings, clock)
    server.runs.migrate()
    port = await server.rpc.start()
    try:
        async with open_channel(f"127.0.0.1:{port}") as channel:
            yield server, answers_pb2_grpc.AnswerStoreServiceStub(channel)
    finally:
        await server.rpc.stop()
        await server.close()


def claiming(claim: pb.AnswerClaim = CLAIM, **changes: Any) -> pb.ClaimAnswerRequest:
    return pb.ClaimAnswerRequest(**{"claim": claim, "request_digest": b"r" * 32, "lease_ms": 30_000, **changes})


async def test_an_answer_is_claimed_stored_and_returned(sqlite_url: str) -> None:
    async with running(sqlite_url, Clock()) as (_, stub):
        first = await stub.ClaimAnswer(claiming(), **OUTGOING(60.0))
        second = await stub.ClaimAnswer(claiming(RETRY), **OUTGOING(60.0))
        assert (first.state, second.state) == (pb.CLAIM_STATE_CLAIMED, pb.CLAIM_STATE_RUNNING)
        stored = await stub.StoreAnswer(pb.StoreAnswerRequest(claim=CLAIM, answer=ANSWER), **OUTGOING(60.0))
        assert stored.is_stored
        replayed = await stub.ClaimAnswer(claiming(RETRY), **OUTGOING(60.0))
        assert (replayed.state, replayed.answer) == (pb.CLAIM_STATE_ANSWERED, ANSWER)
        other = await stub.ClaimAnswer(claiming(RETRY, request_digest=b"o" * 32), **OUTGOING(60.0))
        assert (other.state, other.HasField("answer")) == (pb.CLAIM_STATE_MISMATCH, False)


async def test_a_released_key_is_free_and_its_run_stores_nothing(sqlite_url: str) -> None:
    async with running(sqlite_url, Clock()) as (_, stub):
        await stub.ClaimAnswer(claiming(), **OUTGOING(60.0))
        await stub.ReleaseAnswer(pb.ReleaseAnswerRequest(claim=CLAIM), **OUTGOING(60.0))
        again = await stub.ClaimAnswer(claiming(RETRY, request_digest=b"o" * 32), **OUTGOING(60.0))
        assert again.state == pb.CLAIM_STATE_CLAIMED
        late = await stub.StoreAnswer(pb.StoreAnswerRequest(claim=CLAIM, answer=ANSWER), **OUTGOING(60.0))
        assert not late.is_stored


@pytest.mark.parametrize(
    ("pointer", "request_"),
    [
        ("/claim/key_id", claiming(pb.AnswerClaim(idempotency_digest=b"i" * 32, claim_id=b"c" * 16))),
        ("/claim/idempotency_digest", claiming(pb.AnswerClaim(key_id="k", claim_id=b"c" * 16))),
        ("/claim/claim_id", claiming(pb.AnswerClaim(key_id="k", idempotency_digest=b"i" * 32))),
        ("/request_digest", claiming(request_digest=b"r")),
        ("/lease_ms", claiming(lease_ms=0)),
        ("/lease_ms", claiming(lease_ms=86_400_001)),
        ("/answer/content", pb.StoreAnswerRequest(claim=CLAIM, answer=pb.StoredAnswer(outcome=b"o"))),
        (
            "/answer/content",
            pb.StoreAnswerRequest(
                claim=CLAIM, answer=pb.StoredAnswer(content=bytes(MAX_CONTENT_BYTES + 1), outcome=b"o")
            ),
        ),
        ("/answer/outcome", pb.StoreAnswerRequest(claim=CLAIM, answer=pb.StoredAnswer(content=b"c"))),
        (
            "/answer/outcome",
            pb.StoreAnswerRequest(claim=CLAIM, answer=pb.StoredAnswer(content=b"c", outcome=bytes(1025))),
        ),
        ("/claim/key_id", pb.ReleaseAnswerRequest()),
    ],
)
async def test_an_invalid_call_is_refused(sqlite_url: str, pointer: str, request_: Any) -> None:
    async with running(sqlite_url, Clock()) as (_, stub):
        method = getattr(stub, type(request_).__name__.removesuffix("Request"))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await method(request_, **OUTGOING(60.0))
        error = decode(caught.value)
        assert error is not None
        assert (error.code, [violation.pointer for violation in error.violations]) == ("invalid_payload", [pointer])


async def test_a_failing_database_is_unavailable(sqlite_url: str) -> None:
    async with running(sqlite_url, Clock()) as (server, stub):
        with server.runs.engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE stored_answers")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.ClaimAnswer(claiming(), **OUTGOING(60.0))
        error = decode(caught.value)
        assert error is not None
        assert (error.code, error.status) == ("unavailable", grpc.StatusCode.UNAVAILABLE)


async def test_housekeeping_deletes_expired_answers(sqlite_url: str) -> None:
    clock = Clock()
    async with running(sqlite_url, clock) as (server, stub):
        await stub.ClaimAnswer(claiming(), **OUTGOING(60.0))
        await stub.StoreAnswer(pb.StoreAnswerRequest(claim=CLAIM, answer=ANSWER), **OUTGOING(60.0))
        async with server.purging():
            await asyncio.sleep(0.1)
            assert count(server) == 1
            clock.now += LIFETIME + timedelta(seconds=1)
            async with asyncio.timeout(60):
                while count(server):  # noqa: ASYNC110 (the purge has no event)
                    await asyncio.sleep(0.01)


def count(server: AssistantServer) -> int:
    with server.runs.engine.begin() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM stored_answers").scalar_one())
