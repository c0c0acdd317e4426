"""Refused requests on a real database, each test on SQLite and PostgreSQL."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from keys_world import World

from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE
from keys.store.settling import RefusedRequests, Settlement
from keys.store.tables import usage_days, usage_hours, usage_outcomes
from keys.values import secret
from keys.values.policy import AssistantMode, AssistantPolicy
from keys.values.pricing import Terms, Tier
from keys.values.records import IssuedKey
from keys.values.secret import KeyMode

TERMS = Terms(
    monthly_fee=Decimal("10"), included_units=0, tiers=(Tier(None, Decimal("0.50")),), vat_rate=Decimal("0.20")
)


def revoked(world: World) -> IssuedKey:
    issued = world.key()
    world.revoke(issued.record.id)
    return issued


def rate_limited(world: World) -> IssuedKey:
    issued = world.key(quota={"per_minute": 1, "burst": 1})
    world.ask(issued.secret.text)
    return issued


def expired(world: World) -> IssuedKey:
    issued = world.key(expires_at=world.clock() + timedelta(seconds=1))
    world.clock.advance(seconds=1)
    return issued


REFUSED: dict[str, Callable[[World], IssuedKey]] = {
    "revoked_key": revoked,
    "expired_key": expired,
    "scope_denied": lambda world: world.key(scopes=(GEOJSON,)),
    "ip_denied": lambda world: world.key(allowed_cidrs=("198.51.100.0/24",)),
    "rate_limited": rate_limited,
    "quota_exhausted": lambda world: world.key(quota={"monthly_units": 0}),
    "spend_cap_reached": lambda world: world.key(quota={"spend_cap": Decimal(5)}, pricing=TERMS),
    "assistant_denied": lambda world: world.key(assistant=AssistantPolicy(AssistantMode.DISABLED)),
}


@pytest.mark.parametrize("code", REFUSED)
def test_a_denial_writes_nothing(world: World, code: str) -> None:
    issued = REFUSED[code](world)
    endpoint = DIVIDE_LAND if code == "assistant_denied" else RESOLVE
    initial = world.dump()
    for _ in range(2):
        assert world.lease(issued.secret.text, endpoint).code == code
    for text in (secret.generate(KeyMode.LIVE, issued.record.id).text, secret.generate(KeyMode.LIVE, "unknown1").text):
        assert world.lease(text, endpoint).code == "invalid_key"
    assert world.dump() == initial


def test_reported_refusals_are_requests_and_errors(world: World) -> None:
    issued = world.key(scopes=(RESOLVE,))
    denied = world.ask(issued.secret.text, GEOJSON)
    world.report_denial(denied, GEOJSON, 3)
    world.report_denial(denied, GEOJSON)
    assert world.month(issued.record.id) == {"requests": 4, "errors": 4}
    with world.database.reading() as connection:
        for table in (usage_hours, usage_days):
            row = connection.execute(table.select()).mappings().one()
            counts = tuple(row[name] for name in ("endpoint", "requests", "errors", "units", "timed_requests"))
            assert counts == (GEOJSON, 4, 4, 0, 0)
        row = connection.execute(usage_outcomes.select()).mappings().one()
        assert (row["status"], row["code"], row["requests"]) == (403, "scope_denied", 4)


def test_refusals_and_outcomes_of_several_keys_are_counted_together(world: World) -> None:
    first, second = world.key(), world.key()
    answer = world.ask(first.secret.text)
    at = world.clock()
    refused = [
        RefusedRequests(key_id=first.record.id, endpoint=RESOLVE, code="rate_limited", requests=2, occurred_at=at),
        RefusedRequests(key_id=first.record.id, endpoint=GEOJSON, code="quota_exhausted", requests=5, occurred_at=at),
        RefusedRequests(key_id=second.record.id, endpoint=RESOLVE, code="rate_limited", requests=7, occurred_at=at),
        RefusedRequests(key_id=second.record.id, endpoint=RESOLVE, code="rate_limited", requests=1, occurred_at=at),
        RefusedRequests(key_id="unknown1", endpoint=RESOLVE, code="rate_limited", requests=1, occurred_at=at),
    ]
    world.settler.settle(Settlement([world.outcome(answer)], [], refused))
    assert world.month(first.record.id) == {"requests": 8, "errors": 7, "units": 1}
    assert world.month(second.record.id) == {"requests": 8, "errors": 8}
    assert world.month("unknown1") == {"requests": 1, "errors": 1}


@pytest.mark.parametrize("requests", [0, -1])
def test_no_refused_requests_write_nothing(world: World, requests: int) -> None:
    issued = world.key()
    before = world.dump()
    refused = RefusedRequests(
        key_id=issued.record.id, endpoint=RESOLVE, code="rate_limited", requests=requests, occurred_at=world.clock()
    )
    world.settler.settle(Settlement(refused=[refused]))
    assert world.dump() == before


def test_refusals_count_in_the_month_of_the_last_of_them_and_never_later_than_now(world: World) -> None:
    issued = world.key()
    refused = RefusedRequests(
        key_id=issued.record.id,
        endpoint=RESOLVE,
        code="rate_limited",
        requests=1,
        occurred_at=world.clock() - timedelta(days=20),
    )
    ahead = replace(refused, occurred_at=world.clock() + timedelta(days=60))
    world.settler.settle(Settlement(refused=[refused, ahead]))
    assert world.month(issued.record.id, "2026-02") == {"requests": 1, "errors": 1}
    assert world.month(issued.record.id) == {"requests": 1, "errors": 1}
