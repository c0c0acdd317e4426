"""Bills, closings and adjustments on a real database, each test on SQLite and PostgreSQL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from bills_world import bills, close, close_next, held, only, use
from keys_world import SetClock, World

from keys.api_keys import changes as key_changes
from keys.plans import changes as plan_changes
from keys.store import billing
from keys.store.billing import MonthCloser
from keys.store.price_terms import terms_of
from keys.store.rollups import Scope
from keys.values.clock import system_clock
from keys.values.pricing import ChargedPer, PlanChoice, Terms, Tier
from keys.values.secret import KeyMode

TERMS = Terms(
    monthly_fee=Decimal("10"), included_units=1, tiers=(Tier(None, Decimal("0.50")),), vat_rate=Decimal("0.20")
)
MARCH_CLOSES = datetime(2026, 4, 3, 22, 0, tzinfo=UTC)


def test_the_open_month_is_a_preview(world: World) -> None:
    issued = world.key(pricing=TERMS)
    use(world, issued.secret.text, 4)
    preview = bills(world, "2026-03")
    assert preview.is_provisional
    bill = only(preview)
    assert (bill.key_id, bill.units, bill.included_units) == (issued.record.id, 4, 1)
    assert [(line.kind, line.units, line.amount) for line in bill.lines] == [
        ("monthly_fee", 0, Decimal("10.00")),
        ("tier", 3, Decimal("1.50")),
    ]
    assert (bill.total.net, bill.total.vat, bill.total.gross) == (Decimal("11.50"), Decimal("2.30"), Decimal("13.80"))


def test_a_month_closes_72_hours_after_its_end_in_paris(world: World) -> None:
    issued = world.key(pricing=TERMS)
    use(world, issued.secret.text, 3)
    world.clock.now = MARCH_CLOSES - timedelta(microseconds=1)
    assert close(world) == []
    world.clock.now = MARCH_CLOSES
    assert close(world) == ["2026-03"]
    assert close(world) == []
    preview = bills(world, "2026-03")
    assert not preview.is_provisional
    assert only(preview).total.gross == Decimal("13.20")


@pytest.mark.parametrize("skew", [timedelta(hours=1), timedelta(days=130), timedelta(days=365)])
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_month_closes_by_the_clock_that_is_behind(world: World, skew: timedelta, is_ours: bool) -> None:
    issued = world.key(pricing=TERMS)
    use(world, issued.secret.text, 3)
    ahead, right = SetClock(MARCH_CLOSES - timedelta(minutes=1) + skew), SetClock(MARCH_CLOSES - timedelta(minutes=1))
    ours, theirs = (ahead, right) if is_ours else (right, ahead)
    closer = MonthCloser(world.database, ours, None, lambda _: theirs())
    assert closer.close_next() is None
    right.advance(minutes=1)
    assert closer.close_next() == "2026-03"
    assert closer.close_next() is None
    assert only(bills(world, "2026-03")).total.gross == Decimal("13.20")


def test_a_clock_far_ahead_closes_one_month_at_a_time(world: World) -> None:
    world.key(pricing=TERMS)
    world.clock.advance(days=130)
    assert [close_next(world), close_next(world)] == ["2026-03", "2026-04"]


@pytest.mark.docker
def test_on_postgresql_the_second_clock_is_that_of_the_database(
    migrated_postgres: str, open_world: Callable[..., World]
) -> None:
    world = open_world(migrated_postgres, clock=SetClock(system_clock()))
    world.key(pricing=TERMS)
    world.clock.advance(days=130)
    assert MonthCloser(world.database, world.clock).close_next() is None


def test_units_after_the_closing_are_billed_in_the_next_month(world: World) -> None:
    issued = world.key(pricing=TERMS)
    late = held(world, issued.secret.text)
    use(world, issued.secret.text, 3)
    world.clock.now = MARCH_CLOSES
    close(world)
    closed = bills(world, "2026-03")
    world.record([late])
    assert bills(world, "2026-03") == closed
    april = only(bills(world, "2026-04"))
    assert [(line.kind, line.units, line.amount) for line in april.lines] == [
        ("monthly_fee", 0, Decimal("10.00")),
        ("adjustment", 1, Decimal("0.50")),
    ]
    assert (april.units, april.total.net, april.total.vat) == (0, Decimal("10.50"), Decimal("2.10"))
    assert [line.kind for line in only(bills(world, "2026-05")).lines] == ["monthly_fee"]

    world.clock.now = datetime(2026, 5, 10, tzinfo=UTC)
    assert close(world) == ["2026-04"]
    assert only(bills(world, "2026-04")) == april
    assert [line.kind for line in only(bills(world, "2026-05")).lines] == ["monthly_fee"]


def test_all_bills_together_are_the_price_of_all_units(world: World) -> None:
    tiers = (Tier(3, Decimal("0.333")), Tier(None, Decimal("0.111")))
    issued = world.key(pricing=replace(TERMS, monthly_fee=Decimal(0), included_units=0, tiers=tiers))
    world.clock.now = datetime(2026, 3, 31, 20, 0, tzinfo=UTC)
    outcomes = [held(world, issued.secret.text) for _ in range(7)]
    world.record(outcomes[:2])
    world.clock.now = MARCH_CLOSES
    close(world)
    world.record(outcomes[2:5])
    world.clock.now += timedelta(days=30)
    close(world)
    world.record(outcomes[5:])
    nets = [only(bills(world, month)).total.net for month in ("2026-03", "2026-04", "2026-05")]
    assert sum(nets) == Decimal("1.00") + Decimal("0.44")  # 3 × 0.333 and 4 × 0.111, each rounded once


def test_parallel_closings_close_a_month_once(world: World) -> None:
    issued = world.key(pricing=TERMS)
    use(world, issued.secret.text, 2)
    world.clock.now = MARCH_CLOSES + timedelta(days=62)
    with ThreadPoolExecutor(4) as pool:
        closed = [month for months in pool.map(lambda _: close(world), range(4)) for month in months]
    assert sorted(closed) == ["2026-03", "2026-04", "2026-05"]
    assert only(bills(world, "2026-03")).units == 2


def test_a_test_key_and_a_key_without_terms_or_use_have_no_bill(world: World) -> None:
    test_key = world.key(mode=KeyMode.TEST, pricing=TERMS)
    use(world, test_key.secret.text, 2)
    world.key()
    assert bills(world, "2026-03").bills == []


def test_a_key_that_ended_before_the_month_pays_no_fee(world: World) -> None:
    issued = world.key(pricing=TERMS)
    world.revoke(issued.record.id)
    assert only(bills(world, "2026-03")).total.net == Decimal("10.00")
    assert bills(world, "2026-04").bills == []
    assert bills(world, "2026-02").bills == []


APRIL = datetime(2026, 3, 31, 22, 0, tzinfo=UTC)
"""The first instant of the month in Paris."""


@pytest.mark.parametrize(("after_start", "fees"), [(-1, 0), (0, 0), (1, 1)])
def test_a_key_that_ends_at_the_start_of_a_month_pays_no_fee_for_it(world: World, after_start: int, fees: int) -> None:
    ends = APRIL + timedelta(microseconds=after_start)
    world.key(pricing=TERMS, expires_at=ends)
    revoked = world.key(pricing=TERMS)
    world.clock.now = ends
    world.revoke(revoked.record.id)
    assert len(bills(world, "2026-03").bills) == 2
    assert len(bills(world, "2026-04").bills) == 2 * fees


def test_terms_are_read_for_more_keys_than_a_statement_has_parameters(world: World) -> None:
    key_id = world.key(pricing=TERMS).record.id
    with world.database.reading() as connection:
        terms = terms_of(connection, [*(f"{number:08}" for number in range(40_000)), key_id], "2026-03")
    assert list(terms) == [key_id]


def test_bills_are_narrowed_to_a_partner_or_a_key(world: World) -> None:
    first, second = world.key(pricing=TERMS), world.key(pricing=TERMS, partner="Bornage")
    assert len(bills(world, "2026-03").bills) == 2
    assert only(bills(world, "2026-03", Scope(key_id=first.record.id))).key_id == first.record.id
    partner = second.record.partner.id
    assert only(bills(world, "2026-03", Scope(partner_id=partner))).key_id == second.record.id


def test_later_terms_start_in_the_next_month(world: World) -> None:
    with world.change() as change:
        plan = plan_changes.create_plan(change, "Étude", TERMS, None)
    issued = world.key(pricing=PlanChoice("Étude"))
    assert issued.record.terms is not None
    assert (issued.record.terms.plan, issued.record.terms_from) == ("Étude", "2026-03")
    with world.change() as change:
        dearer = replace(TERMS, monthly_fee=Decimal("20"))
        plan_changes.update_plan(change, plan.id, name=None, is_archived=None, terms=dearer, from_month=None)
    with world.change() as change:
        own_terms = replace(TERMS, monthly_fee=Decimal("5"))
        key_changes.update(
            change, issued.record.id, lambda key: replace(key.draft(), pricing=own_terms, pricing_from="2026-06-01")
        )
    fees = [only(bills(world, f"2026-0{month}")).lines[0].amount for month in (3, 4, 5, 6)]
    assert fees == [Decimal("10.00"), Decimal("20.00"), Decimal("20.00"), Decimal("5.00")]


def test_a_closed_bill_has_its_lines_in_both_languages(world: World) -> None:
    use(world, world.key(pricing=TERMS).secret.text, 3)
    before = only(bills(world, "2026-03")).lines
    assert all(line.description.fr != line.description.en for line in before)
    assert {line.vat_rate for line in before} == {TERMS.vat_rate}
    world.clock.now = MARCH_CLOSES
    close(world)
    assert only(bills(world, "2026-03")).lines == before


def test_months_that_should_be_closed_are_counted(world: World) -> None:
    world.key(pricing=TERMS)
    closer = MonthCloser(world.database, world.clock)
    world.clock.now = MARCH_CLOSES + billing.OVERDUE_AFTER
    assert closer.overdue_count() == 0
    world.clock.now += timedelta(days=31, seconds=1)
    assert closer.overdue_count() == 2
    assert len(close(world)) == 2
    assert closer.overdue_count() == 0


@pytest.mark.parametrize("charged_per", list(ChargedPer))
def test_a_fee_pro_rata_counts_the_days_on_which_a_key_could_be_used(world: World, charged_per: ChargedPer) -> None:
    terms = Terms(
        monthly_fee=Decimal("31"),
        included_units=0,
        tiers=(),
        vat_rate=Decimal("0.20"),
        charged_per=charged_per,
        is_pro_rata=True,
    )
    with world.change() as change:
        plan_changes.create_plan(change, "By days", terms, None)
    world.clock.now = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)
    minutes = world.key(pricing=PlanChoice("By days"))
    world.clock.advance(minutes=29)
    world.revoke(minutes.record.id)
    world.clock.now = datetime(2026, 3, 28, 23, 0, tzinfo=UTC)
    world.key(pricing=PlanChoice("By days"))
    fees = [(line.amount, line.description.en) for bill in bills(world, "2026-03").bills for line in bill.lines]
    if charged_per is ChargedPer.PARTNER:
        assert fees == [(Decimal("4.00"), "Monthly fee, 4/31 days")]
    else:
        assert sorted(fees) == [
            (Decimal("1.00"), "Monthly fee, 1/31 days"),
            (Decimal("3.00"), "Monthly fee, 3/31 days"),
        ]
    assert [line.amount for bill in bills(world, "2026-04").bills for line in bill.lines] == [Decimal("31.00")]
