"""The methods of AssistantService."""

from __future__ import annotations  # grpc.aio.ServicerContext takes parameters in its stubs only

import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import grpc
from prometheus_client import Counter, Histogram
from sqlalchemy.exc import SQLAlchemyError

from assistant.answering import Answer, write_answer
from assistant.assessment.facts import LandFacts
from assistant.division.proposal import LAMBERT_93
from assistant.drawing.message import drawing_of, plane_of
from assistant.drawing.plan import Plan
from assistant.errors import AssistantDenied
from assistant.geojson import to_plane_geojson
from assistant.models.base import Brief
from assistant.models.choice import read_choice
from assistant.project import MAX_QUESTION_LENGTH
from assistant.prompts.loader import Prompt
from assistant.reading.languages import is_other_language
from assistant.rpc import messages
from assistant.store.runs import RunStore
from assistant.study import study
from assistant.writing.facts import names_of
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.assistant.v1 import assistant_pb2_grpc
from landpartner.land.v1 import land_pb2
from servicekit.context import request_id
from servicekit.errors import InvalidPayload, Violation
from servicekit.languages import Text, language
from servicekit.parts import failed_parts
from servicekit.workers import Workers

if TYPE_CHECKING:
    from assistant.models.openai_chat import OpenAIChat
    from assistant.models.reader import ModelReader

log = logging.getLogger(__name__)

CALLERS = {"edge": ("DivideLand", "StreamDivideLand", "WriteDxf")}
"""The methods that each caller may use. All others are refused."""

_answers = Counter(
    "assistant_answers", "Answers by writer and outcome, as in the table of runs.", ["writer", "outcome"]
)
_seconds = Histogram(
    "assistant_answer_seconds", "Time to write an answer.", ["writer"], buckets=(0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 30)
)
_tokens = Counter("assistant_tokens", "Tokens of the language model.", ["direction"])

Clock = Callable[[], datetime]
_LONG_QUESTION = Text(
    f"Une question compte au plus {MAX_QUESTION_LENGTH} caractères.",
    f"A question has at most {MAX_QUESTION_LENGTH:,} characters.",
)
_DENIED = Text("La clé n’autorise pas l’assistant.", "The key's policy does not allow the assistant.")


_Part = pb.QuickAssessment | str | pb.Answer | pb.Drawing | pb.PromptEvent
"""A part of an answer, in the order of its events. A text is a sentence."""
_FIELDS = {
    pb.QuickAssessment: "quick_assessment",
    str: "answer_delta",
    pb.Answer: "answer",
    pb.Drawing: "drawing",
    pb.PromptEvent: "prompt",
}
"""The fields of responses for each kind of part."""


def system_clock() -> datetime:
    return datetime.now(UTC)


@dataclass
class _Prepared:
    """A validated request with its assessment, before the answer is written."""

    brief: Brief
    assessment: pb.QuickAssessment
    drawing: pb.Drawing | None
    request: pb.DivideLandRequest
    model: OpenAIChat | None
    warnings: list[land_pb2.Warning]


