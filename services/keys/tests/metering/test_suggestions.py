"""Suggestions are free up to a number for each key and month. Of the further ones, each tenth costs one unit."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from keys_world import LEASE_TIME, RAW_DAYS, RULES, Answer, Grant, World

from contract.counters import Counters
from contract.endpoints import GEOJSON, SUGGEST
from keys.store.answered_requests import newest_calls
from keys.store.leasing import Leasing
from keys.store.settling import Settlement, Settler
from keys.values.errors import Blocked
from keys.values.lease_rules import units_of_suggestions
from keys.values.policy import Rules

FREE = 5


def with_free_suggestions(world: World) -> World:
    rules = Rules(RULES.weights, RULES.tokens_per_call, FREE)
    world.leasing = Leasing(world.database, world.peppers, rules, world.clock, LEASE_TIME)
    world.settler = Settler(world.database, rules, world.clock, raw_days=RAW_DAYS)
    return world


def code(world: World, secret: str) -> str:
    return world.lease(secret, SUGGEST).code


def suggest(world: World, secret: str, status: int = 200) -> None:
    """Answers one suggestion, and reports it."""
    answer = world.ask(secret, SUGGEST)
    assert isinstance(answer.decision, Grant)
    world.record([world.outcome(answer, SUGGEST, status)])


def units(world: World, key_id: str) -> list[int]:
    """The units of the key's events, in the order of their count."""
    with world.database.reading() as connection:
        return [call.units for call in reversed(newest_calls(connection, key_id))]


@pytest.mark.parametrize(
    ("suggestions", "expected"), [(0, 0), (3, 0), (4, 0), (13, 0), (14, 1), (15, 0), (23, 0), (24, 1), (10_004, 1)]
)
def test_the_units_of_the_next_suggestion(suggestions: int, expected: int) -> None:
    assert units_of_suggestions(suggestions, 1, Rules({}, 0, FREE)) == expected


def test_each_tenth_beyond_the_free_ones_costs_a_unit(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key()
    for _ in range(26):
        world.clock.advance(seconds=1)
        suggest(world, issued.secret.text)
    assert units(world, issued.record.id) == [*[0] * 14, 1, *[0] * 9, 1, 0]
    assert world.month(issued.record.id) == {"requests": 26, "units": 2, "suggestions": 26}
    world.clock.advance(days=31)
    suggest(world, issued.secret.text)
    assert world.month(issued.record.id, "2026-04") == {"requests": 1, "suggestions": 1}


def test_the_outcomes_of_one_call_are_counted_in_one_order_and_once(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key(quota={"burst": 1_000, "per_minute": 1_000})
    answers = [world.ask(issued.secret.text, SUGGEST) for _ in range(40)]
    outcomes = [world.outcome(answer, SUGGEST) for answer in answers]
    world.record(outcomes[:13])
    for _ in range(2):
        world.record(outcomes)
    assert sum(units(world, issued.record.id)) == 3
    assert world.month(issued.record.id) == {"requests": 40, "units": 3, "suggestions": 40}


def test_a_failed_tenth_is_free_and_still_counts(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key(quota={"burst": 1_000, "per_minute": 1_000})
    for number in range(25):
        suggest(world, issued.secret.text, 503 if number >= 15 else 200)
    assert world.month(issued.record.id) == {"requests": 25, "errors": 10, "units": 1, "suggestions": 25}


def test_a_used_up_quota_refuses_what_would_cost_a_unit(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key(quota={"monthly_units": 0})
    for _ in range(14):
        suggest(world, issued.secret.text)
    assert code(world, issued.secret.text) == "quota_exhausted"
    assert world.month(issued.record.id) == {"requests": 14, "suggestions": 14}


def test_leased_suggestions_hold_the_units_that_they_may_cost(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key(quota={"monthly_units": 2})
    held = world.lease(issued.secret.text, SUGGEST, Counters(25, suggestions=25))
    assert held.counters == Counters(25, suggestions=25)
    assert world.month(issued.record.id) == {"reserved_suggestions": 25}
    assert world.lease(issued.secret.text).code == "later"
    limits = world.lease(issued.secret.text, goes_on=True).answer.limits
    assert [limit.remaining for limit in limits if limit.policy == "month"] == [0]
    world.end(held.end(Counters(11, suggestions=11)))
    assert world.lease(issued.secret.text, GEOJSON).code == "granted", "14 suggestions cost nothing"
    world.check_reserved()


def test_the_count_is_exact_under_concurrency(
    world: World, open_world: Callable[..., World], database_url: str
) -> None:
    issued = world.key(quota={"burst": 1_000, "per_minute": 1_000})
    replicas = [
        with_free_suggestions(open_world(database_url, clock=world.clock, peppers=world.peppers)) for _ in range(4)
    ]
    together = threading.Barrier(len(replicas))

    def ask(replica: World) -> None:
        together.wait()
        count = 0
        while count < 25:
            try:
                leased = replica.lease(issued.secret.text, SUGGEST, Counters(7, suggestions=7))
            except Blocked:  # the lock timed out; nothing was done
                continue
            used = min(25 - count, 5, leased.counters.requests)
            count += used
            granted = Answer(leased.id, Grant(0), leased.answer.key, ())
            outcomes = [replica.outcome(granted, SUGGEST) for _ in range(used)]
            end = leased.end(leased.counters - Counters(used, suggestions=used))
            replica.settle(Settlement(outcomes, [end]))

    with ThreadPoolExecutor(len(replicas)) as threads:
        list(threads.map(ask, replicas))
    assert world.month(issued.record.id) == {"requests": 100, "units": 9, "suggestions": 100}, "95 are not free"
    assert world.leases() == []
