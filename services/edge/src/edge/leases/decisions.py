"""What is decided about a request: a grant, a denial, or to wait. How answers state it."""

from __future__ import annotations  # `ValueType` exists in the stubs only

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from contract.messages.values import optional
from contract.problem_codes import PROBLEMS, denial_detail
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2

log = logging.getLogger(__name__)

ID_BYTES = 16
new_id = partial(os.urandom, ID_BYTES)
"""Makes the id of a lease, an event or a request of lines."""
RateLimits: TypeAlias = Sequence[keys_pb2.RateLimitState]
"""The items of the RateLimit headers. `remaining` is certainly left; it is below 0 if a soft limit is passed."""


class RequestKind(NamedTuple):
    """What the decision about a request of a key depends on."""

    endpoint: str
    client_address: str
    reserves_line: bool = False
    """The request has an Idempotency-Key: its units are reserved as one line, and not taken of the lease."""
    goes_on: bool = False
    """The request was counted and goes on. It takes nothing of the lease."""


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
    rate_limits: RateLimits = ()


class Denied(NamedTuple):
    """A denial, which also applies to other requests of its kind until the monotonic time `until`."""

    denial: keys_pb2.Denial
    rate_limits: RateLimits
    until: float


class Later(NamedTuple):
    """What a request needs is reserved, and may come back. It may ask again at the monotonic time `until`."""

    until: float


def rate_limit_headers(limits: RateLimits) -> dict[str, str]:
    """RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10), one item per policy.

    The quota is `q`, its window in seconds `w`, the remaining requests `r`, the seconds until they are restored `t`.
    """
    if not limits:
        return {}
    return {
        "ratelimit-policy": ", ".join(f'"{limit.policy}";q={limit.limit};w={limit.window_s}' for limit in limits),
        "ratelimit": ", ".join(f'"{limit.policy}";r={max(limit.remaining, 0)};t={limit.reset_s}' for limit in limits),
    }


def refusal(denied: Denied) -> Problem:
    """Returns the problem of a denial."""
    denial = denied.denial
    detail = denial_detail(denial.code, denial.facts) if denial.code in PROBLEMS else None
    if detail is None:
        log.error("keys sent an unknown denial code", extra={"code": denial.code})
        return Problem("upstream_failed")
    headers = rate_limit_headers(denied.rate_limits)
    return Problem(denial.code, detail, retry_after_s=optional(denial, "retry_after_s"), headers=headers)
