"""Properties of decisions on generated keys and calls, in any order."""

import ipaddress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.counters import NOTHING, Counters
from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE, SCOPES, SUGGEST
from keys.values import pricing
from keys.values.clock import microseconds
from keys.values.lease_rules import (
    Asking,
    Denial,
    KeyState,
    Later,
    Lease,
    MonthCounts,
    decide,
    end_of,
    ended,
    leased,
    rate_limits,
    units_in_use,
    units_of_suggestions,
    used,
)
from keys.values.policy import AssistantMode, AssistantPolicy, KeyPolicy, Quota, Rules
from keys.values.pricing import Terms, Tier
from keys.values.rates import RateState
from keys.values.secret import KeyMode

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
RULES = Rules({RESOLVE: 1, GEOJSON: 2, DIVIDE_LAND: 10}, 500, free_suggestions=15)
LEASE_TIME = timedelta(seconds=1)
TERMS = Terms(
    monthly_fee=Decimal("1"),
    included_units=3,
    tiers=(Tier(20, Decimal("0.07")), Tier(None, Decimal("0.013"))),
    vat_rate=Decimal("0.20"),
)
KEY = KeyPolicy(
    "abcdefgh",
    "partner",
    KeyMode.LIVE,
    is_partner_active=True,
    revoked_at=None,
    suspended_at=None,
    expires_at=None,
    scopes=frozenset(),
    networks=(),
    quota=Quota(None, 600, 100),
    assistant=AssistantPolicy(AssistantMode.MODEL),
    terms=TERMS,
)
counts = st.integers(0, 40)
CALLS = st.lists(
    st.tuples(
        st.sampled_from((*SCOPES, "other")),
        st.integers(0, 2_000_000),
        st.builds(Counters, counts, counts, counts, st.integers(0, 3)),
        st.booleans(),
    ),
    max_size=60,
)
"""Each call has its distance from the one before in microseconds, what is expected, and whether a lease ends after it,
of which nothing was used.
"""
Calls = list[tuple[str, int, Counters, bool]]


def fresh(key: KeyPolicy) -> KeyState:
    return KeyState(
        policy=key, rates=RateState.full(key.quota.burst, microseconds(NOW)), month=MonthCounts(), month_name="2026-03"
    )


def run(key: KeyPolicy, calls: Calls) -> tuple[KeyState, list[Counters | Denial | Later], list[Lease]]:
    """Decides the calls in order. Returns the decisions, and the leases that did not end."""
    state, now = fresh(key), NOW
    decisions: list[Counters | Denial | Later] = []
    leases: list[Lease] = []
    for endpoint, later_us, expected, ends in calls:
        now += timedelta(microseconds=later_us)
        state = replace(state, rates=state.rates.at(microseconds(now), key.quota.per_minute, key.quota.burst))
        asking = Asking(endpoint, "192.0.2.7", expected=expected)
        decision = decide(state, asking, leases, now, LEASE_TIME, RULES)
        decisions.append(decision)
        if isinstance(decision, Counters):
            state = leased(state, decision)
            leases.append(
                Lease(id=bytes(16), key_id=key.key_id, holder=b"", month="2026-03", leased_at=now, left=decision)
            )
        if ends and leases:
            state = ended(state, leases.pop(0))
    return state, decisions, leases


def total(leases: list[Lease]) -> Counters:
    return sum((lease.left for lease in leases), NOTHING)


@given(CALLS, st.integers(0, 60), st.none() | st.decimals("0", "4", places=2))
def test_no_order_of_leases_exceeds_a_quota_or_a_spend_cap(calls: Calls, units: int, cap: Decimal | None) -> None:
    key = replace(KEY, quota=Quota(units, 600, 10, spend_cap=cap))
    state, _, leases = run(key, calls)
    in_use = units_in_use(state.month, RULES)
    assert total(leases).units == state.month.reserved_units <= in_use <= units
    assert total(leases).suggestions == state.month.reserved_suggestions
    assert total(leases).requests == state.rates.leased <= 10
    assert cap is None or in_use == 0 or pricing.net(TERMS, in_use) <= cap


