"""The methods of AnswerStoreService."""

from __future__ import annotations  # grpc.aio.ServicerContext takes parameters in its stubs only

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from assistant.errors import Unavailable
from assistant.rpc.service import Clock
from assistant.store.answers import (
    LIFETIME,
    MAX_CONTENT_BYTES,
    MAX_OUTCOME_BYTES,
    AnswerStore,
    Claim,
    Refused,
    StoredAnswer,
)
from landpartner.assistant.v1 import answers_pb2 as pb
from landpartner.assistant.v1 import answers_pb2_grpc
from servicekit.errors import InvalidPayload, Violation
from servicekit.workers import Workers

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[object, object]

P = ParamSpec("P")
R = TypeVar("R")

_DIGEST_BYTES = 32
_CLAIM_ID_BYTES = 16
_MAX_KEY_ID = 100
_MAX_LEASE_MS = LIFETIME // timedelta(milliseconds=1)
_RETRY_AFTER_S = 1
_REFUSALS = {Refused.RUNNING: pb.CLAIM_STATE_RUNNING, Refused.MISMATCH: pb.CLAIM_STATE_MISMATCH}


class AnswerStoreServicer(answers_pb2_grpc.AnswerStoreServiceServicer):
    def __init__(self, answers: AnswerStore, workers: Workers, clock: Clock) -> None:
        self._answers = answers
        self._workers = workers
        self._clock = clock

    async def ClaimAnswer(  # noqa: N802 (the contract's name)
        self, request: pb.ClaimAnswerRequest, context: Context
    ) -> pb.ClaimAnswerResponse:
        claim = _claim(request.claim)
        _check(len(request.request_digest) == _DIGEST_BYTES, "/request_digest", f"has {_DIGEST_BYTES} bytes")
        _check(0 < request.lease_ms <= _MAX_LEASE_MS, "/lease_ms", f"is 1 to {_MAX_LEASE_MS}")
        lease = timedelta(milliseconds=request.lease_ms)
        match await self._run(self._answers.claim, claim, request.request_digest, lease, self._clock()):
            case None:
                return pb.ClaimAnswerResponse(state=pb.CLAIM_STATE_CLAIMED)
            case StoredAnswer(content, outcome):
                answer = pb.StoredAnswer(content=content, outcome=outcome)
                return pb.ClaimAnswerResponse(state=pb.CLAIM_STATE_ANSWERED, answer=answer)
            case refused:
                return pb.ClaimAnswerResponse(state=_REFUSALS[refused])

    async def StoreAnswer(  # noqa: N802 (the contract's name)
        self, request: pb.StoreAnswerRequest, context: Context
    ) -> pb.StoreAnswerResponse:
        claim = _claim(request.claim)
        content, outcome = request.answer.content, request.answer.outcome
        _check(0 < len(content) <= MAX_CONTENT_BYTES, "/answer/content", f"has 1 to {MAX_CONTENT_BYTES} bytes")
        _check(0 < len(outcome) <= MAX_OUTCOME_BYTES, "/answer/outcome", f"has 1 to {MAX_OUTCOME_BYTES} bytes")
        is_stored = await self._run(self._answers.store, claim, StoredAnswer(content, outcome), self._clock())
        return pb.StoreAnswerResponse(is_stored=is_stored)

    async def ReleaseAnswer(  # noqa: N802 (the contract's name)
        self, request: pb.ReleaseAnswerRequest, context: Context
    ) -> pb.ReleaseAnswerResponse:
        await self._run(self._answers.release, _claim(request.claim))
        return pb.ReleaseAnswerResponse()

    async def _run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the function in a worker thread. Raises Unavailable if the database fails."""
        try:
            return await self._workers.run(function, *args, **kwargs)
        except SQLAlchemyError as error:
            raise Unavailable("The database of answers does not answer.", retry_after_s=_RETRY_AFTER_S) from error


def _claim(message: pb.AnswerClaim) -> Claim:
    _check(0 < len(message.key_id) <= _MAX_KEY_ID, "/claim/key_id", f"has 1 to {_MAX_KEY_ID} characters")
    _check(len(message.idempotency_digest) == _DIGEST_BYTES, "/claim/idempotency_digest", f"has {_DIGEST_BYTES} bytes")
    _check(len(message.claim_id) == _CLAIM_ID_BYTES, "/claim/claim_id", f"has {_CLAIM_ID_BYTES} bytes")
    return Claim(message.key_id, message.idempotency_digest, message.claim_id)


def _check(is_valid: bool, pointer: str, rule: str) -> None:
    """Raises InvalidPayload."""
    if not is_valid:
        raise InvalidPayload("The call breaks the contract.", violations=[Violation(pointer, "malformed", rule)])
