"""Bills, costs and spend caps of plans that are charged per partner. On SQLite and PostgreSQL."""

import random
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from bills_world import bills, close, held, only, use
from keys_world import Answer, World
from sqlalchemy import select

from contract.endpoints import GEOJSON, RESOLVE
from keys.api_keys import changes as key_changes
from keys.bills.costs import costs, split
from keys.plans import changes as plan_changes
from keys.store.change import Transaction
from keys.store.price_terms import terms_of
from keys.store.rollups import Scope
from keys.store.tables import keys as keys_table
from keys.upkeep import erasure
from keys.values import months, pricing
from keys.values.buckets import Bucket, read_range
from keys.values.errors import Conflict
from keys.values.lease_rules import Denial, Later
from keys.values.outcomes import Outcome
from keys.values.pricing import Bill, ChargedPer, KeyUnits, PlanChoice, Terms, Tier
from keys.values.records import IssuedKey, Plan
from keys.values.secret import KeyMode
from servicekit.errors import InvalidPayload

TIERS = (Tier(4, Decimal("0.50")), Tier(None, Decimal("0.333")))
SHARED = Terms(
    monthly_fee=Decimal("10"), included_units=2, tiers=TIERS, vat_rate=Decimal("0.20"), charged_per=ChargedPer.PARTNER
)
PER_KEY = replace(SHARED, charged_per=ChargedPer.KEY)


def plan(world: World, name: str = "Groupe", terms: Terms = SHARED) -> Plan:
    with world.change() as change:
        return plan_changes.create_plan(change, name, terms, None)


def choose(world: World, key_id: str, name: str, month: str | None = None) -> None:
    with world.change() as change:
        key_changes.update(
            change, key_id, lambda key: replace(key.draft(), pricing=PlanChoice(name), pricing_from=month)
        )


def shared(world: World, month: str, scope: Scope | None = None) -> Bill:
    (shared_bill,) = [bill for bill in bills(world, month, scope).bills if bill.charged_per is ChargedPer.PARTNER]
    return shared_bill


def summary(bill: Bill) -> list[tuple[str, int, str]]:
    return [(line.kind, line.units, str(line.amount)) for line in bill.lines]


def two_keys(world: World, **changes: object) -> tuple[IssuedKey, IssuedKey]:
    plan(world)
    first, second = sorted(
        (world.key(pricing=PlanChoice("Groupe"), **changes) for _ in range(2)), key=lambda key: key.record.id
    )
    return first, second


def test_the_keys_of_a_partner_share_one_fee_the_included_units_and_the_tiers(world: World) -> None:
    first, second = two_keys(world)
    other = world.key(pricing=PlanChoice("Groupe"), partner="Bornage")
    test_key = world.key(pricing=PlanChoice("Groupe"), mode=KeyMode.TEST)
    for key, times in ((first, 2), (second, 4), (test_key, 3)):
        use(world, key.secret.text, times)
    month_bills = bills(world, "2026-03").bills
    by_partner = {bill.partner_id: bill for bill in month_bills}
    assert {bill.key_id for bill in month_bills} == {""}
    ours, theirs = by_partner[first.record.partner.id], by_partner[other.record.partner.id]
    assert summary(ours) == [("monthly_fee", 0, "10.00"), ("tier", 2, "1.00"), ("tier", 2, "0.67")]
    assert (ours.units, ours.included_units, ours.plan) == (6, 2, "Groupe")
    assert ours.keys == [KeyUnits(first.record.id, 2), KeyUnits(second.record.id, 4)]
    assert (ours.total.net, ours.total.vat) == (Decimal("11.67"), Decimal("2.33"))
    assert summary(theirs) == [("monthly_fee", 0, "10.00")]


def test_the_closed_bill_is_the_preview_and_never_changes(world: World) -> None:
    first, second = two_keys(world)
    late = [held(world, key.secret.text) for key in (second, first)]
    use(world, first.secret.text, 3)
    before = bills(world, "2026-03").bills
    world.clock.now = datetime(2026, 4, 3, 22, 0, tzinfo=UTC)
    assert close(world) == ["2026-03"]
    assert bills(world, "2026-03").bills == before
    world.record(late)
    world.revoke(second.record.id)
    assert bills(world, "2026-03").bills == before
    assert {bill.key_id: summary(bill) for bill in bills(world, "2026-04").bills} == {
        first.record.id: [("adjustment", 1, "0.50")],  # the fourth unit of the partner
        second.record.id: [("adjustment", 1, "0.33")],  # the fifth one
        "": [("monthly_fee", 0, "10.00")],
    }
    preview = bills(world, "2026-04").bills
    world.clock.now = datetime(2026, 5, 10, tzinfo=UTC)
    assert close(world) == ["2026-04"]
    assert bills(world, "2026-04").bills == preview
    assert [summary(bill) for bill in bills(world, "2026-05").bills] == [[("monthly_fee", 0, "10.00")]]
    with world.change() as change:
        erasure.erase_partner(change, first.record.partner.id)
    assert bills(world, "2026-04").bills == preview


