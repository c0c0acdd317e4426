"""RecordOutcomes and lapsing on a real database, each test on SQLite and PostgreSQL."""

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from keys_world import World
from sqlalchemy import func, select

from keys.clock import hour_of
from keys.metering.outcomes import AssistantUse, Outcome
from keys.quota.decision import Denial
from keys.quota.policy import AssistantMode, AssistantPolicy
from keys.store.tables import events, reservations, usage_hours
from servicekit.endpoints import DIVIDE_LAND, GEOJSON


def hours(world: World) -> list[dict[str, object]]:
    with world.database.reading() as connection:
        return [dict(row) for row in connection.execute(usage_hours.select().order_by(usage_hours.c.hour)).mappings()]


def event_count(world: World) -> int:
    with world.database.reading() as connection:
        return connection.execute(select(func.count()).select_from(events)).scalar_one()


def state_of(world: World, reservation_id: bytes) -> str:
    with world.database.reading() as connection:
        query = select(reservations.c.state).where(reservations.c.id == reservation_id)
        return str(connection.execute(query).scalar_one())


@pytest.mark.parametrize(
    ("status", "units", "errors"), [(200, 2, 0), (204, 2, 0), (302, 0, 0), (404, 0, 1), (499, 2, 1), (500, 0, 1)]
)
def test_an_outcome_costs_what_its_status_says(world: World, status: int, units: int, errors: int) -> None:
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text, GEOJSON), GEOJSON, status)
    assert world.settler.record([outcome]) == [outcome.event_id]
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
    assert state_of(world, outcome.reservation_id) == "settled"


def test_a_repeated_event_is_counted_once(world: World) -> None:
    issued = world.key()
    outcomes = [world.outcome(world.ask(issued.secret.text)) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        acknowledged = list(
            pool.map(world.settler.record, [outcomes, outcomes[::-1], outcomes + outcomes, outcomes[:2]])
        )
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
    recorders = [world.settler, open_world(database_url, clock=world.clock).settler]
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


def test_an_outcome_does_not_settle_the_reservation_of_another_key(world: World) -> None:
    owner, other = world.key(), world.key()
    answer = world.ask(owner.secret.text, GEOJSON)
    stray = world.outcome(answer, GEOJSON, key_id=other.record.id)
    world.settler.record([stray])
    assert state_of(world, answer.reservation_id) == "held"
    assert world.month(other.record.id) == {"requests": 1, "units": 2}
    world.settler.record([world.outcome(answer, GEOJSON)])
    assert world.month(owner.record.id) == {"requests": 1, "units": 2}


def test_a_call_accepts_any_number_of_outcomes(world: World) -> None:
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text))
    many = [replace(outcome, event_id=secrets.token_bytes(16)) for _ in range(2_345)]
    assert world.settler.record(many) == [outcome.event_id for outcome in many]
    assert world.month(issued.record.id) == {"requests": 2_345, "units": 1}


def test_two_events_of_one_reservation_pay_once(world: World) -> None:
    issued = world.key()
    answer = world.ask(issued.secret.text)
    world.settler.record([world.outcome(answer), world.outcome(answer)])
    world.settler.record([world.outcome(answer)])
    assert world.month(issued.record.id) == {"requests": 3, "units": 1}


def test_tokens_settle_the_allowance(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_calls=2, monthly_tokens=10_000))
    answer = world.ask(issued.secret.text, DIVIDE_LAND)
    outcome = world.outcome(answer, DIVIDE_LAND, input_tokens=900, output_tokens=300)
    assert world.month(issued.record.id)["reserved_tokens"] == 8_000
    world.settler.record([outcome])
    assert world.month(issued.record.id) == {"requests": 1, "units": 10, "calls": 1, "tokens": 1_200}


def test_a_failed_assistant_call_releases_the_call_but_not_its_tokens(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_calls=1, monthly_tokens=10_000))
    answer = world.ask(issued.secret.text, DIVIDE_LAND)
    world.settler.record([world.outcome(answer, DIVIDE_LAND, 502, input_tokens=900)])
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
    world.settler.record([world.outcome(answer, DIVIDE_LAND, status, input_tokens=tokens, assistant_use=use)])
    assert world.month(issued.record.id) == {"requests": 1, **expected}


