"""The credential that each route needs, and the state of an authorized request.

A route declares its access at registration. The authorization middleware authorizes a request for the route that
answers it. The route raises NotAdmitted if the request was authorized for another route.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from starlette.requests import Request

from contract.endpoints import LISTS, OTHER
from edge.leases.decisions import Grant, RateLimits
from edge.leases.leases import RequestKey
from edge.metering.outcomes import AssistantUse

API = "/api/v1"
ADMIN_PREFIX = f"{API}/admin"
PROBES = frozenset({"/livez", "/readyz", f"{API}/livez", f"{API}/readyz"})
"""Platforms ask for them every few seconds: they never wait, are not traced, and are logged only if they fail."""


class PathClass(Enum):
    OUTSIDE = "outside"
    """Not under /api/v1: pages."""
    PUBLIC = "public"
    OPEN = "open"
    """Needs no credential, and is limited by the client's address."""
    ADMIN = "admin"
    KEY = "key"
    AGENT = "agent"
    """Needs a key. The handler makes requests with it, and each of them is authorized and metered."""


@dataclass(frozen=True, slots=True)
class Access:
    """The credential that a route needs, and the endpoint that keys meters."""

    path_class: PathClass
    endpoint: str = OTHER


OUTSIDE = Access(PathClass.OUTSIDE)
PUBLIC = Access(PathClass.PUBLIC)
OPEN = Access(PathClass.OPEN)
ADMIN = Access(PathClass.ADMIN)
AGENT = Access(PathClass.AGENT)


def is_api(path: str) -> bool:
    return path == API or path.startswith(f"{API}/")


def default_access(path: str) -> Access:
    """The access of a path without a route. Every path under /api/v1 needs a credential."""
    if not is_api(path):
        return OUTSIDE
    if path == ADMIN_PREFIX or path.startswith(f"{ADMIN_PREFIX}/"):
        return ADMIN
    return Access(PathClass.KEY)


@dataclass(slots=True)
class Admission:
    """An authorized request. The handler records here what the request used."""

    grant: Grant
    endpoint: str
    """The endpoint that was granted, and that the outcome names."""
    key: RequestKey
    rate_limits: RateLimits = ()
    """The limits of the key, as the headers of the answer state them."""
    input_tokens: int = 0
    output_tokens: int = 0
    assistant_use: AssistantUse | None = None
    reserves_line: bool = False
    """Whether the handler must reserve the units of the request, as one line: it has an Idempotency-Key."""
    failed_status: int | None = None
    """The status of the outcome if a stream failed after its 200 was sent."""
    problem_code: str = ""
    """The code of the problem that was sent, also as the last event of a stream."""
    is_free: bool = False
    """Whether the answer costs nothing, although it succeeded: a further page with nothing on it."""


_ADMITTED = "edge.admitted"
"""The admission of a request with a key, or the class of the routes that its credential was verified for."""
_PROBLEM_CODE = "edge.problem_code"


class NotAdmitted(Exception):
    """A request reached a route that it was not authorized for. This is a bug in the edge, answered with 500."""


def admit(scope: MutableMapping[str, Any], admitted: Admission | Literal[PathClass.ADMIN, PathClass.AGENT]) -> None:
    scope[_ADMITTED] = admitted


def note_problem(scope: MutableMapping[str, Any], code: str) -> None:
    """Stores the code of the problem that the answer has."""
    if (admission := admission_in(scope)) is not None:
        admission.problem_code = code
    else:
        scope[_PROBLEM_CODE] = code


def require_admission(scope: MutableMapping[str, Any], access: Access) -> None:
    """Raises NotAdmitted unless the request was authorized for a route with this access."""
    match access.path_class:
        case PathClass.KEY:
            admission = admission_in(scope)
            if admission is None or LISTS.get(admission.endpoint, admission.endpoint) != access.endpoint:
                raise NotAdmitted(access.endpoint)
        case PathClass.ADMIN | PathClass.AGENT as path_class:
            if scope.get(_ADMITTED) is not path_class:
                raise NotAdmitted(path_class.value)


def admission_of(request: Request) -> Admission:
    """The admission that the authorization middleware stored in the request."""
    admission = admission_in(request.scope)
    assert admission is not None  # noqa: S101 (tells mypy)
    return admission


def admission_in(scope: MutableMapping[str, Any]) -> Admission | None:
    """The admission of a request. None if the request was refused."""
    admission = scope.get(_ADMITTED)
    return admission if isinstance(admission, Admission) else None


def is_admitted(scope: MutableMapping[str, Any]) -> bool:
    """Whether a key or an admin was admitted for the request."""
    return admission_in(scope) is not None or scope.get(_ADMITTED) is PathClass.ADMIN


def logged_facts(scope: MutableMapping[str, Any]) -> dict[str, str | int]:
    """What the log line of an answered request says of its key and its problem. `units` without those of lines."""
    admission = admission_in(scope)
    code = scope.get(_PROBLEM_CODE, "") if admission is None else admission.problem_code
    facts: dict[str, str | int] = {"code": code} if code else {}
    if admission is not None:
        facts |= {
            "key_id": admission.grant.key_id,
            "partner_id": admission.grant.partner_id,
            "endpoint": admission.endpoint,
            "units": 0 if code or admission.is_free else admission.grant.units,
        }
    return facts
