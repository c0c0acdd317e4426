"""The routes of the edge, and the lookup of the route that answers a request.

The authorization middleware looks up the route once, by the exact path, and calls it. So the route that is authorized
and metered is the route that answers.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from inspect import iscoroutinefunction
from typing import Any

from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from edge.access import OUTSIDE, Access, is_api, require_admission
from edge.problems import Problem
from edge.responses import to_response
from servicekit.errors import Violation, pointer_part
from servicekit.languages import Text

_ACCESS = "access"
_ANNOUNCED = "announced"
_TAKES_ANY_QUERY = "takes_any_query"

_NONE = Text("Cette adresse ne prend aucun paramètre.", "This address takes no parameter.")
_UNKNOWN = Text("ce paramètre est inconnu", "this parameter is unknown")
_REPEATED = Text("ce paramètre est donné plusieurs fois", "this parameter is given several times")
_NOTICE = timedelta(days=365)
FORMER_NAMES = {"commune": "commune_code", "city_code": "commune_code"}
"""Names of parameters that are still taken, and are not described."""


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
        return [
            (b"deprecation", f"@{int(_midnight(self.since).timestamp())}".encode()),
            (b"sunset", format_datetime(_midnight(self.sunset), usegmt=True).encode()),
            (b"link", f'<{self.guide}>; rel="deprecation"; type="text/html"'.encode()),
        ]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def with_access(
    access: Access, deprecation: Deprecation | None = None, *, takes_any_query: bool = False, vary: str = ""
) -> dict[str, Any]:
    """The `openapi_extra` of a route that needs this access. `vary` names the headers that select its answer.

    A route under /api/v1 refuses query parameters that its dependencies do not declare, unless `takes_any_query`.
    """
    announced = [*([(b"vary", vary.encode())] if vary else []), *(deprecation.headers() if deprecation else [])]
    return {_ACCESS: access, _ANNOUNCED: announced, _TAKES_ANY_QUERY: takes_any_query}


class Signature:
    """What a handler takes: the request, texts of the path, and asynchronous dependencies of the request alone.

    FastAPI parses the signature, and describes the route by it. Its own lookup of arguments at parameter request also
    covers forms, nested dependencies and validation of parameters, and takes a third of the edge's time.
    """

    def __init__(self, dependant: Dependant, path: str) -> None:
        """Raises ValueError if the handler takes anything else."""
        self._request_name = dependant.request_param_name
        self._path_names = [(parameter.name, parameter.alias) for parameter in dependant.path_params]
        self.query_names: list[str] = []
        """The query parameters that the dependencies read: their `query_names`."""
        self._dependencies: list[tuple[str | None, Callable[[Request], Awaitable[Any]]]] = []
        for dependency in dependant.dependencies:
            if (
                dependency.call is None
                or _parameters(dependency)
                or dependency.dependencies
                or dependency.request_param_name != "request"
            ):
                raise ValueError(f"{path}: a dependency takes the request and nothing else")
            _require_asynchronous(dependency.call, path)
            self.query_names += getattr(dependency.call, "query_names", ())
            self._dependencies.append((dependency.name, dependency.call))
        if dependant.call is not None:
            _require_asynchronous(dependant.call, path)
        if len(_parameters(dependant)) != len(self._path_names) or any(
            parameter.field_info.annotation is not str or parameter.field_info.metadata
            for parameter in dependant.path_params
        ):
            raise ValueError(f"{path}: a handler takes the request, texts of its path, and dependencies")

    async def arguments(self, request: Request) -> dict[str, Any]:
        """The arguments of the handler. Dependencies run in the order of the signature."""
        arguments: dict[str, Any] = {name: request.path_params[alias] for name, alias in self._path_names}
        if self._request_name is not None:
            arguments[self._request_name] = request
        for name, dependency in self._dependencies:
            value = await dependency(request)
            if name is not None:
                arguments[name] = value
        return arguments


def _require_asynchronous(function: Callable[..., Any], path: str) -> None:
    if not iscoroutinefunction(function) and not iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        raise ValueError(f"{path}: {function} is not asynchronous")


def _parameters(dependant: Dependant) -> list[Any]:
    return [
        *dependant.path_params,
        *dependant.query_params,
        *dependant.header_params,
        *dependant.cookie_params,
        *dependant.body_params,
    ]


class PlainRoute(APIRoute):
    """Calls its handler if the request was authorized for this route. Announces the removal of the route, and what
    selects its answer.

    Raises ValueError at registration if the route is under /api/v1 and declares no access.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        declared = options.get("openapi_extra") or {}
        if _ACCESS not in declared and is_api(path):
            raise ValueError(f"{path} declares no access")
        self.access: Access = declared.get(_ACCESS, OUTSIDE)
        self._announcement: list[tuple[bytes, bytes]] = declared.get(_ANNOUNCED, [])
        super().__init__(path, endpoint, **options)
        self._signature = Signature(self.dependant, path)
        self._takes_any_query = self.access == OUTSIDE or declared.get(_TAKES_ANY_QUERY, False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the answer, a Problem too, with the announcements. Raises NotAdmitted."""

        async def announce(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._announcement]
            await send(message)

        require_admission(scope, self.access)
        scope["route"] = self  # RequestLogging counts by it only the requests that reach their route
        request = Request(scope, receive)
        try:
            if scope["query_string"] and not self._takes_any_query:
                _check_query(request, self._signature.query_names)
            response = await self.endpoint(**await self._signature.arguments(request))
        except Problem as problem:
            response = to_response(problem, scope["path"])
        await response(scope, receive, announce if self._announcement else send)


def _check_query(request: Request, declared: Sequence[str]) -> None:
    """Refuses query parameters that a route does not declare, and those that a request repeats. Raises Problem.

    A parameter that is ignored answers another question: a report of everything for a misspelt filter.
    """
    counts = Counter(present_name(name, declared) for name, _ in request.query_params.multi_items())
    violations = [
        Violation(pointer_part(name), "unknown_member", str(_UNKNOWN))
        if name not in declared
        else Violation(pointer_part(name), "too_many", str(_REPEATED))
        for name, count in counts.items()
        if name not in declared or count > 1
    ]
    if violations:
        names = ", ".join(declared)
        some = Text(
            f"Cette adresse prend ces paramètres, chacun une fois : {names}.",
            f"This address takes these parameters, each of them once: {names}.",
        )
        raise Problem("invalid_payload", some if declared else _NONE, violations)


def present_name(name: str, declared: Sequence[str]) -> str:
    """The name of a parameter, if a route declares it by another one than its former name."""
    present = FORMER_NAMES.get(name, name)
    return present if present in declared else name


def new_router() -> APIRouter:
    return APIRouter(route_class=PlainRoute, redirect_slashes=False)


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
            if match := route.path_regex.fullmatch(path):
                return PathRoutes(by_method, match.groupdict())
        return _NOTHING
