"""One way to bring a database's schema to its newest revision, for all services: Alembic's, by a service's own folder.

Apart from opening a database, since most programs that open one do not migrate it, and Alembic is slow to import.
"""

from alembic import command, context
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, text

from servicekit.database import for_writing, is_sqlite

_MIGRATION_LOCK = 0x6C616E64


def upgrade(engine: Engine, migrations: str) -> None:
    """Brings the schema to its newest revision. `migrations` is the Alembic folder, as `package:folder`.

    Replicas that start together wait for one another: on PostgreSQL by an advisory lock, on SQLite by its write lock.
    """
    config = _config(migrations)
    with for_writing(engine).begin() as connection:
        if not is_sqlite(connection):
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def is_current(engine: Engine, migrations: str) -> bool:
    """Whether the schema is at its newest revision."""
    newest = ScriptDirectory.from_config(_config(migrations)).get_current_head()
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == newest


def _config(migrations: str) -> Config:
    config = Config()
    config.set_main_option("script_location", migrations)
    return config


def run_migrations(metadata: MetaData) -> None:
    """The whole of a service's Alembic `env.py`: migrates on the connection, and in the transaction, of `upgrade`."""
    connection: Connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=is_sqlite(connection))
    context.run_migrations()
