"""Suggestions are free up to a number for each key and month. Of the further ones, each tenth costs one unit."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from keys_world import RULES, World

from keys.errors import Blocked
from keys.quota.decision import Denial, Grant
from keys.quota.policy import Rules
from keys.store.authorizing import Authorizer
from servicekit.endpoints import SUGGEST

FREE = 5


def with_free_suggestions(world: World) -> World:
    rules = Rules(RULES.weights, RULES.tokens_per_call, FREE)
    world.authorizer = Authorizer(world.database, world.peppers, rules, world.clock, world.refusals)
    return world


def units(world: World, secret: str, count: int) -> list[int]:
    answers: list[Grant | Denial | None] = []
    while len(answers) < count:
        try:
            answers.append(world.ask(secret, SUGGEST).decision)
        except Blocked:  # the lock timed out; nothing was done
            continue
    return [answer.units if isinstance(answer, Grant) else -1 for answer in answers]


@pytest.mark.parametrize(
    ("suggestions", "expected"), [(0, 0), (3, 0), (4, 0), (13, 0), (14, 1), (15, 0), (23, 0), (24, 1), (10_004, 1)]
)
def test_the_units_of_the_next_suggestion(suggestions: int, expected: int) -> None:
    assert Rules({}, 0, FREE).units(SUGGEST, suggestions) == expected


def test_each_tenth_beyond_the_free_ones_costs_a_unit(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key()
    assert units(world, issued.secret.text, 26) == [*[0] * 14, 1, *[0] * 9, 1, 0]
    assert world.month(issued.record.id) == {"reserved_units": 2, "suggestions": 26}
    world.clock.advance(days=31)
    assert units(world, issued.secret.text, 1) == [0]
    assert world.month(issued.record.id, "2026-04") == {"suggestions": 1}


def test_the_tenth_is_billed_if_it_succeeds(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key(quota={"burst": 1_000, "per_minute": 1_000})
    answers = [world.ask(issued.secret.text, SUGGEST) for _ in range(25)]
    outcomes = [world.outcome(answer, SUGGEST) for answer in answers[:15]]
    outcomes += [world.outcome(answer, SUGGEST, status=503) for answer in answers[15:]]
    world.settler.record(outcomes)
    world.settler.record(outcomes)
    assert world.month(issued.record.id) == {"requests": 25, "errors": 10, "units": 1, "suggestions": 25}


def test_a_used_up_quota_refuses_what_would_cost_a_unit(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key(quota={"monthly_units": 0})
    assert units(world, issued.secret.text, 14) == [0] * 14
    refused = world.ask(issued.secret.text, SUGGEST).decision
    assert isinstance(refused, Denial)
    assert refused.code == "quota_exhausted"
    assert world.month(issued.record.id)["suggestions"] == 14


def test_a_repeated_reservation_counts_once(world: World) -> None:
    world = with_free_suggestions(world)
    issued = world.key()
    for _ in range(3):
        world.ask(issued.secret.text, SUGGEST, reservation=b"r" * 16)
    assert world.month(issued.record.id) == {"suggestions": 1}


def test_the_count_is_exact_under_concurrency(
    world: World, open_world: Callable[..., World], database_url: str
) -> None:
    issued = world.key(quota={"burst": 1_000, "per_minute": 1_000})
    replicas = [
        with_free_suggestions(open_world(database_url, clock=world.clock, peppers=world.peppers)) for _ in range(4)
    ]
    together = threading.Barrier(len(replicas))

    def ask(replica: World) -> list[int]:
        together.wait()
        return units(replica, issued.secret.text, 25)

    with ThreadPoolExecutor(len(replicas)) as threads:
        answers = [answer for part in threads.map(ask, replicas) for answer in part]
    assert (sum(answers), min(answers)) == (9, 0), "of 100 suggestions, 95 are not free"
    assert world.month(issued.record.id) == {"reserved_units": 9, "suggestions": 100}
