"""Responses as JSON."""

from collections.abc import Mapping

import orjson
from starlette.responses import Response

GEOJSON = "application/geo+json"


def json_response(
    body: object, status: int = 200, *, media_type: str = "application/json", headers: Mapping[str, str] | None = None
) -> Response:
    return Response(orjson.dumps(body), status, headers, media_type)
