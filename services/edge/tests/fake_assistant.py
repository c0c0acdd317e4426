"""Fakes of the assistant. They record each request and return the answer that a test sets."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from fakes import Refusal

from landpartner.assistant.v1 import answers_pb2, answers_pb2_grpc, assistant_pb2, assistant_pb2_grpc


class FakeAssistant(assistant_pb2_grpc.AssistantServiceServicer):
    def __init__(self) -> None:
        self.requests: list[assistant_pb2.DivideLandRequest] = []
        self.failure: Exception | None = None
        self.fails_midway = False
        self.deltas = ["Une phrase."]
        self.stall = False
        self.stalls_before_events = False
        self.is_cancelled = asyncio.Event()
        """Set when a call is cancelled, also while one of its messages is on the way."""
        self.may_continue = asyncio.Event()
        """Ends the stall."""
        self.drawing = assistant_pb2.Drawing()
        self.omits_drawing = False
        self.prompt = assistant_pb2.Prompt(
            id="divide-land",
            question="Diviser un terrain",
            usage=assistant_pb2.TokenUsage(input_tokens=11, output_tokens=7),
        )

    async def DivideLand(self, request: Any, context: Any) -> Any:  # noqa: N802
        with self._recorded(request):
            await self._stall()
            if self.failure is not None:
                raise self.failure
            return assistant_pb2.DivideLandResponse(
                prompt=self.prompt,
                quick_assessment=assistant_pb2.QuickAssessment(verdict=assistant_pb2.VERDICT_CONDITIONAL),
                answer=assistant_pb2.Answer(text="Oui.", grounded_on=["unit_area"]),
                drawing=self.drawing if request.with_drawing else None,
            )

    async def StreamDivideLand(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        with self._recorded(request):
            if self.failure is not None:
                raise self.failure
            event = assistant_pb2.StreamDivideLandResponse
            if self.stalls_before_events:
                await self._stall()
            yield event(quick_assessment=assistant_pb2.QuickAssessment(summary="court"))
            for delta in self.deltas:
                yield event(answer_delta=delta)
            await self._stall()
            if self.fails_midway:
                raise Refusal("upstream_failed")
            yield event(answer_reset=assistant_pb2.AnswerReset(reason="provider_failed"))
            yield event(answer=assistant_pb2.Answer(text="Une phrase."))
            if request.with_drawing and not self.omits_drawing:
                yield event(drawing=self.drawing)
            yield event(prompt=assistant_pb2.PromptEvent(prompt=self.prompt))

    async def WriteDxf(self, request: Any, context: Any) -> Any:  # noqa: N802
        """The rank and the drawing, as its file."""
        if self.failure is not None:
            raise self.failure
        drawing = request.drawing.SerializeToString(deterministic=True)
        return assistant_pb2.WriteDxfResponse(content=bytes([request.rank]) + drawing)

    @contextmanager
    def _recorded(self, request: Any) -> Iterator[None]:
        self.requests.append(request)
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            self.is_cancelled.set()
            raise

    async def _stall(self) -> None:
        if self.stall:
            await asyncio.wait_for(self.may_continue.wait(), 60)


class FakeAnswers(answers_pb2_grpc.AnswerStoreServiceServicer):
    """Keeps claims and answers by idempotency key, without expiry."""

    def __init__(self) -> None:
        self.claims: dict[bytes, answers_pb2.ClaimAnswerRequest] = {}
        self.answers: dict[bytes, answers_pb2.StoredAnswer] = {}
        self.failing: set[str] = set()
        """Methods that fail."""
        self.accepts_answers = True
        self.may_confirm = asyncio.Event()
        self.may_confirm.set()

    async def ClaimAnswer(self, request: Any, context: Any) -> Any:  # noqa: N802
        await self._fail("ClaimAnswer", context)
        digest = request.claim.idempotency_digest
        claimed = self.claims.setdefault(digest, request)
        if claimed == request:
            return answers_pb2.ClaimAnswerResponse(state=answers_pb2.CLAIM_STATE_CLAIMED)
        if claimed.request_digest != request.request_digest:
            return answers_pb2.ClaimAnswerResponse(state=answers_pb2.CLAIM_STATE_MISMATCH)
        if digest not in self.answers:
            return answers_pb2.ClaimAnswerResponse(state=answers_pb2.CLAIM_STATE_RUNNING)
        return answers_pb2.ClaimAnswerResponse(state=answers_pb2.CLAIM_STATE_ANSWERED, answer=self.answers[digest])

    async def StoreAnswer(self, request: Any, context: Any) -> Any:  # noqa: N802
        await self._fail("StoreAnswer", context)
        if self.accepts_answers:
            self.answers[request.claim.idempotency_digest] = request.answer
        await self.may_confirm.wait()
        return answers_pb2.StoreAnswerResponse(is_stored=self.accepts_answers)

    async def ReleaseAnswer(self, request: Any, context: Any) -> Any:  # noqa: N802
        await self._fail("ReleaseAnswer", context)
        self.claims.pop(request.claim.idempotency_digest, None)
        self.answers.pop(request.claim.idempotency_digest, None)
        return answers_pb2.ReleaseAnswerResponse()

    async def _fail(self, method: str, context: Any) -> None:
        if method in self.failing:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
