"""What is decided about a request: a grant, a denial, or to wait."""

from __future__ import annotations  # `ValueType` exists in the stubs only

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from landpartner.keys.v1 import keys_pb2


class RequestKind(NamedTuple):
    """What the decision about a request of a key depends on."""

    endpoint: str
    client_address: str
    reserves_line: bool = False
    """The request has an Idempotency-Key: its units are reserved as one line, and not taken of the lease."""
    goes_on: bool = False
    """The request was counted and goes on. It takes nothing of the lease."""


class RateLimit(NamedTuple):
    """One item of the RateLimit headers. `remaining` is certainly left; it is below 0 if a soft limit is passed."""

    policy: str
    limit: int
    remaining: int
    window_s: int
    reset_s: int


@dataclass(frozen=True, slots=True)
class Grant:
    """A granted request, and what it took of its lease. It also took one request."""

    key_id: str
    partner_id: str
    mode: keys_pb2.KeyMode.ValueType
    lease_id: bytes = b""
    leased_at: str = ""
    """When the lease began, by the clock of keys."""
    units: int = 0
    assistant_mode: keys_pb2.AssistantMode.ValueType = keys_pb2.ASSISTANT_MODE_UNSPECIFIED
    token_limit: int | None = None
    """The tokens that an assistant call may use. None is no limit."""
    rate_limits: Sequence[RateLimit] = ()


class Denied(NamedTuple):
    """A denial, which also applies to other requests of its kind until the monotonic time `until`."""

    denial: keys_pb2.Denial
    rate_limits: Sequence[RateLimit]
    until: float


class Later(NamedTuple):
    """What a request needs is reserved, and may come back. It may ask again at the monotonic time `until`."""

    until: float
