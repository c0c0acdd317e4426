from datetime import timedelta

from keys_world import World
from sqlalchemy import FromClause, func, select

from keys.store.retention import Retention
from keys.store.tables import audit_entries, events, key_secrets, reservations, usage_hours


def count(world: World, table: FromClause) -> int:
    with world.database.reading() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_raw_rows_go_after_their_days_and_rollups_stay(world: World) -> None:
    issued = world.key()
    world.settler.record([world.outcome(world.ask(issued.secret.text)) for _ in range(3)])
    world.rotate(issued.record.id, timedelta(0))
    retention = Retention(world.database, world.clock, raw_days=40, address_days=30)
    world.clock.advance(days=30, seconds=1)
    assert retention.apply() == 2  # the addresses of two audit entries
    assert [count(world, table) for table in (events, reservations, audit_entries, key_secrets)] == [3, 3, 2, 2]
    assert "192.0.2.1" not in world.dump()
    world.clock.advance(days=10)
    assert retention.apply() == 7
    assert [count(world, table) for table in (events, reservations, usage_hours, key_secrets)] == [0, 0, 1, 1]
    assert world.month(issued.record.id) == {"requests": 3, "units": 3}
    assert retention.apply() == 0
