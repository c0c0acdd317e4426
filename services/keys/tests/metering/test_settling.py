"""Settle and lapsing on a real database, each test on SQLite and PostgreSQL."""

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from keys_world import Answer, Grant, World
from sqlalchemy import func, select

from contract.counters import Counters
from contract.endpoints import DIVIDE_LAND, GEOJSON, SUGGEST
from keys.store.lease_states import lock
from keys.store.settling import Settlement
from keys.store.tables import events, usage_hours
from keys.values.clock import hour_of
from keys.values.lease_rules import Denial
from keys.values.outcomes import AssistantUse, Outcome
from keys.values.policy import AssistantMode, AssistantPolicy


def hours(world: World) -> list[dict[str, object]]:
    with world.database.reading() as connection:
        return [dict(row) for row in connection.execute(usage_hours.select().order_by(usage_hours.c.hour)).mappings()]


def event_count(world: World) -> int:
    with world.database.reading() as connection:
        return connection.execute(select(func.count()).select_from(events)).scalar_one()


@pytest.mark.parametrize(
    ("status", "units", "errors"), [(200, 2, 0), (204, 2, 0), (302, 0, 0), (404, 0, 1), (499, 2, 1), (500, 0, 1)]
)
def test_an_outcome_costs_what_its_status_says(world: World, status: int, units: int, errors: int) -> None:
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text, GEOJSON), GEOJSON, status)
    assert world.record([outcome]) == [outcome.event_id]
    expected = {"requests": 1, "errors": errors, "units": units}
    assert world.month(issued.record.id) == {name: value for name, value in expected.items() if value}
    (hour,) = hours(world)
    assert hour == {
        "hour": hour_of(world.clock()),
        "key_id": issued.record.id,
        "endpoint": GEOJSON,
        "requests": 1,
        "errors": errors,
        "units": units,
        "timed_requests": 1,
        "latency_us": 1_500,
        "input_tokens": 0,
        "output_tokens": 0,
    }
    assert world.leases() == []


def test_a_repeated_event_is_counted_once(world: World) -> None:
    issued = world.key()
    outcomes = [world.outcome(world.ask(issued.secret.text)) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        acknowledged = list(pool.map(world.record, [outcomes, outcomes[::-1], outcomes + outcomes, outcomes[:2]]))
    assert [sorted(ids) for ids in acknowledged[:3]] == [sorted(outcome.event_id for outcome in outcomes)] * 3
    assert world.month(issued.record.id) == {"requests": 4, "units": 4}
    assert event_count(world) == 4
    assert hours(world)[0]["requests"] == 4


def test_recorders_at_once_count_each_event_once_even_of_keys_that_nobody_can_lock(
    world: World, open_world: Callable[..., World], database_url: str
) -> None:
    issued = world.key()
    recorded = [world.outcome(world.ask(issued.secret.text)) for _ in range(30)]
    unknown = [replace(outcome, event_id=secrets.token_bytes(16), key_id="unknown1") for outcome in recorded]
    recorders = [world, open_world(database_url, clock=world.clock)]
    together = threading.Barrier(6)

    def record(number: int) -> None:
        together.wait()
        for start in range(0, 25, 5):
            recorders[number % 2].record(recorded[start : start + 10] + unknown[start : start + 10][::-1])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(record, range(6)))
    assert world.month(issued.record.id) == {"requests": 30, "units": 30}
    assert world.month("unknown1") == {"requests": 30, "units": 30}
    assert event_count(world) == 60
    assert [hour["requests"] for hour in hours(world)] == [30, 30]


def test_an_outcome_takes_nothing_of_the_lease_of_another_key(world: World) -> None:
    owner, other = world.key(), world.key()
    answer = world.ask(owner.secret.text, GEOJSON)
    world.record([world.outcome(answer, GEOJSON, key_id=other.record.id)])
    assert world.month(owner.record.id) == {"reserved_units": 2}
    assert world.month(other.record.id) == {"requests": 1, "units": 2}
    world.record([world.outcome(answer, GEOJSON)])
    assert world.month(owner.record.id) == {"requests": 1, "units": 2}


