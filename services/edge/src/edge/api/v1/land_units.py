"""POST /land-units/geojson, also as CSV or GeoPackage."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from contract import endpoints
from contract.messages.land import FEATURE_COLLECTION
from edge.access import API
from edge.api.v1.requests import LandUnitBody
from edge.batches.columns import UNIT_COLUMNS
from edge.batches.outputs import TABLES, Answered, table_writer, unit_properties
from edge.dependencies import Land, ModelBody
from edge.descriptions.operations import UNIT_CODES, route_options
from edge.negotiation import chosen_media_type
from edge.responses import GEOJSON
from edge.routing import new_router

router = new_router()


@router.post(
    f"{API}/land-units/geojson",
    **route_options(
        "consumer",
        FEATURE_COLLECTION,
        endpoint=endpoints.GEOJSON,
        media_type=GEOJSON,
        codes=UNIT_CODES,
        alternative_media_types=TABLES,
    ),
)
async def land_unit_geojson(
    request: Request, body: Annotated[LandUnitBody, Depends(ModelBody(LandUnitBody))], land: Land
) -> Response:
    media_type = chosen_media_type(request, (GEOJSON, *TABLES), GEOJSON)
    message = body.message()
    message.as_geojson = True
    content = (await land(land.stub.GetLandUnit, message)).feature_collection
    if media_type != GEOJSON:
        writer = table_writer(request, UNIT_COLUMNS, unit_properties, media_type)
        content = writer.start() + writer.write([Answered(1, None, content)]) + writer.end()
    return Response(content, media_type=media_type)
