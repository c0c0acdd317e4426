"""POST /addresses/resolve, GET /addresses/suggest and GET /addresses/reverse."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from contract import endpoints
from contract.messages.land import RESOLUTION, REVERSE, SUGGESTIONS
from edge.access import API
from edge.api.v1.requests import AddressQuery, ReverseParameters, SuggestParameters
from edge.dependencies import LandForAddresses, ModelBody, ModelQuery
from edge.descriptions.operations import REVERSE_CODES, UNIT_CODES, UPSTREAM_CODES, route_options
from edge.responses import answer
from edge.routing import new_router
from servicekit.context import deadline

router = new_router()


@router.post(
    f"{API}/addresses/resolve", **route_options("consumer", RESOLUTION, endpoint=endpoints.RESOLVE, codes=UNIT_CODES)
)
async def resolve_address(
    query: Annotated[AddressQuery, Depends(ModelBody(AddressQuery))], land: LandForAddresses
) -> Response:
    with deadline(land.deadline_s):  # an address may need two calls
        resolution = await land.client.resolve(query.message(), land.grant, deadline_s=land.deadline_s)
    return answer(RESOLUTION, resolution)


@router.get(
    f"{API}/addresses/suggest",
    **route_options("consumer", SUGGESTIONS, endpoint=endpoints.SUGGEST, codes=UPSTREAM_CODES),
)
async def suggest_addresses(
    parameters: Annotated[SuggestParameters, Depends(ModelQuery(SuggestParameters))], land: LandForAddresses
) -> Response:
    return answer(SUGGESTIONS, await land(land.stub.SuggestAddresses, parameters.message()))


@router.get(
    f"{API}/addresses/reverse", **route_options("consumer", REVERSE, endpoint=endpoints.REVERSE, codes=REVERSE_CODES)
)
async def reverse_address(
    parameters: Annotated[ReverseParameters, Depends(ModelQuery(ReverseParameters))], land: LandForAddresses
) -> Response:
    return answer(REVERSE, await land(land.stub.ReverseAddress, parameters.message()))
