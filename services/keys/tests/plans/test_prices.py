"""When a price takes effect, who may set it or lift a limit, and the audit log of both. On SQLite and PostgreSQL."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from keys_world import ACTOR, DRAFT, World

from keys.admins import changes as administrators
from keys.api_keys import changes as key_changes
from keys.plans import changes as plan_changes
from keys.store import admins
from keys.store import audit_log as audit
from keys.store.change import Change
from keys.store.price_terms import terms_of
from keys.values.errors import RoleDenied
from keys.values.policy import Quota
from keys.values.pricing import PlanChoice, Terms, Tier
from keys.values.records import Contact, Customer, Json, KeyRecord, Plan, Role
from servicekit.errors import InvalidPayload

TERMS = Terms(
    monthly_fee=Decimal("10"), included_units=1, tiers=(Tier(None, Decimal("0.50")),), vat_rate=Decimal("0.20")
)
DEARER = replace(TERMS, monthly_fee=Decimal("20"))
MARCH, APRIL, MAY = "2026-03", "2026-04", "2026-05"


def fee(world: World, key_id: str, month: str) -> Decimal | None:
    """Returns the monthly fee of a key."""
    with world.database.reading() as connection:
        dated = terms_of(connection, [key_id], month).get(key_id)
    return dated.terms.monthly_fee if dated else None


def update(world: World, key_id: str, role: Role = Role.OWNER, **changes: Any) -> KeyRecord:
    with by(world, role) as change:
        return key_changes.update(change, key_id, lambda record: replace(record.draft(), **changes))


def new_plan(world: World, name: str = "Étude", from_month: str | None = None) -> Plan:
    with world.change() as change:
        return plan_changes.create_plan(change, name, TERMS, from_month)


def reprice(world: World, plan: Plan, terms: Terms = DEARER, from_month: str | None = None) -> Plan:
    with world.change() as change:
        return plan_changes.update_plan(
            change, plan.id, name=None, is_archived=None, terms=terms, from_month=from_month
        )


@contextmanager
def by(world: World, role: Role) -> Iterator[Change]:
    with world.change() as change:
        yield Change(change.connection, change.now, ACTOR, role)


def last_changes(world: World, subject: str) -> Mapping[str, Json]:
    with world.database.reading() as connection:
        return audit.entries(connection, audit.Filter([subject]), None, 1)[0].changes


def use(world: World, secret: str) -> None:
    world.record([world.outcome(world.ask(secret))])


def pointers(error: InvalidPayload) -> list[tuple[str, str]]:
    return [(violation.pointer, violation.code) for violation in error.violations]


@pytest.mark.parametrize("is_settled", [True, False])
def test_terms_in_force_stay_until_next_month_once_a_unit_was_used_or_reserved(world: World, is_settled: bool) -> None:
    issued = world.key(pricing=TERMS)
    key_id = issued.record.id
    answer = world.ask(issued.secret.text)
    if is_settled:
        world.record([world.outcome(answer)])
    with pytest.raises(InvalidPayload) as caught:
        update(world, key_id, pricing=DEARER, pricing_from=MARCH)
    assert pointers(caught.value) == [("/pricing/effective_from", "out_of_range")]
    assert fee(world, key_id, MARCH) == Decimal("10")
    update(world, key_id, pricing=DEARER)
    assert (fee(world, key_id, MARCH), fee(world, key_id, APRIL)) == (Decimal("10"), Decimal("20"))
    update(world, key_id, pricing=replace(TERMS, monthly_fee=Decimal("15")), pricing_from=APRIL)
    assert (fee(world, key_id, MARCH), fee(world, key_id, APRIL)) == (Decimal("10"), Decimal("15"))


def test_without_used_units_a_price_may_start_this_month(world: World) -> None:
    key_id = world.key(pricing=TERMS).record.id
    update(world, key_id, pricing=DEARER)
    assert fee(world, key_id, MARCH) == Decimal("10")
    update(world, key_id, pricing=DEARER, pricing_from=MARCH)
    assert fee(world, key_id, MARCH) == Decimal("20")


def test_a_first_price_does_not_apply_to_earlier_units(world: World) -> None:
    used, unused = world.key(), world.key()
    use(world, used.secret.text)
    update(world, used.record.id, pricing=TERMS)
    update(world, unused.record.id, pricing=TERMS)
    assert (fee(world, used.record.id, MARCH), fee(world, used.record.id, APRIL)) == (None, Decimal("10"))
    assert fee(world, unused.record.id, MARCH) == Decimal("10")


def test_units_of_an_earlier_month_do_not_delay_a_price(world: World) -> None:
    issued = world.key(pricing=TERMS)
    use(world, issued.secret.text)
    world.clock.now = datetime.fromisoformat("2026-04-10T12:00:00+00:00")
    update(world, issued.record.id, pricing=DEARER, pricing_from=APRIL)
    assert (fee(world, issued.record.id, MARCH), fee(world, issued.record.id, APRIL)) == (Decimal("10"), Decimal("20"))


def test_another_plan_starts_next_month_once_a_unit_was_used(world: World) -> None:
    new_plan(world, "Étude")
    other = new_plan(world, "Cabinet")
    reprice(world, other, from_month=MARCH)
    issued = world.key(pricing=PlanChoice("Étude"))
    use(world, issued.secret.text)
    with pytest.raises(InvalidPayload) as caught:
        update(world, issued.record.id, pricing=PlanChoice("Cabinet"), pricing_from=MARCH)
    assert pointers(caught.value) == [("/pricing/effective_from", "out_of_range")]
    update(world, issued.record.id, pricing=PlanChoice("Cabinet"))
    assert (fee(world, issued.record.id, MARCH), fee(world, issued.record.id, APRIL)) == (Decimal("10"), Decimal("20"))


def test_terms_of_a_plan_stay_while_any_key_on_it_used_a_unit(world: World) -> None:
    plan = new_plan(world)
    issued, idle = world.key(pricing=PlanChoice(plan.id)), world.key(pricing=PlanChoice(plan.id))
    reprice(world, plan, from_month=MARCH)
    assert fee(world, idle.record.id, MARCH) == Decimal("20")
    world.ask(issued.secret.text)
    with pytest.raises(InvalidPayload) as caught:
        reprice(world, plan, TERMS, from_month=MARCH)
    assert pointers(caught.value) == [("/pricing/effective_from", "out_of_range")]
    reprice(world, plan, TERMS)
    assert (fee(world, idle.record.id, MARCH), fee(world, idle.record.id, APRIL)) == (Decimal("20"), Decimal("10"))


def test_a_key_that_left_a_plan_no_longer_delays_its_terms(world: World) -> None:
    plan = new_plan(world)
    issued = world.key(pricing=PlanChoice(plan.id))
    update(world, issued.record.id, pricing=TERMS, pricing_from=MARCH)
    use(world, issued.secret.text)
    reprice(world, plan, from_month=MARCH)
    assert fee(world, issued.record.id, MARCH) == Decimal("10")


def test_a_plan_that_starts_later_leaves_no_month_without_terms(world: World) -> None:
    plan = new_plan(world, from_month=MAY)
    key_id = world.key(pricing=TERMS).record.id
    with pytest.raises(InvalidPayload) as caught:
        update(world, key_id, pricing=PlanChoice(plan.id))
    assert pointers(caught.value) == [("/pricing/plan", "unknown_value")]
    update(world, key_id, pricing=PlanChoice(plan.id), pricing_from=MAY)
    assert fee(world, key_id, APRIL) == Decimal("10")


def test_a_plan_repriced_while_its_keys_work_never_changes_the_price_of_a_used_unit(world: World) -> None:
    plan = new_plan(world)
    keys = [world.key(pricing=PlanChoice(plan.id)) for _ in range(4)]

    def work(number: int) -> None:
        if number % 2:
            world.ask(keys[number // 2].secret.text)
            return
        with suppress(InvalidPayload):
            reprice(world, plan, replace(TERMS, monthly_fee=Decimal(number)), from_month=MARCH)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    settled = fee(world, keys[0].record.id, MARCH)
    with pytest.raises(InvalidPayload):
        reprice(world, plan, DEARER, from_month=MARCH)
    assert fee(world, keys[0].record.id, MARCH) == settled


@pytest.mark.parametrize("pricing", [TERMS, PlanChoice("Étude")])
def test_only_an_owner_sets_a_price(world: World, pricing: Terms | PlanChoice) -> None:
    new_plan(world)
    key_id = world.key().record.id
    with pytest.raises(RoleDenied, match="needs the role owner"):
        update(world, key_id, Role.OPERATOR, pricing=pricing)
    with pytest.raises(RoleDenied), by(world, Role.OPERATOR) as change:
        key_changes.create(change, world.peppers, replace(DRAFT, pricing=pricing))
    assert fee(world, key_id, APRIL) is None
    with by(world, Role.OPERATOR) as change:
        assert key_changes.create(change, world.peppers, DRAFT).record.terms is None


HARD = Quota(monthly_units=100, per_minute=60, burst=10, hard=True, spend_cap=Decimal(50))


@pytest.mark.parametrize(
    ("before", "after", "lifts"),
    [
        (HARD, replace(HARD, hard=False), True),
        (HARD, replace(HARD, monthly_units=None), True),
        (HARD, replace(HARD, monthly_units=101), True),
        (HARD, replace(HARD, spend_cap=None), True),
        (HARD, replace(HARD, spend_cap=Decimal("50.01")), True),
        (replace(HARD, hard=False), replace(HARD, hard=False, spend_cap=None), True),  # the cap always holds
        (HARD, replace(HARD, monthly_units=99, spend_cap=Decimal(49)), False),
        (HARD, replace(HARD, per_minute=6_000, burst=500), False),
        (replace(HARD, hard=False), replace(HARD, hard=False, monthly_units=None), False),
        (replace(HARD, monthly_units=None, spend_cap=None), HARD, False),
    ],
)
def test_only_an_owner_lifts_a_limit(world: World, before: Quota, after: Quota, lifts: bool) -> None:
    with by(world, Role.OPERATOR) as change:
        key_id = key_changes.create(change, world.peppers, replace(DRAFT, quota=before)).record.id
    if lifts:
        with pytest.raises(RoleDenied, match="needs the role owner"):
            update(world, key_id, Role.OPERATOR, quota=after)
        assert update(world, key_id, Role.OPERATOR).quota == before
    else:
        assert update(world, key_id, Role.OPERATOR, quota=after).quota == after
    assert update(world, key_id, Role.OWNER, quota=after).quota == after


def test_the_audit_log_keeps_the_old_and_the_new_value_of_every_field_of_a_key(world: World) -> None:
    new_plan(world)
    draft = replace(DRAFT, metadata={"crm": "17", "seats": "3"}, quota=HARD, pricing=TERMS)
    key_id = world.key(**{name: getattr(draft, name) for name in ("metadata", "quota", "pricing")}).record.id
    created = last_changes(world, key_id)
    assert (created["partner"], created["metadata.crm"], created["quota.spend_cap"]) == ("Cadastra", "17", "50")
    assert (created["pricing.monthly_fee"], created["pricing.effective_from"]) == ("10", MARCH)

    expires_at = datetime.fromisoformat("2027-01-01T00:00:00+00:00")
    update(
        world,
        key_id,
        expires_at=expires_at,
        metadata={"crm": "18"},
        quota=replace(HARD, monthly_units=None),
        pricing=PlanChoice("Étude"),
    )
    assert last_changes(world, key_id) == {
        "expires_at": {"old": None, "new": str(expires_at)},
        "metadata.crm": {"old": "17", "new": "18"},
        "metadata.seats": {"old": "3", "new": None},
        "quota.monthly_units": {"old": 100, "new": None},
        "pricing.plan": {"old": "", "new": "Étude"},
        "pricing.effective_from": {"old": MARCH, "new": APRIL},
    }


def test_the_audit_log_keeps_every_term_of_a_plan_and_every_field_of_a_partner_and_an_admin(world: World) -> None:
    plan = new_plan(world)
    assert last_changes(world, plan.id)["pricing.tiers"] == [{"up_to": None, "unit_price": "0.50"}]
    tiers = (Tier(5, Decimal("0.40")), Tier(None, Decimal("0.30")))
    with world.change() as change:
        terms = Terms(monthly_fee=Decimal("12"), included_units=7, tiers=tiers, vat_rate=Decimal("0.10"))
        plan_changes.update_plan(change, plan.id, name="Cabinet", is_archived=True, terms=terms, from_month=None)
    assert last_changes(world, plan.id) == {
        "name": {"old": "Étude", "new": "Cabinet"},
        "is_archived": {"old": False, "new": True},
        "pricing.monthly_fee": {"old": "10", "new": "12"},
        "pricing.included_units": {"old": 1, "new": 7},
        "pricing.tiers": {
            "old": [{"up_to": None, "unit_price": "0.50"}],
            "new": [{"up_to": 5, "unit_price": "0.40"}, {"up_to": None, "unit_price": "0.30"}],
        },
        "pricing.vat_rate": {"old": "0.20", "new": "0.10"},
        "pricing.effective_from": {"old": MARCH, "new": APRIL},
    }

    partner = world.partner("Bornage", metadata={"note": "1"}).partner
    contact = Customer(contact=Contact(email="jeanne@bornage.example"))
    world.change_partner(partner.id, name="Bornages", is_active=False, metadata={"note": "2"}, customer=contact)
    assert last_changes(world, partner.id) == {
        "name": {"old": "Bornage", "new": "Bornages"},
        "is_active": {"old": True, "new": False},
        "contact.email": {"old": "", "new": "jeanne@bornage.example"},
        "metadata.note": {"old": "1", "new": "2"},
    }

    with world.change() as change:
        bob = administrators.create_admin(change, "bob@example.org", "hash", Role.VIEWER)
        administrators.update_admin(change, bob.id, Role.OPERATOR, None)
    assert last_changes(world, bob.id) == {"role": {"old": "viewer", "new": "operator"}}
    with world.database.reading() as connection:
        record = admins.find(connection, bob.id)
    assert record is not None
    assert record.role is Role.OPERATOR


def test_an_unchanged_draft_changes_nothing(world: World) -> None:
    key_id = world.key(pricing=TERMS).record.id
    update(world, key_id)
    assert last_changes(world, key_id) == {}
