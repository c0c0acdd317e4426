"""Answers /metrics on the public port, for this machine only."""

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.middleware.client_address import is_local

PATH = "/metrics"


class LocalMetrics:
    """Passes the requests of other machines on, so that they get the answer of an unknown path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http" and scope["path"] == PATH and scope["method"] == "GET" and is_local(scope):
            app = Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
        await app(scope, receive, send)
