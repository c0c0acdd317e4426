"""Cross-origin requests of browsers to the consumer API (CORS), for configured origins.

The admin API is excluded: its session cookie must never work from another origin.
"""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.access import PathClass, default_access

_METHODS = ("GET", "POST")
_REQUEST_HEADERS = ("content-type", "idempotency-key", "x-api-key", "x-request-id")
_RESPONSE_HEADERS = (
    "content-disposition", "ratelimit", "ratelimit-policy", "retry-after",
    "x-request-id",
)  # fmt: skip
_MAX_AGE_S = 600


class CrossOrigin:
    """Answers preflight requests without authorization: browsers send them without the key."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        """Browsers refuse the answers to pages of other origins if there are no `origins`."""
        self._app = app
        self._consumer_app = app
        if origins:
            self._consumer_app = CORSMiddleware(
                app,
                allow_origins=origins,
                allow_methods=_METHODS,
                allow_headers=_REQUEST_HEADERS,
                expose_headers=_RESPONSE_HEADERS,
                max_age=_MAX_AGE_S,
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_consumer = default_access(scope["path"]).path_class is PathClass.KEY
        await (self._consumer_app if is_consumer else self._app)(scope, receive, send)
