"""A fake of the assistant. It records each request and returns the answer that a test sets."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from fakes import Refusal

from landpartner.assistant.v1 import assistant_pb2, assistant_pb2_grpc
from servicekit.languages import language


class FakeAssistant(assistant_pb2_grpc.AssistantServiceServicer):
    def __init__(self) -> None:
        self.requests: list[assistant_pb2.DivideLandRequest] = []
        self.languages: list[str] = []
        """The language of each call."""
        self.failure: Exception | None = None
        self.file_failure: Exception | None = None
        self.fails_midway = False
        self.deltas = ["Une phrase."]
        self.stall = False
        self.stalls_before_events = False
        self.is_cancelled = asyncio.Event()
        """Set when a call is cancelled, also while one of its messages is on the way."""
        self.may_continue = asyncio.Event()
        """Ends the stall."""
        self.drawing = assistant_pb2.Drawing()
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
            yield event(answer_reset=assistant_pb2.AnswerReset(reason="of an older assistant"))
            await self._stall()
            if self.fails_midway:
                raise Refusal("upstream_failed")
            yield event(answer=assistant_pb2.Answer(text="Une phrase."))
            yield event(prompt=assistant_pb2.PromptEvent(prompt=self.prompt))

    async def WriteDxf(self, request: Any, context: Any) -> Any:  # noqa: N802
        """The rank and the drawing, as its file."""
        if self.file_failure is not None:
            raise self.file_failure
        drawing = request.drawing.SerializeToString(deterministic=True)
        return assistant_pb2.WriteDxfResponse(content=bytes([request.rank]) + drawing)

    @contextmanager
    def _recorded(self, request: Any) -> Iterator[None]:
        self.requests.append(request)
        self.languages.append(language.get())
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            self.is_cancelled.set()
            raise

    async def _stall(self) -> None:
        if self.stall:
            await asyncio.wait_for(self.may_continue.wait(), 60)
