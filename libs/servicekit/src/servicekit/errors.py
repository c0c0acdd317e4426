"""The root of every service's error tree. Knows nothing of gRPC or HTTP, so that domains may raise from it.
- ServiceError: anything that a caller is told by code
  - InvalidPayload: the request breaks its contract, with a pointer to each place
  - Overloaded: the service has too much work; nothing was begun
  - each service's own tree, drawn at the top of its errors.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Violation:
    """One thing wrong with a request: a JSON pointer (RFC 6901) to it, a code and a sentence."""

    pointer: str
    code: str
    detail: str


@dataclass
class ServiceError(Exception):
    """Something that the caller is told: a stable `code`, and a sentence that holds no secret.

    `retry_after_s` is set where trying again later may work. `metadata` is for machines, such as the successors of a
    retired parcel.
    """

    code = "internal"

    detail: str
    retry_after_s: int | None = None
    violations: Sequence[Violation] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class InvalidPayload(ServiceError):
    code = "invalid_payload"


class Overloaded(ServiceError):
    code = "unavailable"
