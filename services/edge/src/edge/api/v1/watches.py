"""/watches and GET /events: what a partner watches, and the events of its watches."""

from typing import Annotated

import orjson
from fastapi import Depends
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from contract import endpoints
from contract.messages.land import EVENTS, WATCH, WATCHES
from edge.access import API
from edge.api.v1.parcel_requests import MAX_SEARCH_VALUES, SearchGeometry, require_one
from edge.api.v1.requests import (
    DEFAULT_PAGE,
    MAX_PAGE,
    MAX_PARCELS,
    Body,
    CommuneCode,
    Cursor,
    EventsParameters,
    OptionalText,
    ParcelId,
    QueryParameters,
)
from edge.dependencies import CurrentAdmission, Land, ModelBody, ModelQuery
from edge.descriptions.operations import BODY_CODES, UPSTREAM_CODES, route_options
from edge.forms import absent_if_empty
from edge.responses import answer, no_content
from edge.routing import new_router
from landpartner.land.v1 import land_pb2 as pb

router = new_router()


class WatchBody(Body):
    """What to watch: parcels, a commune or an area."""

    name: OptionalText = None
    parcel_ids: Annotated[
        Annotated[list[ParcelId], Field(max_length=MAX_PARCELS)] | None, BeforeValidator(absent_if_empty)
    ] = None
    commune_code: Annotated[CommuneCode | None, BeforeValidator(absent_if_empty)] = None
    area: Annotated[SearchGeometry | None, BeforeValidator(absent_if_empty)] = None

    def message(self) -> pb.CreateWatchRequest:
        """Raises Problem unless there is exactly one of parcels, commune and area."""
        require_one({"/parcel_ids": self.parcel_ids, "/commune_code": self.commune_code, "/area": self.area})
        return pb.CreateWatchRequest(
            name=self.name or "",
            parcel_ids=self.parcel_ids,
            commune_code=self.commune_code or "",
            area=orjson.dumps(self.area.model_dump()) if self.area else b"",
        )


class WatchesParameters(QueryParameters):
    limit: int = Field(default=DEFAULT_PAGE, ge=1, le=MAX_PAGE)
    cursor: Cursor | None = None


@router.post(
    f"{API}/watches",
    **route_options("consumer", WATCH, endpoint=endpoints.WATCHES, codes=(*BODY_CODES, *UPSTREAM_CODES)),
)
async def create_watch(
    body: Annotated[WatchBody, Depends(ModelBody(WatchBody, MAX_SEARCH_VALUES))], land: Land
) -> Response:
    return answer(WATCH, (await land(land.stub.CreateWatch, body.message())).watch)


@router.get(f"{API}/watches", **route_options("consumer", WATCHES, endpoint=endpoints.WATCHES, codes=UPSTREAM_CODES))
async def list_watches(
    parameters: Annotated[WatchesParameters, Depends(ModelQuery(WatchesParameters))],
    land: Land,
    admission: CurrentAdmission,
) -> Response:
    request = pb.ListWatchesRequest(page_size=parameters.limit, page_token=parameters.cursor or "")
    page = await land(land.stub.ListWatches, request)
    admission.is_free = not page.watches
    return answer(WATCHES, page)


@router.delete(
    f"{API}/watches/{{watch_id}}",
    **route_options("consumer", endpoint=endpoints.WATCHES, status=204, codes=("not_found", *UPSTREAM_CODES)),
)
async def delete_watch(watch_id: str, land: Land) -> Response:
    await land(land.stub.DeleteWatch, pb.DeleteWatchRequest(watch_id=watch_id))
    return no_content()


@router.get(f"{API}/events", **route_options("consumer", EVENTS, endpoint=endpoints.EVENTS, codes=UPSTREAM_CODES))
async def list_events(
    parameters: Annotated[EventsParameters, Depends(ModelQuery(EventsParameters))],
    land: Land,
    admission: CurrentAdmission,
) -> Response:
    request = pb.ListEventsRequest(after=parameters.after or "", page_size=parameters.limit)
    page = await land(land.stub.ListEvents, request)
    admission.is_free = not page.events
    return answer(EVENTS, page)
