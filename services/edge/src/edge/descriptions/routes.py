"""GET /openapi.json and /openapi-public.json, GET /dictionary, and the redirect to the docs page."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Annotated, Any, Literal, TypeVar

import orjson
from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from contract.messages.schemas import Described, Json, Plain
from edge.access import API
from edge.dependencies import ModelQuery
from edge.descriptions.dictionary import DICTIONARY, dictionary_json
from edge.descriptions.document import describe
from edge.descriptions.forms import in_openapi_3_0
from edge.descriptions.operations import route_options
from edge.negotiation import negotiate
from edge.routing import new_router
from servicekit.languages import Language

_CACHE = {"cache-control": "public, max-age=300", "vary": "accept-language"}
_OPENAPI = Plain({"type": "object"})


class _DescriptionQuery(BaseModel):
    model_config = ConfigDict(frozen=True)

    openapi: Annotated[Literal["3.0", "3.1"], Field(title="OpenApiVersion")] = "3.1"


class _NoQuery(BaseModel):
    model_config = ConfigDict(frozen=True)


Query = TypeVar("Query", _DescriptionQuery, _NoQuery)


def description_routes(described_routes: Sequence[APIRoute], server: str) -> APIRouter:
    """The routes that serve the description of these routes and of themselves. `server` is the base URL."""
    router = new_router()

    def serve(
        path: str,
        name: str,
        answer: Described,
        default: Language,
        read: ModelQuery[Query],
        make: Callable[[Language, Query], object],
    ) -> None:
        @cache
        def made(language: Language, query: Query) -> bytes:
            return orjson.dumps(make(language, query))

        async def document(request: Request, query: Annotated[Any, Depends(read)]) -> Response:
            language = negotiate(request.headers.get("accept-language"), default)
            headers = {**_CACHE, "content-language": language}
            return Response(made(language, query), media_type="application/json", headers=headers)

        router.add_api_route(f"{API}/{path}", document, name=name, **route_options("public", answer))

    def all_routes() -> list[APIRoute]:
        return [*described_routes, *(route for route in router.routes if isinstance(route, APIRoute))]

    def description(language: Language, query: _DescriptionQuery, *, consumer_only: bool = False) -> Json:
        document = describe(all_routes(), language, server=server, consumer_only=consumer_only)
        return in_openapi_3_0(document) if query.openapi == "3.0" else document

    # clients that generate code ask for no language, and most of them expect English
    read_version = ModelQuery(_DescriptionQuery)
    serve("openapi.json", "openapi", _OPENAPI, "en", read_version, description)
    serve(
        "openapi-public.json", "openapi_public", _OPENAPI, "en", read_version, partial(description, consumer_only=True)
    )
    serve(
        "dictionary",
        "field_dictionary",
        DICTIONARY,
        "fr",
        ModelQuery(_NoQuery),
        lambda language, _: dictionary_json(all_routes(), language),
    )

    @router.get(f"{API}/docs/public", **route_options("public", status=302, takes_any_query=True))
    async def docs_public() -> Response:
        return RedirectResponse("/api/docs/public", status_code=302)

    return router
