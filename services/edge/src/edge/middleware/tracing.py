"""The outermost middleware if traces are on: one trace for each request, except those of probes."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.access import API
from edge.middleware.request_logging import labels_of
from edge.problems import CLIENT_CLOSED_REQUEST
from servicekit.spans import Spans

_UNTRACED = frozenset({"/livez", "/readyz", f"{API}/livez", f"{API}/readyz"})


class Tracing:
    def __init__(self, app: ASGIApp, spans: Spans) -> None:
        self._app = app
        self._spans = spans

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _UNTRACED:
            await self._app(scope, receive, send)
            return
        status = CLIENT_CLOSED_REQUEST

        async def observed_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._spans.received() as span:
            try:
                await self._app(scope, receive, observed_send)
            finally:
                self._spans.answered(span, *labels_of(scope), status)