def test_a_call_that_was_granted_the_rules_takes_a_call(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.RULES, monthly_calls=5))
    answer = world.ask(issued.secret.text, DIVIDE_LAND)
    world.settler.record([world.outcome(answer, DIVIDE_LAND, assistant_use=AssistantUse.RULES)])
    assert world.month(issued.record.id) == {"requests": 1, "units": 10, "calls": 1}


def test_clients_that_disconnect_use_up_the_allowance(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_tokens=10_000))
    for _ in range(2):
        answer = world.ask(issued.secret.text, DIVIDE_LAND)
        world.settler.record([world.outcome(answer, DIVIDE_LAND, 499, assistant_use=AssistantUse.UNKNOWN)])
    assert world.month(issued.record.id)["tokens"] == 10_000
    refusal = world.ask(issued.secret.text, DIVIDE_LAND).decision
    assert isinstance(refusal, Denial)
    assert refusal.code == "assistant_allowance_exhausted"


def test_failed_work_releases_its_quota(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    answer = world.ask(issued.secret.text)
    world.settler.record([world.outcome(answer, status=503)])
    again = world.ask(issued.secret.text)
    assert world.month(issued.record.id) == {"requests": 1, "errors": 1, "reserved_units": 1}
    world.settler.record([world.outcome(again)])
    assert world.month(issued.record.id) == {"requests": 2, "errors": 1, "units": 1}


def test_an_outcome_without_a_known_reservation_or_key_is_counted(world: World) -> None:
    stranger = Outcome(
        secrets.token_bytes(16), secrets.token_bytes(16), "unknown1", GEOJSON, 200, 10, 0, 0, world.clock()
    )
    assert world.settler.record([stranger]) == [stranger.event_id]
    assert world.month("unknown1") == {"requests": 1, "units": 2}


def test_the_time_of_the_reservation_decides_the_month(world: World) -> None:
    issued = world.key()
    world.clock.now = datetime(2026, 10, 31, 22, 59, 59, tzinfo=UTC)  # a second before November in Paris
    answer = world.ask(issued.secret.text)
    world.clock.advance(seconds=10)
    world.settler.record([world.outcome(answer)])
    assert world.month(issued.record.id, "2026-10") == {"requests": 1, "units": 1}
    assert world.month(issued.record.id, "2026-11") == {}
    assert hours(world)[0]["hour"] == hour_of(datetime(2026, 10, 31, 22, tzinfo=UTC))


def test_an_outcome_from_a_clock_that_runs_ahead_has_our_time(world: World) -> None:
    ahead = world.clock() + timedelta(days=60)
    stranger = Outcome(secrets.token_bytes(16), secrets.token_bytes(16), "unknown1", GEOJSON, 200, 10, 0, 0, ahead)
    world.settler.record([stranger])
    assert world.month("unknown1") == {"requests": 1, "units": 2}


def test_reservations_lapse_after_15_minutes_and_release_their_units(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_tokens=9_000))
    old = world.ask(issued.secret.text, DIVIDE_LAND)
    world.clock.advance(minutes=10)
    young = world.ask(issued.secret.text)
    world.clock.advance(minutes=5)
    assert world.settler.lapse() == 0
    world.clock.advance(seconds=1)
    assert world.settler.lapse() == 1
    assert world.month(issued.record.id) == {"reserved_units": 1}
    assert (state_of(world, old.reservation_id), state_of(world, young.reservation_id)) == ("lapsed", "held")


def test_an_outcome_after_the_lapse_is_counted_and_billed(world: World) -> None:
    issued = world.key()
    answer = world.ask(issued.secret.text, GEOJSON)
    world.clock.advance(hours=1)
    assert world.settler.lapse() == 1
    world.settler.record([world.outcome(answer, GEOJSON)])
    assert world.month(issued.record.id) == {"requests": 1, "units": 2}


def test_parallel_lapsing_and_settling_release_once(world: World) -> None:
    issued = world.key()
    outcomes = [world.outcome(world.ask(issued.secret.text)) for _ in range(20)]
    world.clock.advance(hours=1)
    with ThreadPoolExecutor(4) as pool:
        settling = [pool.submit(world.settler.record, outcomes[index::2]) for index in range(2)]
        lapsing = [pool.submit(world.settler.lapse) for _ in range(2)]
        for settled in settling:
            settled.result()
        for lapsed in lapsing:
            lapsed.result()
    assert world.month(issued.record.id) == {"requests": 20, "units": 20}