@given(CALLS, st.integers(0, 5), st.integers(0, 3_000))
def test_no_order_of_leases_exceeds_the_assistants_allowance(
    calls: Calls, monthly_calls: int, monthly_tokens: int
) -> None:
    key = replace(KEY, assistant=AssistantPolicy(AssistantMode.MODEL, monthly_calls, monthly_tokens))
    state, decisions, leases = run(key, calls)
    assert total(leases).calls == state.month.reserved_calls <= monthly_calls
    assert total(leases).tokens == state.month.reserved_tokens <= monthly_tokens
    granted = [
        decision
        for decision, (endpoint, *_) in zip(decisions, calls, strict=True)
        if isinstance(decision, Counters) and endpoint == DIVIDE_LAND
    ]
    assert all(counters.calls and counters.tokens for counters in granted)


@given(CALLS)
def test_a_denied_call_leases_nothing(calls: Calls) -> None:
    key = replace(KEY, revoked_at=NOW)
    state, decisions, leases = run(key, calls)
    assert {decision.code for decision in decisions if isinstance(decision, Denial)} <= {"revoked_key"}
    assert len(decisions) == len(calls)
    assert (state, leases) == (replace(fresh(key), rates=state.rates), [])
    assert state.rates.burst_remaining == key.quota.burst


@given(CALLS, st.integers(0, 60), st.booleans())
def test_rate_limit_states_are_within_the_limits(calls: Calls, units: int, is_hard: bool) -> None:
    key = replace(KEY, quota=Quota(units, 30, 5, hard=is_hard))
    state, _, _ = run(key, calls)
    for limit in rate_limits(key, state.rates, state.month, NOW, RULES):
        assert limit.remaining <= limit.limit
        assert limit.remaining >= 0 or (limit.policy == "month" and not is_hard)
        assert limit.window_s > 0
        assert limit.reset_s >= 0


@given(CALLS, st.integers(0, 60))
def test_a_request_waits_only_for_leases_that_have_what_it_needs(calls: Calls, units: int) -> None:
    key = replace(KEY, quota=Quota(units, 600, 10))
    state, _, leases = run(key, calls)
    now = NOW + timedelta(microseconds=sum(later_us for _, later_us, _, _ in calls))
    decision = decide(state, Asking(GEOJSON, ""), leases, now, LEASE_TIME, RULES)
    for lease in leases:
        state = ended(state, lease)
    at_rest = decide(state, Asking(GEOJSON, ""), [], now, LEASE_TIME, RULES)
    if isinstance(decision, Later):
        assert timedelta(0) < decision.retry_after <= LEASE_TIME + timedelta(seconds=0.1)
        assert isinstance(at_rest, Counters)
    elif isinstance(decision, Denial):
        assert isinstance(at_rest, Denial)


def lease_of(units: int, minutes: int = 0, *, is_ended: bool = False) -> Lease:
    """A lease that began so long ago."""
    leased_at = NOW - timedelta(minutes=minutes)
    left = Counters(0 if is_ended else 1, units)
    return Lease(
        id=bytes(16), key_id=KEY.key_id, holder=b"", month="2026-03", leased_at=leased_at, left=left, is_ended=is_ended
    )


OPEN, OLD, UNDER_WAY = lease_of(5), lease_of(5, 14), lease_of(5, 14, is_ended=True)
LAST_MONTH = replace(OPEN, month="2026-02")


@pytest.mark.parametrize(
    ("counted", "leases", "units_of_lines", "decision"),
    [
        (8, [], 0, "granted"),
        (9, [], 0, "quota_exhausted"),
        (4, [OPEN], 0, "later"),
        (4, [OLD], 0, "later"),
        (4, [UNDER_WAY], 0, "later"),
        (4, [], 5, "later"),
        (0, [OPEN, UNDER_WAY], 0, "later"),
        (0, [OLD], 5, "later"),
        (3, [OPEN], 0, "granted"),
        (9, [lease_of(1)], 0, "quota_exhausted"),
        (9, [], 1, "quota_exhausted"),
        (9, [LAST_MONTH], 0, "quota_exhausted"),
    ],
)
@pytest.mark.parametrize("limit", ["quota_exhausted", "spend_cap_reached"])
def test_two_units_of_ten_are_denied_only_if_what_is_counted_leaves_no_room(
    counted: int, leases: list[Lease], units_of_lines: int, decision: str, limit: str
) -> None:
    quota = Quota(10, 600, 100) if limit == "quota_exhausted" else Quota(None, 600, 100, spend_cap=Decimal(10))
    key = replace(
        KEY,
        quota=quota,
        terms=Terms(
            monthly_fee=Decimal(0), included_units=0, tiers=(Tier(None, Decimal(1)),), vat_rate=Decimal("0.20")
        ),
    )
    reserved = units_of_lines + sum(lease.left.units for lease in leases if lease is not LAST_MONTH)
    state = replace(fresh(key), month=MonthCounts(units=counted, reserved_units=reserved))
    decided = decide(state, Asking(GEOJSON, ""), leases, NOW, LEASE_TIME, RULES)
    name = decided.code if isinstance(decided, Denial) else type(decided).__name__.lower()
    assert name.replace("counters", "granted") == decision.replace("quota_exhausted", limit)


