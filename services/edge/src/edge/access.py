"""Who may call which route, and what a granted request carries along.

A route declares its access where it is registered. The gate authorizes a request for the route that will answer it, and
the route refuses to run under any other admission.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from starlette.requests import Request

from edge.metering.outcomes import AssistantUse

API = "/api/v1"
ADMIN_PREFIX = f"{API}/admin"
OTHER = "other"
"""The endpoint of a request that no route answers: it needs a valid key and costs nothing."""


class PathClass(Enum):
    OUTSIDE = "outside"
    """Not under /api/v1: pages and probes."""
    PUBLIC = "public"
    ADMIN_OPEN = "admin_open"
    ADMIN = "admin"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Access:
    """What a request must show to reach a route, and the endpoint that keys counts it as."""

    path_class: PathClass
    endpoint: str = OTHER


OUTSIDE = Access(PathClass.OUTSIDE)
PUBLIC = Access(PathClass.PUBLIC)
ADMIN_OPEN = Access(PathClass.ADMIN_OPEN)
ADMIN = Access(PathClass.ADMIN)


def is_api(path: str) -> bool:
    return path == API or path.startswith(f"{API}/")


def default_access(path: str) -> Access:
    """The access of a path that no route answers: everything under /api/v1 needs a credential."""
    if not is_api(path):
        return OUTSIDE
    if path == ADMIN_PREFIX or path.startswith(f"{ADMIN_PREFIX}/"):
        return ADMIN
    return Access(PathClass.KEY)


AssistantMode = Literal["disabled", "rules", "model"]


@dataclass(frozen=True, slots=True)
class AssistantGrant:
    """What the key's policy lets this request do."""

    mode: AssistantMode
    token_limit: int | None
    """Tokens that this request may use; None is no limit."""


@dataclass(frozen=True, slots=True)
class Grant:
    key_id: str
    is_test: bool
    assistant: AssistantGrant | None


@dataclass(frozen=True, slots=True)
class Caller:
    """The credential of an admin's request; empty texts where it shows none."""

    session_token: str = field(default="", repr=False)
    csrf_token: str = field(default="", repr=False)
    bearer_token: str = field(default="", repr=False)
    client_address: str = ""


@dataclass(slots=True)
class Admission:
    """A granted request under way: the handler says here what it used."""

    grant: Grant
    endpoint: str
    """What keys authorized, and what the outcome is counted as."""
    input_tokens: int = 0
    output_tokens: int = 0
    assistant_use: AssistantUse | None = None
    failed_status: int | None = None
    """Set where a streamed answer failed after its 200 had left: what the outcome counts as."""


_ADMISSION = "edge.admission"
_ADMIN_CHECKED = "edge.admin_checked"


class NotAdmitted(Exception):
    """A route was reached by a request that was not admitted to it: a defect of the edge, answered with 500."""


def admit(scope: MutableMapping[str, Any], admission: Admission) -> None:
    scope[_ADMISSION] = admission


def admit_admin(scope: MutableMapping[str, Any]) -> None:
    scope[_ADMIN_CHECKED] = True


def require_admission(scope: MutableMapping[str, Any], access: Access) -> None:
    """Raises NotAdmitted unless the gate admitted this request to a route of this access."""
    match access.path_class:
        case PathClass.KEY:
            admission = scope.get(_ADMISSION)
            if not isinstance(admission, Admission) or admission.endpoint != access.endpoint:
                raise NotAdmitted(access.endpoint)
        case PathClass.ADMIN:
            if scope.get(_ADMIN_CHECKED) is not True:
                raise NotAdmitted("admin")


def admission_of(request: Request) -> Admission:
    """The admission that the gate has put on every request with a key."""
    admission = request.scope[_ADMISSION]
    assert isinstance(admission, Admission)  # noqa: S101 (tells mypy)
    return admission
