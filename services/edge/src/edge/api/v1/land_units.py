"""POST /land-units/geojson."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API, admission_of
from edge.api.v1.requests import LandUnitBody
from edge.api.v1.schemas import FeatureCollection
from edge.body import read_model
from edge.descriptions.operations import UNIT_CODES, route_options
from edge.responses import GEOJSON, json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of
from servicekit.context import deadline

router = new_router()


@router.post(
    f"{API}/land-units/geojson",
    **route_options(
        "Describe a land unit",
        tag="consumer",
        endpoint="land-units.geojson",
        body=LandUnitBody,
        response=FeatureCollection,
        media_type=GEOJSON,
        codes=UNIT_CODES,
    ),
)
async def land_unit_geojson(request: Request) -> Response:
    """Gives the union of the selected parcels with their history, and the blocks that `include` asks for."""
    settings = settings_of(request)
    body = await read_model(request, LandUnitBody, settings)
    body.check()
    address = body.selected_address()
    with deadline(settings.geojson_deadline_s):
        unit = await upstreams_of(request).land.land_unit(
            None if address is None else address.model_dump(),
            body.parcel_ids or (),
            body.blocks(),
            admission_of(request).grant,
            deadline_s=settings.geojson_deadline_s,
        )
    return json_response(unit.feature_collection, media_type=GEOJSON)
