"""Decides what a key leases to an edge, and what becomes of it. Pure: no database and no clock.

`KeyState` is what the database knows of a key. Each function returns the changed state, so that
month.reserved_X is always the sum of what is left of X in the leases of the key in this month (docs/keys.md).

A test key is never billed, so its spend cap does not apply. Its quota does. If other keys share the key's plan, the
spend cap counts the most that the key's units can cost. So a decision needs no units of other keys, whose rows it does
not lock.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from contract import key_access
from contract.counters import NOTHING, Counters
from contract.endpoints import DIVIDE_LAND, SUGGEST
from keys.values import months, pricing
from keys.values.policy import SUGGESTIONS_PER_UNIT, AssistantMode, KeyPolicy, Rules
from keys.values.rates import RateState
from keys.values.secret import KeyMode

LEASE_LIFETIME = timedelta(minutes=15)
"""After it, a lease that its edge did not end returns what is left of it."""
_ALLOWANCE = "assistant_allowance_exhausted"
_RETRY_DELAY = timedelta(milliseconds=100)
"""The time from the end of a lease, or from a decision that waits for outcomes, to the next decision."""
_MOST = Counters(requests=100_000, units=1_000_000, suggestions=100_000, calls=100, tokens=10_000_000)
"""The largest lease."""


@dataclass(frozen=True)
class Lease:
    """A lease of one key to one edge. `left` is what is reserved by it: what no outcome has used and the edge has not
    returned. Its requests are the leased ones until it ends, and none after.
    """

    id: bytes
    key_id: str
    holder: bytes
    month: str
    leased_at: datetime
    left: Counters
    is_ended: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing is reserved by it: its edge has ended it, and all its outcomes are counted."""
        return self.is_ended and self.left == NOTHING


@dataclass(frozen=True)
class MonthCounts:
    """A key's counts in one month. The `reserved` ones are those of leases and of files of lines."""

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
    reserved_suggestions: int = 0

    @property
    def all_suggestions(self) -> int:
        """The suggestions if all leased ones are used."""
        return self.suggestions + self.reserved_suggestions

    def reserving(self, counters: Counters) -> "MonthCounts":
        """The counts with more reserved."""
        return replace(
            self,
            reserved_units=self.reserved_units + counters.units,
            reserved_calls=self.reserved_calls + counters.calls,
            reserved_tokens=self.reserved_tokens + counters.tokens,
            reserved_suggestions=self.reserved_suggestions + counters.suggestions,
        )


@dataclass(frozen=True)
class KeyState:
    policy: KeyPolicy
    rates: RateState
    """As of the decision."""
    month: MonthCounts
    month_name: str


@dataclass(frozen=True)
class Asking:
    """The request for which an edge needs a lease, and what it expects to need with it until the lease ends."""

    endpoint: str
    client_address: str
    reserves_line: bool = False
    """The request reserves its units as one line."""
    goes_on: bool = False
    """The request was counted and goes on: it needs no counters."""
    expected: Counters = NOTHING


@dataclass(frozen=True)
class Denial:
    """A refusal. `facts` are the values of the edge's sentence, by name. Only the edge has the sentences."""

    code: str
    retry_after_s: int | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Later:
    """What the request needs is in leases, and may come back."""

    retry_after: timedelta


@dataclass(frozen=True)
class RateLimit:
    """One policy's state, as in the RateLimit headers. `remaining` is below 0 if a soft quota is passed."""

    policy: str
    limit: int
    remaining: int
    window_s: int
    reset_s: int


def decide(
    state: KeyState, asking: Asking, leases: Iterable[Lease], now: datetime, lease_time: timedelta, rules: Rules
) -> Counters | Denial | Later:
    """Returns the counters to lease. `leases` are the leases of the key with something left."""
    denial = check_access(state.policy, asking.endpoint, asking.client_address, now)
    if denial is not None:
        return denial
    if asking.goes_on:
        return NOTHING
    refusal = refused(lambda changed: _check(changed, asking, now, rules), state, leases, now, lease_time)
    return refusal or _granted(state, asking, now, rules)


def refused(
    check: Callable[[KeyState], Denial | None],
    state: KeyState,
    leases: Iterable[Lease],
    now: datetime,
    lease_time: timedelta,
) -> Denial | Later | None:
    """Returns the denial of a check, or when to ask again if the check passes once all that is reserved comes back.

    A lease may come back at any age: the units of an ended one, when the outcomes of its requests arrive, and those of
    a dead edge after LEASE_LIFETIME. Units of lines come back if their lines fail.
    """
    denial = check(state)
    if denial is None:
        return None
    leases, returned = list(leases), state
    for lease in leases:
        returned = ended(returned, lease)
    returned = replace(returned, month=replace(returned.month, reserved_units=0))  # the rest is that of lines
    if check(returned) is not None:
        return denial
    ends = [lease.leased_at + lease_time - now for lease in leases if not lease.is_ended]
    return Later(max(min(ends, default=timedelta(0)), timedelta(0)) + _RETRY_DELAY)


