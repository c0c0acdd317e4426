from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keys.values import pricing
from keys.values.pricing import FeeDays, Terms, Tier

TERMS = Terms(
    monthly_fee=Decimal("49"),
    included_units=100,
    tiers=(Tier(1_000, Decimal("0.0155")), Tier(None, Decimal("0.01"))),
    vat_rate=Decimal("0.20"),
)
PRICES = st.decimals("0", "10", places=4)


@st.composite
def some_terms(draw: st.DrawFn) -> Terms:
    bounds = sorted(draw(st.sets(st.integers(1, 5_000), max_size=4)))
    tiers = [Tier(bound, draw(PRICES)) for bound in bounds] + [Tier(None, draw(PRICES))]
    return Terms(
        monthly_fee=draw(PRICES),
        included_units=draw(st.integers(0, 2_000)),
        tiers=tuple(tiers),
        vat_rate=draw(st.decimals("0", "1", places=3)),
    )


@pytest.mark.parametrize(
    ("units", "net"),
    [
        (0, "49.00"),
        (99, "49.00"),
        (100, "49.00"),
        (101, "49.02"),  # 0.0155, half up
        (999, "62.93"),
        (1_000, "62.95"),
        (1_001, "62.96"),
    ],
)
def test_the_net_price_at_each_boundary(units: int, net: str) -> None:
    assert pricing.net(TERMS, units) == Decimal(net)


def test_vat_is_rounded_once_on_the_net_total() -> None:
    total = pricing.key_bill("key", "2026-03", 101, TERMS, ()).total
    assert (total.net, total.vat, total.gross) == (Decimal("49.02"), Decimal("9.80"), Decimal("58.82"))


@given(some_terms(), st.integers(0, 10_000))
def test_the_total_is_the_sum_of_its_lines(terms: Terms, units: int) -> None:
    lines = pricing.lines(terms, units)
    total = pricing.key_bill("key", "2026-03", units, terms, ()).total
    assert total.net == sum(line.amount for line in lines) == pricing.net(terms, units)
    assert total.gross == total.net + total.vat
    assert all(line.amount == line.amount.quantize(Decimal("0.01")) for line in lines)


@given(some_terms(), st.integers(0, 10_000))
def test_every_unit_past_the_included_ones_is_billed_once(terms: Terms, units: int) -> None:
    billed = sum(line.units for line in pricing.lines(terms, units))
    assert billed == max(0, units - terms.included_units)


@given(some_terms(), st.integers(0, 10_000))
def test_one_more_unit_never_costs_less(terms: Terms, units: int) -> None:
    assert pricing.net(terms, units + 1) >= pricing.net(terms, units)


@given(some_terms(), st.integers(0, 10_000))
def test_each_unit_has_the_price_of_the_tier_it_falls_in(terms: Terms, units: int) -> None:
    exact = terms.monthly_fee
    for unit in range(terms.included_units + 1, units + 1):
        exact += next(tier.unit_price for tier in terms.tiers if tier.up_to is None or unit <= tier.up_to)
    lines = pricing.lines(terms, units)
    assert abs(pricing.net(terms, units) - exact) <= Decimal("0.005") * len(lines)


@given(some_terms(), st.integers(0, 10_000), st.integers(0, 10_000))
def test_units_on_a_shared_bill_never_cost_more_than_the_most(terms: Terms, units: int, of_others: int) -> None:
    added = pricing.net(terms, of_others + units) - pricing.net(terms, of_others)
    assert added + pricing.cents(terms.monthly_fee) <= pricing.most(terms, units)


@given(some_terms(), st.lists(st.integers(1, 31), min_size=1, max_size=6))
def test_the_parts_of_a_fee_make_up_the_whole(terms: Terms, parts: list[int]) -> None:
    pro_rata, month = replace(terms, is_pro_rata=True), sum(parts)
    part_fees = [pricing.fee(pro_rata, FeeDays(part, month)) for part in parts]
    whole = pricing.fee(pro_rata, FeeDays(month, month))
    assert whole == pricing.fee(terms, FeeDays(parts[0], month)) == pricing.cents(terms.monthly_fee)
    assert abs(sum(part_fees) - whole) <= Decimal("0.005") * (len(parts) + 1)
    for part, fee in zip(parts, part_fees, strict=True):
        total = pricing.key_bill("key", "2026-03", 7, pro_rata, (), FeeDays(part, month)).total
        assert total.net == pricing.net(replace(terms, monthly_fee=Decimal(0)), 7) + fee
