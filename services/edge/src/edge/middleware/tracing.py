"""The outermost layer: request id, language, one log line and the metrics of each request, and the last resort for
failures that nobody foresaw.
"""

import logging
import time

from prometheus_client import Counter, Histogram
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge import request_log
from edge.languages import language, negotiate
from edge.problems import Problem, to_response
from servicekit.context import REQUEST_ID_HEADER, accept_request_id, request_id

log = logging.getLogger(__name__)

_requests = Counter("edge_requests", "Requests answered.", ["method", "route", "status"])
_seconds = Histogram(
    "edge_request_seconds",
    "Time to answer a request.",
    ["route"],
    buckets=(0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 5, 10, 30),
)
_ID_HEADER = REQUEST_ID_HEADER.encode()
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LEFT = 499
"""Logged where the client left before an answer began."""


class Tracing:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        given: dict[bytes, bytes] = dict(scope["headers"])
        identifier = accept_request_id(given.get(_ID_HEADER, b"").decode("latin-1"))
        request_id.set(identifier)
        language.set(negotiate(given.get(b"accept-language", b"").decode("latin-1")))
        id_header = (_ID_HEADER, identifier.encode())
        status = LEFT

        async def observed_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), id_header]
            await send(message)

        try:
            await self._app(scope, receive, observed_send)
        except ClientDisconnect:
            log.debug("the client left before it had its answer")
        except Exception:
            log.exception("a request failed")
            if status == LEFT:
                await to_response(Problem("internal"), scope["path"])(scope, receive, observed_send)
            else:
                raise  # the answer has begun: the server must cut it short
        finally:
            _observe(scope, status, time.perf_counter() - started)


def _observe(scope: Scope, status: int, seconds: float) -> None:
    route = getattr(scope.get("route"), "path", "unmatched")
    method = scope["method"] if scope["method"] in _METHODS else "other"
    _requests.labels(method, route, status).inc()
    _seconds.labels(route).observe(seconds)
    request_log.write(method, route, status, seconds)
