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
from keys_world import NOON, World
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from keys.store import rollups
from keys.store.database import MIGRATIONS, SCHEMA, Database
from keys.store.rollups import Scope, Sums
from keys.values.buckets import Range
from keys.values.clock import day_of
from keys.values.errors import Blocked, Unavailable
from servicekit.database import MIGRATING, set_limits
from servicekit.schema import is_accepted

T = TypeVar("T")


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


def reported(database: Database, period: Range) -> tuple[dict[int, Sums], dict[int, Sums]]:
    """Returns the sums of each day, from the hours and from the days."""
    by_hour: dict[int, Sums] = {}
    with database.reading() as connection:
        for hour, sums in rollups.sums_by_hour(connection, period, Scope()).items():
            day = day_of(datetime.fromtimestamp(hour * 3600, UTC))
            by_hour[day] = by_hour.get(day, Sums()) + sums
        return by_hour, rollups.sums_by_day(connection, period, Scope())


def revisions() -> list[str]:
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    names = [revision.revision for revision in reversed(list(ScriptDirectory.from_config(config).walk_revisions()))]
    return names[names.index(SCHEMA.oldest) :]


@pytest.mark.parametrize("revision", revisions())
def test_this_version_serves_on_every_revision_that_it_accepts(
    empty_url: str, open_world: Callable[..., World], revision: str
) -> None:
    world = open_world(empty_url)
    migrate_to(world.database, revision)
    assert is_accepted(world.database.engine, MIGRATIONS, SCHEMA)
    issued = world.key()
    world.record([world.outcome(world.ask(issued.secret.text)) for _ in range(3)])
    assert world.month(issued.record.id) == {"requests": 3, "units": 3}


NEXT_VERSION = """
import sqlalchemy as sa
from alembic import op
revision = "9999"
down_revision = {newest!r}
def upgrade():
    op.add_column("events", sa.Column("colour", sa.String(9), nullable=False, server_default="red"))
    op.add_column("leases", sa.Column("colour", sa.String(9)))
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
    request_count = 0
    stop, served = threading.Event(), threading.Event()

    def serve() -> None:
        nonlocal request_count
        while not stop.is_set():
            answer = retried(lambda: world.ask(issued.secret.text))
            outcome = world.outcome(answer)
            retried(partial(world.record, [outcome]))
            request_count += 1
            served.set()

    replica = threading.Thread(target=serve)
    replica.start()
    try:
        assert served.wait(60)
        own_versions = Path(__file__).parents[2] / "src/keys/store/migrations/versions"
        retried_after_deadlocks(partial(migrate_to, open_world(empty_url).database, "9999", [own_versions, versions]))
        served.clear()
        assert served.wait(60)
    finally:
        stop.set()
        replica.join()
    assert is_accepted(world.database.engine, MIGRATIONS, SCHEMA)
    world.database.migrate()  # the next version's schema stays as it is
    with world.database.reading() as connection:
        assert connection.execute(text("SELECT count(colour) FROM events")).scalar() == request_count
    assert world.month(issued.record.id) == {"requests": request_count, "units": request_count}
    by_hour, by_day = reported(world.database, Range(NOON - timedelta(days=1), NOON + timedelta(days=1)))
    assert by_day == by_hour


def test_names_that_differ_by_accents_alone_stay_after_the_migration(empty_url: str) -> None:
    database = Database(empty_url)
    migrate_to(database, "0002_held_bills")
    insert = text(
        "INSERT INTO partners (id, name, is_active, created_at, metadata) VALUES (:id, :name, true, :at, '{}')"
    )
    with database.writing() as connection:
        names = ("Étude", "etude")
        connection.execute(insert, [{"id": name, "name": name, "at": NOON.isoformat()} for name in names])
    database.migrate()
    with database.writing() as connection:
        statement = text("SELECT name, folded_name FROM partners ORDER BY folded_name")
        assert sorted((row.name, row.folded_name) for row in connection.execute(statement)) == [
            ("etude", "etude"),
            ("Étude", "etude Étude"),
        ]
    database.close()
