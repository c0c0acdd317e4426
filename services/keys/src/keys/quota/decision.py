"""Decides one request of an identified key: a grant with its reservation, or a denial with its reason.

A test key is never billed, so its spend cap does not apply. Its quota does. If other keys share the key's plan, the
spend cap counts the most that the key's units can cost. So a decision needs no units of other keys, whose rows it does
not lock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from keys import pricing
from keys.issuing.secret import KeyMode
from keys.quota import months
from keys.quota.policy import AssistantMode, KeyPolicy, Rules, contains
from keys.quota.rates import RateState
from servicekit.endpoints import DIVIDE_LAND, SCOPES, SUGGEST

_ALLOWANCE = "assistant_allowance_exhausted"


@dataclass(frozen=True)
class Call:
    """The requested endpoint, and the client's address as reported by the edge. If `reserves_line` is set, the request
    reserves its units later, as one line.
    """

    endpoint: str
    client_address: str
    reserves_line: bool = False


@dataclass(frozen=True)
class MonthCounts:
    """A key's counts in one month. The `reserved` ones belong to requests without an outcome yet."""

    requests: int = 0
    errors: int = 0
    units: int = 0
    reserved_units: int = 0
    calls: int = 0
    reserved_calls: int = 0
    tokens: int = 0
    reserved_tokens: int = 0
    suggestions: int = 0
    """The suggestions that were granted, whatever their outcome."""


@dataclass(frozen=True)
class Consumption:
    """The state of a key that its requests change."""

    rates: RateState
    month: MonthCounts


@dataclass(frozen=True)
class Grant:
    """The reservation of a granted request. `assistant` and `token_limit` are None for all but assistant calls. A token
    limit of None is no limit.
    """

    units: int
    assistant: AssistantMode | None = None
    token_limit: int | None = None
    is_suggestion: bool = False


@dataclass(frozen=True)
class Denial:
    """A refusal. `facts` are the values of the edge's sentence, by name. Only the edge has the sentences."""

    code: str
    retry_after_s: int | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RateLimit:
    """One policy's state, as in the RateLimit headers."""

    policy: str
    limit: int
    remaining: int
    window_s: int
    reset_s: int


def decide(key: KeyPolicy, consumption: Consumption, call: Call, now: datetime, rules: Rules) -> Grant | Denial:
    """Decides without counting: `apply` counts the decision. `consumption.rates` must be as of `now`."""
    units = 0 if call.reserves_line else rules.units(call.endpoint, consumption.month.suggestions)
    return (
        check_access(key, call, now)
        or _check_rates(key, consumption)
        or check_quota(key, consumption.month, units, now)
        or _reserve(key, consumption.month, call.endpoint, units, now, rules)
    )


def apply(consumption: Consumption, decision: Grant | Denial) -> Consumption:
    """Returns the consumption after the decision. A denial is a request and an error; a grant is a reservation."""
    month = consumption.month
    if isinstance(decision, Denial):
        return replace(consumption, month=replace(month, requests=month.requests + 1, errors=month.errors + 1))
    month = replace(
        month,
        reserved_units=month.reserved_units + decision.units,
        reserved_calls=month.reserved_calls + (decision.assistant is not None),
        reserved_tokens=month.reserved_tokens + (decision.token_limit or 0),
        suggestions=month.suggestions + decision.is_suggestion,
    )
    return Consumption(consumption.rates.taken(), month)


def rate_limits(key: KeyPolicy, consumption: Consumption, now: datetime) -> list[RateLimit]:
    """Returns the state of the key's limits, without the month if the key has no monthly limit."""
    rates, quota = consumption.rates, key.quota
    limits = [
        RateLimit(
            "burst",
            quota.burst,
            rates.burst_remaining,
            _ceil_div(quota.burst * 60, max(1, quota.per_minute)),
            rates.burst_reset_s(quota.per_minute, quota.burst),
        ),
        RateLimit("minute", quota.per_minute, max(0, quota.per_minute - rates.minute_count), 60, rates.minute_reset_s),
    ]
    if quota.monthly_units is not None:
        month = months.month_of(now)
        ends = months.end_of(month)
        used = consumption.month.units + consumption.month.reserved_units
        length = int((ends - months.start_of(month)).total_seconds())
        remaining = max(0, quota.monthly_units - used)
        limits.append(RateLimit("month", quota.monthly_units, remaining, length, _seconds_until(ends, now)))
    return limits


def check_access(key: KeyPolicy, call: Call, now: datetime) -> Denial | None:
    """Whether the key may call the endpoint at all."""
    if key.revoked_at is not None:
        return Denial("revoked_key")
    if not key.is_partner_active:
        return Denial("revoked_key", facts={"subject": "partner"})
    if key.expires_at is not None and key.expires_at <= now:
        return Denial("expired_key")
    if key.scopes and call.endpoint in SCOPES and call.endpoint not in key.scopes:
        return Denial("scope_denied", facts={"endpoint": call.endpoint})
    if key.networks and not contains(key.networks, call.client_address):
        return Denial("ip_denied")
    if call.endpoint == DIVIDE_LAND and key.assistant.mode is AssistantMode.DISABLED:
        return Denial("assistant_denied")
    return None


def _check_rates(key: KeyPolicy, consumption: Consumption) -> Denial | None:
    wait = consumption.rates.wait_s(key.quota.per_minute)
    if not wait:
        return None
    quota = key.quota
    return Denial("rate_limited", wait, {"per_minute": str(quota.per_minute), "burst": str(quota.burst)})


def check_quota(key: KeyPolicy, month: MonthCounts, weight: int, now: datetime) -> Denial | None:
    """Whether the month has so many units left."""
    quota, used = key.quota, month.units + month.reserved_units
    if not weight:
        return None
    if quota.hard and quota.monthly_units is not None and used + weight > quota.monthly_units:
        remaining = max(0, quota.monthly_units - used)
        return Denial("quota_exhausted", _until_next_month(now), {"units": str(weight), "left": str(remaining)})
    if quota.spend_cap is None or key.terms is None or key.mode is KeyMode.TEST:
        return None
    price = pricing.most if key.has_sharing_keys else pricing.net
    if price(key.terms, used + weight) > quota.spend_cap:
        return Denial("spend_cap_reached", _until_next_month(now), {"cap": format(quota.spend_cap, "f")})
    return None


def _reserve(
    key: KeyPolicy, month: MonthCounts, endpoint: str, units: int, now: datetime, rules: Rules
) -> Grant | Denial:
    policy = key.assistant
    if endpoint != DIVIDE_LAND:
        return Grant(units, is_suggestion=endpoint == SUGGEST)
    if policy.monthly_calls is not None and month.calls + month.reserved_calls >= policy.monthly_calls:
        return Denial(_ALLOWANCE, _until_next_month(now), {"of": "calls"})
    if policy.mode is AssistantMode.RULES or policy.monthly_tokens is None:
        return Grant(units, policy.mode)
    remaining = policy.monthly_tokens - month.tokens - month.reserved_tokens
    if remaining <= 0:
        return Denial(_ALLOWANCE, _until_next_month(now), {"of": "tokens"})
    return Grant(units, policy.mode, min(remaining, rules.tokens_per_call))


def _until_next_month(now: datetime) -> int:
    return _seconds_until(months.end_of(months.month_of(now)), now)


def _seconds_until(instant: datetime, now: datetime) -> int:
    return max(1, int((instant - now).total_seconds()) + 1)


def _ceil_div(number: int, divisor: int) -> int:
    return -(-number // divisor)
