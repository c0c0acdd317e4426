"""POST /assistant/divide-land, as one answer or as a stream of events."""

from collections.abc import AsyncIterator
from typing import Annotated

import orjson
from fastapi import Depends, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from edge.access import API, Admission
from edge.api.v1.requests import DivideLandBody
from edge.cancellation import cancel_on_disconnect
from edge.clients.assistant import Event, TokenUse
from edge.clients.land import LandUnit
from edge.dependencies import CurrentAdmission, CurrentSettings, ModelBody, Services
from edge.descriptions.operations import UNIT_CODES, route_options
from edge.messages.assistant import DIVISION
from edge.messages.land import BLOCKS
from edge.problems import Problem, problem_json
from edge.responses import json_response
from edge.routing import new_router
from servicekit import endpoints
from servicekit.context import deadline, remaining_s

router = new_router()

EVENT_STREAM = "text/event-stream"


@router.post(
    f"{API}/assistant/divide-land",
    **route_options(
        "consumer",
        DIVISION,
        endpoint=endpoints.DIVIDE_LAND,
        codes=(*UNIT_CODES, "assistant_denied", "assistant_allowance_exhausted"),
        alternative_media_type=EVENT_STREAM,
    ),
)
async def divide_land(
    request: Request,
    body: Annotated[DivideLandBody, Depends(ModelBody(DivideLandBody))],
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    admission.assistant_use = "none"
    body.check()
    address = body.selected_address()
    with deadline(settings.divide_land_deadline_s):
        unit = await services.land.land_unit(
            None if address is None else address.model_dump(),
            body.parcel_ids or (),
            BLOCKS,
            admission.grant,
            deadline_s=settings.divide_land_deadline_s,
            needs_all_parcels=True,  # a division of only a part of the land would be wrong
        )
        if await request.is_disconnected():
            raise ClientDisconnect
        admission.assistant_use = "unknown"
        if _wants_events(request):
            left_s = remaining_s() or 0.0
            events = services.assistant.stream(unit, body.question, admission.grant, deadline_s=left_s)
            first = await anext(events, None)  # an error before the first event is an ordinary problem
            if first is None:
                raise Problem("upstream_failed")
            return StreamingResponse(
                _stream(first, events, unit, admission, request.url.path),
                media_type=EVENT_STREAM,
                headers={"cache-control": "no-store", "x-accel-buffering": "no"},
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


def _wants_events(request: Request) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return any(part.partition(";")[0].strip() == EVENT_STREAM for part in accepted.split(","))


async def _stream(
    first: Event, events: AsyncIterator[Event], unit: LandUnit, admission: Admission, path: str
) -> AsyncIterator[bytes]:
    """Sends the context directly after the assessment. An error in the middle becomes the event `error`."""
    try:
        yield _sse(first.name, first.data)
        yield _sse("context", unit.feature_collection)
        async for event in events:
            if event.tokens is not None:
                _record_usage(admission, event.tokens)
            yield _sse(event.name, event.data)
    except Problem as problem:
        admission.failed_status = problem.status
        yield _sse("error", problem_json(problem, path))
        return
    yield _sse("done", {})


def _sse(name: str, data: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
