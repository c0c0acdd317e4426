"""The metadata of a route for the API description and for authorization."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from edge.access import ADMIN, ADMIN_OPEN, PUBLIC, Access, PathClass
from edge.routing import with_access

Tag = Literal["consumer", "public", "admin"]

KEY_CODES = (
    "missing_key", "invalid_key", "revoked_key", "expired_key", "scope_denied", "ip_denied", "rate_limited",
    "quota_exhausted", "spend_cap_reached", "invalid_payload", "unavailable",
)  # fmt: skip
OPEN_ADMIN_CODES = (
    "csrf_failed", "rate_limited", "invalid_payload", "unavailable", "deadline_exceeded", "upstream_failed",
)  # fmt: skip
ADMIN_CODES = ("sign_in_required", "role_denied", "totp_enrolment_required", *OPEN_ADMIN_CODES)
BODY_CODES = ("invalid_json", "invalid_payload", "payload_too_large", "unsupported_media_type")
UPSTREAM_CODES = ("upstream_failed", "unavailable", "deadline_exceeded")
LAND_CODES = ("address_not_found", "commune_loading", "source_unavailable", *UPSTREAM_CODES)
UNIT_CODES = ("parcel_not_found", "parcel_retired", *LAND_CODES)

_KEY = "operation"


@dataclass(frozen=True)
class Operation:
    """One operation of the description."""

    summary: str
    tag: Tag
    response: type[BaseModel] | None
    status: int
    media_type: str
    codes: Sequence[str]
    """The problem codes that it may answer, including those of authorization."""
    body: type[BaseModel] | None
    parameters: type[BaseModel] | None
    is_open: bool
    """Whether the operation needs no credential, in spite of its tag."""
    alternative_media_type: str | None
    """Another media type that Accept can select; its schema is a string."""


def route_options(
    summary: str,
    *,
    tag: Tag,
    response: type[BaseModel] | None = None,
    status: int = 200,
    media_type: str = "application/json",
    codes: Sequence[str] = (),
    body: type[BaseModel] | None = None,
    parameters: type[BaseModel] | None = None,
    alternative_media_type: str | None = None,
    is_open: bool = False,
    endpoint: str = "",
) -> dict[str, Any]:
    """The keyword arguments for the registration of a route.

    `endpoint` is the name of a consumer route in keys. Raises ValueError if a consumer route has none, or if another
    route has one.
    """
    if (tag == "consumer") != bool(endpoint):
        raise ValueError(f"{summary}: a consumer route, and no other, has an endpoint")
    access = {"consumer": Access(PathClass.KEY, endpoint), "public": PUBLIC, "admin": ADMIN_OPEN if is_open else ADMIN}
    known = OPEN_ADMIN_CODES if is_open else {"consumer": KEY_CODES, "public": (), "admin": ADMIN_CODES}[tag]
    of_body = BODY_CODES if body is not None else ()
    operation = Operation(
        summary=summary,
        tag=tag,
        response=response,
        status=status,
        media_type=media_type,
        codes=tuple(dict.fromkeys((*known, *of_body, *codes))),
        body=body,
        parameters=parameters,
        is_open=is_open,
        alternative_media_type=alternative_media_type,
    )
    return {"summary": summary, "tags": [tag], "openapi_extra": {_KEY: operation, **with_access(access[tag])}}


def operation_of(openapi_extra: dict[str, Any] | None) -> Operation | None:
    return (openapi_extra or {}).get(_KEY)
