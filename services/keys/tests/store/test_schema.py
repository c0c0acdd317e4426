from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from keys_world import World

from keys.store.database import Database
from keys.store.tables import metadata


def test_the_migrations_make_what_the_tables_say(world: World) -> None:
    with world.database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_a_schema_that_was_never_migrated_is_not_current(database_url: str) -> None:
    database = Database(database_url)
    assert not database.is_current()
    database.migrate()
    database.migrate()
    assert database.is_current()
    database.close()