def leased(state: KeyState, counters: Counters) -> KeyState:
    """The state with a new lease of these counters."""
    return replace(state, rates=state.rates.taken(counters.requests), month=state.month.reserving(counters))


def ended(state: KeyState, lease: Lease) -> KeyState:
    """The state if the edge returned all of a lease."""
    requests = lease.left.requests
    rates = state.rates.returned(requests, requests, minute_of(lease), state.policy.quota.burst)
    returned = lease.left if lease.month == state.month_name else NOTHING
    return replace(state, rates=rates, month=state.month.reserving(NOTHING - returned))


def minute_of(lease: Lease) -> int:
    """The clock minute in which the lease began, in minutes since 1970."""
    return int(lease.leased_at.timestamp()) // 60


def end_of(lease: Lease, unused: Counters) -> Lease:
    """The lease after its edge has ended it and returned what is unused. A lease ends once."""
    if lease.is_ended:
        return lease
    return replace(lease, is_ended=True, left=replace(lease.left - unused.at_most(lease.left), requests=0))


def used(lease: Lease, counters: Counters) -> Lease:
    """The lease after the outcome of a request that took these counters. Its requests are returned by its end."""
    taken = replace(counters.at_most(lease.left), requests=0)
    return replace(lease, left=lease.left - taken)


def validity(
    policy: KeyPolicy, secret_ends_at: datetime | None, leased_at: datetime, now: datetime, lease_time: timedelta
) -> timedelta:
    """How long a lease still lasts: it ends with the minute, and so with the month, and with the key and its secret."""
    minute_end = leased_at.replace(second=0, microsecond=0) + timedelta(minutes=1)
    ends = [leased_at + lease_time, minute_end, *filter(None, (policy.expires_at, secret_ends_at))]
    return min(ends) - max(now, leased_at)


def check_access(key: KeyPolicy, endpoint: str, client_address: str, now: datetime) -> Denial | None:
    """Whether the key may call the endpoint at all."""
    if key.revoked_at is not None:
        return Denial("revoked_key")
    if not key.is_partner_active:
        return Denial("revoked_key", facts={"subject": "partner"})
    if key.expires_at is not None and key.expires_at <= now:
        return Denial("expired_key")
    if key.suspended_at is not None:
        return Denial("suspended_key")
    refusal = key_access.access_denial(
        endpoint,
        client_address,
        scopes=key.scopes,
        networks=key.networks,
        is_assistant_disabled=key.assistant.mode is AssistantMode.DISABLED,
    )
    return None if refusal is None else Denial(refusal.code, facts=refusal.facts)


def check_quota(key: KeyPolicy, month: MonthCounts, units: int, now: datetime, rules: Rules) -> Denial | None:
    """Whether the month has so many units left."""
    quota, in_use = key.quota, units_in_use(month, rules)
    if not units:
        return None
    if quota.hard and quota.monthly_units is not None and in_use + units > quota.monthly_units:
        remaining = max(0, quota.monthly_units - in_use)
        return Denial("quota_exhausted", _until_next_month(now), {"units": str(units), "left": str(remaining)})
    if quota.spend_cap is None or key.terms is None or key.mode is KeyMode.TEST:
        return None
    price = pricing.most if key.has_sharing_keys else pricing.net
    if price(key.terms, in_use + units) > quota.spend_cap:
        return Denial("spend_cap_reached", _until_next_month(now), {"cap": format(quota.spend_cap, "f")})
    return None


def units_in_use(month: MonthCounts, rules: Rules) -> int:
    """Counted and reserved units, with those that the leased suggestions may cost."""
    leased = units_of_suggestions(month.suggestions, month.reserved_suggestions, rules)
    return month.units + month.reserved_units + leased