def test_a_bill_is_narrowed_to_a_key_that_shares_it(world: World) -> None:
    first, second = two_keys(world)
    alone = world.key(pricing=PER_KEY)
    use(world, second.secret.text, 3)
    for scope in (Scope(key_id=first.record.id), Scope(partner_id=first.record.partner.id)):
        assert shared(world, "2026-03", scope).units == 3
    assert only(bills(world, "2026-03", Scope(key_id=alone.record.id))).key_id == alone.record.id
    assert bills(world, "2026-03", Scope(first.record.id, "another")).bills == []


def test_an_ended_key_with_late_units_pays_no_further_fee(world: World) -> None:
    issued = world.key(pricing=PER_KEY)
    late = held(world, issued.secret.text)
    use(world, issued.secret.text, 2)
    world.revoke(issued.record.id)
    world.clock.now = datetime(2026, 4, 10, tzinfo=UTC)
    assert close(world) == ["2026-03"]
    world.record([late])
    assert summary(only(bills(world, "2026-04"))) == [("adjustment", 1, "0.50")]


def test_who_pays_changes_from_a_month_without_units(world: World) -> None:
    created = plan(world, terms=PER_KEY)
    first, _ = (world.key(pricing=PlanChoice("Groupe")) for _ in range(2))
    use(world, first.secret.text, 1)

    def share(month: str | None) -> None:
        with world.change() as change:
            plan_changes.update_plan(change, created.id, name=None, is_archived=None, terms=SHARED, from_month=month)

    with pytest.raises(InvalidPayload):
        share("2026-03")
    share(None)
    assert [summary(bill)[0] for bill in bills(world, "2026-03").bills] == [("monthly_fee", 0, "10.00")] * 2
    assert summary(only(bills(world, "2026-04"))) == [("monthly_fee", 0, "10.00")]
    assert only(bills(world, "2026-04")).charged_per is ChargedPer.PARTNER


