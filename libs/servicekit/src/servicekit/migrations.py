"""One way to migrate a database's schema and to decide whether a service may serve on it, for all services.

Versions N and N+1 of a service run on each other's schema. A migration only expands the schema; what the new code does
not need any more is removed one version later. The migration that removes it sets `oldest_code`: the oldest revision
whose code works with the schema from then on. The code of a revision is the code that knows it as its newest. The
database keeps `oldest_code`, so that code can accept a revision that it does not know.

Separate from opening a database: most programs that open one do not migrate it, and Alembic is slow to import.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from alembic import command, context
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, delete, insert, inspect, select, text

from servicekit.database import MIGRATING, for_writing, is_sqlite, set_limits

_MIGRATION_LOCK = 0x6C616E64
_compatibility = Table("schema_compatibility", MetaData(), Column("oldest_code", String(40), primary_key=True))


@dataclass(frozen=True)
class Accepted:
    """The revisions of its database that a service serves on, from the oldest to the newest that it knows."""

    oldest: str
    newest: str


class SchemaMismatch(Exception):
    """The schema is newer than this code, and not declared to work with it."""


def upgrade(engine: Engine, migrations: str) -> None:
    """Brings the schema to the newest revision that this code knows. `migrations` is the Alembic folder, as
    `package:folder`. A newer schema that works with this code is not changed. Raises SchemaMismatch for any other.

    Replicas that start together wait for one another: on PostgreSQL by an advisory lock, on SQLite by its write lock.
    """
    config = _config(migrations)
    script = ScriptDirectory.from_config(config)
    with for_writing(engine).begin() as connection:
        if not is_sqlite(connection):
            set_limits(connection, replace(MIGRATING, lock_s=0))  # another replica's migration may take long
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            set_limits(connection, MIGRATING)
        revision = _current(connection)
        if revision is not None and revision not in _known(script):
            if _works_with(connection, script):
                return
            raise SchemaMismatch(f"The schema is at revision {revision}, which this version does not work with.")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        _declare(connection, script)


def is_accepted(engine: Engine, migrations: str, accepted: Accepted) -> bool:
    """Whether this code serves on the schema as it is: one of the accepted revisions, or a newer one that works with
    this code.
    """
    script = ScriptDirectory.from_config(_config(migrations))
    known = _known(script)
    with engine.connect() as connection:
        revision = _current(connection)
        if revision in known:
            return revision in known[known.index(accepted.newest) : known.index(accepted.oldest) + 1]
        return revision is not None and _works_with(connection, script)


def differences(connection: Connection, metadata: MetaData, others: Collection[str] = ()) -> list[object]:
    """What Alembic would change to make the schema that of the tables; empty where they agree. `others` names
    tables and indexes that the tables do not declare.
    """
    ignored = {_compatibility.name, *others}
    options = {"include_name": lambda name, *_: name not in ignored}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def run_migrations(metadata: MetaData) -> None:
    """The whole of a service's Alembic `env.py`: migrates on the connection, and in the transaction, of `upgrade`."""
    connection: Connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=is_sqlite(connection))
    context.run_migrations()


def _config(migrations: str) -> Config:
    config = Config()
    config.set_main_option("script_location", migrations)
    return config


def _known(script: ScriptDirectory) -> list[str]:
    """The revisions that this code knows, newest first."""
    return [each.revision for each in script.walk_revisions()]


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _works_with(connection: Connection, script: ScriptDirectory) -> bool:
    """Whether the database declares that its schema works with this code: with a revision that this code knows."""
    if not inspect(connection).has_table(_compatibility.name):
        return False
    return connection.execute(select(_compatibility)).scalar() in _known(script)


def _declare(connection: Connection, script: ScriptDirectory) -> None:
    """Writes what the newest migration that declares `oldest_code` says."""
    declared = (getattr(each.module, "oldest_code", None) for each in script.walk_revisions())
    oldest_code = next((each for each in declared if each is not None), script.get_current_head())
    _compatibility.create(connection, checkfirst=True)
    connection.execute(delete(_compatibility))
    connection.execute(insert(_compatibility).values(oldest_code=oldest_code))
