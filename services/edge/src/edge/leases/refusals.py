"""The problem of a denial, and the headers that state the limits of a key."""

import logging
from collections.abc import Sequence

from contract.messages.values import optional
from contract.problem_codes import PROBLEMS, denial_detail
from edge.leases.decisions import Denied, RateLimit
from edge.problems import Problem

log = logging.getLogger(__name__)


def rate_limit_headers(limits: Sequence[RateLimit]) -> dict[str, str]:
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