def test_a_call_accepts_any_number_of_outcomes(world: World) -> None:
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text))
    many = [replace(outcome, event_id=secrets.token_bytes(16)) for _ in range(2_345)]
    assert world.record(many) == [outcome.event_id for outcome in many]
    assert world.month(issued.record.id) == {"requests": 2_345, "units": 2_345}
    world.check_reserved()


def test_outcomes_take_of_their_lease_what_they_used_before_and_after_its_end(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, 20, 100_000))
    leased = world.lease(issued.secret.text, DIVIDE_LAND, Counters(6, 40, 2, 2, 16_000))
    answer = Answer(leased.id, Grant(10, AssistantMode.MODEL, 8_000), leased.answer.key, ())
    call = world.outcome(answer, DIVIDE_LAND, input_tokens=100, assistant_use=AssistantUse.MODEL)
    world.record([call])
    assert world.month(issued.record.id) == {
        "requests": 1, "units": 10, "calls": 1, "tokens": 100,
        "reserved_units": 30, "reserved_calls": 1, "reserved_tokens": 8_000, "reserved_suggestions": 2,
    }  # fmt: skip
    assert world.rates(issued.record.id).leased == 6, "its end returns the requests"
    world.check_reserved()
    world.end(leased.end(Counters(3, 18, 1, 1, 8_000)))
    assert world.month(issued.record.id)["reserved_units"] == 12
    world.check_reserved()
    failed = world.outcome(Answer(leased.id, Grant(12), leased.answer.key, ()), GEOJSON, 503)
    suggested = world.outcome(Answer(leased.id, Grant(0), leased.answer.key, ()), SUGGEST)
    world.record([failed, suggested])
    assert world.month(issued.record.id) == {
        "requests": 3, "errors": 1, "units": 10, "calls": 1, "tokens": 100, "suggestions": 1,
    }  # fmt: skip
    assert world.leases() == []


def test_an_outcome_and_the_end_of_its_lease_come_together(world: World) -> None:
    issued = world.key()
    leased = world.lease(issued.secret.text, expected=Counters(5, 5))
    outcomes = [world.outcome(Answer(leased.id, Grant(1), leased.answer.key, ())) for _ in range(2)]
    end = leased.end(Counters(3, 3))
    settled = world.settler.settle(Settlement(outcomes, [end]))
    assert set(settled.counted) == {outcome.event_id for outcome in outcomes}
    assert settled.ended == [leased.id]
    assert (settled.postponed, settled.locked_keys) == ([], [])
    assert world.month(issued.record.id) == {"requests": 2, "units": 2}
    assert (world.leases(), world.rates(issued.record.id).leased) == ([], 0)
    assert world.settler.settle(Settlement(outcomes, [end])) == settled
    assert world.month(issued.record.id) == {"requests": 2, "units": 2}


def test_an_outcome_uses_no_more_than_its_lease_has_left(world: World) -> None:
    issued = world.key()
    leased = world.lease(issued.secret.text, expected=Counters(5, 5))
    world.record([world.outcome(Answer(leased.id, Grant(9), leased.answer.key, ()))])
    assert world.month(issued.record.id) == {"requests": 1, "units": 9}
    world.check_reserved()


def test_dead_holders_return_all_that_no_outcome_used(world: World) -> None:
    first, second = world.key(quota={"burst": 20}), world.key()
    dead, alive = b"d" * 16, b"a" * 16
    leases = [
        world.lease(key.secret.text, expected=Counters(5, 5), holder=holder)
        for key in (first, second)
        for holder in (dead, alive)
    ]
    world.record([world.outcome(Answer(leases[0].id, Grant(1), leases[0].answer.key, ()))])
    world.end(leases[2].end(Counters(1, 1)))
    world.settler.settle(Settlement(dead_holders=[dead, b"unknown"]))
    assert {lease.holder for lease in world.leases()} == {alive}
    assert world.month(first.record.id) == {"requests": 1, "units": 1, "reserved_units": 5}
    assert world.month(second.record.id) == {"reserved_units": 5}
    rates = world.rates(first.record.id)
    assert (rates.leased, rates.burst_remaining, rates.minute_count) == (5, 10, 10), "any of them may be used"
    world.check_reserved()
    world.settler.settle(Settlement(dead_holders=[dead]))
    world.check_reserved()


