"""POST /addresses/resolve, GET /addresses/suggest and GET /addresses/reverse."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from edge.access import API
from edge.api.v1.requests import AddressQuery, ReverseParameters, SuggestParameters, check_query
from edge.dependencies import CurrentAdmission, CurrentSettings, ModelBody, ModelQuery, Services
from edge.descriptions.operations import LAND_CODES, UPSTREAM_CODES, route_options
from edge.messages.land import RESOLUTION, REVERSE, SUGGESTIONS
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


@router.get(
    f"{API}/addresses/suggest",
    **route_options("consumer", SUGGESTIONS, endpoint=endpoints.SUGGEST, codes=UPSTREAM_CODES),
)
async def suggest_addresses(
    parameters: Annotated[SuggestParameters, Depends(ModelQuery(SuggestParameters))],
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    found = await services.land.suggest(
        parameters.q,
        parameters.limit,
        parameters.position(),
        parameters.city_code or "",
        is_test=admission.grant.is_test,
        deadline_s=settings.resolve_deadline_s,
    )
    return answer(SUGGESTIONS, found)


@router.get(
    f"{API}/addresses/reverse",
    **route_options("consumer", REVERSE, endpoint=endpoints.REVERSE, codes=LAND_CODES),
)
async def reverse_address(
    parameters: Annotated[ReverseParameters, Depends(ModelQuery(ReverseParameters))],
    admission: CurrentAdmission,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    with deadline(settings.resolve_deadline_s):
        found = await services.land.reverse(
            parameters.lat, parameters.lon, admission.grant, deadline_s=settings.resolve_deadline_s
        )
    return answer(REVERSE, found)
