"""POST /visitor-keys: a test key for a visitor of the home page. By default there is no such route."""

from starlette.requests import Request
from starlette.responses import Response

from edge.access import API, OPEN
from edge.dependencies import SAME_ORIGIN, CurrentSettings, Services
from edge.middleware.client_address import client_address
from edge.responses import json_response
from edge.routing import new_router, with_access
from landpartner.keys.v1.keys_pb2 import CreateVisitorKeyRequest

router = new_router()


@router.post(
    f"{API}/visitor-keys", include_in_schema=False, openapi_extra=with_access(OPEN), dependencies=[SAME_ORIGIN]
)
async def create_visitor_key(request: Request, settings: CurrentSettings, services: Services) -> Response:
    address = client_address(request.scope, settings.trusted_proxies)
    asked = CreateVisitorKeyRequest(client_address=address, most_per_day=settings.visitor_keys_per_day)
    created = await services.keys(services.keys.stub.CreateVisitorKey, asked)
    return json_response({"api_key": created.api_key, "expires_at": created.expires_at}, 201)
