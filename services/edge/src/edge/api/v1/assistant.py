"""POST /assistant/divide-land, as one answer, as a stream of events, or as a file."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, suppress
from hashlib import sha256
from itertools import count
from math import ceil
from typing import Annotated, TypeVar

import orjson
from fastapi import Depends, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from contract import endpoints
from contract.endpoints import LINES_RESERVED_S
from contract.messages.assistant import DIVISION
from edge.access import API, Admission
from edge.api.v1.requests import DivideLandBody, DivideLandParameters
from edge.clients.assistant import Event, TokenUse
from edge.clients.land import LandUnit
from edge.clients.lines import LineReservation, line_reservation
from edge.dependencies import CurrentAdmission, CurrentSettings, IdempotencyKey, ModelBody, ModelQuery, Services
from edge.descriptions.operations import IDEMPOTENCY_CODES, UNIT_CODES, route_options
from edge.divisions.files import FILES, file_response
from edge.middleware.metered import settlement_of
from edge.negotiation import JSON, chosen_media_type
from edge.problems import Problem, problem_json
from edge.responses import json_line, json_response
from edge.routing import new_router
from edge.settings import EdgeSettings
from servicekit.context import deadline, remaining_s
from servicekit.errors import expect
from servicekit.languages import language

T = TypeVar("T")

EVENT_STREAM = "text/event-stream"
MAX_STREAM_S = LINES_RESERVED_S - 60
"""A stream that a client reads for longer is cut: after LINES_RESERVED_S, its units may belong to another request."""
RENEWALS = 3
"""How often a reservation is renewed in its time."""
_RECONNECTION = (
    b"retry: 86400000\n"
    b": A reconnection begins the answer again and is paid again, unless it sends the same Idempotency-Key. "
    b"Close at done.\n"
)
"""The first event says that a reader which reconnects by itself waits for a day, since each turn would be paid."""
_STREAM_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}

router = new_router()


@router.post(
    f"{API}/assistant/divide-land",
    **route_options(
        "consumer",
        DIVISION,
        endpoint=endpoints.DIVIDE_LAND,
        codes=(
            *UNIT_CODES,
            "question_off_topic",
            "assistant_denied",
            "assistant_allowance_exhausted",
            *IDEMPOTENCY_CODES,
        ),
        alternative_media_types=(EVENT_STREAM, *FILES),
        headers=("Content-Disposition",),
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
    form, rank = chosen_media_type(request, (JSON, EVENT_STREAM, *FILES), JSON), parameters.proposal
    limit_s = settings.divide_land_deadline_s
    with deadline(limit_s):
        reservation = None
        if admission.reserves_line:
            reservation = await _reserve(request, body, idempotency_key, admission, settings)
        unit = await services.land.land_unit(body.message(), admission.grant, deadline_s=limit_s)
        if await request.is_disconnected():
            raise ClientDisconnect
        admission.assistant_use = "unknown"
        if form == EVENT_STREAM:
            left_s = remaining_s() or 0.0
            events = services.assistant.stream(unit, body.request(), admission.grant, deadline_s=left_s)
            first = await _cancel_on_disconnect(request, _first(events))
            content = _stream(first, events, unit, admission, request.url.path)
            return _EventsResponse(events, content, reservation, limit_s / RENEWALS)
        call = services.assistant.divide(
            unit,
            body.request(),
            admission.grant,
            deadline_s=limit_s,
            with_drawing=form != JSON,
            in_conic_zone=parameters.projection == "cc",
        )
        division = await _cancel_on_disconnect(request, call)  # a language model costs money
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


async def _reserve(
    request: Request,
    body: DivideLandBody,
    idempotency_key: str,
    admission: Admission,
    settings: EdgeSettings,
) -> LineReservation:
    """Reserves the units of a request that has an Idempotency-Key. All runs of the same request are charged once.

    Raises Problem: idempotency_mismatch for another request, idempotency_used_up after ten runs,
    idempotency_in_progress while the same one runs, and what keys denies.
    """
    content = orjson.dumps([body.model_dump(exclude_none=True), language.get()], option=orjson.OPT_SORT_KEYS)
    reservation = line_reservation(
        admission,
        1,
        sha256(content).digest(),
        idempotency_key,
        lasts_s=min(ceil(settings.divide_land_deadline_s), LINES_RESERVED_S),
    )
    settlement_of(request).line = reservation.line_run  # first, since the answer of keys may be lost
    try:
        reserved = await reservation.reserve()
    except Problem as problem:
        if problem.code != "idempotency_in_progress":
            raise
        await asyncio.sleep(2 * settings.outcome_interval_s)  # the outcome of a run that just ended is on its way
        reserved = await reservation.reserve()
    admission.rate_limits = reserved.rate_limits
    return reservation


async def _first(events: AsyncGenerator[Event]) -> Event:
    """The first event. An error before it is an ordinary problem."""
    return expect(await anext(events, None), Problem("upstream_failed"))


class _EventsResponse(StreamingResponse):
    """Ends the call behind the events in any case, also if the client has left before its first event is sent. Renews
    the reservation while the client reads.
    """

    def __init__(
        self,
        events: AsyncGenerator[Event],
        content: AsyncIterator[bytes],
        reservation: LineReservation | None,
        renewal_s: float,
    ) -> None:
        super().__init__(content, headers=_STREAM_HEADERS, media_type=EVENT_STREAM)
        self._events = events
        self._reservation = reservation
        self._renewal_s = renewal_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        renewal = asyncio.create_task(self._renew())
        try:
            async with aclosing(self._events), asyncio.timeout(MAX_STREAM_S):
                await super().__call__(scope, receive, send)
        except TimeoutError as error:
            raise ClientDisconnect from error
        finally:
            renewal.cancel()

    async def _renew(self) -> None:
        """Keeps another run of the request from beginning. A failure releases nothing."""
        while self._reservation is not None:
            await asyncio.sleep(self._renewal_s)
            with suppress(Problem):
                await self._reservation.reserve()


def _record_usage(admission: Admission, tokens: TokenUse) -> None:
    admission.input_tokens, admission.output_tokens, admission.assistant_use = tokens


async def _stream(
    first: Event, events: AsyncIterator[Event], unit: LandUnit, admission: Admission, path: str
) -> AsyncIterator[bytes]:
    """Sends the context directly after the assessment. An error in the middle becomes the event `error`."""
    numbers = count(1)

    def encoded(name: str, data: object, more: bytes = b"") -> bytes:
        return b"event: %b\ndata: %b\nid: %d\n%b\n" % (name.encode(), json_line(data), next(numbers), more)

    try:
        yield encoded(first.name, first.data, _RECONNECTION)
        yield encoded("context", unit.feature_collection)
        async for event in events:
            if event.tokens is not None:
                _record_usage(admission, event.tokens)
            yield encoded(event.name, event.data)
    except Problem as problem:
        admission.failed_status, admission.problem_code = problem.status, problem.code
        yield encoded("error", problem_json(problem, path))
        return
    yield encoded("done", {})


async def _cancel_on_disconnect(request: Request, work: Coroutine[None, None, T]) -> T:
    """Returns the result of the work. If the client disconnects, cancels the work and waits for its end.

    The body must have been read before. Raises starlette.requests.ClientDisconnect after a cancellation.
    """
    working = asyncio.create_task(work)
    disconnecting = asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait((working, disconnecting), return_when=asyncio.FIRST_COMPLETED)
    finally:  # without a wait: at a shutdown, the outcome is written before the spool is closed
        is_done = working.done()
        working.cancel()
        disconnecting.cancel()
    await asyncio.gather(working, disconnecting, return_exceptions=True)
    if not is_done:
        raise ClientDisconnect
    return working.result()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
