"""POST /addresses/resolve/batch and POST /land-units/batch: a file of lines, answered line by line."""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from fastapi import Depends, Request
from starlette.responses import Response

from contract import endpoints
from contract.messages.land import FEATURE_COLLECTION, RESOLUTION
from contract.messages.schemas import Components, Composed, Described, Json
from edge.access import API, admission_of
from edge.api.v1.requests import AddressQuery, LandUnitBody, LinesParameters
from edge.batches.columns import RESOLUTION_COLUMNS, UNIT_COLUMNS
from edge.batches.inputs import CSV, MAX_ID, NDJSON, Columns, Dialect, Line, Lines, line_media_type, read_lines
from edge.batches.outputs import OK, TABLES, WHOLE, Answered, Writer, answered, table_writer, unit_properties
from edge.batches.running import LINE_COUNT_HEADER, BatchSlots, Job, LinesResponse, Run
from edge.batches.spreadsheets import XLSX
from edge.body import read_bytes, validated
from edge.clients.lines import line_reservation
from edge.dependencies import CurrentSettings, IdempotencyKey, Land, LandForAddresses, ModelBody, ModelQuery
from edge.descriptions.operations import PROBLEM, UNIT_CODES, route_options
from edge.negotiation import chosen_media_type
from edge.problems import Problem, invalid, problem_json
from edge.responses import json_line
from edge.routing import new_router
from edge.upstreams import settings_of
from servicekit.context import deadline
from servicekit.languages import Text

router = new_router()
M_co = TypeVar("M_co", covariant=True)

MAX_WHOLE_LINES, WHOLE_DEADLINE_S = 1_000, 50.0
"""For forms that are sent when complete. A proxy in front ends a request that is silent for longer than a minute."""
_TOO_MANY = Text(
    f"Un GeoPackage ou un classeur a au plus {MAX_WHOLE_LINES} lignes : envoyez-en plusieurs, ou en CSV.",
    f"A GeoPackage or a workbook has at most {MAX_WHOLE_LINES} lines: send several, or ask for CSV.",
)
_PREVIEWED = 10
_ADDRESS = tuple(AddressQuery.model_fields)
_SEPARATORS = re.compile(r"[\s,;|]+")


def _text(member: str) -> Callable[[str], tuple[str, Any]]:
    return lambda cell: (member, cell)


def _list(member: str) -> Callable[[str], tuple[str, Any]]:
    return lambda cell: (member, [item for item in _SEPARATORS.split(cell) if item])


_ADDRESS_COLUMNS: Columns = {name: _text(name) for name in _ADDRESS}
_UNIT_COLUMNS: Columns = {
    **{name: _text(f"address.{name}") for name in _ADDRESS},
    **{name: _list(name) for name in ("parcel_ids", "include")},
}


class _LineBody(Protocol[M_co]):
    """The body of a line: a model that makes a request to land."""

    def message(self) -> M_co:
        """Raises Problem."""


class LinesBody:
    """Gives the function that reads the lines of a request. The handler calls it once there is a slot for them."""

    is_optional = False
    media_types = (NDJSON, CSV, XLSX)

    def __init__(self, name: str, model: type[AddressQuery] | type[LandUnitBody], columns: Columns) -> None:
        """`name` is that of the schema of a line."""
        self._name = name
        self._body = ModelBody(model)
        self._columns = columns

    async def __call__(self, request: Request) -> Columns:
        return self._columns

    def describe(self, components: Components) -> Json:
        """The schema of a line of NDJSON: the body of a single request, and an id."""
        self._body.describe(components)
        body = components.schemas[self._body.model.__name__]
        line = components.add_request(self._name, {"id": {"maxLength": MAX_ID}}, ())
        line_properties = components.schemas[self._name]["properties"]
        properties = {**line_properties, **body["properties"], **line_properties}  # the id is first, and is the line's
        components.schemas[self._name] = {**body, "properties": properties}
        return line


def _answered_line(name: str, body: Described) -> Composed:
    """The schema of a line of the answer."""
    return Composed(
        name,
        {
            "line": {"type": "integer", "minimum": 0, "maximum": endpoints.MAX_LINES},
            "id": {},
            "status": {"type": "integer"},
            "body": body,
            "problem": PROBLEM,
            "cells": {"type": "array", "items": {"type": "string"}},
        },
        optional=("body", "problem", "cells"),
    )


_OPTIONS: dict[str, Any] = {"media_type": NDJSON, "headers": ("Line-Count",)}
_Parameters = Annotated[LinesParameters, Depends(ModelQuery(LinesParameters))]
_CODES = ("payload_too_large", "unsupported_media_type", "idempotency_mismatch", "idempotency_used_up")


