"""The outermost middleware: request id, language, metrics, one log line per request, and a 500 for unexpected errors.

The log line is formatted here, not by servicekit: every request waits for it, and this formatter is much faster.
"""

import logging
import time
from functools import lru_cache
from typing import Any

import orjson
from prometheus_client import Counter, Histogram
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.negotiation import negotiate
from edge.problems import CLIENT_CLOSED_REQUEST, Problem, to_response
from servicekit import logs, tracing
from servicekit.context import REQUEST_ID_HEADER, accept_request_id, request_id
from servicekit.languages import language
from servicekit.settings import Settings

log = logging.getLogger(__name__)
request_log = logging.getLogger("edge.requests")

_requests = Counter("edge_requests", "Requests answered.", ["method", "route", "status"])
_seconds = Histogram(
    "edge_request_seconds",
    "Time to answer a request.",
    ["route"],
    buckets=(0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 5, 10, 30),
)
FIELDS = ("method", "route", "status", "duration_ms")
"""The fields of a line. The log contains no key, no client address and no request body."""
_ID_HEADER = REQUEST_ID_HEADER.encode()
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestLogging:
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
            _observe(scope, status, time.perf_counter() - started)


@lru_cache(maxsize=4096)
def _observers(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """The metrics of these labels. `labels` costs more than the count."""
    return _requests.labels(method, route, status), _seconds.labels(route)


def labels_of(scope: Scope) -> tuple[str, str]:
    """The method and the route of a request, each one of few values."""
    method = scope["method"] if scope["method"] in _METHODS else "other"
    return method, getattr(scope.get("route"), "path", "unmatched")


def _observe(scope: Scope, status: int, seconds: float) -> None:
    method, route = labels_of(scope)
    count, duration = _observers(method, route, status)
    count.inc()
    duration.observe(seconds)
    if request_log.isEnabledFor(logging.INFO):
        record = logging.LogRecord(request_log.name, logging.INFO, "", 0, "request", None, None)
        record.__dict__.update(method=method, route=route, status=status, duration_ms=round(seconds * 1000, 2))
        request_log.handle(record)


class RequestFormatter(logging.Formatter):
    """Writes JSON with the same members as servicekit's log lines."""

    def __init__(self) -> None:
        super().__init__()
        self._second = -1
        self._time = ""

    def format(self, record: logging.LogRecord) -> str:
        if int(record.created) != self._second:
            self._second = int(record.created)
            self._time = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(self._second))
        line: dict[str, Any] = {
            "time": self._time,
            "level": record.levelname,
            "service": "edge",
            "logger": record.name,
            "message": record.msg,
            "request_id": request_id.get() or None,
        }
        if (trace_id := tracing.trace_id()) is not None:
            line["trace_id"] = trace_id
        for field in FIELDS:
            line[field] = getattr(record, field, None)
        return orjson.dumps(line).decode()


def configure(settings: Settings) -> None:
    """Uses the fast formatter for request lines if logs are JSON."""
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    if settings.log_format != "json":
        return
    handler = logging.StreamHandler(logs.output())
    handler.setFormatter(RequestFormatter())
    request_log.handlers[:] = [handler]
    request_log.propagate = False
