"""GET /usage and GET /coverage: the usage of a key, and the loaded data."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API, admission_of
from edge.api.v1.requests import CoverageParameters
from edge.api.v1.schemas import CoverageResponse, UsageResponse
from edge.body import validated
from edge.descriptions.operations import UPSTREAM_CODES, route_options
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of

router = new_router()


@router.get(
    f"{API}/usage",
    **route_options(
        "See your own usage", tag="consumer", endpoint="usage", response=UsageResponse, codes=UPSTREAM_CODES
    ),
)
async def usage(request: Request) -> Response:
    """Gives the quota of the key that asks, and what it has used this month."""
    return json_response(await upstreams_of(request).keys.usage(admission_of(request).grant.key_id))


@router.get(
    f"{API}/coverage",
    **route_options(
        "See what data is loaded",
        tag="consumer",
        endpoint="coverage",
        parameters=CoverageParameters,
        response=CoverageResponse,
        codes=("invalid_payload", *UPSTREAM_CODES),
    ),
)
async def coverage(request: Request) -> Response:
    """Lists the datasets that are loaded, with their editions."""
    parameters = validated(CoverageParameters, dict(request.query_params))
    answer = await upstreams_of(request).land.coverage(
        parameters.commune or "",
        parameters.limit,
        parameters.cursor or "",
        is_test=admission_of(request).grant.is_test,
        deadline_s=settings_of(request).geojson_deadline_s,
    )
    return json_response(answer)
