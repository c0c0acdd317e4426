"""POST /addresses/resolve."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from edge.access import API
from edge.api.v1.requests import AddressQuery, check_query
from edge.dependencies import CurrentAdmission, CurrentSettings, ModelBody, Services
from edge.descriptions.operations import LAND_CODES, route_options
from edge.messages.land import RESOLUTION
from edge.responses import answer
from edge.routing import new_router
from servicekit import endpoints
from servicekit.context import deadline

router = new_router()


@router.post(
    f"{API}/addresses/resolve",
    **route_options("consumer", RESOLUTION, endpoint=endpoints.RESOLVE, codes=LAND_CODES),
)
async def resolve_address(
    query: Annotated[AddressQuery, Depends(ModelBody(AddressQuery))],
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    check_query(query)
    with deadline(settings.resolve_deadline_s):
        found = await services.land.resolve(query.model_dump(), admission.grant, deadline_s=settings.resolve_deadline_s)
    return answer(RESOLUTION, found)
