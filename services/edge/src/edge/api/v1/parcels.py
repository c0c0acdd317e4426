"""GET /parcels and POST /parcels/search: the parcels of an area, page by page."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from edge.access import API, Admission
from edge.api.v1.parcel_requests import MAX_SEARCH_VALUES, ParcelSearchBody, ParcelsParameters
from edge.dependencies import CurrentAdmission, CurrentSettings, ModelBody, ModelQuery, Services
from edge.descriptions.operations import PARCEL_CODES, UPSTREAM_CODES, route_options
from edge.messages.land import PARCELS
from edge.responses import GEOJSON, answer
from edge.routing import new_router
from edge.settings import EdgeSettings
from edge.upstreams import Upstreams
from landpartner.land.v1 import land_pb2
from servicekit import endpoints
from servicekit.context import deadline

router = new_router()


@router.get(
    f"{API}/parcels",
    **route_options("consumer", PARCELS, endpoint=endpoints.PARCELS, media_type=GEOJSON, codes=UPSTREAM_CODES),
)
async def parcels(
    parameters: Annotated[ParcelsParameters, Depends(ModelQuery(ParcelsParameters))],
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    return await _page(parameters.message(), admission, services, settings)


@router.post(
    f"{API}/parcels/search",
    **route_options("consumer", PARCELS, endpoint=endpoints.PARCEL_SEARCH, media_type=GEOJSON, codes=PARCEL_CODES),
)
async def search_parcels(
    body: Annotated[ParcelSearchBody, Depends(ModelBody(ParcelSearchBody, MAX_SEARCH_VALUES))],
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    return await _page(body.message(), admission, services, settings)


async def _page(
    request: land_pb2.SearchParcelsRequest, admission: Admission, services: Upstreams, settings: EdgeSettings
) -> Response:
    with deadline(settings.geojson_deadline_s):
        found = await services.land.search_parcels(request, admission.grant, deadline_s=settings.geojson_deadline_s)
    return answer(PARCELS, found, media_type=GEOJSON)