def rate_limits(key: KeyPolicy, rates: RateState, month: MonthCounts, now: datetime, rules: Rules) -> list[RateLimit]:
    """Returns what is left of the key's limits, without what is leased, and without the month if it has no limit."""
    quota = key.quota
    limits = [
        RateLimit(
            "burst",
            quota.burst,
            rates.burst_remaining,
            -(-quota.burst * 60 // max(1, quota.per_minute)),
            rates.burst_reset_s(quota.per_minute, quota.burst),
        ),
        RateLimit("minute", quota.per_minute, max(0, quota.per_minute - rates.minute_count), 60, rates.minute_reset_s),
    ]
    if quota.monthly_units is not None:
        this_month = months.month_of(now)
        ends = months.end_of(this_month)
        length = int((ends - months.start_of(this_month)).total_seconds())
        remaining = quota.monthly_units - units_in_use(month, rules)
        limits.append(RateLimit("month", quota.monthly_units, remaining, length, _seconds_until(ends, now)))
    return limits


def units_of_suggestions(granted: int, more: int, rules: Rules) -> int:
    """The most that so many more suggestions cost after those that were granted to the key in the month: each tenth
    beyond the free ones is a unit.
    """

    def tenths(suggestions: int) -> int:
        return max(0, suggestions - rules.free_suggestions) // SUGGESTIONS_PER_UNIT

    return tenths(granted + more) - tenths(granted)


def _check(state: KeyState, asking: Asking, now: datetime, rules: Rules) -> Denial | None:
    """Whether the counters of one request are free."""
    policy, month = state.policy, state.month
    wait_s = state.rates.wait_s(policy.quota.per_minute)
    if wait_s:
        quota = policy.quota
        return Denial("rate_limited", wait_s, {"per_minute": str(quota.per_minute), "burst": str(quota.burst)})
    need = _need(asking, rules)
    units = need.units + units_of_suggestions(month.all_suggestions, need.suggestions, rules)
    return check_quota(policy, month, units, now, rules) or _check_allowance(state, need, now)


def _check_allowance(state: KeyState, need: Counters, now: datetime) -> Denial | None:
    if not need.calls:
        return None
    if _free_calls(state) < 1:
        return Denial(_ALLOWANCE, _until_next_month(now), {"of": "calls"})
    if limits_tokens(state.policy) and _free_tokens(state) < 1:
        return Denial(_ALLOWANCE, _until_next_month(now), {"of": "tokens"})
    return None


def _granted(state: KeyState, asking: Asking, now: datetime, rules: Rules) -> Counters:
    """At least what the request needs. At most what the edge expects, and half of what is left of a counter."""
    policy, month, need = state.policy, state.month, _need(asking, rules)
    expected = asking.expected.at_most(_MOST)

    def share(needed: int, expected: int, left: int) -> int:
        return max(needed, min(expected, left // 2))

    quota = policy.quota
    left_units = _MOST.units
    if quota.hard and quota.monthly_units is not None:
        left_units = quota.monthly_units - units_in_use(month, rules)
    calls = share(need.calls, expected.calls, _free_calls(state))
    granted = Counters(
        share(1, expected.requests, state.rates.free_requests(quota.per_minute)),
        share(need.units, expected.units, left_units),
        max(need.suggestions, expected.suggestions),
        calls,
        _tokens(state, calls, rules) if calls and limits_tokens(policy) else 0,
    )
    while not _fits(state, granted, now, rules):
        halved = replace(
            granted,
            units=max(need.units, granted.units // 2),
            suggestions=max(need.suggestions, granted.suggestions // 2),
        )
        if halved == granted:  # only the request itself is left, and that fits
            break
        granted = halved
    return granted


def _fits(state: KeyState, granted: Counters, now: datetime, rules: Rules) -> bool:
    """Whether the month has the units of the lease, with those that its suggestions may cost."""
    units = granted.units + units_of_suggestions(state.month.all_suggestions, granted.suggestions, rules)
    return check_quota(state.policy, state.month, units, now, rules) is None


def _need(asking: Asking, rules: Rules) -> Counters:
    """The counters of the request itself. A call may take less than all tokens that it could use."""
    return Counters(
        requests=1,
        units=0 if asking.reserves_line else rules.weight(asking.endpoint),
        suggestions=int(asking.endpoint == SUGGEST),
        calls=int(asking.endpoint == DIVIDE_LAND),
    )


def limits_tokens(policy: KeyPolicy) -> bool:
    return policy.assistant.mode is AssistantMode.MODEL and policy.assistant.monthly_tokens is not None


def _free_calls(state: KeyState) -> int:
    limit = state.policy.assistant.monthly_calls
    return 2 * _MOST.calls if limit is None else limit - state.month.calls - state.month.reserved_calls


def _free_tokens(state: KeyState) -> int:
    limit = state.policy.assistant.monthly_tokens or 0
    return limit - state.month.tokens - state.month.reserved_tokens


def _tokens(state: KeyState, calls: int, rules: Rules) -> int:
    """The tokens of so many calls: at most half of what is left, unless one call needs more."""
    free = _free_tokens(state)
    return min(free, max(rules.tokens_per_call, min(calls * rules.tokens_per_call, free // 2)))


def _until_next_month(now: datetime) -> int:
    return _seconds_until(months.end_of(months.month_of(now)), now)


def _seconds_until(instant: datetime, now: datetime) -> int:
    return max(1, int((instant - now).total_seconds()) + 1)