@given(st.builds(Counters, counts, counts, counts, counts, counts), st.lists(st.builds(Counters, *[counts] * 5)))
def test_nothing_of_a_lease_is_used_or_returned_twice(granted: Counters, parts: list[Counters]) -> None:
    lease = Lease(id=bytes(16), key_id=KEY.key_id, holder=b"", month="2026-03", leased_at=NOW, left=granted)
    for part in parts:
        after = used(lease, part)
        assert min(vars(after.left).values()) >= 0
        assert after.left.requests == granted.requests, "its end returns them"
        assert after.left == replace(lease.left - part.at_most(lease.left), requests=granted.requests)
        lease = after
    end = end_of(lease, lease.left)
    assert end.is_over
    assert end_of(end, granted) == end
    assert end_of(end_of(lease, NOTHING), granted) == end_of(lease, NOTHING)


@given(st.integers(0, 60), st.integers(0, 60))
def test_suggestions_hold_the_tenths_that_they_cost(settled: int, held: int) -> None:
    month = MonthCounts(suggestions=settled, reserved_suggestions=held)
    assert units_in_use(month, RULES) == sum(units_of_suggestions(settled + number, 1, RULES) for number in range(held))


def test_a_lease_of_suggestions_has_no_tenth_that_the_quota_lacks() -> None:
    """15 are free. Each tenth beyond costs one of two units."""
    key = replace(KEY, quota=Quota(2, 600, 100))
    asking = Asking(SUGGEST, "", expected=Counters(80, suggestions=80))
    granted = decide(fresh(key), asking, [], NOW, LEASE_TIME, RULES)
    assert granted == Counters(50, suggestions=40), "80 would cost six, and 40 cost two"
    assert isinstance(granted, Counters)
    state = leased(fresh(key), granted)
    assert isinstance(decide(state, Asking(RESOLVE, ""), [], NOW, LEASE_TIME, RULES), Denial)
    assert decide(state, Asking(SUGGEST, ""), [], NOW, LEASE_TIME, RULES) == Counters(1, suggestions=1)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"revoked_at": NOW, "expires_at": NOW, "scopes": frozenset({RESOLVE})}, "revoked_key"),
        ({"is_partner_active": False, "expires_at": NOW}, "revoked_key"),
        ({"suspended_at": NOW, "expires_at": NOW}, "expired_key"),
        ({"suspended_at": NOW, "scopes": frozenset({RESOLVE})}, "suspended_key"),
        ({"expires_at": NOW, "scopes": frozenset({RESOLVE})}, "expired_key"),
        (
            {"scopes": frozenset({RESOLVE}), "networks": (ipaddress.ip_network("198.51.100.0/24"),)},
            "scope_denied",
        ),
        (
            {
                "networks": (ipaddress.ip_network("198.51.100.0/24"),),
                "assistant": AssistantPolicy(AssistantMode.DISABLED),
            },
            "ip_denied",
        ),
        ({"assistant": AssistantPolicy(AssistantMode.DISABLED), "quota": Quota(0, 600, 0)}, "assistant_denied"),
        ({"quota": Quota(0, 600, 0)}, "rate_limited"),
        ({"quota": Quota(0, 600, 1, spend_cap=Decimal(0))}, "quota_exhausted"),
        ({"quota": Quota(0, 600, 1, hard=False, spend_cap=Decimal(0))}, "spend_cap_reached"),
    ],
)
def test_a_denial_has_the_first_reason_in_the_documented_order(change: dict[str, object], code: str) -> None:
    key = replace(KEY, **change)  # type: ignore[arg-type]
    decision = decide(fresh(key), Asking(DIVIDE_LAND, "192.0.2.7"), [], NOW, LEASE_TIME, RULES)
    assert isinstance(decision, Denial)
    assert decision.code == code
