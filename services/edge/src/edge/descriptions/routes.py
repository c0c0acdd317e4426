"""GET /openapi.json and /openapi-public.json, GET /dictionary, and the redirect to the docs page."""

from collections.abc import Sequence
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from contract.messages.schemas import Plain
from edge.access import API
from edge.dependencies import ModelQuery
from edge.descriptions.dictionary import DICTIONARY, dictionary_json
from edge.descriptions.document import describe
from edge.descriptions.forms import in_openapi_3_0
from edge.descriptions.operations import route_options
from edge.negotiation import negotiate
from edge.routing import new_router
from edge.static_answers import MadeOnce, StaticAnswer
from servicekit.languages import Language

CACHED = "public, max-age=300"
_OPENAPI = Plain({"type": "object"})


class _DescriptionQuery(BaseModel):
    model_config = ConfigDict(frozen=True)

    openapi: Annotated[Literal["3.0", "3.1"], Field(title="OpenApiVersion")] = "3.1"


_Query = Annotated[_DescriptionQuery, Depends(ModelQuery(_DescriptionQuery))]


def description_routes(described_routes: Sequence[APIRoute], server: str) -> APIRouter:
    """The routes that serve the description of these routes and of themselves. `server` is the base URL."""
    router = new_router()

    def all_routes() -> list[APIRoute]:
        return [*described_routes, *(route for route in router.routes if isinstance(route, APIRoute))]

    def description(language: Language, version: str, is_for_consumers: bool) -> StaticAnswer:
        document = describe(all_routes(), language, server=server, consumer_only=is_for_consumers)
        return StaticAnswer.of(orjson.dumps(in_openapi_3_0(document) if version == "3.0" else document))

    descriptions = MadeOnce(description)

    def serve_description(path: str, name: str, *, consumer_only: bool) -> None:
        async def document(request: Request, query: _Query) -> Response:
            language = language_of(request, "en")  # clients that generate code ask for none, and most expect English
            made = await descriptions(language, query.openapi, consumer_only)
            return made.response(request, CACHED, language)

        router.add_api_route(f"{API}/{path}", document, name=name, **route_options("public", _OPENAPI))

    serve_description("openapi.json", "openapi", consumer_only=False)
    serve_description("openapi-public.json", "openapi_public", consumer_only=True)

    dictionaries = MadeOnce(lambda language: StaticAnswer.of(orjson.dumps(dictionary_json(all_routes(), language))))

    @router.get(f"{API}/dictionary", **route_options("public", DICTIONARY))
    async def field_dictionary(request: Request) -> Response:
        language = language_of(request, "fr")
        return (await dictionaries(language)).response(request, CACHED, language)

    @router.get(f"{API}/docs/public", **route_options("public", status=302, takes_any_query=True))
    async def docs_public() -> Response:
        return RedirectResponse("/api/docs/public", status_code=302)

    return router


def language_of(request: Request, default: Language) -> Language:
    return negotiate(request.headers.get("accept-language"), default)
