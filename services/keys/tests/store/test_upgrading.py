"""Two versions of keys on one database, during and after a migration."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from keys_world import NOON, SetClock, World
from sqlalchemy import select, text, update
from sqlalchemy.exc import OperationalError

from keys.clock import day_of, hour_of
from keys.errors import Blocked, Unavailable
from keys.metering.buckets import Range
from keys.store import rollups
from keys.store.database import MIGRATIONS, SCHEMA, Database, upsert
from keys.store.reconciling import OLDER_DAYS, Reconciler
from keys.store.rollups import Scope, Sums
from keys.store.tables import usage_days, usage_hours
from servicekit.database import MIGRATING, set_limits
from servicekit.schema import is_accepted

T = TypeVar("T")

KEY = "abcdefgh"
COUNTS = [column.name for column in usage_hours.c if not column.primary_key]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.docker)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/keys.sqlite"
    return str(request.getfixturevalue("fresh_postgres"))


def migrate_to(database: Database, revision: str, versions: Sequence[Path] = ()) -> None:
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    if versions:
        config.set_main_option("path_separator", "os")
        config.set_main_option("version_locations", ":".join(str(path) for path in versions))
    with database.writing() as connection:
        set_limits(connection, MIGRATING)
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def count_as_before_days(database: Database, at: datetime, requests: int = 1) -> None:
    """Counts a request as the version before `usage_days` does: by hour only."""
    with database.writing() as connection:
        statement = upsert(connection, usage_hours)
        sums = {name: usage_hours.c[name] + statement.excluded[name] for name in COUNTS}
        adding = statement.on_conflict_do_update(index_elements=list(usage_hours.primary_key.columns), set_=sums)
        row = {"hour": hour_of(at), "key_id": KEY, "endpoint": "usage", "requests": requests, "latency_us": 5}
        connection.execute(adding, [row])


def reported(database: Database, of: Range) -> tuple[dict[int, Sums], dict[int, Sums]]:
    """Returns the sums of each day, from the hours and from the days."""
    by_hour: dict[int, Sums] = {}
    with database.reading() as connection:
        for hour, sums in rollups.sums_by_hour(connection, of, Scope()).items():
            day = day_of(datetime.fromtimestamp(hour * 3600, UTC))
            by_hour[day] = by_hour.get(day, Sums()) + sums
        return by_hour, rollups.sums_by_day(connection, of, Scope())


def test_reports_agree_after_an_old_replica_counted_during_and_after_the_migration(empty_url: str) -> None:
    old, new = Database(empty_url), Database(empty_url)
    migrate_to(old, "0002")
    for hours in range(24 * 20):
        count_as_before_days(old, NOON - timedelta(hours=hours))
    stop, counted = threading.Event(), threading.Event()

    def serve() -> None:
        number = 0
        while not stop.is_set():
            count_as_before_days(old, NOON - timedelta(hours=number % 500))
            counted.set()
            number += 1

    replica = threading.Thread(target=serve)
    replica.start()
    try:
        assert counted.wait(60)
        new.migrate()
        counted.clear()
        assert counted.wait(60)  # it goes on after the migration
    finally:
        stop.set()
        replica.join()
    count_as_before_days(old, NOON - timedelta(days=3))
    whole = Range(NOON - timedelta(days=30), NOON + timedelta(hours=1))
    by_hour, by_day = reported(new, whole)
    assert by_day != by_hour  # what the old replica counted since the migration is in the hours only
    reconciler = Reconciler(new, SetClock(NOON))
    for _ in range(30 // OLDER_DAYS + 1):
        reconciler.reconcile()
    by_hour, by_day = reported(new, whole)
    assert len(by_hour) > 20
    assert by_day == by_hour
    old.close()
    new.close()


def test_a_day_is_corrected_once_despite_concurrent_counts_and_corrections(
    world: World, open_world: Callable[..., World], database_url: str
) -> None:
    issued = world.key()
    outcomes = [world.outcome(world.ask(issued.secret.text)) for _ in range(40)]
    for _ in range(10):
        count_as_before_days(world.database, world.clock())
    replicas = [open_world(database_url, clock=world.clock) for _ in range(3)]
    together = threading.Barrier(4)

    def correct(replica: World) -> None:
        together.wait()
        for _ in range(5):
            Reconciler(replica.database, world.clock).reconcile()

    threads = [threading.Thread(target=correct, args=(replica,)) for replica in replicas]
    for thread in threads:
        thread.start()
    together.wait()
    for outcome in outcomes:
        world.settler.record([outcome])
    for thread in threads:
        thread.join()
    whole = Range(NOON - timedelta(days=2), NOON + timedelta(days=2))
    by_hour, by_day = reported(world.database, whole)
    assert by_day == by_hour
    assert sum(sums.requests for sums in by_day.values()) == 50


def test_every_day_since_the_first_is_compared_in_turn(world: World) -> None:
    for days in range(40):
        count_as_before_days(world.database, NOON - timedelta(days=days))
    reconciler = Reconciler(world.database, world.clock)
    corrected = [reconciler.reconcile() for _ in range(7)]
    assert sum(corrected) == 40
    assert max(corrected) <= OLDER_DAYS + 2
    count_as_before_days(world.database, NOON - timedelta(days=39))
    assert sum(reconciler.reconcile() for _ in range(7)) == 1
    by_hour, by_day = reported(world.database, Range(NOON - timedelta(days=60), NOON + timedelta(hours=1)))
    assert by_day == by_hour


def test_a_day_with_more_than_its_hours_is_corrected(world: World) -> None:
    count_as_before_days(world.database, NOON)
    reconciler = Reconciler(world.database, world.clock)
    assert reconciler.reconcile() == 1
    with world.database.writing() as connection:
        connection.execute(update(usage_days).values(requests=3))
    assert reconciler.reconcile() == 1
    with world.database.reading() as connection:
        assert connection.execute(select(usage_days.c.requests)).scalar() == 1
    assert reconciler.reconcile() == 0


def revisions() -> list[str]:
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    found = [each.revision for each in reversed(list(ScriptDirectory.from_config(config).walk_revisions()))]
    return found[found.index(SCHEMA.oldest) :]


@pytest.mark.parametrize("revision", revisions())
def test_this_version_serves_on_every_revision_that_it_accepts(
    empty_url: str, open_world: Callable[..., World], revision: str
) -> None:
    world = open_world(empty_url)
    migrate_to(world.database, revision)
    assert world.database.is_accepted()
    issued = world.key()
    world.settler.record([world.outcome(world.ask(issued.secret.text)) for _ in range(3)])
    assert world.month(issued.record.id) == {"requests": 3, "units": 3}
    assert Reconciler(world.database, world.clock).reconcile() == 0


NEXT_VERSION = """
import sqlalchemy as sa
from alembic import op
revision = "9999"
down_revision = {newest!r}
def upgrade():
    op.add_column("events", sa.Column("colour", sa.String(9), nullable=False, server_default="red"))
    op.add_column("reservations", sa.Column("colour", sa.String(9)))
    op.create_table("colours", sa.Column("id", sa.Integer, primary_key=True))