def test_terms_of_a_key_are_charged_per_key_only(world: World) -> None:
    with pytest.raises(InvalidPayload) as refused:
        world.key(pricing=SHARED)
    assert [violation.pointer for violation in refused.value.violations] == ["/pricing/charged_per"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_bills_together_are_the_price_of_all_units(world: World, seed: int) -> None:
    """Random use, late outcomes, closings, changes of plan and revocations, under plans of both kinds."""
    choices = random.Random(seed)  # noqa: S311 (not a secret)
    plan(world, "Groupe")
    plan(world, "Étude", replace(SHARED, monthly_fee=Decimal("0.005"), tiers=(Tier(None, Decimal("0.017")),)))
    plan(world, "Clé", PER_KEY)
    names = ["Groupe", "Étude", "Clé"]
    keys = [
        world.key(partner=choices.choice(["Cadastra", "Bornage"]), pricing=PlanChoice(choices.choice(names)))
        for _ in range(5)
    ]
    waiting: list[Outcome] = []
    closed: list[str] = []

    def act() -> None:
        key = choices.choice(keys)
        match choices.choice(["ask", "ask", "ask", "ask", "record", "choose", "wait", "close", "revoke"]):
            case "ask":
                endpoint = choices.choice([RESOLVE, GEOJSON])
                answer = world.ask(key.secret.text, endpoint)
                if not isinstance(answer.decision, Denial):
                    waiting.append(world.outcome(answer, endpoint, choices.choice([200, 200, 404])))
            case "record":
                choices.shuffle(waiting)
                world.record([waiting.pop() for _ in range(len(waiting) // 2)])
            case "choose":
                with suppress(Conflict):
                    choose(world, key.record.id, choices.choice(names))
            case "wait":
                world.clock.advance(days=choices.choice([1, 12]))
            case "close":
                closed.extend(close(world))
            case "revoke" if choices.random() < 0.2:
                world.revoke(key.record.id)

    for _ in range(80):
        act()
    world.record(waiting)
    world.clock.now = months.end_of(months.month_of(world.clock.now)) + timedelta(days=40)
    closed += close(world)
    all_bills = [bill for month in closed for bill in bills(world, month).bills]
    assert sum(bill.total.net for bill in all_bills) == sum(price(world, month) for month in closed)
    assert all(bill.total.net == sum(line.amount for line in bill.lines) for bill in all_bills)
    assert sum(line.units for bill in all_bills for line in bill.lines if line.kind == "adjustment") > 0


def price(world: World, month: str) -> Decimal:
    """The price of a month by its final counts, without any bill."""
    units: dict[tuple[str, str], int] = defaultdict(int)
    terms: dict[tuple[str, str], Terms] = {}
    with world.database.reading() as connection:
        for row in connection.execute(select(keys_table)).mappings():
            is_over = row["revoked_at"] is not None and row["revoked_at"] <= months.start_of(month)
            dated = terms_of(connection, [row["id"]], month).get(row["id"])
            if is_over or dated is None:
                continue
            payer = (row["partner_id"] if dated.is_shared else row["id"], dated.plan_id)
            units[payer] += world.month(row["id"], month).get("units", 0)
            terms[payer] = dated.terms
    return sum((pricing.net(terms[payer], count) for payer, count in units.items()), Decimal(0))


@pytest.mark.docker
def test_units_that_arrive_while_a_month_closes_are_billed_once(
    migrated_postgres: str, open_world: Callable[..., World]
) -> None:
    world = open_world(migrated_postgres)
    keys = two_keys(world)
    outcomes = [held(world, key.secret.text) for key in keys for _ in range(12)]
    random.Random(1).shuffle(outcomes)  # noqa: S311 (not a secret)
    world.clock.now = datetime(2026, 4, 3, 22, 0, tzinfo=UTC)
    with ThreadPoolExecutor(5) as pool:
        recording = [pool.submit(world.record, [outcome]) for outcome in outcomes]
        closing = pool.submit(close, world)
        for future in recording:
            future.result()
    assert closing.result() == ["2026-03"]
    world.clock.now = datetime(2026, 5, 10, tzinfo=UTC)
    assert close(world) == ["2026-04"]
    all_bills = [bill for month in ("2026-03", "2026-04") for bill in bills(world, month).bills]
    assert sum(bill.total.net for bill in all_bills) == pricing.net(SHARED, 24) + SHARED.monthly_fee


def test_the_caps_of_keys_together_limit_a_shared_bill(world: World) -> None:
    caps = {"quota": {"spend_cap": Decimal("13")}}
    keys = two_keys(world, **caps)

    def served(number: int) -> Answer:
        while isinstance((answer := world.serve(keys[number % 2].secret.text)).decision, Later):
            pass
        return answer

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(served, range(20)))
    assert {answer.decision.code for answer in answers if isinstance(answer.decision, Denial)} == {"spend_cap_reached"}
    granted = [answer for answer in answers if not isinstance(answer.decision, Denial)]
    assert len(granted) == 10  # each unit counts 0.50, and each of two tiers a cent: 10 + 5 x 0.50 + 0.02
    assert shared(world, "2026-03").total.net == Decimal("13.00")
    assert shared(world, "2026-03").total.net <= 2 * Decimal("13")


def test_the_cap_of_a_lone_key_on_a_shared_plan_counts_its_price(world: World) -> None:
    plan(world)
    issued = world.key(pricing=PlanChoice("Groupe"), quota={"spend_cap": Decimal("11")})
    world.key(pricing=PlanChoice("Groupe"), partner="Bornage")
    world.key(pricing=PlanChoice("Groupe"), mode=KeyMode.TEST)
    world.key(pricing=PER_KEY)
    assert [isinstance(world.serve(issued.secret.text).decision, Denial) for _ in range(5)] == [False] * 4 + [True]
    world.clock.now = datetime(2026, 4, 10, tzinfo=UTC)
    second = world.key(pricing=PlanChoice("Groupe"))
    assert [isinstance(world.serve(issued.secret.text).decision, Denial) for _ in range(2)] == [False, True]
    world.revoke(second.record.id)
    assert isinstance(world.serve(issued.secret.text).decision, Denial)  # its units may have used the included ones
    world.clock.now = datetime(2026, 5, 10, tzinfo=UTC)
    assert not isinstance(world.serve(issued.secret.text).decision, Denial)


def test_estimated_costs_of_shared_keys_add_up_to_the_bill(world: World) -> None:
    first, second = two_keys(world)
    for day, key, times in ((2, first, 3), (10, second, 2), (20, first, 1), (20, second, 3)):
        world.clock.now = datetime(2026, 3, day, 12, tzinfo=UTC)
        use(world, key.secret.text, times)
    cost_of: dict[str, Decimal] = defaultdict(Decimal)
    with world.database.reading() as connection:
        at = Transaction(connection, world.clock.now)
        for start, end in (("2026-03-01", "2026-03-14"), ("2026-03-15", "2026-03-31")):
            period = read_range(start, end, Bucket.DAY, world.clock.now)
            for key_id, cost in costs(at, period, [first.record, second.record]).items():
                cost_of[key_id] += cost
        assert costs(at, period, [first.record])[first.record.id] == Decimal("0.34")  # of 1.34, 1 of 4 units
    assert sum(cost_of.values()) == shared(world, "2026-03").total.net


@pytest.mark.parametrize(
    ("amount", "units", "parts"),
    [
        ("1.00", [1, 1, 1], ["0.34", "0.33", "0.33"]),
        ("0.01", [1, 3], ["0.00", "0.01"]),
        ("5.00", [0, 0], ["0.00", "0.00"]),
        ("5.00", [0], ["5.00"]),
    ],
)
def test_an_amount_is_split_to_the_cent(amount: str, units: list[int], parts: list[str]) -> None:
    split_amount = split(Decimal(amount), {str(index): count for index, count in enumerate(units)})
    assert list(split_amount.values()) == [Decimal(part) for part in parts]
