"""GET /openapi.json and /openapi-public.json, GET /dictionary, and the redirect to the docs page."""

from collections.abc import Callable, Sequence
from functools import cache

import orjson
from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse, Response

from contract.messages.schemas import Described, Plain
from edge.access import API
from edge.descriptions.dictionary import DICTIONARY, dictionary_json
from edge.descriptions.document import describe
from edge.descriptions.operations import route_options
from edge.negotiation import negotiate
from edge.routing import new_router
from servicekit.languages import Language

_CACHE = {"cache-control": "public, max-age=300", "vary": "accept-language"}
_OPENAPI = Plain({"type": "object"})


def description_routes(described_routes: Sequence[APIRoute], server: str) -> APIRouter:
    """The routes that serve the description of these routes and of themselves. `server` is the base URL."""
    router = new_router()

    def serve(path: str, name: str, answer: Described, default: Language, make: Callable[[Language], object]) -> None:
        @cache
        def made(language: Language) -> bytes:
            return orjson.dumps(make(language))

        async def document(request: Request) -> Response:
            language = negotiate(request.headers.get("accept-language"), default)
            headers = {**_CACHE, "content-language": language}
            return Response(made(language), media_type="application/json", headers=headers)

        router.add_api_route(f"{API}/{path}", document, name=name, **route_options("public", answer))

    def described() -> list[APIRoute]:
        return [*described_routes, *(route for route in router.routes if isinstance(route, APIRoute))]

    # clients that generate code ask for no language, and most of them expect English
    serve("openapi.json", "openapi", _OPENAPI, "en", lambda language: describe(described(), language, server=server))
    serve(
        "openapi-public.json",
        "openapi_public",
        _OPENAPI,
        "en",
        lambda language: describe(described(), language, server=server, consumer_only=True),
    )
    serve("dictionary", "field_dictionary", DICTIONARY, "fr", lambda language: dictionary_json(described(), language))

    @router.get(f"{API}/docs/public", **route_options("public", status=302, takes_any_query=True))
    async def docs_public() -> Response:
        return RedirectResponse("/api/docs/public", status_code=302)

    return router
