"""Test keys of visitors: bounded by network and in total, short-lived, and for the demo commune alone."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from keys_world import NOON, World
from sqlalchemy import select

from contract.endpoints import COVERAGE, KEYS, RESOLVE, RESOLVE_BATCH
from keys.api_keys import visitors
from keys.metering.reporting import UsageReport, report
from keys.rpc.keys_service import KeysServicer
from keys.store import key_pages, key_records, retention
from keys.store.audit_log import VISITOR, Actor, Filter, entries
from keys.store.change import Change, Transaction
from keys.store.database import Database
from keys.store.key_pages import KeyFilter, KeySort
from keys.store.paging import Order, PageRequest
from keys.store.partner_records import VISITORS
from keys.store.rollups import Scope
from keys.store.tables import audit_entries
from keys.values.buckets import Bucket, read_range
from keys.values.errors import NotFound, VisitorKeysUsed
from keys.values.lease_rules import Denial
from keys.values.records import IssuedKey, Role
from keys.values.secret import KeyMode
from landpartner.keys.v1 import keys_pb2
from servicekit.workers import Workers

MOST = visitors.MOST_PER_NETWORK + 3


def create(world: World, address: str, most: int = MOST) -> IssuedKey:
    with world.database.writing() as connection:
        change = Change(connection, world.clock(), Actor(VISITOR, address), Role.OPERATOR)
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


def test_lists_keep_visitors_apart_from_customers(world: World) -> None:
    visitor, customer = create(world, "192.0.2.1").record, world.key().record
    requested = PageRequest(Order(KeySort.LABEL, False), None, 50)
    with world.database.reading() as connection:

        def listed(key_filter: KeyFilter) -> list[str]:
            found = key_pages.page(connection, key_filter, requested, NOON)
            assert found.total_count == len(found.records)
            return [record.id for record in found.records]

        assert listed(KeyFilter()) == [customer.id]
        assert listed(KeyFilter(partner_id=VISITORS)) == [visitor.id]
        assert listed(KeyFilter(search=visitor.id)) == [visitor.id]
        logged = [
            visitor.id in [entry.subject for entry in entries(connection, entry_filter, None, 50)]
            for entry_filter in (Filter(), Filter(actor=VISITOR), Filter(subjects=[visitor.id]))
        ]
        assert logged == [False, True, True]


def test_a_network_and_all_visitors_together_have_a_limit_until_keys_expire(world: World) -> None:
    for number in range(visitors.MOST_PER_NETWORK):
        create(world, f"2001:db8:0:1::{number}")
    with pytest.raises(VisitorKeysUsed, match="Your network already has its 50 test keys") as refusal:
        create(world, "2001:db8:0:1:ffff::1")
    assert refusal.value.retry_after_s == timedelta(days=1).total_seconds() + 1
    for number in range(MOST - visitors.MOST_PER_NETWORK):
        create(world, f"2001:db8:0:{number + 2}::1")
    with pytest.raises(VisitorKeysUsed, match="All test keys of the day"):
        create(world, "192.0.2.9")
    world.clock.advance(days=1)
    create(world, "2001:db8:0:1::1")


async def test_a_refusal_writes_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    unused: Any = None
    servicer = KeysServicer(unused, unused, world.database, unused, world.clock, Workers(1), world.peppers)
    request = keys_pb2.CreateVisitorKeyRequest(client_address="192.0.2.1", most_per_day=MOST)
    for _ in range(visitors.MOST_PER_NETWORK):
        assert (await servicer.CreateVisitorKey(request, unused)).api_key
    monkeypatch.setattr(Database, "writing", unused)
    with pytest.raises(VisitorKeysUsed):
        await servicer.CreateVisitorKey(request, unused)
    with pytest.raises(NotFound):
        await servicer.CreateVisitorKey(keys_pb2.CreateVisitorKeyRequest(client_address="192.0.2.1"), unused)


def test_visitors_get_no_key_by_default_or_if_their_partner_is_disabled(world: World) -> None:
    with pytest.raises(NotFound):
        create(world, "192.0.2.1", most=0)
    issued = create(world, "192.0.2.1")
    world.change_partner(issued.record.partner.id, is_active=False)
    with pytest.raises(NotFound):
        create(world, "192.0.2.1")


def test_a_partner_named_like_that_of_visitors_gets_none_of_their_keys(world: World) -> None:
    named = world.partner(visitors.NAME)
    issued = create(world, "192.0.2.1")
    assert issued.record.partner.id == VISITORS != named.partner.id
    world.change_partner(VISITORS, name="Page d’accueil")
    assert create(world, "192.0.2.2").record.partner.name == "Page d’accueil"


def usage(world: World, scope: Scope) -> UsageReport:
    period = read_range("2026-03-01", "2026-05-31", Bucket.DAY, world.clock())
    with world.database.reading() as connection:
        return report(Transaction(connection, world.clock()), period, Bucket.DAY, scope, "2026-03")


def test_expired_keys_of_visitors_are_deleted_and_their_usage_and_audit_stay(world: World) -> None:
    expired = [create(world, f"192.0.2.{number}") for number in (1, 2)]
    own = world.key(mode=KeyMode.TEST, expires_at=NOON + timedelta(days=1))
    for issued in (*expired, own):
        world.record([world.outcome(world.ask(issued.secret.text))])
    before = [usage(world, scope) for scope in (Scope(), Scope(partner_id=VISITORS))]
    assert [report.total.requests for report in before] == [1, 2], "visitors are apart from customers"
    apply = partial(retention.apply, world.database, world.clock, raw_days=40, address_days=30)
    world.clock.advance(days=40)
    valid = create(world, "192.0.2.1")
    apply()
    assert usage(world, Scope(key_id=expired[0].record.id)).total.requests == 1
    world.clock.advance(days=1, seconds=1)
    apply()
    with world.database.reading() as connection:
        ids = [issued.record.id for issued in (*expired, own, valid)]
        assert set(key_records.named(connection, ids)) == {own.record.id, valid.record.id}
        subjects = list(connection.execute(select(audit_entries.c.subject)).scalars())
    assert {issued.record.id for issued in expired} <= set(subjects)
    after = [usage(world, scope) for scope in (Scope(), Scope(partner_id=VISITORS))]
    for earlier, later in zip(before, after, strict=True):
        assert (later.total, later.endpoints, later.outcomes) == (earlier.total, earlier.endpoints, earlier.outcomes)
    assert [report.total.requests for report in after] == [1, 2]
    assert apply() == 0
