"""The outermost middleware: request id, language, trace, metrics, one log line per request, and a 500 for errors.

The log names a key by its id. It contains no key, no client address and no request body.
"""

import logging
import time
from collections.abc import Callable
from functools import lru_cache, partial
from http import HTTPStatus

from prometheus_client import Counter, Histogram
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.access import PROBES, logged_facts
from edge.negotiation import negotiate
from edge.problems import CLIENT_CLOSED_REQUEST, Problem
from edge.responses import to_response
from servicekit import tracing
from servicekit.context import REQUEST_ID_HEADER, accept_request_id, request_id
from servicekit.languages import language

log = logging.getLogger(__name__)
request_log = logging.getLogger("edge.requests")

_requests = Counter("edge_requests", "Requests answered.", ["method", "route", "status"])
_seconds = Histogram(
    "edge_request_seconds",
    "Time to answer a request.",
    ["route"],
    buckets=(0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 5, 10, 30),
)
_ID_HEADER = REQUEST_ID_HEADER.encode()
_QUIET = ("/livez", "/readyz", "/health")
"""The ends of paths that platforms and monitors ask for every few seconds: only a failure has a line."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestLogging:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._spans = tracing.active()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._spans is None or scope["path"] in PROBES:
            await self._observe(scope, receive, send)
        else:
            with self._spans.received() as span:
                await self._observe(scope, receive, send, partial(self._spans.answered, span))

    async def _observe(
        self, scope: Scope, receive: Receive, send: Send, trace: Callable[[str, str, int], None] | None = None
    ) -> None:
        started = time.perf_counter()
        headers: dict[bytes, bytes] = dict(scope["headers"])
        identifier = accept_request_id(headers.get(_ID_HEADER, b"").decode("latin-1"))
        request_id.set(identifier)
        language.set(negotiate(headers.get(b"accept-language", b"").decode("latin-1")))
        id_header = (_ID_HEADER, identifier.encode())
        status = CLIENT_CLOSED_REQUEST

        async def observed_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), id_header]
            await send(message)

        try:
            await self._app(scope, receive, observed_send)
        except ClientDisconnect:
            log.debug("the client disconnected before its answer was sent")
        except Exception:
            log.exception("a request failed")
            if status == CLIENT_CLOSED_REQUEST:
                await to_response(Problem("internal"), scope["path"])(scope, receive, observed_send)
            else:
                raise  # the answer has begun, so the server closes the connection
        finally:
            _count(scope, status, time.perf_counter() - started)
            if trace is not None:
                trace(*_labels_of(scope), status)


@lru_cache(maxsize=4096)
def _observers(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """The metrics of these labels. `labels` costs more than the count."""
    return _requests.labels(method, route, status), _seconds.labels(route)


def _labels_of(scope: Scope) -> tuple[str, str]:
    """The method and the route of a request, each one of few values."""
    method = scope["method"] if scope["method"] in _METHODS else "other"
    return method, getattr(scope.get("route"), "path", "unmatched")


def _count(scope: Scope, status: int, seconds: float) -> None:
    method, route = _labels_of(scope)
    count, duration = _observers(method, route, status)
    count.inc()
    duration.observe(seconds)
    if scope["path"].endswith(_QUIET) and status < HTTPStatus.BAD_REQUEST:
        return
    fields = {"method": method, "route": route, "status": status, "duration_ms": round(seconds * 1000, 2)}
    request_log.info("request", extra=fields | logged_facts(scope))