"""


def retried(call: Callable[[], T]) -> T:
    """Retries the call, as an edge does, while the migration locks a table."""
    while True:
        with contextlib.suppress(Blocked):
            return call()


def retried_after_deadlocks(migrate: Callable[[], None]) -> None:
    """Retries a migration as an operator does. It locks several tables, which requests lock in another order."""
    while True:
        try:
            return migrate()
        except Unavailable as error:
            cause = error.__cause__
            if not (isinstance(cause, OperationalError) and isinstance(cause.orig, psycopg.errors.DeadlockDetected)):
                raise


def test_this_version_serves_while_the_next_one_migrates_and_afterwards(
    empty_url: str, open_world: Callable[..., World], tmp_path: Path
) -> None:
    world = open_world(empty_url)
    world.database.migrate()
    versions = tmp_path / "next"
    versions.mkdir()
    (versions / "9999_colours.py").write_text(NEXT_VERSION.format(newest=SCHEMA.newest))
    issued = world.key()
    asked = 0
    stop, served = threading.Event(), threading.Event()

    def serve() -> None:
        nonlocal asked
        while not stop.is_set():
            answer = retried(lambda: world.ask(issued.secret.text))
            outcome = world.outcome(answer)
            retried(partial(world.settler.record, [outcome]))
            asked += 1
            served.set()

    replica = threading.Thread(target=serve)
    replica.start()
    try:
        assert served.wait(60)
        own = Path(__file__).parents[2] / "src/keys/store/migrations/versions"
        retried_after_deadlocks(partial(migrate_to, open_world(empty_url).database, "9999", [own, versions]))
        served.clear()
        assert served.wait(60)
    finally:
        stop.set()
        replica.join()
    assert is_accepted(world.database.engine, MIGRATIONS, SCHEMA)
    world.database.migrate()  # the next version's schema stays as it is
    with world.database.reading() as connection:
        assert connection.execute(text("SELECT count(colour) FROM events")).scalar() == asked
    assert world.month(issued.record.id) == {"requests": asked, "units": asked}
    by_hour, by_day = reported(world.database, Range(NOON - timedelta(days=1), NOON + timedelta(days=1)))
    assert by_day == by_hour
