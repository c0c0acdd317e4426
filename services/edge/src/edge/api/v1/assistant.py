"""POST /assistant/divide-land, as one answer, as a stream of events, or as a file."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Annotated

import orjson
from fastapi import Depends, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from edge.access import API, Admission
from edge.api.v1.requests import DivideLandBody, DivideLandParameters
from edge.cancellation import cancel_on_disconnect
from edge.clients.assistant import Event, TokenUse
from edge.clients.land import LandUnit
from edge.dependencies import CurrentAdmission, CurrentSettings, IdempotencyKey, ModelBody, ModelQuery, Services
from edge.descriptions.operations import IDEMPOTENCY_CODES, UNIT_CODES, route_options
from edge.divisions.files import DRAWING, FILES, JSON, chosen_form, encoded_drawing, file_response, stored_drawing
from edge.event_stream import EVENT_STREAM, STREAM_HEADERS, encoded_event, wants_events
from edge.idempotency import Part, answer_once, request_digest
from edge.messages.assistant import DIVISION
from edge.problems import Problem, problem_json
from edge.responses import json_response
from edge.routing import new_router
from edge.settings import EdgeSettings
from edge.upstreams import Upstreams
from landpartner.assistant.v1.assistant_pb2 import Drawing
from servicekit import endpoints
from servicekit.context import deadline, remaining_s

router = new_router()

_MEMBERS = ("prompt", "quick_assessment", "context", "answer")


@router.post(
    f"{API}/assistant/divide-land",
    **route_options(
        "consumer",
        DIVISION,
        endpoint=endpoints.DIVIDE_LAND,
        codes=(*UNIT_CODES, "assistant_denied", "assistant_allowance_exhausted", *IDEMPOTENCY_CODES),
        alternative_media_types=(EVENT_STREAM, *FILES),
        headers=("Idempotency-Replayed", "Idempotency-Stored", "Content-Disposition"),
    ),
)
async def divide_land(
    request: Request,
    body: Annotated[DivideLandBody, Depends(ModelBody(DivideLandBody))],
    parameters: Annotated[DivideLandParameters, Depends(ModelQuery(DivideLandParameters))],
    idempotency_key: IdempotencyKey,
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    admission.assistant_use = "none"
    body.check()
    form, rank = chosen_form(request), parameters.proposal
    with deadline(settings.divide_land_deadline_s):
        if idempotency_key:
            digest = request_digest(body.model_dump(exclude_none=True))
            parts = _parts(body, admission, services, settings)
            write = None if form == JSON else partial(_write_file, form, rank, services)
            return await answer_once(request, idempotency_key, digest, parts, _MEMBERS, write)
        unit = await _land_unit(body, admission, services, settings)
        if await request.is_disconnected():
            raise ClientDisconnect
        admission.assistant_use = "unknown"
        if wants_events(request):
            left_s = remaining_s() or 0.0
            events = services.assistant.stream(unit, body.question, admission.grant, deadline_s=left_s)
            first = await cancel_on_disconnect(request, _first(events))
            return _EventsResponse(events, _stream(first, events, unit, admission, request.url.path))
        call = services.assistant.divide(
            unit,
            body.question,
            admission.grant,
            deadline_s=settings.divide_land_deadline_s,
            with_drawing=form != JSON,
        )
        division = await cancel_on_disconnect(request, call)  # a language model costs money
        _record_usage(admission, division.tokens)
        if form != JSON:
            left_s = remaining_s() or 0.0
            return await file_response(
                form, division.drawing, division.quick_assessment, rank, services.assistant, deadline_s=left_s
            )
    return json_response(
        {
            "prompt": division.prompt,
            "quick_assessment": division.quick_assessment,
            "context": unit.feature_collection,
            "answer": division.answer,
        }
    )


async def _first(events: AsyncGenerator[Event]) -> Event:
    """The first event. An error before it is an ordinary problem."""
    if (event := await anext(events, None)) is None:
        raise Problem("upstream_failed")
    return event


class _EventsResponse(StreamingResponse):
    """Ends the call behind the events in any case, also if the client has left before its first event is sent."""

    def __init__(self, events: AsyncGenerator[Event], content: AsyncIterator[bytes]) -> None:
        super().__init__(content, headers=STREAM_HEADERS, media_type=EVENT_STREAM)
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._events):
            await super().__call__(scope, receive, send)


async def _write_file(
    form: str, rank: int, services: Upstreams, parts: Mapping[str, bytes], headers: Mapping[str, str]
) -> Response:
    assessment, left_s = orjson.loads(parts["quick_assessment"]), remaining_s() or 0.0
    drawing = stored_drawing(parts)
    return await file_response(form, drawing, assessment, rank, services.assistant, deadline_s=left_s, headers=headers)


def _record_usage(admission: Admission, tokens: TokenUse) -> None:
    admission.input_tokens, admission.output_tokens, admission.assistant_use = tokens


async def _land_unit(
    body: DivideLandBody, admission: Admission, services: Upstreams, settings: EdgeSettings
) -> LandUnit:
    return await services.land.land_unit(body.message(), admission.grant, deadline_s=settings.divide_land_deadline_s)


async def _parts(
    body: DivideLandBody, admission: Admission, services: Upstreams, settings: EdgeSettings
) -> AsyncGenerator[Part]:
    """The parts of an answer in the order of its events."""
    unit = await _land_unit(body, admission, services, settings)
    admission.assistant_use = "unknown"
    context: Part | None = Part("context", unit.feature_collection)
    events = services.assistant.stream(
        unit, body.question, admission.grant, deadline_s=settings.divide_land_deadline_s, with_drawing=True
    )
    async with aclosing(events):
        async for event in events:
            if event.tokens is not None:
                _record_usage(admission, event.tokens)
            if isinstance(event.data, Drawing):
                yield Part(DRAWING, encoded_drawing(event.data))
                continue
            yield Part(event.name, event.data)
            if context is not None:
                yield context
                context = None


async def _stream(
    first: Event, events: AsyncIterator[Event], unit: LandUnit, admission: Admission, path: str
) -> AsyncIterator[bytes]:
    """Sends the context directly after the assessment. An error in the middle becomes the event `error`."""
    try:
        yield encoded_event(first.name, first.data)
        yield encoded_event("context", unit.feature_collection)
        async for event in events:
            if event.tokens is not None:
                _record_usage(admission, event.tokens)
            yield encoded_event(event.name, event.data)
    except Problem as problem:
        admission.failed_status, admission.problem_code = problem.status, problem.code
        yield encoded_event("error", problem_json(problem, path))
        return
    yield encoded_event("done", {})
