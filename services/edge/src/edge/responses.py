"""Responses as JSON."""

from collections.abc import Mapping

import orjson
from google.protobuf.message import Message
from starlette.responses import Response

from contract.messages.shape import Shape

GEOJSON = "application/geo+json"


def json_response(
    body: object, status: int = 200, *, media_type: str = "application/json", headers: Mapping[str, str] | None = None
) -> Response:
    return Response(orjson.dumps(body), status, headers, media_type)


def answer(shape: Shape, message: Message, status: int = 200, *, media_type: str = "application/json") -> Response:
    """The message as JSON."""
    return json_response(shape.write(message), status, media_type=media_type)


def no_content() -> Response:
    return Response(status_code=204)
