"""Client of the store of answers by idempotency key, in the assistant."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

import grpc

from edge.clients.errors import problem_of
from edge.problems import Problem
from landpartner.assistant.v1 import answers_pb2, answers_pb2_grpc
from servicekit.languages import Text
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.assistant.v1.answers_pb2_grpc import AnswerStoreServiceAsyncStub

SERVICE = "landpartner.assistant.v1.AnswerStoreService"
IDEMPOTENT = tuple((SERVICE, method) for method in ("ClaimAnswer", "StoreAnswer", "ReleaseAnswer"))
MAX_CONTENT_BYTES = 1024 * 1024
"""The store refuses larger contents."""

_CLAIM_ID_BYTES = 16
_DEADLINE_S = 5.0
_RETRY_AFTER_S = 2
_MISMATCH = Text(
    "Cette clé d’idempotence a déjà servi à une autre requête : utilisez-en une nouvelle.",
    "This idempotency key was used for another request: use a new one.",
)
_IN_PROGRESS = Text(
    "La première requête avec cette clé d’idempotence est en cours : réessayez plus tard.",
    "The first request with this idempotency key is running: try again later.",
)


@dataclass(frozen=True)
class StoredAnswer:
    """The content of an answer, and the encoded outcome of its run."""

    content: bytes = field(repr=False)
    outcome: bytes


class AnswerStoreClient:
    """Each call raises Problem if the store is not available."""

    def __init__(self, channel: grpc.aio.Channel, outgoing: Outgoing) -> None:
        self._stub: AnswerStoreServiceAsyncStub = answers_pb2_grpc.AnswerStoreServiceStub(channel)
        self._outgoing = outgoing

    async def claim(
        self, key_id: str, idempotency_key: str, request_digest: bytes, *, lease_s: float
    ) -> StoredAnswer | AnswerClaim:
        """Returns the claim of a new run, or the answer of an earlier one.

        Raises Problem: idempotency_mismatch, or idempotency_in_progress.
        """
        claim = answers_pb2.AnswerClaim(
            key_id=key_id,
            idempotency_digest=sha256(idempotency_key.encode()).digest(),
            claim_id=os.urandom(_CLAIM_ID_BYTES),
        )
        request = answers_pb2.ClaimAnswerRequest(
            claim=claim, request_digest=request_digest, lease_ms=max(1, round(lease_s * 1000))
        )
        try:
            response = await self._stub.ClaimAnswer(request, **self._outgoing(_DEADLINE_S))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "assistant") from error
        match response.state:
            case answers_pb2.CLAIM_STATE_CLAIMED:
                return AnswerClaim(self._stub, self._outgoing, claim)
            case answers_pb2.CLAIM_STATE_ANSWERED:
                return StoredAnswer(response.answer.content, response.answer.outcome)
            case answers_pb2.CLAIM_STATE_RUNNING:
                raise Problem("idempotency_in_progress", _IN_PROGRESS, retry_after_s=_RETRY_AFTER_S)
            case answers_pb2.CLAIM_STATE_MISMATCH:
                raise Problem("idempotency_mismatch", _MISMATCH)
            case _:
                raise Problem("upstream_failed")


class AnswerClaim:
    """The claim of one run on an idempotency key. Each call raises Problem if the store is not available."""

    def __init__(self, stub: AnswerStoreServiceAsyncStub, outgoing: Outgoing, message: answers_pb2.AnswerClaim) -> None:
        self._stub = stub
        self._outgoing = outgoing
        self._message = message

    async def store(self, answer: StoredAnswer) -> bool:
        """Stores the answer. Returns False if another run has the key, or if the API key has too many answers."""
        stored = answers_pb2.StoredAnswer(content=answer.content, outcome=answer.outcome)
        request = answers_pb2.StoreAnswerRequest(claim=self._message, answer=stored)
        try:
            return (await self._stub.StoreAnswer(request, **self._outgoing(_DEADLINE_S))).is_stored
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "assistant") from error

    async def release(self) -> None:
        """Ends the claim, so that a retry can run. Deletes the answer if there is one."""
        request = answers_pb2.ReleaseAnswerRequest(claim=self._message)
        try:
            await self._stub.ReleaseAnswer(request, **self._outgoing(_DEADLINE_S))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "assistant") from error
