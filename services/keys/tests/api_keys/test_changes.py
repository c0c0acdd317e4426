"""Changes of keys, partners and plans on a real database, each test on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from keys_world import ACTOR, DRAFT, NOON, Grant, World

from contract.endpoints import RESOLVE
from keys.api_keys import changes as key_changes
from keys.plans import changes as plan_changes
from keys.store import audit_log as audit
from keys.store import key_pages, key_records, partner_records
from keys.store.audit_log import Actor
from keys.store.change import Change
from keys.store.key_pages import KeyFilter, KeySort
from keys.store.paging import Order, PageRequest
from keys.values.errors import Blocked, Conflict, IdempotencyMismatch, NotFound
from keys.values.policy import Quota
from keys.values.pricing import PlanChoice, Terms, Tier
from keys.values.records import IssuedKey, KeyDraft, Role
from servicekit.errors import InvalidPayload

TERMS = Terms(
    monthly_fee=Decimal("10"), included_units=1, tiers=(Tier(None, Decimal("0.50")),), vat_rate=Decimal("0.20")
)


def is_taken(world: World, secret: str) -> bool:
    return isinstance(world.serve(secret).decision, Grant)


def create(world: World, draft: KeyDraft, idempotency_key: str, actor: Actor = ACTOR) -> IssuedKey:
    with world.change() as change:
        return key_changes.create(
            Change(change.connection, change.now, actor, Role.OWNER), world.peppers, draft, idempotency_key
        )


def labels(world: World) -> list[str]:
    with world.database.reading() as connection:
        newest = PageRequest(Order(KeySort.CREATED_AT), None, 100)
        page = key_pages.page(connection, KeyFilter(), newest, world.clock())
    return [record.label for record in page.records]


def actions(world: World, subject: str) -> list[str]:
    with world.database.reading() as connection:
        return [entry.action for entry in audit.entries(connection, audit.Filter([subject]), None, 50)]


def test_an_idempotency_key_gives_the_same_key_and_secret_for_a_day(world: World) -> None:
    first = create(world, DRAFT, "order-17")
    again = create(world, DRAFT, "order-17")
    assert again.record.id == first.record.id
    assert again.secret.text == first.secret.text
    assert is_taken(world, again.secret.text)
    assert create(world, DRAFT, "order-17", Actor("admin bob@example.org")).record.id != first.record.id
    assert create(world, DRAFT, "").record.id != create(world, DRAFT, "").record.id
    with pytest.raises(IdempotencyMismatch):
        create(world, replace(DRAFT, label="other"), "order-17")
    assert first.secret.text[16:59] not in world.dump()


def test_concurrent_creations_with_one_idempotency_key_create_one_key(world: World) -> None:
    with ThreadPoolExecutor(6) as pool:
        created = list(pool.map(lambda _: create(world, DRAFT, "order-17"), range(6)))
    assert len({issued.secret.text for issued in created}) == 1
    assert labels(world) == [DRAFT.label]


def test_partners_are_found_by_id_or_name_and_created_once(world: World) -> None:
    def create_key(_: int) -> IssuedKey:
        while True:
            with suppress(Blocked):  # on a slow machine; the caller tries again
                return world.key(partner="Géomètres associés")

    with ThreadPoolExecutor(6) as pool:
        created = list(pool.map(create_key, range(6)))
    (partner,) = {issued.record.partner.id for issued in created}
    assert world.key(partner=partner).record.partner.name == "Géomètres associés"


def test_a_key_cannot_expire_in_the_past(world: World) -> None:
    with pytest.raises(InvalidPayload) as caught:
        create(world, replace(DRAFT, expires_at=NOON), "")
    assert [(violation.pointer, violation.code) for violation in caught.value.violations] == [
        ("/expires_at", "out_of_range")
    ]
    assert labels(world) == []


def test_a_change_applies_to_the_next_request(world: World) -> None:
    issued = world.key()
    key_id = issued.record.id
    with world.change() as change:
        record = key_changes.update(
            change, key_id, lambda key: replace(key.draft(), label="new", quota=Quota(1, 600, 100), scopes=(RESOLVE,))
        )
    assert (record.label, record.quota.monthly_units, record.scopes) == ("new", 1, (RESOLVE,))
    assert is_taken(world, issued.secret.text)
    assert not is_taken(world, issued.secret.text)
    with world.database.reading() as connection:
        entry = audit.entries(connection, audit.Filter([key_id]), None, 1)[0]
    assert (entry.action, entry.actor) == ("key.update", ACTOR.name)
    assert entry.changes == {
        "label": {"old": DRAFT.label, "new": "new"},
        "quota.monthly_units": {"old": None, "new": 1},
        "quota.per_minute": {"old": 60_000, "new": 600},
        "quota.burst": {"old": 1_000, "new": 100},
        "scopes": {"old": [], "new": [RESOLVE]},
    }


def test_a_quota_below_its_usage_refuses_new_requests_and_counts_old_outcomes(world: World) -> None:
    issued = world.key()
    answers = [world.ask(issued.secret.text) for _ in range(5)]
    with world.change() as change:
        key_changes.update(change, issued.record.id, lambda key: replace(key.draft(), quota=Quota(3, 600, 100)))
    assert not is_taken(world, issued.secret.text)
    world.record([world.outcome(answer) for answer in answers])
    assert world.month(issued.record.id)["units"] == 5


def test_revocation_is_final(world: World) -> None:
    issued = world.key()
    at = world.clock()
    assert world.revoke(issued.record.id).revoked_at == at
    world.clock.advance(days=1)
    assert world.revoke(issued.record.id).revoked_at == at
    for changed in (
        lambda change: key_changes.update(change, issued.record.id, lambda key: key.draft()),
        lambda change: key_changes.rotate(change, world.peppers, issued.record.id, timedelta(0)),
    ):
        with pytest.raises(Conflict), world.change() as change:
            changed(change)
    assert actions(world, issued.record.id) == ["key.revoke", "key.create"]


def test_an_old_secret_is_valid_until_its_grace_period_ends(world: World) -> None:
    issued = world.key()
    rotated = world.rotate(issued.record.id, timedelta(days=2))
    assert rotated.record.id == issued.record.id
    assert rotated.record.masked != issued.record.masked
    assert rotated.record.previous_secret_expires_at == world.clock() + timedelta(days=2)
    assert is_taken(world, issued.secret.text)
    assert is_taken(world, rotated.secret.text)
    world.clock.advance(days=2)
    assert not is_taken(world, issued.secret.text)
    assert is_taken(world, rotated.secret.text)


def test_a_second_rotation_does_not_prolong_the_first_secret(world: World) -> None:
    first = world.key()
    second = world.rotate(first.record.id, timedelta(days=1))
    third = world.rotate(first.record.id, timedelta(days=30))
    assert [is_taken(world, key.secret.text) for key in (first, second, third)] == [True, True, True]
    world.clock.advance(days=1)
    assert [is_taken(world, key.secret.text) for key in (first, second, third)] == [False, True, True]
    last = world.rotate(first.record.id, timedelta(0))
    assert [is_taken(world, key.secret.text) for key in (second, third, last)] == [False, False, True]


def test_a_disabled_partner_stops_its_keys_and_enabling_starts_them(world: World) -> None:
    issued, other = world.key(), world.key(partner="Bornage")
    partner = issued.record.partner.id
    for is_active in (False, True):
        world.change_partner(partner, is_active=is_active)
        assert is_taken(world, issued.secret.text) is is_active
        assert is_taken(world, other.secret.text)


@pytest.mark.parametrize("name", ["Étude\u00a0: Martin", "👩🏽\u200d🌾 Fermes", "שירותי קרקע", "<b>&amp;", "x" * 200])
def test_names_may_have_any_readable_characters(world: World, name: str) -> None:
    issued = world.key(partner=name, label=name)
    assert (issued.record.partner.name, issued.record.label) == (name, name)


def test_names_of_partners_and_plans_are_unique(world: World) -> None:
    partner = world.partner("Cadastra").partner
    other = world.partner("Bornage").partner
    with world.change() as change:
        plan = plan_changes.create_plan(change, "Étude", TERMS, None)
    with pytest.raises(Conflict):
        world.partner("Cadastra")
    with pytest.raises(Conflict):
        world.change_partner(other.id, name="Cadastra")
    with pytest.raises(Conflict), world.change() as change:
        plan_changes.create_plan(change, "Étude", TERMS, None)
    with world.database.reading() as connection:
        assert partner_records.find(connection, partner.id) == partner
    assert plan.terms is not None
    assert replace(plan.terms, plan="") == TERMS


def test_an_archived_or_unknown_plan_cannot_be_chosen(world: World) -> None:
    with world.change() as change:
        plan = plan_changes.create_plan(change, "Étude", TERMS, None)
    issued = world.key(pricing=PlanChoice(plan.id))
    with world.change() as change:
        plan_changes.update_plan(change, plan.id, name=None, is_archived=True, terms=None, from_month=None)
    for choice in (plan.id, "Étude", "unknown"):
        with pytest.raises(NotFound):
            world.key(pricing=PlanChoice(choice))
    with world.database.reading() as connection:
        record = key_records.find(connection, issued.record.id, world.clock())
    assert record is not None
    assert record.terms is not None
