"""Which events are written, each test on SQLite and PostgreSQL."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from bills_world import close
from keys_world import World
from sqlalchemy import Connection

from keys.store import event_records, recording, retention, settling
from keys.store.settling import Settlement
from keys.values.lease_rules import Denial
from keys.values.pricing import Terms, Tier
from keys.values.records import IssuedKey
from keys.values.secret import KeyMode

TERMS = Terms(monthly_fee=Decimal(0), included_units=0, tiers=(Tier(None, Decimal("1")),), vat_rate=Decimal("0.20"))


def feed(world: World, issued: IssuedKey, mode: KeyMode = KeyMode.LIVE) -> list[tuple[str, int, str | None, str]]:
    """The events of the key's partner: kind, threshold, month and amount."""
    with world.database.reading() as connection:
        events = event_records.after(connection, event_records.owner_of(issued.record.partner.id, mode), 0, 100)
    assert [event.id for event in events] == sorted(event.id for event in events)
    return [(event.kind, event.threshold, event.month, str(event.amount)) for event in events]


def use(world: World, issued: IssuedKey, units: int) -> None:
    for _ in range(units):
        world.record([world.outcome(world.ask(issued.secret.text))])


def expire(world: World) -> None:
    with world.database.writing() as connection:
        recording.record_expiries(connection, world.clock())


def test_each_share_of_a_quota_is_one_event_a_month(world: World) -> None:
    issued = world.key(quota={"monthly_units": 5})
    use(world, issued, 3)
    assert feed(world, issued) == []
    use(world, issued, 2)
    assert feed(world, issued) == [("quota", 80, "2026-03", "5"), ("quota", 100, "2026-03", "5")]
    for _ in range(2):
        world.report_denial(world.ask(issued.secret.text))
    assert len(feed(world, issued)) == 2
    world.clock.advance(days=31)
    use(world, issued, 4)
    assert feed(world, issued)[2:] == [("quota", 80, "2026-04", "5")]


def test_a_request_over_both_shares_is_one_event(world: World) -> None:
    issued = world.key(quota={"monthly_units": 2, "hard": False})
    use(world, issued, 1)
    world.record([world.outcome(world.ask(issued.secret.text), units=9)])
    assert feed(world, issued) == [("quota", 100, "2026-03", "2")]


def test_an_outcome_counts_for_the_month_of_its_lease(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    outcome = world.outcome(world.ask(issued.secret.text))
    world.clock.advance(days=31)
    world.record([outcome])
    assert feed(world, issued) == [("quota", 100, "2026-03", "1")]


def test_a_refusal_of_the_spend_cap_means_that_it_is_used_up(world: World) -> None:
    issued = world.key(quota={"spend_cap": Decimal("5.50")}, pricing=TERMS)
    use(world, issued, 5)
    assert feed(world, issued) == [("spend_cap", 80, "2026-03", "5.50")]
    world.report_denial(world.ask(issued.secret.text))
    assert feed(world, issued)[1:] == [("spend_cap", 100, "2026-03", "5.50")]


def test_units_that_are_only_reserved_are_not_used(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    answer = world.ask(issued.secret.text)
    world.report_denial(replace(answer, decision=Denial("quota_exhausted")))
    world.record([world.outcome(answer, status=400, units=0)])
    assert feed(world, issued) == []


def test_a_test_key_has_a_quota_and_events_of_its_own(world: World) -> None:
    issued = world.key(mode=KeyMode.TEST, quota={"monthly_units": 1, "spend_cap": Decimal(1)}, pricing=None)
    use(world, issued, 1)
    assert feed(world, issued) == []
    assert feed(world, issued, KeyMode.TEST) == [("quota", 100, "2026-03", "1")]


def test_a_key_has_an_event_14_days_and_1_day_before_it_expires(world: World) -> None:
    issued = world.key(expires_at=world.clock() + timedelta(days=15))
    revoked = world.key(partner="Other", expires_at=world.clock() + timedelta(days=15))
    world.revoke(revoked.record.id)
    expire(world)
    assert feed(world, issued) == []
    for days in (1, 1, 12, 1):
        world.clock.advance(days=days)
        expire(world)
        expire(world)
    assert [threshold for _, threshold, _, _ in feed(world, issued)] == [14, 1]
    assert feed(world, revoked) == []


def test_a_closed_month_is_one_event_for_each_partner(world: World) -> None:
    first, second = (world.key(partner=name, pricing=TERMS) for name in ("One", "Two"))
    other = world.key(partner="One", pricing=TERMS)
    for issued, units in ((first, 1), (other, 2), (second, 4)):
        use(world, issued, units)
    world.clock.advance(days=40)
    close(world)
    assert feed(world, first) == [("bill", 0, "2026-03", "3.60")]
    assert feed(world, second) == [("bill", 0, "2026-03", "4.80")]


def test_an_event_and_its_cause_are_stored_together(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    issued = world.key(quota={"monthly_units": 1})
    outcome = world.outcome(world.ask(issued.secret.text))
    record = recording.record_limits

    def fail_after(connection: Connection, uses: list[recording.Use], now: datetime) -> None:
        record(connection, uses, now)
        raise RuntimeError

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(settling, "record_limits", fail_after)
        world.settler.settle(Settlement([outcome]))
    assert (feed(world, issued), world.month(issued.record.id).get("units")) == ([], None)
    for _ in range(2):
        world.record([outcome])
    assert feed(world, issued) == [("quota", 100, "2026-03", "1")]


def test_ids_are_never_used_again(world: World, open_world: Callable[..., World], database_url: str) -> None:
    issued = world.key(quota={"monthly_units": 1})
    use(world, issued, 1)
    world.clock.advance(days=91)
    retention.apply(world.database, world.clock, raw_days=40, address_days=30)
    assert feed(world, issued) == []
    use(open_world(database_url, clock=world.clock, peppers=world.peppers), issued, 1)
    with world.database.reading() as connection:
        (event,) = event_records.after(
            connection, event_records.owner_of(issued.record.partner.id, KeyMode.LIVE), 1, 10
        )
    assert event.month == "2026-06"
