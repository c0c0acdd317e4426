"""The base classes of all service errors. They do not depend on gRPC or HTTP, so that domains may raise them.
The errors of a service are in its errors.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from servicekit.languages import Text

V = TypeVar("V")


@dataclass(frozen=True)
class Violation:
    """One violation of the contract: a JSON pointer (RFC 6901), a code and a sentence."""

    pointer: str
    code: str
    detail: Text | str


def expect(value: V | None, error: Exception) -> V:
    """The value. Raises the error in place of None."""
    if value is None:
        raise error
    return value


def pointer_part(name: object) -> str:
    """The name as the next part of a JSON pointer."""
    return "/" + str(name).replace("~", "~0").replace("/", "~1")


@dataclass
class ServiceError(Exception):
    """An error for the caller: a stable `code`, and a sentence without secrets.

    `retry_after_s` is set if a later retry may succeed. `metadata` is machine-readable, such as the successors of a
    retired parcel.
    """

    code = "internal"

    detail: Text | str
    retry_after_s: int | None = None
    violations: Sequence[Violation] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __init_subclass__(cls, code: str = "") -> None:
        cls.code = code or cls.code

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class InvalidPayload(ServiceError, code="invalid_payload"):
    """The request breaks its contract, with a pointer to each violation."""


class Overloaded(ServiceError, code="unavailable"):
    """The service has too much work and did not start the request."""


class WebhookNotFound(ServiceError, code="not_found"):
    """The owner has no such endpoint of webhooks."""


class WebhookNotActive(ServiceError, code="conflict"):
    """The endpoint gets no messages: it is not verified yet, or is paused."""


class WebhooksOff(ServiceError, code="not_implemented"):
    """The service has no key for the secrets of webhooks."""
