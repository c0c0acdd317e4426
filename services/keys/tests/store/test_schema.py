from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from keys_world import World

from keys.store.database import Database
from keys.store.tables import metadata


def test_the_migrations_make_what_the_tables_say(world: World) -> None:
    with world.database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def check_migration(url: str) -> None:
    database = Database(url)
    assert not database.is_current()
    database.migrate()
    database.migrate()
    assert database.is_current()
    database.close()


def test_a_new_file_is_current_once_it_is_migrated(tmp_path: Path) -> None:
    check_migration(f"sqlite:///{tmp_path}/folder/keys.sqlite")


@pytest.mark.docker
def test_a_new_database_is_current_once_it_is_migrated(fresh_postgres: str) -> None:
    check_migration(fresh_postgres)
