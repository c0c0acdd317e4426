"""POST /addresses/resolve."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API, admission_of
from edge.api.v1.requests import AddressQuery, check_query
from edge.api.v1.schemas import ResolveResponse
from edge.body import read_model
from edge.descriptions.operations import LAND_CODES, route_options
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of
from servicekit.context import deadline

router = new_router()


@router.post(
    f"{API}/addresses/resolve",
    **route_options(
        "Resolve an address",
        tag="consumer",
        endpoint="addresses.resolve",
        body=AddressQuery,
        response=ResolveResponse,
        codes=LAND_CODES,
    ),
)
async def resolve_address(request: Request) -> Response:
    """Normalizes a postal address and gives its cadastral parcels.

    The answer is itself a valid body for /land-units/geojson and /assistant/divide-land.
    """
    settings = settings_of(request)
    query = await read_model(request, AddressQuery, settings)
    check_query(query)
    with deadline(settings.resolve_deadline_s):
        answer = await upstreams_of(request).land.resolve(
            query.model_dump(), admission_of(request).grant, deadline_s=settings.resolve_deadline_s
        )
    return json_response(answer)