class AssistantServicer(assistant_pb2_grpc.AssistantServiceServicer):
    """`model` writes answers and `reader` reads texts with the language model of the settings; None without one."""

    def __init__(
        self,
        prompt: Prompt,
        runs: RunStore,
        workers: Workers,
        model: OpenAIChat | None,
        reader: ModelReader | None,
        clock: Clock = system_clock,
    ) -> None:
        self._prompt = prompt
        self._runs = runs
        self._workers = workers
        self._model = model
        self._reader = reader
        self._clock = clock

    async def DivideLand(  # noqa: N802 (the contract's name)
        self,
        request: pb.DivideLandRequest,
        context: grpc.aio.ServicerContext[pb.DivideLandRequest, pb.DivideLandResponse],
    ) -> pb.DivideLandResponse:
        response = pb.DivideLandResponse()
        async with aclosing(self._parts(request)) as parts:
            async for part in parts:
                if isinstance(part, pb.PromptEvent):
                    response.prompt.CopyFrom(part.prompt)
                    response.warnings.extend(part.warnings)
                elif not isinstance(part, str):
                    getattr(response, _FIELDS[type(part)]).CopyFrom(part)
        return response

    async def StreamDivideLand(  # noqa: N802 (the contract's name)
        self,
        request: pb.DivideLandRequest,
        context: grpc.aio.ServicerContext[pb.DivideLandRequest, pb.StreamDivideLandResponse],
    ) -> AsyncIterator[pb.StreamDivideLandResponse]:
        async with aclosing(self._parts(request)) as parts:
            async for part in parts:
                if not isinstance(part, pb.Drawing):  # a stream has no files
                    event: dict[str, Any] = {_FIELDS[type(part)]: part}
                    yield pb.StreamDivideLandResponse(**event)

    async def WriteDxf(  # noqa: N802 (the contract's name)
        self,
        request: pb.WriteDxfRequest,
        context: grpc.aio.ServicerContext[pb.WriteDxfRequest, pb.WriteDxfResponse],
    ) -> pb.WriteDxfResponse:
        return pb.WriteDxfResponse(content=await self._workers.run(_dxf, request))

    async def _parts(self, request: pb.DivideLandRequest) -> AsyncGenerator[_Part]:
        started, identifier = time.monotonic(), request_id.get()
        if is_other_language(request.question):
            language.set("en")
        _check(request)
        answer, outcome = Answer(), "cancelled"
        model_reading = ""
        reader = self._reader if request.policy.mode == pb.ASSISTANT_MODE_MODEL and request.question.strip() else None
        if reader is not None:
            model_reading = await reader.read(request.question, answer.meter, _token_limit(request))
        prepared = await self._workers.run(self._prepare, request, model_reading)
        if reader is not None and (asks := prepared.brief.replies.open_asks):
            left = answer.meter.left(_token_limit(request))
            if chosen := read_choice(await reader.choose(request.question, asks, answer.meter, left), asks):
                replies = await self._workers.run(prepared.brief.replies_with, chosen)
                prepared.brief = replace(prepared.brief, replies=replies)
        try:
            yield prepared.assessment
            async with aclosing(write_answer(prepared.brief, prepared.model, answer)) as parts:
                async for part in parts:
                    yield part
            yield messages.answer_message(answer, prepared.brief.replies)
            if prepared.drawing is not None:
                yield prepared.drawing
            warnings = [
                *prepared.warnings,
                *map(messages.warning, answer.notices),
                *(messages.warning("part_failed", part=part) for part in failed_parts.get() or ()),
            ]
            yield pb.PromptEvent(prompt=self._prompt_message(prepared, answer), warnings=warnings)
            outcome = answer.notices[0] if answer.notices else "answered"
        except Exception:
            outcome = "failed"
            raise
        finally:
            await self._record(prepared, answer, outcome, identifier, started)

    def _prepare(self, request: pb.DivideLandRequest, model_reading: str) -> _Prepared:
        """Raises QuestionOffTopic."""
        question = request.question.strip() or self._prompt.default_question
        told = messages.told_in_fields(request.project)
        done = study(LandFacts(request.land_unit), question, told, model_reading)
        site = done.site
        projection = site.projection if site else LAMBERT_93
        drawing = None
        if request.with_drawing:
            plane = plane_of(request.land_unit, in_conic_zone=request.in_conic_zone)
            proposals = messages.proposals(done.division, partial(to_plane_geojson, source=projection, plane=plane))
            disclaimer = str(done.assessment.disclaimer)
            drawing = drawing_of(request.land_unit, site, plane, proposals, disclaimer, self._clock())
        may_ask_model = request.policy.mode == pb.ASSISTANT_MODE_MODEL
        is_missing = may_ask_model and self._model is None
        brief = Brief(
            **vars(done),
            question=question,
            language=language.get(),
            prompt=self._prompt,
            token_limit=_token_limit(request),
            names=names_of(request.land_unit),
        )
        return _Prepared(
            brief=brief,
            assessment=messages.quick_assessment(brief, projection),
            drawing=drawing,
            request=request,
            model=self._model if may_ask_model else None,
            warnings=[messages.warning("model_unavailable")] if is_missing else [],
        )

    def _prompt_message(self, prepared: _Prepared, answer: Answer) -> pb.Prompt:
        spent = answer.meter.usage
        return pb.Prompt(
            id=self._prompt.id,
            version=self._prompt.version,
            question=prepared.brief.question,
            language=prepared.brief.language,
            provider=answer.provider,
            model=answer.model,
            generated_at=self._clock().strftime("%Y-%m-%dT%H:%M:%SZ"),
            policy=prepared.request.policy,
            usage=pb.TokenUsage(input_tokens=spent.input_tokens, output_tokens=spent.output_tokens),
        )

    async def _record(self, prepared: _Prepared, answer: Answer, outcome: str, identifier: str, started: float) -> None:
        """Records the run. If the database does not answer, the partner still gets the answer.

        `identifier` is the request id. After a client disconnects, this runs in another context, without the context
        variable.
        """
        spent = answer.meter.usage
        latency_s = time.monotonic() - started
        _answers.labels(answer.provider or "none", outcome).inc()
        _seconds.labels(answer.provider or "none").observe(latency_s)
        _tokens.labels("input").inc(spent.input_tokens)
        _tokens.labels("output").inc(spent.output_tokens)
        run = {
            "created_at": self._clock(),
            "request_id": identifier,
            "key_id": prepared.request.key_id,
            "prompt_id": self._prompt.id,
            "prompt_version": self._prompt.version,
            "rules_version": prepared.assessment.rules_version,
            "language": prepared.brief.language,
            "question": prepared.brief.question,
            "provider": answer.provider,
            "model": answer.model,
            "input_tokens": spent.input_tokens,
            "output_tokens": spent.output_tokens,
            "tokens_estimated": spent.is_estimated,
            "latency_ms": round(latency_s * 1000),
            "outcome": outcome,
        }
        try:
            await self._workers.run(self._runs.record, run)
        except SQLAlchemyError as error:
            log.error("run not recorded", extra={"error": type(error).__name__})


def _check(request: pb.DivideLandRequest) -> None:
    """Raises InvalidPayload, AssistantDenied."""
    if len(request.question) > MAX_QUESTION_LENGTH:
        raise InvalidPayload(_LONG_QUESTION, violations=[Violation("/question", "too_long", _LONG_QUESTION)])
    if request.policy.mode == pb.ASSISTANT_MODE_DISABLED:
        raise AssistantDenied(_DENIED)


def _token_limit(request: pb.DivideLandRequest) -> int | None:
    return request.policy.token_limit if request.policy.HasField("token_limit") else None


def _dxf(request: pb.WriteDxfRequest) -> bytes:
    """Raises InvalidPayload."""
    from assistant.drawing.dxf import write_dxf  # noqa: PLC0415 (30 MB and a second, for the first file only)

    return write_dxf(Plan(request.drawing, request.rank))