@pytest.mark.docker
def test_a_dead_holder_with_a_lease_of_a_locked_key_is_postponed(
    migrated_postgres: str, open_world: Callable[..., World]
) -> None:
    world = open_world(migrated_postgres)
    issued = world.key()
    holder = b"d" * 16
    world.lease(issued.secret.text, holder=holder)
    with world.database.writing() as connection:
        lock(connection, [issued.record.id])
        assert world.settler.settle(Settlement(dead_holders=[holder])).postponed == [holder]
    assert world.settler.settle(Settlement(dead_holders=[holder])).postponed == []
    assert world.leases() == []


def test_tokens_settle_the_allowance(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_calls=2, monthly_tokens=10_000))
    answer = world.ask(issued.secret.text, DIVIDE_LAND)
    outcome = world.outcome(answer, DIVIDE_LAND, input_tokens=900, output_tokens=300)
    assert world.month(issued.record.id)["reserved_tokens"] == 8_000
    world.record([outcome])
    assert world.month(issued.record.id) == {"requests": 1, "units": 10, "calls": 1, "tokens": 1_200}


def test_a_failed_assistant_call_releases_the_call_but_not_its_tokens(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_calls=1, monthly_tokens=10_000))
    answer = world.ask(issued.secret.text, DIVIDE_LAND)
    world.record([world.outcome(answer, DIVIDE_LAND, 502, input_tokens=900)])
    assert world.month(issued.record.id) == {"requests": 1, "errors": 1, "tokens": 900}


@pytest.mark.parametrize(
    ("use", "status", "tokens", "expected"),
    [
        (AssistantUse.MODEL, 200, 1_200, {"calls": 1, "tokens": 1_200, "units": 10}),
        (AssistantUse.RULES, 200, 0, {"units": 10}),
        (AssistantUse.RULES, 200, 700, {"tokens": 700, "units": 10}),
        (AssistantUse.UNKNOWN, 499, 0, {"calls": 1, "tokens": 8_000, "units": 10, "errors": 1}),
        (AssistantUse.MODEL, 499, 900, {"calls": 1, "tokens": 900, "units": 10, "errors": 1}),
        (AssistantUse.RULES, 499, 0, {"units": 10, "errors": 1}),
        (AssistantUse.NONE, 499, 0, {"units": 10, "errors": 1}),
        (AssistantUse.UNKNOWN, 504, 0, {"errors": 1}),
        (AssistantUse.UNKNOWN, 503, 0, {"errors": 1}),
        (AssistantUse.UNSPECIFIED, 200, 1_200, {"calls": 1, "tokens": 1_200, "units": 10}),
        (AssistantUse.UNSPECIFIED, 499, 0, {"calls": 1, "units": 10, "errors": 1}),
    ],
)
def test_a_model_call_takes_what_its_end_says(
    world: World, use: AssistantUse, status: int, tokens: int, expected: dict[str, int]
) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_calls=5, monthly_tokens=100_000))
    answer = world.ask(issued.secret.text, DIVIDE_LAND)
    world.record([world.outcome(answer, DIVIDE_LAND, status, input_tokens=tokens, assistant_use=use)])
    assert world.month(issued.record.id) == {"requests": 1, **expected}


def test_a_call_that_was_granted_the_rules_takes_a_call(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.RULES, monthly_calls=5))
    answer = world.ask(issued.secret.text, DIVIDE_LAND)
    world.record([world.outcome(answer, DIVIDE_LAND, assistant_use=AssistantUse.RULES)])
    assert world.month(issued.record.id) == {"requests": 1, "units": 10, "calls": 1}


def test_clients_that_disconnect_use_up_the_allowance(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_tokens=10_000))
    for _ in range(2):
        answer = world.ask(issued.secret.text, DIVIDE_LAND)
        world.record([world.outcome(answer, DIVIDE_LAND, 499, assistant_use=AssistantUse.UNKNOWN)])
    assert world.month(issued.record.id)["tokens"] == 10_000
    refusal = world.ask(issued.secret.text, DIVIDE_LAND).decision
    assert isinstance(refusal, Denial)
    assert refusal.code == "assistant_allowance_exhausted"