@router.post(
    f"{API}/addresses/resolve/batch",
    **route_options(
        "consumer",
        _answered_line("ResolvedLine", RESOLUTION),
        endpoint=endpoints.RESOLVE_BATCH,
        codes=(*_CODES, *UNIT_CODES),
        alternative_media_types=(CSV, XLSX),
        **_OPTIONS,
    ),
)
async def resolve_address_batch(
    request: Request,
    columns: Annotated[Columns, Depends(LinesBody("AddressLine", AddressQuery, _ADDRESS_COLUMNS))],
    parameters: _Parameters,
    idempotency_key: IdempotencyKey,
    land: LandForAddresses,
    settings: CurrentSettings,
) -> Response:
    read = partial(_read, partial(validated, AddressQuery))

    async def answer(lines: Sequence[Line]) -> list[Answered]:
        queries = [read(line) for line in lines]
        readable = [query for query in queries if not isinstance(query, Problem)]
        with deadline(land.deadline_s):
            resolutions = iter(
                await land.client.resolve_together(readable, land.grant, deadline_s=land.deadline_s) if readable else ()
            )
        answers = [query if isinstance(query, Problem) else next(resolutions) for query in queries]
        return [
            answered(line, result if isinstance(result, Problem) else RESOLUTION.write(result))
            for line, result in zip(lines, answers, strict=True)
        ]

    job = Job(answer, group=16, at_once=2, deadline_s=settings.batch_deadline_s)

    writer = partial(table_writer, request, RESOLUTION_COLUMNS, lambda resolution: resolution)
    return await _started(request, _File(columns, parameters, idempotency_key, (NDJSON, CSV, XLSX)), read, job, writer)


@router.post(
    f"{API}/land-units/batch",
    **route_options(
        "consumer",
        _answered_line("LandUnitLine", FEATURE_COLLECTION),
        endpoint=endpoints.LAND_UNITS_BATCH,
        codes=(*_CODES, *UNIT_CODES),
        alternative_media_types=(*TABLES, XLSX),
        **_OPTIONS,
    ),
)
async def land_unit_batch(
    request: Request,
    columns: Annotated[Columns, Depends(LinesBody("LandLine", LandUnitBody, _UNIT_COLUMNS))],
    parameters: _Parameters,
    idempotency_key: IdempotencyKey,
    land: Land,
    settings: CurrentSettings,
) -> Response:
    read = partial(_read, partial(validated, LandUnitBody))

    async def answer_one(line: Line) -> Answered:
        unit_request = read(line)
        if isinstance(unit_request, Problem):
            return answered(line, unit_request)
        unit_request.as_geojson = True
        try:
            return answered(line, (await land(land.stub.GetLandUnit, unit_request)).feature_collection)
        except Problem as problem:
            return answered(line, problem)

    async def answer(lines: Sequence[Line]) -> list[Answered]:
        return await asyncio.gather(*map(answer_one, lines))

    job = Job(answer, group=2, at_once=2, deadline_s=settings.batch_deadline_s)
    writer = partial(table_writer, request, UNIT_COLUMNS, unit_properties)
    return await _started(
        request, _File(columns, parameters, idempotency_key, (NDJSON, *TABLES, XLSX)), read, job, writer
    )


class _File(NamedTuple):
    """What a request says of its file."""

    columns: Columns
    parameters: LinesParameters
    idempotency_key: str
    offered: Sequence[str]


async def _started(
    request: Request,
    file: _File,
    read: Callable[[Line], object],
    job: Job,
    make_writer: Callable[[str, Dialect, Sequence[str]], Writer],
) -> Response:
    """Reads the lines, reserves their units and begins to answer. Raises Problem."""
    admission, settings = admission_of(request), settings_of(request)
    with ExitStack() as occupied:
        slots: BatchSlots = request.app.state.batch_slots
        media_type = line_media_type(request)
        occupied.enter_context(slots.body(admission.grant))
        body = await read_bytes(request, settings.batch_body_limit_bytes, settings.batch_body_deadline_s)
        occupied.enter_context(slots.files.slot())
        names = file.parameters.names({"id", *file.columns})
        is_preview = file.parameters.preview
        limit = settings.body_limit_bytes
        lines = await read_lines(body, media_type, file.columns, limit, names, needs_columns=not is_preview)
        if is_preview:
            admission.is_free = True
            return _preview(request, lines, read)
        media_type = chosen_media_type(request, file.offered, media_type)
        if media_type in WHOLE:
            if lines.count > MAX_WHOLE_LINES:
                raise invalid("", "too_many", _TOO_MANY)
            job = job._replace(deadline_s=min(job.deadline_s, WHOLE_DEADLINE_S))
        reservation = line_reservation(admission, lines.count, lines.digest, file.idempotency_key)
        admission.rate_limits = (await reservation.reserve()).rate_limits
        run = Run(reservation, request.app.state.outcomes, settings)
        writer = make_writer(media_type, lines.dialect, lines.header)
        return LinesResponse(run, run.content(lines, job, writer), lines, writer, occupied.pop_all())


def _preview(request: Request, lines: Lines, read: Callable[[Line], object]) -> Response:
    """The header of a table as line 0, and the first lines as they are read, each with its fault."""
    objects: list[Json] = [{"line": 0, "id": None, "status": OK, "cells": lines.header}] if lines.header else []
    for line in islice(lines.read(), _PREVIEWED):
        problem = read(line)
        status = problem.status if isinstance(problem, Problem) else OK
        found = {"problem": problem_json(problem, request.url.path)} if isinstance(problem, Problem) else {}
        objects.append({"line": line.number, "id": line.id, "status": status, **found, "cells": line.cells})
    content = b"".join(json_line(each) + b"\n" for each in objects)
    return Response(content, media_type=NDJSON, headers={LINE_COUNT_HEADER: str(lines.count)})


def _read(validate: Callable[[Any], _LineBody[M_co]], line: Line) -> M_co | Problem:
    """Returns the request to land that a line makes, or its problem."""
    if isinstance(line.document, Problem):
        return line.document
    try:
        return validate(line.document).message()
    except Problem as problem:
        return problem
