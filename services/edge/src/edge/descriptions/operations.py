"""The metadata of a route, for authorization and for the API description."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from fastapi.routing import APIRoute

from contract.messages.schemas import Components, Composed, Described, Json, ListOf
from edge.access import ADMIN, AGENT, OPEN, OUTSIDE, PUBLIC, Access, PathClass
from edge.routing import Deprecation, with_access

Tag = Literal["consumer", "public", "page", "admin"]

KEY_CODES = (
    "missing_key", "invalid_key", "revoked_key", "suspended_key", "expired_key", "scope_denied", "ip_denied",
    "rate_limited", "quota_exhausted", "spend_cap_reached", "invalid_payload", "unavailable",
)  # fmt: skip
OPEN_ADMIN_CODES = (
    "csrf_failed", "rate_limited", "invalid_payload", "unavailable", "deadline_exceeded", "upstream_failed",
)  # fmt: skip
ADMIN_CODES = ("sign_in_required", "role_denied", "totp_enrolment_required", *OPEN_ADMIN_CODES)
BODY_CODES = ("invalid_json", "invalid_payload", "payload_too_large", "unsupported_media_type")
UPSTREAM_CODES = ("upstream_failed", "unavailable", "deadline_exceeded")
REVERSE_CODES = ("address_not_found", "commune_loading", "source_unavailable", *UPSTREAM_CODES)
IDEMPOTENCY_CODES = ("idempotency_mismatch", "idempotency_used_up", "idempotency_in_progress")
PARCEL_CODES = ("parcel_not_found", "parcel_retired", "commune_loading", "source_unavailable", *UPSTREAM_CODES)
UNIT_CODES = ("address_not_found", "place_missing", "commune_needed", *PARCEL_CODES)

_VIOLATION = Composed("Violation", {name: {"type": "string"} for name in ("pointer", "code", "detail")})
PROBLEM = Composed(
    "Problem",
    {
        **{name: {"type": "string"} for name in ("type", "title", "detail", "instance", "code", "request_id")},
        "status": {"type": "integer"},
        "errors": ListOf(_VIOLATION),
        "successors": {"type": "array", "items": {"type": "string"}},
    },
    optional=("errors", "successors"),
)
_KEY = "operation"


@dataclass(frozen=True)
class Operation:
    """One operation of the description. Its texts are in dictionary/operations.toml."""

    tag: Tag
    endpoint: str
    """The name of the operation in keys; empty if it is not metered."""
    answer: Described | None
    status: int
    media_type: str
    codes: Sequence[str]
    """The problem codes that it may answer, including those of authorization."""
    is_open: bool
    """Whether the operation needs no credential, in spite of its tag."""
    alternative_media_types: Sequence[str]
    """Other media types that Accept can select; their schema is a string."""
    headers: Sequence[str]
    """Further headers of a successful answer."""
    deprecation: Deprecation | None
    other_statuses: Sequence[int]
    """Further statuses of answers that are no problems."""


def route_options(
    tag: Tag,
    answer: Described | None = None,
    *,
    status: int = 200,
    media_type: str = "application/json",
    codes: Sequence[str] = (),
    alternative_media_types: Sequence[str] = (),
    headers: Sequence[str] = (),
    is_open: bool = False,
    takes_any_query: bool = False,
    is_for_agents: bool = False,
    endpoint: str = "",
    deprecation: Deprecation | None = None,
    other_statuses: Sequence[int] = (),
) -> dict[str, Any]:
    """The keyword arguments for the registration of a route.

    `endpoint` is the name of a consumer route in keys. One that `is_for_agents` has none: it makes requests to others.
    Raises ValueError if another consumer route has none, or if a route of another tag has one.
    """
    if (tag == "consumer" and not is_for_agents) != bool(endpoint):
        raise ValueError("a consumer route, and no other, has an endpoint")
    access = {
        "consumer": AGENT if is_for_agents else Access(PathClass.KEY, endpoint),
        "public": PUBLIC,
        "page": OUTSIDE,
        "admin": OPEN if is_open else ADMIN,
    }[tag]
    access_codes = {
        "consumer": KEY_CODES,
        "public": () if takes_any_query else ("invalid_payload",),
        "page": (),
        "admin": OPEN_ADMIN_CODES if is_open else ADMIN_CODES,
    }[tag]
    operation = Operation(
        tag,
        endpoint,
        answer,
        status,
        media_type,
        (*access_codes, *codes, *(("not_acceptable",) if alternative_media_types else ())),
        is_open,
        alternative_media_types,
        headers,
        deprecation,
        other_statuses,
    )
    vary = "accept, accept-language" if alternative_media_types else ""
    extra = with_access(access, deprecation, takes_any_query=takes_any_query, vary=vary)
    return {"openapi_extra": {_KEY: operation, **extra}}


def operation_of(route: APIRoute) -> Operation | None:
    return (route.openapi_extra or {}).get(_KEY)


class DescribedBody(Protocol):
    """A dependency that reads the body of a request."""

    is_optional: bool
    media_types: Sequence[str]
    """`describe` gives the schema of the first one. That of the others is a string."""

    def describe(self, components: Components) -> Json: ...


class DescribedParameters(Protocol):
    """A dependency that reads parameters of a request."""

    def parameters(self, components: Components, operation: str) -> list[Json]: ...


def body_of(route: APIRoute) -> DescribedBody | None:
    return next((dependency for dependency in _calls(route) if hasattr(dependency, "describe")), None)


def parameters_of(route: APIRoute) -> Iterator[DescribedParameters]:
    return (dependency for dependency in _calls(route) if hasattr(dependency, "parameters"))


def _calls(route: APIRoute) -> Iterator[Any]:
    return (dependency.call for dependency in route.dependant.dependencies)
