"""The routes of the edge, and the lookup of the route that answers a request.

The authorization middleware looks up the route once, by the exact path. The router then uses that route and no other.
So the route that is authorized and metered is the route that answers.
"""

from collections.abc import Callable, Coroutine, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Message, Receive, Scope, Send

from edge.access import OUTSIDE, Access, is_api, require_admission

_MATCHED = "edge.route"
_ACCESS = "access"
_DEPRECATION = "deprecation"


_NOTICE = timedelta(days=365)


@dataclass(frozen=True)
class Deprecation:
    """An announced removal of a route. Raises ValueError if partners have less than twelve months."""

    since: date
    sunset: date
    """The first day on which the route may no longer answer."""
    guide: str
    """The address of a text for those who use the route."""

    def __post_init__(self) -> None:
        if self.sunset - self.since < _NOTICE:
            raise ValueError("a removal is announced twelve months ahead")

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Deprecation (RFC 9745) and Sunset (RFC 8594)."""
        since = int(_midnight(self.since).timestamp())
        return [
            (b"deprecation", f"@{since}".encode()),
            (b"sunset", format_datetime(_midnight(self.sunset), usegmt=True).encode()),
            (b"link", f'<{self.guide}>; rel="deprecation"; type="text/html"'.encode()),
        ]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def with_access(access: Access, deprecation: Deprecation | None = None) -> dict[str, Any]:
    """The `openapi_extra` of a route that needs this access."""
    return {_ACCESS: access, _DEPRECATION: deprecation}


class PlainRoute(APIRoute):
    """Calls its handler if the request was authorized for this route. Announces the removal of the route.

    Raises ValueError at registration if the route is under /api/v1 and declares no access.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        declared = options.get("openapi_extra") or {}
        if _ACCESS not in declared and is_api(path):
            raise ValueError(f"{path} declares no access")
        self.access: Access = declared.get(_ACCESS, OUTSIDE)
        deprecation: Deprecation | None = declared.get(_DEPRECATION)
        self._announcement = deprecation.headers() if deprecation else []
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def admitted(request: Request) -> Response:
            require_admission(request.scope, self.access)
            return await handler(request)

        return admitted

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the answer, an error too, with the announcement of the removal."""

        async def announce(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._announcement]
            await send(message)

        await super().handle(scope, receive, announce if self._announcement else send)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Matches only requests for which the authorization middleware found this route."""
        found = scope.get(_MATCHED)
        if found is None or found[0] is not self:
            return Match.NONE, {}
        return Match.FULL, {"endpoint": self.endpoint, "path_params": found[1], "route": self}


def new_router() -> APIRouter:
    return APIRouter(route_class=PlainRoute, redirect_slashes=False)


def set_route(scope: MutableMapping[str, Any], route: PlainRoute, path_params: Mapping[str, str]) -> None:
    """Stores the route that answers this request."""
    scope[_MATCHED] = (route, path_params)


@dataclass(frozen=True, slots=True)
class PathRoutes:
    """The routes of one path by method, with the values of its path parameters."""

    by_method: Mapping[str, PlainRoute] = field(default_factory=dict)
    path_params: Mapping[str, str] = field(default_factory=dict)


_NOTHING = PathRoutes()


class RouteTable:
    """Finds the routes of a path. The whole path must match exactly."""

    def __init__(self, routes: Sequence[PlainRoute]) -> None:
        self._fixed: dict[str, dict[str, PlainRoute]] = {}
        self._patterns: dict[str, tuple[PlainRoute, dict[str, PlainRoute]]] = {}
        for route in routes:
            by_method = (
                self._patterns.setdefault(route.path, (route, {}))[1]
                if route.param_convertors
                else self._fixed.setdefault(route.path, {})
            )
            by_method.update(dict.fromkeys(route.methods or (), route))

    def lookup(self, path: str) -> PathRoutes:
        """The routes of the path; empty if there are none."""
        if path in self._fixed:
            return PathRoutes(self._fixed[path])
        for route, by_method in self._patterns.values():
            # fullmatch: "$" alone would accept a newline after the path
            if found := route.path_regex.fullmatch(path):
                return PathRoutes(by_method, found.groupdict())
        return _NOTHING
