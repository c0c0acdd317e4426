"""Properties of decisions on generated keys and calls, in any order."""

import ipaddress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keys import pricing
from keys.clock import microseconds
from keys.issuing.secret import KeyMode
from keys.pricing import Terms, Tier
from keys.quota.decision import Call, Consumption, Denial, Grant, MonthCounts, apply, decide, rate_limits
from keys.quota.policy import AssistantMode, AssistantPolicy, KeyPolicy, Quota, Rules
from keys.quota.rates import RateState
from servicekit.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE, SCOPES

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
RULES = Rules({RESOLVE: 1, GEOJSON: 2, DIVIDE_LAND: 10}, 500)
TERMS = Terms(Decimal("1"), 3, (Tier(20, Decimal("0.07")), Tier(None, Decimal("0.013"))), Decimal("0.20"))
KEY = KeyPolicy(
    "abcdefgh",
    "partner",
    KeyMode.LIVE,
    is_partner_active=True,
    revoked_at=None,
    expires_at=None,
    scopes=frozenset(),
    networks=(),
    quota=Quota(None, 600, 100),
    assistant=AssistantPolicy(AssistantMode.MODEL),
    terms=TERMS,
)
CALLS = st.lists(st.tuples(st.sampled_from((*SCOPES, "other")), st.integers(0, 2_000_000)), max_size=60)


def fresh(key: KeyPolicy) -> Consumption:
    return Consumption(RateState.full(key.quota.burst, microseconds(NOW)), MonthCounts())


def run(key: KeyPolicy, calls: list[tuple[str, int]]) -> tuple[Consumption, list[Grant | Denial]]:
    """Decides the calls in order. Each has its distance from the one before, in microseconds."""
    consumption, now, decisions = fresh(key), NOW, []
    for endpoint, later in calls:
        now += timedelta(microseconds=later)
        rates = consumption.rates.at(microseconds(now), key.quota.per_minute, key.quota.burst)
        consumption = replace(consumption, rates=rates)
        decision = decide(key, consumption, Call(endpoint, "192.0.2.7"), now, RULES)
        consumption = apply(consumption, decision)
        decisions.append(decision)
    return consumption, decisions


@given(CALLS, st.integers(0, 60), st.none() | st.decimals("0", "4", places=2))
def test_no_order_of_calls_exceeds_a_quota_or_a_spend_cap(
    calls: list[tuple[str, int]], units: int, cap: Decimal | None
) -> None:
    key = replace(KEY, quota=Quota(units, 600, 10, spend_cap=cap))
    consumption, decisions = run(key, calls)
    granted = sum(decision.units for decision in decisions if isinstance(decision, Grant))
    assert granted == consumption.month.reserved_units <= units
    assert cap is None or granted == 0 or pricing.net(TERMS, granted) <= cap
    assert (
        consumption.month.requests
        == consumption.month.errors
        == sum(isinstance(decision, Denial) for decision in decisions)
    )


@given(CALLS, st.integers(0, 5), st.integers(0, 3_000))
def test_no_order_of_calls_exceeds_the_assistants_allowance(
    calls: list[tuple[str, int]], monthly_calls: int, monthly_tokens: int
) -> None:
    key = replace(KEY, assistant=AssistantPolicy(AssistantMode.MODEL, monthly_calls, monthly_tokens))
    consumption, decisions = run(key, calls)
    grants = [decision for decision in decisions if isinstance(decision, Grant) and decision.assistant is not None]
    assert consumption.month.reserved_calls == len(grants) <= monthly_calls
    assert consumption.month.reserved_tokens == sum(decision.token_limit or 0 for decision in grants) <= monthly_tokens
    assert all(decision.token_limit for decision in grants)


@given(CALLS)
def test_a_denied_call_reserves_nothing(calls: list[tuple[str, int]]) -> None:
    key = replace(KEY, revoked_at=NOW)
    consumption, decisions = run(key, calls)
    assert {decision.code for decision in decisions if isinstance(decision, Denial)} <= {"revoked_key"}
    assert consumption.month == MonthCounts(requests=len(calls), errors=len(calls))
    assert consumption.rates.burst_remaining == key.quota.burst


@given(CALLS, st.integers(0, 60))
def test_rate_limit_states_are_within_the_limits(calls: list[tuple[str, int]], units: int) -> None:
    key = replace(KEY, quota=Quota(units, 30, 5, hard=False))
    consumption, _ = run(key, calls)
    for limit in rate_limits(key, consumption, NOW):
        assert 0 <= limit.remaining <= limit.limit
        assert limit.window_s > 0
        assert limit.reset_s >= 0


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"revoked_at": NOW, "expires_at": NOW, "scopes": frozenset({RESOLVE})}, "revoked_key"),
        ({"is_partner_active": False, "expires_at": NOW}, "revoked_key"),
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
    _, (decision,) = run(key, [(DIVIDE_LAND, 0)])
    assert isinstance(decision, Denial)
    assert decision.code == code
