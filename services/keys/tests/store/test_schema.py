from pathlib import Path

import pytest
from keys_world import World

from keys.store.database import MIGRATIONS, SCHEMA, Database
from keys.store.tables import metadata
from servicekit.migrations import differences
from servicekit.schema import is_accepted


def test_the_migrations_match_the_tables(world: World) -> None:
    with world.database.reading() as connection:
        assert differences(connection, metadata) == []


def check_migration(url: str) -> None:
    database = Database(url)
    assert not is_accepted(database.engine, MIGRATIONS, SCHEMA)
    database.migrate()
    database.migrate()
    assert is_accepted(database.engine, MIGRATIONS, SCHEMA)
    database.close()


def test_a_new_file_is_current_once_it_is_migrated(tmp_path: Path) -> None:
    check_migration(f"sqlite:///{tmp_path}/folder/keys.sqlite")


@pytest.mark.docker
def test_a_new_database_is_current_once_it_is_migrated(fresh_postgres: str) -> None:
    check_migration(fresh_postgres)
