"""GET /openapi.json and /openapi-public.json, generated once at start, and the redirect to the docs page."""

from collections.abc import Sequence

import orjson
from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse, Response

from edge.access import API, PUBLIC
from edge.descriptions.document import describe
from edge.routing import new_router, with_access

_CACHE = {"cache-control": "public, max-age=300"}
_PUBLIC = with_access(PUBLIC)


def description_routes(routes: Sequence[APIRoute]) -> APIRouter:
    """The routes that serve the description of `routes`."""
    router = new_router()
    full = orjson.dumps(describe(routes, consumer_only=False))
    consumer = orjson.dumps(describe(routes, consumer_only=True))

    @router.get(f"{API}/openapi.json", include_in_schema=False, openapi_extra=_PUBLIC)
    async def openapi(request: Request) -> Response:
        return Response(full, media_type="application/json", headers=_CACHE)

    @router.get(f"{API}/openapi-public.json", include_in_schema=False, openapi_extra=_PUBLIC)
    async def openapi_public(request: Request) -> Response:
        return Response(consumer, media_type="application/json", headers=_CACHE)

    @router.get(f"{API}/docs/public", include_in_schema=False, openapi_extra=_PUBLIC)
    async def docs_public(request: Request) -> Response:
        return RedirectResponse("/api/docs/public", status_code=302)

    return router
