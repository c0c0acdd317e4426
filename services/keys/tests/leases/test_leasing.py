"""Leases on a real database, each test on SQLite and PostgreSQL."""

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from keys_world import NOON, Answer, Grant, Leased, World

from contract.counters import NOTHING, Counters
from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE, RESOLVE_BATCH, USAGE
from keys.api_keys import changes as key_changes
from keys.store.lease_book import LeaseEnd
from keys.store.request_lines import LineRequest
from keys.store.settling import Settlement
from keys.values.errors import Blocked, Unavailable
from keys.values.lease_rules import Later
from keys.values.outcomes import Outcome
from keys.values.policy import AssistantMode, AssistantPolicy
from servicekit.context import deadline
from servicekit.errors import InvalidPayload


def test_no_table_holds_a_secret(world: World) -> None:
    issued = world.key()
    rotated = world.rotate(issued.record.id, timedelta(days=1))
    answer = world.ask(rotated.secret.text)
    world.record([world.outcome(answer)])
    dump = world.dump()
    assert issued.record.id in dump
    for text in (issued.secret.text, rotated.secret.text):
        for start in range(16, 59 - 8):
            assert text[start : start + 8] not in dump


def test_a_repeated_lease_is_the_same_and_ends_at_the_same_time(world: World) -> None:
    issued = world.key(quota={"monthly_units": 10})
    expected = Counters(5, 5)
    first = world.lease(issued.secret.text, expected=expected)
    with world.change() as change:  # of which the lease still has the old limits, until it ends
        key_changes.update(
            change, issued.record.id, lambda key: replace(key.draft(), quota=replace(key.quota, monthly_units=5))
        )
    world.clock.advance(seconds=0.4)
    again = world.lease(issued.secret.text, expected=expected, lease_id=first.id)
    assert (again.counters, again.granted.leased_at) == (first.counters, first.granted.leased_at)
    assert again.granted.valid_for == first.granted.valid_for - timedelta(seconds=0.4)
    world.clock.advance(seconds=5)
    assert world.lease(issued.secret.text, lease_id=first.id).granted.valid_for < timedelta(0)
    assert world.month(issued.record.id) == {"reserved_units": 5}
    assert world.rates(issued.record.id).leased == 5
    world.check_reserved()


def test_a_repeated_lease_that_has_ended_grants_no_request(world: World) -> None:
    issued = world.key()
    first = world.lease(issued.secret.text, expected=Counters(5, 5))
    world.end(first.end(Counters(3, 3)))
    assert world.lease(issued.secret.text, lease_id=first.id).code == "later"
    world.check_reserved()


