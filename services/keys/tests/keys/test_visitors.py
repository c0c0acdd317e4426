"""Test keys of visitors: bounded by network and in total, short-lived, and for the demo commune alone."""

from datetime import timedelta

import pytest
from keys_world import NOON, World

from contract.endpoints import COVERAGE, KEYS, RESOLVE, RESOLVE_BATCH
from keys.audit.log import Actor
from keys.errors import NotFound, VisitorKeysUsed
from keys.keys import visitors
from keys.keys.secret import KeyMode
from keys.leases.rules import Denial
from keys.records import IssuedKey, Role
from keys.store.change import Change

MOST = 8


def create(world: World, address: str, most: int = MOST) -> IssuedKey:
    with world.database.writing() as connection:
        change = Change(connection, world.clock(), Actor("visitor", address), Role.OPERATOR)
        return visitors.create(change, world.peppers, most)


def test_a_visitor_key_is_a_limited_test_key_that_ends_after_a_day(world: World) -> None:
    issued = create(world, "192.0.2.1")
    record = issued.record
    assert (record.mode, record.expires_at) == (KeyMode.TEST, NOON + timedelta(days=1))
    assert record.quota.hard
    assert record.quota.monthly_units == 200
    assert "192.0.2.1" not in record.label
    assert not {KEYS, COVERAGE, RESOLVE_BATCH} & set(record.scopes)
    assert not isinstance(world.ask(issued.secret.text, RESOLVE).decision, Denial)
    world.clock.advance(days=1)
    decision = world.ask(issued.secret.text, RESOLVE).decision
    assert isinstance(decision, Denial)
    assert decision.code == "expired_key"


def test_a_network_and_all_visitors_together_have_a_limit_until_keys_expire(world: World) -> None:
    for number in range(visitors.MOST_PER_NETWORK):
        create(world, f"2001:db8:0:1::{number}")
    with pytest.raises(VisitorKeysUsed) as refusal:
        create(world, "2001:db8:0:1:ffff::1")
    assert refusal.value.retry_after_s == timedelta(days=1).total_seconds() + 1
    for number in range(MOST - visitors.MOST_PER_NETWORK):
        create(world, f"2001:db8:0:{number + 2}::1")
    with pytest.raises(VisitorKeysUsed):
        create(world, "192.0.2.9")
    world.clock.advance(days=1)
    create(world, "2001:db8:0:1::1")


def test_visitors_get_no_key_by_default_or_if_their_partner_is_disabled(world: World) -> None:
    with pytest.raises(NotFound):
        create(world, "192.0.2.1", most=0)
    issued = create(world, "192.0.2.1")
    world.change_partner(issued.record.partner.id, is_active=False)
    with pytest.raises(NotFound):
        create(world, "192.0.2.1")
