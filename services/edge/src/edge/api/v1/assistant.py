"""POST /assistant/divide-land, as one answer or as a stream of events."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from edge.access import API, Admission
from edge.api.v1.requests import DivideLandBody
from edge.cancellation import cancel_on_disconnect
from edge.clients.assistant import Event, TokenUse
from edge.clients.land import LandUnit
from edge.dependencies import CurrentAdmission, CurrentSettings, IdempotencyKey, ModelBody, Services
from edge.descriptions.operations import IDEMPOTENCY_CODES, UNIT_CODES, route_options
from edge.event_stream import EVENT_STREAM, STREAM_HEADERS, encoded_event, wants_events
from edge.idempotency import Part, answer_once, request_digest
from edge.messages.assistant import DIVISION
from edge.messages.land import BLOCKS, OPTIONAL_BLOCKS
from edge.problems import Problem, problem_json
from edge.responses import json_response
from edge.routing import new_router
from edge.settings import EdgeSettings
from edge.upstreams import Upstreams
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
        alternative_media_types=(EVENT_STREAM,),
        headers=("Idempotency-Replayed", "Idempotency-Stored"),
    ),
)
async def divide_land(
    request: Request,
    body: Annotated[DivideLandBody, Depends(ModelBody(DivideLandBody))],
    idempotency_key: IdempotencyKey,
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    admission.assistant_use = "none"
    body.check()
    with deadline(settings.divide_land_deadline_s):
        if idempotency_key:
            digest = request_digest(body.model_dump(exclude_none=True))
            parts = _parts(body, admission, services, settings)
            return await answer_once(request, idempotency_key, digest, parts, _MEMBERS)
        unit = await _land_unit(body, admission, services, settings)
        if await request.is_disconnected():
            raise ClientDisconnect
        admission.assistant_use = "unknown"
        if wants_events(request):
            left_s = remaining_s() or 0.0
            events = services.assistant.stream(unit, body.question, admission.grant, deadline_s=left_s)
            first = await anext(events, None)  # an error before the first event is an ordinary problem
            if first is None:
                raise Problem("upstream_failed")
            return StreamingResponse(
                _stream(first, events, unit, admission, request.url.path),
                media_type=EVENT_STREAM,
                headers=STREAM_HEADERS,
            )
        call = services.assistant.divide(
            unit, body.question, admission.grant, deadline_s=settings.divide_land_deadline_s
        )
        division = await cancel_on_disconnect(request, call)  # a language model costs money
    _record_usage(admission, division.tokens)
    return json_response(
        {
            "prompt": division.prompt,
            "quick_assessment": division.quick_assessment,
            "context": unit.feature_collection,
            "answer": division.answer,
        }
    )


def _record_usage(admission: Admission, tokens: TokenUse) -> None:
    admission.input_tokens, admission.output_tokens, admission.assistant_use = tokens


async def _land_unit(
    body: DivideLandBody, admission: Admission, services: Upstreams, settings: EdgeSettings
) -> LandUnit:
    address = body.selected_address()
    return await services.land.land_unit(
        None if address is None else address.model_dump(),
        body.parcel_ids or (),
        (*BLOCKS, *OPTIONAL_BLOCKS),
        admission.grant,
        deadline_s=settings.divide_land_deadline_s,
        needs_all_parcels=True,  # a division of only a part of the land would be wrong
        with_outlines=True,
    )


async def _parts(
    body: DivideLandBody, admission: Admission, services: Upstreams, settings: EdgeSettings
) -> AsyncGenerator[Part]:
    """The parts of an answer in the order of its events."""
    unit = await _land_unit(body, admission, services, settings)
    admission.assistant_use = "unknown"
    context: Part | None = Part("context", unit.feature_collection)
    async for event in services.assistant.stream(
        unit, body.question, admission.grant, deadline_s=settings.divide_land_deadline_s
    ):
        if event.tokens is not None:
            _record_usage(admission, event.tokens)
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
        admission.failed_status = problem.status
        yield encoded_event("error", problem_json(problem, path))
        return
    yield encoded_event("done", {})
