"""Who may call which path, and what a granted request carries along."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from starlette.requests import Request

API = "/api/v1"
_ADMIN = f"{API}/admin"


class PathClass(Enum):
    OUTSIDE = "outside"
    """Not under /api/v1: pages and probes."""
    PUBLIC = "public"
    ADMIN_OPEN = "admin_open"
    ADMIN = "admin"
    KEY = "key"


PUBLIC_PATHS = frozenset(f"{API}/{name}" for name in ("health", "openapi.json", "openapi-public.json", "docs/public"))
_ADMIN_OPEN = frozenset(
    {
        ("GET", f"{_ADMIN}/setup"),
        ("HEAD", f"{_ADMIN}/setup"),
        ("POST", f"{_ADMIN}/setup"),
        ("POST", f"{_ADMIN}/session"),
    }
)

ENDPOINTS: Mapping[tuple[str, str], str] = {
    ("POST", f"{API}/addresses/resolve"): "addresses.resolve",
    ("POST", f"{API}/land-units/geojson"): "land-units.geojson",
    ("POST", f"{API}/assistant/divide-land"): "assistant.divide-land",
    ("GET", f"{API}/usage"): "usage",
    ("GET", f"{API}/coverage"): "coverage",
}
"""Names by which keys knows an endpoint; everything else is `other`, and costs nothing."""


def classify(method: str, path: str) -> PathClass:
    """Everything under /api/v1 needs a key unless it is listed otherwise."""
    if path != API and not path.startswith(f"{API}/"):
        return PathClass.OUTSIDE
    if path in PUBLIC_PATHS:
        return PathClass.PUBLIC
    if path == _ADMIN or path.startswith(f"{_ADMIN}/"):
        return PathClass.ADMIN_OPEN if (method, path) in _ADMIN_OPEN else PathClass.ADMIN
    return PathClass.KEY


def endpoint_name(method: str, path: str) -> str:
    return ENDPOINTS.get(("GET" if method == "HEAD" else method, path), "other")


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
    input_tokens: int = 0
    output_tokens: int = 0
    failed_status: int | None = None
    """Set where a streamed answer failed after its 200 had left: what the outcome counts as."""


_SCOPE_KEY = "edge.admission"


def admit(scope: MutableMapping[str, Any], admission: Admission) -> None:
    scope[_SCOPE_KEY] = admission


def admission_of(request: Request) -> Admission:
    """The admission that the gate has put on every request with a key."""
    admission = request.scope[_SCOPE_KEY]
    assert isinstance(admission, Admission)  # noqa: S101 (tells mypy)
    return admission