def test_failed_work_releases_its_quota(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    answer = world.ask(issued.secret.text)
    world.record([world.outcome(answer, status=503)])
    again = world.ask(issued.secret.text)
    assert world.month(issued.record.id) == {"requests": 1, "errors": 1, "reserved_units": 1}
    world.record([world.outcome(again)])
    assert world.month(issued.record.id) == {"requests": 2, "errors": 1, "units": 1}


def test_an_outcome_of_an_unknown_lease_and_key_is_counted(world: World) -> None:
    at = world.clock()
    ids = secrets.token_bytes(16), secrets.token_bytes(16)
    stranger = Outcome(*ids, "unknown1", GEOJSON, 200, 10, 0, 0, at, at, 2)
    assert world.record([stranger]) == [stranger.event_id]
    assert world.month("unknown1") == {"requests": 1, "units": 2}


def test_the_beginning_of_the_lease_decides_the_month(world: World) -> None:
    issued = world.key()
    world.clock.now = datetime(2026, 10, 31, 22, 59, 59, tzinfo=UTC)  # a second before November in Paris
    answer = world.ask(issued.secret.text)
    outcome = world.outcome(answer)
    world.clock.advance(seconds=10)
    world.record([replace(outcome, occurred_at=world.clock())])
    assert world.month(issued.record.id, "2026-10") == {"requests": 1, "units": 1}
    assert world.month(issued.record.id, "2026-11") == {}
    assert hours(world)[0]["hour"] == hour_of(datetime(2026, 10, 31, 22, tzinfo=UTC))


def test_an_outcome_from_a_clock_that_runs_ahead_has_our_time(world: World) -> None:
    ahead = world.clock() + timedelta(days=60)
    ids = secrets.token_bytes(16), secrets.token_bytes(16)
    stranger = Outcome(*ids, "unknown1", GEOJSON, 200, 10, 0, 0, ahead, ahead, 2)
    world.record([stranger])
    assert world.month("unknown1") == {"requests": 1, "units": 2}


def test_leases_lapse_after_15_minutes_and_release_their_counters(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_tokens=9_000))
    world.ask(issued.secret.text, DIVIDE_LAND)  # has ended, and its outcome never comes
    world.lease(issued.secret.text, expected=Counters(5, 5))  # never ends
    world.clock.advance(minutes=10)
    world.lease(issued.secret.text)
    world.clock.advance(minutes=5)
    assert world.leasing.lapse() == 0
    world.check_reserved()
    world.clock.advance(seconds=1)
    assert world.leasing.lapse() == 2
    assert world.leasing.lapse() == 0
    assert world.month(issued.record.id) == {"reserved_units": 1}
    assert world.rates(issued.record.id).leased == 0
    world.check_reserved()


def test_an_outcome_and_an_end_after_the_lapse_are_counted_billed_and_ignored(world: World) -> None:
    issued = world.key(quota={"monthly_units": 4})
    leased = world.lease(issued.secret.text, GEOJSON, Counters(4, 4))
    world.clock.advance(hours=1)
    assert world.leasing.lapse() == 1
    assert world.month(issued.record.id) == {}
    outcome = world.outcome(
        Answer(leased.id, Grant(2), leased.answer.key, ()), GEOJSON, leased_at=leased.granted.leased_at
    )
    world.settler.settle(Settlement([outcome], [leased.end(Counters(3, 2))]))
    assert world.month(issued.record.id) == {"requests": 1, "units": 2}
    assert hours(world)[0]["hour"] == hour_of(leased.granted.leased_at)
    world.check_reserved()


def test_parallel_lapsing_and_settling_release_once(world: World) -> None:
    issued = world.key()
    outcomes = [world.outcome(world.ask(issued.secret.text)) for _ in range(20)]
    world.clock.advance(hours=1)
    with ThreadPoolExecutor(4) as pool:
        settling = [pool.submit(world.record, outcomes[index::2]) for index in range(2)]
        lapsing = [pool.submit(world.leasing.lapse) for _ in range(2)]
        for settled in settling:
            settled.result()
        for lapsed in lapsing:
            lapsed.result()
    while world.leasing.lapse():  # those whose key was locked
        pass
    assert world.month(issued.record.id) == {"requests": 20, "units": 20}
    assert world.leases() == []