def test_a_denied_id_gets_a_new_decision(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    world.serve(issued.secret.text)
    denied = world.lease(issued.secret.text)
    assert denied.code == "quota_exhausted"
    with world.change() as change:
        key_changes.update(
            change, issued.record.id, lambda key: replace(key.draft(), quota=replace(key.quota, monthly_units=2))
        )
    assert world.lease(issued.secret.text, lease_id=denied.id).code == "granted"


def test_a_lease_id_of_another_key_is_refused(world: World) -> None:
    leased, other = world.lease(world.key().secret.text), world.key()
    with pytest.raises(InvalidPayload):
        world.lease(other.secret.text, lease_id=leased.id)
    assert world.month(other.record.id) == {}


@pytest.mark.parametrize("malformed", [{"lease_id": b"short"}, {"holder": b"short"}])
def test_a_malformed_request_leases_nothing(world: World, malformed: dict[str, Any]) -> None:
    issued = world.key()
    with pytest.raises(InvalidPayload):
        world.lease(issued.secret.text, **malformed)
    assert (world.month(issued.record.id), world.leases()) == ({}, [])


def test_a_decision_after_the_deadline_leases_nothing(world: World) -> None:
    issued = world.key()
    with deadline(0), pytest.raises(Unavailable):
        world.lease(issued.secret.text)
    assert (world.month(issued.record.id), world.leases()) == ({}, [])


@pytest.mark.parametrize(
    ("changes", "after_noon_s", "valid_s"),
    [
        ({}, 0, 1),
        ({}, 59.25, 0.75),
        ({}, 60, 1),
        ({"expires_at": NOON + timedelta(seconds=30)}, 29, 1),
        ({"expires_at": NOON + timedelta(seconds=30)}, 29.75, 0.25),
    ],
)
def test_a_lease_ends_with_the_minute_and_the_key(
    world: World, changes: dict[str, object], after_noon_s: float, valid_s: float
) -> None:
    issued = world.key(**changes)
    world.clock.advance(seconds=after_noon_s)
    assert world.lease(issued.secret.text).granted.valid_for == timedelta(seconds=valid_s)


def test_a_lease_ends_with_the_grace_period_of_its_secret(world: World) -> None:
    issued = world.key()
    world.clock.advance(seconds=30)
    rotated = world.rotate(issued.record.id, timedelta(days=1))
    world.clock.advance(days=1, seconds=-0.5)
    assert world.lease(issued.secret.text).granted.valid_for == timedelta(seconds=0.5)
    assert world.lease(rotated.secret.text).granted.valid_for == timedelta(seconds=1)


def test_only_one_holder_has_an_open_lease(world: World) -> None:
    issued = world.key()
    first = world.lease(issued.secret.text)
    second = world.lease(issued.secret.text)
    assert (first.granted.is_only_holder, second.granted.is_only_holder) == (True, False)
    third = world.lease(issued.secret.text, ended=[first.end(), second.end()])
    assert third.granted.is_only_holder


def test_a_request_that_goes_on_needs_no_counters_but_access(world: World) -> None:
    issued = world.key(quota={"monthly_units": 0, "burst": 1}, scopes=(RESOLVE, "usage"))
    world.ask(issued.secret.text, USAGE)
    goes_on = world.lease(issued.secret.text, goes_on=True)
    assert (goes_on.code, goes_on.counters, goes_on.granted.valid_for) == ("granted", NOTHING, timedelta(seconds=1))
    assert world.lease(issued.secret.text, GEOJSON, goes_on=True).code == "scope_denied"
    world.end(goes_on.end())
    world.revoke(issued.record.id)
    assert world.lease(issued.secret.text, goes_on=True).code == "revoked_key"
    assert [lease.id for lease in world.leases()] == []


MANY = Counters(1_000, 1_000, 1_000, 1_000, 1_000)


@pytest.mark.parametrize(
    ("changes", "endpoint", "expected", "granted"),
    [
        ({}, RESOLVE, NOTHING, Counters(1, 1)),
        ({}, GEOJSON, Counters(1, 1), Counters(1, 2)),
        ({}, RESOLVE, Counters(7, 9, 3), Counters(7, 9, 3)),
        ({}, USAGE, Counters(-1, -5, -1, -1, -1), Counters(1)),
        ({"quota": {"monthly_units": 100}}, RESOLVE, Counters(7, 80), Counters(7, 50)),
        ({"quota": {"monthly_units": 3}}, GEOJSON, Counters(7, 80), Counters(7, 2)),
        ({"quota": {"monthly_units": 1, "hard": False}}, RESOLVE, Counters(7, 80), Counters(7, 80)),
        ({"quota": {"burst": 11}}, RESOLVE, Counters(80, 1), Counters(5, 1)),
        ({"quota": {"per_minute": 6}}, RESOLVE, Counters(80, 1), Counters(3, 1)),
        ({"quota": {"per_minute": 1, "burst": 1}}, RESOLVE, Counters(80, 1), Counters(1, 1)),
        ({}, DIVIDE_LAND, Counters(calls=3), Counters(1, 10, calls=3)),
        ({"assistant": AssistantPolicy(AssistantMode.RULES, 9)}, DIVIDE_LAND, MANY, Counters(500, 1_000, 1_000, 4)),
        (
            {"assistant": AssistantPolicy(AssistantMode.MODEL, None, 100_000)},
            DIVIDE_LAND,
            Counters(calls=3, tokens=1),
            Counters(1, 10, calls=3, tokens=24_000),
        ),
        (
            {"assistant": AssistantPolicy(AssistantMode.MODEL, None, 30_000)},
            DIVIDE_LAND,
            Counters(calls=3),
            Counters(1, 10, calls=3, tokens=15_000),
        ),
        ({"assistant": AssistantPolicy(AssistantMode.MODEL, None, 30_000)}, RESOLVE, NOTHING, Counters(1, 1)),
    ],
)
def test_a_lease_has_at_least_the_need_and_at_most_what_is_expected_and_half_of_what_is_left(
    world: World, changes: dict[str, object], endpoint: str, expected: Counters, granted: Counters
) -> None:
    issued = world.key(**changes)
    assert world.lease(issued.secret.text, endpoint, expected).counters == granted
    world.check_reserved()


@dataclass(frozen=True)
class Scarce:
    """A key that has counters for one request, and the denial of the next one."""

    changes: dict[str, object]
    endpoint: str
    denial: str


SCARCE = {
    "units": Scarce({"quota": {"monthly_units": 2}}, GEOJSON, "quota_exhausted"),
    "burst": Scarce({"quota": {"per_minute": 60, "burst": 1}}, RESOLVE, "rate_limited"),
    "minute": Scarce({"quota": {"per_minute": 1, "burst": 9}}, RESOLVE, "rate_limited"),
    "calls": Scarce(
        {"assistant": AssistantPolicy(AssistantMode.RULES, 1)}, DIVIDE_LAND, "assistant_allowance_exhausted"
    ),
    "tokens": Scarce(
        {"assistant": AssistantPolicy(AssistantMode.MODEL, None, 5_000)}, DIVIDE_LAND, "assistant_allowance_exhausted"
    ),
}


@pytest.mark.parametrize("scarce", SCARCE.values(), ids=SCARCE)
def test_what_another_open_lease_has_comes_later_until_it_ends(world: World, scarce: Scarce) -> None:
    issued = world.key(**scarce.changes)
    world.clock.advance(seconds=10)
    held = world.lease(issued.secret.text, scarce.endpoint)
    later = world.lease(issued.secret.text, scarce.endpoint)
    assert later.answer.decision == Later(timedelta(seconds=1.1))
    world.end(held.end(held.counters))  # nothing was used
    again = world.lease(issued.secret.text, scarce.endpoint)
    assert again.counters == held.counters
    world.end(again.end())
    under_way = world.lease(issued.secret.text, scarce.endpoint).code
    assert under_way == ("rate_limited" if scarce.denial == "rate_limited" else "later")
    world.check_reserved()


@pytest.mark.parametrize("scarce", [SCARCE[name] for name in ("units", "minute", "calls", "tokens")])
def test_what_an_edge_has_that_does_not_end_its_lease_comes_later_until_it_lapses(world: World, scarce: Scarce) -> None:
    issued = world.key(**scarce.changes)
    world.lease(issued.secret.text, scarce.endpoint)
    waits = []
    for later_s in (0.75, 9):
        world.clock.advance(seconds=later_s)
        decision = world.lease(issued.secret.text, scarce.endpoint).answer.decision
        waits.append(decision.retry_after if isinstance(decision, Later) else None)
    assert waits == [timedelta(seconds=0.35), timedelta(seconds=0.1)]
    world.clock.advance(seconds=0.5)
    assert world.lease(issued.secret.text, scarce.endpoint).code == "later"
    world.clock.advance(seconds=15 * 60)
    world.leasing.lapse()
    assert world.lease(issued.secret.text, scarce.endpoint).code == "granted"


def test_an_end_that_comes_before_its_lease_leaves_nothing_leased(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    lease_id = secrets.token_bytes(16)
    world.end(LeaseEnd(lease_id, issued.record.id, None), LeaseEnd(secrets.token_bytes(16), "unknown1", None))
    assert world.lease(issued.secret.text, lease_id=lease_id).code == "later"
    assert world.lease(issued.secret.text).code == "granted"
    world.check_reserved()
    world.clock.advance(seconds=30)
    world.leasing.lapse()
    assert world.lease(issued.secret.text, lease_id=lease_id).code == "later", "one unit is leased to another"


def test_units_of_requests_under_way_are_not_denied(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    answer = world.ask(issued.secret.text)
    world.clock.advance(seconds=60)
    assert world.lease(issued.secret.text).code == "later"
    world.record([world.outcome(answer, status=500)])
    assert world.lease(issued.secret.text).code == "granted"


def test_an_open_lease_that_has_too_little_is_not_waited_for(world: World) -> None:
    issued = world.key(quota={"monthly_units": 2})
    world.record([world.outcome(world.ask(issued.secret.text))])
    world.lease(issued.secret.text)
    assert world.lease(issued.secret.text, GEOJSON).code == "quota_exhausted"
    assert world.lease(issued.secret.text).code == "later"


def test_the_units_of_lines_wait_for_open_leases_too(world: World) -> None:
    issued = world.key(quota={"monthly_units": 10})
    held = world.lease(issued.secret.text, expected=Counters(5, 5))
    lines = LineRequest(id=secrets.token_bytes(16), lines=10, digest=b"digest", run=1)
    assert world.lease(issued.secret.text, RESOLVE_BATCH, goes_on=True, lines=lines).code == "later"
    reserved = world.lease(
        issued.secret.text, RESOLVE_BATCH, goes_on=True, lines=lines, ended=[held.end(held.counters)]
    )
    assert reserved.granted.line_units == 10
    world.check_reserved()


Ending = Callable[[World, str, LeaseEnd], object]
ENDINGS: dict[str, Ending] = {
    "Settle": lambda world, _, end: world.end(end),
    "Settle twice at once": lambda world, _, end: world.end(end, end),
    "Lease": lambda world, text, end: world.lease(text, USAGE, goes_on=True, ended=[end, end]),
    "a denied Lease": lambda world, text, end: world.lease(text, address="198.51.100.1", ended=[end]),
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_a_lease_ends_once_and_returns_what_is_unused(world: World, ending: Ending) -> None:
    issued = world.key(quota={"monthly_units": 100, "burst": 50, "per_minute": 80}, allowed_cidrs=("192.0.2.0/24",))
    text, key_id = issued.secret.text, issued.record.id
    leased = world.lease(text, expected=Counters(10, 20))
    assert world.rates(key_id).leased == 10
    for unused in (Counters(7, 14), Counters(10, 20), None, Counters(7, 14)):
        ending(world, text, leased.end(unused))
        assert world.month(key_id) == {"reserved_units": 6}
        rates = world.rates(key_id)
        assert (rates.burst_remaining, rates.minute_count, rates.leased) == (47, 3, 0)
        world.check_reserved()
    outcomes = [outcome_of(world, leased, units=2) for _ in range(3)]
    world.record(outcomes)
    assert world.month(key_id) == {"requests": 3, "units": 6}
    ending(world, text, leased.end(Counters(10, 20)))
    assert world.month(key_id) == {"requests": 3, "units": 6}
    assert leased.id not in {lease.id for lease in world.leases()}
    world.check_reserved()


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_a_lease_that_the_edge_never_got_returns_everything(world: World, ending: Ending) -> None:
    issued = world.key(quota={"monthly_units": 100, "burst": 50, "per_minute": 80}, allowed_cidrs=("192.0.2.0/24",))
    text = issued.secret.text
    leased = world.lease(text, expected=Counters(10, 20))
    ending(world, text, leased.end(None))
    assert world.month(issued.record.id) == {}
    rates = world.rates(issued.record.id)
    assert (rates.burst_remaining, rates.minute_count, rates.leased) == (50, 0, 0)
    assert leased.id not in {lease.id for lease in world.leases()}


def test_no_lease_returns_more_than_it_has(world: World) -> None:
    issued = world.key(quota={"monthly_units": 100, "burst": 50, "per_minute": 80})
    first, second = (world.lease(issued.secret.text, expected=Counters(10, 20)) for _ in range(2))
    world.end(first.end(Counters(1_000, 1_000, 1_000, 1_000, 1_000)), second.end(Counters(-1, -1, -1, -1, -1)))
    assert world.month(issued.record.id) == {"reserved_units": 20}
    assert world.rates(issued.record.id).burst_remaining == 40
    world.check_reserved()


def test_a_lease_of_another_key_does_not_end(world: World) -> None:
    issued, other = world.key(), world.key()
    leased = world.lease(issued.secret.text)
    stray = replace(leased.end(None), key_id=other.record.id)
    world.end(stray)
    world.lease(other.secret.text, ended=[stray, leased.end(None)])
    assert world.month(issued.record.id) == {"reserved_units": 1}


def test_requests_that_return_in_the_next_minute_return_to_the_burst_only(world: World) -> None:
    issued = world.key(quota={"per_minute": 60, "burst": 60})
    world.clock.advance(seconds=59)
    leased = world.lease(issued.secret.text, expected=Counters(20, 1))
    world.clock.advance(seconds=1)
    world.lease(issued.secret.text)
    world.end(leased.end(Counters(20)))
    rates = world.rates(issued.record.id)
    assert (rates.burst_remaining, rates.minute_count) == (59, 1)


def test_the_burst_has_no_place_for_what_is_leased(world: World) -> None:
    issued = world.key(quota={"per_minute": 60, "burst": 10})
    held = world.lease(issued.secret.text, expected=Counters(5, 1))
    world.clock.advance(seconds=1.5)
    assert world.lease(issued.secret.text, expected=Counters(9, 1)).counters.requests == 2, "half of five"
    world.end(held.end())
    world.check_reserved()


def test_an_edge_that_died_does_not_reduce_the_burst_for_long(world: World) -> None:
    issued = world.key(quota={"per_minute": 60, "burst": 10, "monthly_units": 100})
    leased = world.lease(issued.secret.text, expected=Counters(5, 5))
    world.clock.advance(seconds=20)
    world.leasing.lapse()
    assert world.rates(issued.record.id).leased == 5
    world.clock.advance(seconds=2)
    world.leasing.lapse()
    assert world.rates(issued.record.id).leased == 0
    assert world.month(issued.record.id) == {"reserved_units": 5}, "its outcomes may still come"
    world.check_reserved()
    world.clock.advance(seconds=5)
    world.end(leased.end(Counters(3, 3)))
    assert world.rates(issued.record.id).burst_remaining == 10
    assert world.month(issued.record.id) == {"reserved_units": 2}


def outcome_of(world: World, leased: Leased, units: int = 1, **changes: Any) -> Outcome:
    """The outcome of a request that took units of a lease."""
    assert leased.answer.key is not None
    answer = Answer(leased.id, Grant(units), leased.answer.key, ())
    return world.outcome(answer, leased_at=leased.granted.leased_at, **changes)


def test_a_quota_is_exact_under_concurrency(world: World, open_world: Callable[..., World], database_url: str) -> None:
    """Eight edges at four replicas lease more than they use, and return the rest."""
    issued = world.key(quota={"monthly_units": 120, "burst": 200})
    replicas = [world, *(open_world(database_url, clock=world.clock, peppers=world.peppers) for _ in range(3))]
    together = threading.Barrier(8)

    def edge(number: int) -> int:
        replica, holder, used = replicas[number % 4], bytes([number] * 16), 0
        ended: tuple[LeaseEnd, ...] = ()
        together.wait()
        while True:
            try:
                leased = replica.lease(issued.secret.text, expected=Counters(9, 9), holder=holder, ended=ended)
            except Blocked:  # the lock timed out; nothing was done
                continue
            ended = ()
            if leased.code == "later":
                continue
            if leased.code != "granted":
                assert leased.code == "quota_exhausted"
                return used
            count = min(1 + number % 3, leased.counters.units, leased.counters.requests)
            used += count
            end = leased.end(leased.counters - Counters(count, count))
            outcomes = [outcome_of(replica, leased) for _ in range(count)]
            if number % 2:
                ended, end = (end,), replace(end, lease_id=bytes(16))
            replica.settle(Settlement(outcomes, [end]))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(edge, range(8))) == 120
    assert world.month(issued.record.id) == {"requests": 120, "units": 120}
    assert world.leases() == []
    assert world.rates(issued.record.id).leased == 0


def test_mixed_weights_never_exceed_the_quota(world: World) -> None:
    issued = world.key(quota={"monthly_units": 101})
    endpoints = [RESOLVE, GEOJSON, DIVIDE_LAND]

    def one(number: int) -> int:
        while True:
            leased = world.lease(issued.secret.text, endpoints[number % 3])
            if leased.code != "later":
                break
        if leased.code != "granted":
            return 0
        outcome = outcome_of(world, leased, units=leased.counters.units)
        world.settle(Settlement([outcome], [leased.end()]))
        return leased.counters.units

    with ThreadPoolExecutor(8) as pool:
        granted = sum(pool.map(one, range(120)))
    assert granted == 101
    assert world.month(issued.record.id)["units"] == 101
    world.check_reserved()


def test_keys_that_are_leased_and_settled_at_once_do_not_deadlock(world: World) -> None:
    issued = [world.key() for _ in range(6)]
    together = threading.Barrier(4)

    def edge(direction: int) -> int:
        together.wait()
        granted = 0
        for _ in range(15):
            leases = [world.lease(key.secret.text) for key in issued[::direction]]
            granted += len(leases)
            outcomes = [outcome_of(world, leased) for leased in leases]
            world.settle(Settlement(outcomes, [leased.end() for leased in leases]))
        return granted

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(edge, (1, -1, 1, -1))) == 4 * 15 * 6
    assert {world.month(key.record.id)["units"] for key in issued} == {60}
    world.check_reserved()
