"""GET /openapi.json and /openapi-public.json, GET /dictionary, and the redirect to the docs page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse, Response

from edge.access import API
from edge.descriptions.dictionary import DICTIONARY, dictionary_json
from edge.descriptions.document import describe
from edge.descriptions.operations import route_options
from edge.languages import negotiate
from edge.messages.schemas import Plain
from edge.routing import new_router
from servicekit.languages import Language

_CACHE = {"cache-control": "public, max-age=300", "vary": "accept-language"}
_LANGUAGES: Sequence[Language] = ("fr", "en")
_OPENAPI = Plain({"type": "object"})


def description_routes(others: Sequence[APIRoute], server: str) -> APIRouter:
    """The routes that serve the description of these routes and of themselves. `server` is the base URL."""
    router = new_router()
    documents: dict[str, Mapping[Language, bytes]] = {}

    def serve(path: str, name: str, answer: Any, default: Language) -> None:
        async def document(request: Request) -> Response:
            language = negotiate(request.headers.get("accept-language"), default)
            headers = {**_CACHE, "content-language": language}
            return Response(documents[name][language], media_type="application/json", headers=headers)

        router.add_api_route(f"{API}/{path}", document, name=name, **route_options("public", answer))

    # clients that generate code ask for no language, and most of them expect English
    serve("openapi.json", "openapi", _OPENAPI, "en")
    serve("openapi-public.json", "openapi_public", _OPENAPI, "en")
    serve("dictionary", "field_dictionary", DICTIONARY, "fr")

    @router.get(f"{API}/docs/public", **route_options("public", status=302))
    async def docs_public() -> Response:
        return RedirectResponse("/api/docs/public", status_code=302)

    routes = [*others, *(route for route in router.routes if isinstance(route, APIRoute))]
    makers: Mapping[str, Callable[[Language], object]] = {
        "openapi": lambda language: describe(routes, language, server=server),
        "openapi_public": lambda language: describe(routes, language, server=server, consumer_only=True),
        "field_dictionary": lambda language: dictionary_json(routes, language),
    }
    for name, make in makers.items():
        documents[name] = {language: orjson.dumps(make(language)) for language in _LANGUAGES}
    return router
