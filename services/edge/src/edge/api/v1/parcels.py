"""GET /parcels and POST /parcels/search: the parcels of an area, page by page. GET /statistics/sales: its sales."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from contract import endpoints
from contract.messages.land import PARCELS, SALE_STATISTICS
from edge.access import API
from edge.api.v1.parcel_requests import (
    MAX_SEARCH_VALUES,
    ParcelSearchBody,
    ParcelsParameters,
    SaleStatisticsParameters,
)
from edge.dependencies import Land, ModelBody, ModelQuery
from edge.descriptions.operations import UNIT_CODES, UPSTREAM_CODES, route_options
from edge.responses import GEOJSON, answer
from edge.routing import new_router

router = new_router()


@router.get(
    f"{API}/parcels",
    **route_options("consumer", PARCELS, endpoint=endpoints.PARCELS, media_type=GEOJSON, codes=UPSTREAM_CODES),
)
async def parcels(
    parameters: Annotated[ParcelsParameters, Depends(ModelQuery(ParcelsParameters))], land: Land
) -> Response:
    return answer(PARCELS, await land(land.stub.SearchParcels, parameters.message()), media_type=GEOJSON)


@router.post(
    f"{API}/parcels/search",
    **route_options("consumer", PARCELS, endpoint=endpoints.PARCEL_SEARCH, media_type=GEOJSON, codes=UNIT_CODES),
)
async def search_parcels(
    body: Annotated[ParcelSearchBody, Depends(ModelBody(ParcelSearchBody, MAX_SEARCH_VALUES))], land: Land
) -> Response:
    return answer(PARCELS, await land(land.stub.SearchParcels, body.message()), media_type=GEOJSON)


@router.get(
    f"{API}/statistics/sales",
    **route_options("consumer", SALE_STATISTICS, endpoint=endpoints.SALE_STATISTICS, codes=UPSTREAM_CODES),
)
async def sale_statistics(
    parameters: Annotated[SaleStatisticsParameters, Depends(ModelQuery(SaleStatisticsParameters))], land: Land
) -> Response:
    return answer(SALE_STATISTICS, await land(land.stub.GetSaleStatistics, parameters.message()))
