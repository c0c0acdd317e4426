"""The RateLimit and RateLimit-Policy headers (draft-ietf-httpapi-ratelimit-headers-10): lists of structured fields."""

from collections.abc import Sequence

from edge.clients.keys import RateLimit


def rate_limit_headers(limits: Sequence[RateLimit]) -> dict[str, str]:
    """One item per policy: q quota, w window in seconds; r remaining, t seconds until it is restored."""
    if not limits:
        return {}
    return {
        "ratelimit-policy": ", ".join(f'"{limit.policy}";q={limit.limit};w={limit.window_s}' for limit in limits),
        "ratelimit": ", ".join(f'"{limit.policy}";r={max(limit.remaining, 0)};t={limit.reset_s}' for limit in limits),
    }
