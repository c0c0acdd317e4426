from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from keys_world import RAW_DAYS, RULES, World
from sqlalchemy import Connection, FromClause, func, select

from keys.store import retention
from keys.store.database import Database
from keys.store.settling import Settler
from keys.store.tables import audit_entries, events, key_secrets, usage_hours
from keys.values.outcomes import KEPT_LONGER_DAYS


def count(world: World, table: FromClause) -> int:
    with world.database.reading() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_raw_rows_are_deleted_after_their_days_and_rollups_stay(world: World) -> None:
    issued = world.key()
    world.record([world.outcome(world.ask(issued.secret.text)) for _ in range(3)])
    world.rotate(issued.record.id, timedelta(0))
    apply = partial(retention.apply, world.database, world.clock, raw_days=40, address_days=30)
    world.clock.advance(days=30, seconds=1)
    assert apply() == 2  # the addresses of two audit entries
    assert [count(world, table) for table in (events, audit_entries, key_secrets)] == [3, 2, 2]
    assert "192.0.2.1" not in world.dump()
    world.clock.advance(days=10)
    assert apply() == 4
    assert [count(world, table) for table in (events, usage_hours, key_secrets)] == [0, 1, 1]
    assert world.month(issued.record.id) == {"requests": 3, "units": 3}
    assert apply() == 0


def apply_retention(world: World, raw_days: int = 40) -> None:
    retention.apply(world.database, world.clock, raw_days=raw_days, address_days=30)


@pytest.mark.parametrize("raw_days", [KEPT_LONGER_DAYS + 3, RAW_DAYS])
def test_an_outcome_repeated_after_its_event_was_deleted_is_not_counted_twice(world: World, raw_days: int) -> None:
    world.settler = Settler(world.database, RULES, world.clock, raw_days=raw_days)
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text))
    world.record([outcome])
    fresh = world.outcome(world.ask(issued.secret.text))  # its lease does not lapse
    for _ in range(raw_days + 5):
        world.clock.advance(days=1)
        apply_retention(world, raw_days)
        world.record([outcome])
        assert world.month(issued.record.id)["requests"] == 1
    assert count(world, events) == 0
    assert world.record([fresh, outcome]) == []


def test_an_outcome_that_was_counted_late_is_recognized_while_its_event_is_kept(world: World) -> None:
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text))
    world.clock.advance(days=RAW_DAYS - KEPT_LONGER_DAYS)
    apply_retention(world)
    assert world.record([outcome]) == [outcome.event_id]
    world.clock.advance(days=39)
    apply_retention(world)
    assert count(world, events) == 1
    assert world.record([outcome]) == [outcome.event_id]
    assert world.month(issued.record.id) == {"requests": 1, "units": 1}


def test_an_outcome_of_an_unknown_lease_is_counted_while_it_is_recent(world: World) -> None:
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text), lease_id=b"unknown")
    world.clock.advance(days=RAW_DAYS - KEPT_LONGER_DAYS)
    assert world.record([outcome]) == [outcome.event_id]
    later = replace(outcome, event_id=b"another")
    world.clock.advance(seconds=1)
    assert world.record([later, outcome]) == [outcome.event_id]
    assert world.month(issued.record.id) == {"requests": 1, "units": 1, "reserved_units": 1}


class Interrupted(Database):
    """Calls a function between any two write transactions."""

    between: Callable[[], object] | None = None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        if self.between is not None:
            self.between()
        with super().writing() as connection:
            yield connection


def test_an_outcome_repeated_between_two_steps_of_retention_is_not_counted_twice(
    world: World, database_url: str
) -> None:
    issued = world.key()
    outcome = world.outcome(world.ask(issued.secret.text))
    world.record([outcome])
    world.clock.advance(days=41)
    database = Interrupted(database_url)
    database.between = lambda: world.record([outcome])
    retention.apply(database, world.clock, raw_days=40, address_days=30)
    database.close()
    assert count(world, events) == 0
    assert world.month(issued.record.id) == {"requests": 1, "units": 1}
