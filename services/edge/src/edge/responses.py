"""Responses as JSON, and the response to a problem."""

import re
from collections.abc import Mapping
from http import HTTPStatus

import orjson
from google.protobuf.message import Message
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from contract.messages.shape import Shape
from contract.problem_codes import PROBLEMS
from edge.access import API, note_problem
from edge.problems import MEDIA_TYPE, Problem, problem_json
from servicekit.languages import language

GEOJSON = "application/geo+json"
_ADMIN = re.compile(f"{API}/admin(/|$)")
_KEY_CHALLENGE, _ADMIN_CHALLENGE = 'ApiKey realm="x-api-key"', 'Bearer realm="admin"'
"""What a 401 must say (RFC 9110 §15.5.2). No browser shows a dialog for these schemes."""
DEFAULT_RETRY_S = 5
"""Retry-After if the cause of the error gives no time."""


_SEPARATORS = {"\u0085": rb"\u0085", "\u2028": rb"\u2028", "\u2029": rb"\u2029"}
"""Line ends of Unicode with their escapes. Python's clients also end a line of events or of a file there."""


def json_line(document: object) -> bytes:
    """The document as JSON that every reader takes for one line."""
    line = orjson.dumps(document)
    for separator, escape in _SEPARATORS.items():
        line = line.replace(separator.encode(), escape)
    return line


def json_response(
    body: object, status: int = 200, *, media_type: str = "application/json", headers: Mapping[str, str] | None = None
) -> Response:
    return Response(orjson.dumps(body), status, headers, media_type)


def attachment(content: str | bytes, name: str, media_type: str) -> Response:
    """A file with its name. A text is UTF-8."""
    return Response(content, headers={"content-disposition": f'attachment; filename="{name}"'}, media_type=media_type)


def answer(shape: Shape, message: Message, status: int = 200, *, media_type: str = "application/json") -> Response:
    """The message as JSON."""
    return json_response(shape.write(message), status, media_type=media_type)


def no_content() -> Response:
    return Response(status_code=204)


class _ProblemResponse(Response):
    media_type = MEDIA_TYPE

    def __init__(self, code: str, body: bytes, status: int, headers: Mapping[str, str]) -> None:
        super().__init__(body, status, headers)
        self._code = code

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        note_problem(scope, self._code)
        await super().__call__(scope, receive, send)


def to_response(problem: Problem, path: str) -> Response:
    kind = PROBLEMS[problem.code]
    headers = {
        "content-language": language.get(),
        "vary": "accept-language",
        "cache-control": "no-store",
        **problem.headers,
    }
    retry_after_s = problem.retry_after_s
    if retry_after_s is None and kind.is_retried:
        retry_after_s = DEFAULT_RETRY_S
    if kind.status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = _ADMIN_CHALLENGE if _ADMIN.match(path) else _KEY_CHALLENGE
    if retry_after_s is not None:
        headers["retry-after"] = str(retry_after_s)
    return _ProblemResponse(problem.code, orjson.dumps(problem_json(problem, path)), kind.status, headers)
