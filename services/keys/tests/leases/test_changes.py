"""A change that narrows what a key may do is answered when no open lease has the earlier terms."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from keys_world import World

from contract.counters import NOTHING
from contract.endpoints import GEOJSON
from keys.api_keys import changes as key_changes
from keys.plans import changes as plan_changes
from keys.store.change import LAST_LEASE_S
from keys.upkeep import erasure
from keys.values.policy import AssistantMode, AssistantPolicy
from keys.values.pricing import ChargedPer, PlanChoice, Terms, Tier
from keys.values.records import IssuedKey, KeyDraft

Edit = Callable[[KeyDraft], KeyDraft]
EDITS: dict[str, Edit] = {
    "scopes": lambda draft: replace(draft, scopes=(GEOJSON,)),
    "networks": lambda draft: replace(draft, allowed_cidrs=("198.51.100.0/24",)),
    "quota": lambda draft: replace(draft, quota=replace(draft.quota, monthly_units=1)),
    "rate": lambda draft: replace(draft, quota=replace(draft.quota, per_minute=1)),
    "spend cap": lambda draft: replace(draft, quota=replace(draft.quota, spend_cap=Decimal(1))),
    "allowance": lambda draft: replace(draft, assistant=AssistantPolicy(AssistantMode.RULES, 1)),
    "label and scopes": lambda draft: replace(draft, label="other", scopes=(GEOJSON,)),
}


def edited(world: World, key_id: str, edit: Edit) -> None:
    with world.change() as change:
        key_changes.update(change, key_id, lambda key: edit(key.draft()))


def suspended(world: World, key_id: str) -> None:
    with world.change() as change:
        key_changes.suspend(change, key_id)


def erased(world: World, key: IssuedKey) -> None:
    with world.change() as change:
        erasure.erase_partner(change, key.record.partner.id)


Change = Callable[[World, IssuedKey], object]
CHANGES: dict[str, Change] = {
    "revoke": lambda world, key: world.revoke(key.record.id),
    "suspend": lambda world, key: suspended(world, key.record.id),
    "rotate": lambda world, key: world.rotate(key.record.id, timedelta(0)),
    **{
        name: lambda world, key, edit=edit: edited(world, key.record.id, edit)  # type: ignore[misc]
        for name, edit in EDITS.items()
    },
}
OF_PARTNERS: dict[str, Change] = {
    "disable": lambda world, key: world.change_partner(key.record.partner.id, is_active=False),
    "erase": erased,
}


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each wait, which take no time."""
    seconds: list[float] = []
    monkeypatch.setattr("keys.store.change.time.sleep", seconds.append)
    return seconds


@pytest.mark.parametrize("make", CHANGES.values(), ids=CHANGES)
def test_a_change_and_its_repetition_wait_for_open_leases(world: World, waits: list[float], make: Change) -> None:
    issued = world.key()
    world.lease(issued.secret.text)
    make(world, issued)
    assert waits == [LAST_LEASE_S]
    make(world, issued)
    assert waits == [LAST_LEASE_S] * 2, "the answer to the first one may have been lost"
    world.clock.advance(seconds=21)
    make(world, issued)
    assert waits == [LAST_LEASE_S] * 2, "the lease has ended by any clock of a replica"


@pytest.mark.parametrize("make", CHANGES.values(), ids=CHANGES)
def test_a_change_of_a_key_without_open_leases_does_not_wait(world: World, waits: list[float], make: Change) -> None:
    issued, other = world.key(), world.key()
    world.record([world.outcome(world.ask(issued.secret.text))])
    world.end(world.lease(issued.secret.text).end())  # its outcome may still come
    world.lease(other.secret.text)
    make(world, issued)
    assert waits == []


def test_a_change_waits_for_a_request_that_goes_on(world: World, waits: list[float]) -> None:
    issued = world.key()
    leased = world.lease(issued.secret.text, goes_on=True)
    assert leased.counters == NOTHING
    world.revoke(issued.record.id)
    assert waits == [LAST_LEASE_S]


@pytest.mark.parametrize("make", OF_PARTNERS.values(), ids=OF_PARTNERS)
def test_a_partner_that_is_disabled_is_waited_for(world: World, waits: list[float], make: Change) -> None:
    issued = world.key()
    for _ in range(2):
        make(world, issued)
    assert waits == [LAST_LEASE_S] * 2


def test_a_new_label_and_an_enabled_partner_are_not_waited_for(world: World, waits: list[float]) -> None:
    issued = world.key()
    world.lease(issued.secret.text)
    edited(world, issued.record.id, lambda draft: replace(draft, label="other", metadata={"contract": "C-17"}))
    world.change_partner(issued.record.partner.id, is_active=True)
    assert waits == []


def test_a_key_that_joins_a_shared_plan_is_waited_for(world: World, waits: list[float]) -> None:
    """The spend caps of the partner's other keys count more then."""
    tiers = (Tier(None, Decimal("0.50")),)
    terms = Terms(
        monthly_fee=Decimal(10), included_units=1, tiers=tiers, vat_rate=Decimal("0.20"), charged_per=ChargedPer.PARTNER
    )
    with world.change() as change:
        plan_changes.create_plan(change, "Groupe", terms, None)
    assert waits == []
    world.key(pricing=PlanChoice("Groupe"))
    assert waits == [LAST_LEASE_S]


def test_a_change_commits_before_it_waits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    issued = world.key()
    world.lease(issued.secret.text)
    codes: list[str] = []
    monkeypatch.setattr("keys.store.change.time.sleep", lambda _: codes.append(world.lease(issued.secret.text).code))
    world.revoke(issued.record.id)
    assert codes == ["revoked_key"]


def test_a_suspended_key_is_refused_until_it_is_resumed(world: World, waits: list[float]) -> None:
    issued = world.key()
    suspended(world, issued.record.id)
    assert world.lease(issued.secret.text).code == "suspended_key"
    edited(world, issued.record.id, lambda draft: replace(draft, label="other"))
    for _ in range(2):
        with world.change() as change:
            assert key_changes.resume(change, issued.record.id).suspended_at is None
    assert world.lease(issued.secret.text).code == "granted"
    assert waits == []


def test_a_refused_change_does_not_wait(world: World, waits: list[float]) -> None:
    issued = world.key()
    world.lease(issued.secret.text)

    def fail(_: KeyDraft) -> KeyDraft:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        edited(world, issued.record.id, fail)
    assert waits == []


def test_the_wait_takes_its_time(world: World) -> None:
    issued = world.key()
    world.lease(issued.secret.text)
    started = time.monotonic()
    world.revoke(issued.record.id)
    assert time.monotonic() - started >= LAST_LEASE_S
