"""The part of `servicekit.schema` that needs Alembic, which is slow to import."""

from collections.abc import Collection
from dataclasses import replace

from alembic import command, context
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, delete, insert, inspect, select, text

from servicekit.database import MIGRATING, for_writing, is_sqlite, set_limits
from servicekit.schema import Accepted, SchemaMismatch

_MIGRATION_LOCK = 0x6C616E64
_compatibility = Table("schema_compatibility", MetaData(), Column("oldest_code", String(40), primary_key=True))


def upgrade(engine: Engine, migrations: str) -> None:
    """Does the work of `servicekit.schema.upgrade`."""
    config = _config(migrations)
    script = ScriptDirectory.from_config(config)
    with for_writing(engine).begin() as connection:
        if not is_sqlite(connection):
            set_limits(connection, replace(MIGRATING, lock_s=0))  # the migration of another replica may take long
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            set_limits(connection, MIGRATING)
        revision = _current(connection)
        if revision is not None and revision not in _revisions(script):
            if _works_with(connection, script):
                return
            raise SchemaMismatch(f"The schema is at revision {revision}, which this version does not work with.")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        _declare(connection, script)


def accepts(engine: Engine, migrations: str, accepted: Accepted) -> bool:
    """Decides for `servicekit.schema.is_accepted`."""
    script = ScriptDirectory.from_config(_config(migrations))
    revisions = _revisions(script)
    with engine.connect() as connection:
        revision = _current(connection)
        if revision in revisions:
            return revision in revisions[revisions.index(accepted.newest) : revisions.index(accepted.oldest) + 1]
        return revision is not None and _works_with(connection, script)


def differences(connection: Connection, metadata: MetaData, unrelated: Collection[str] = ()) -> list[object]:
    """The differences between the schema and the tables, from Alembic. `unrelated` names what to ignore."""
    ignored = {_compatibility.name, *unrelated}
    options = {"include_name": lambda name, *_: name not in ignored}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def run_migrations(metadata: MetaData) -> None:
    """The complete Alembic `env.py` of a service. Migrates in the transaction of `upgrade`."""
    connection: Connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=is_sqlite(connection))
    context.run_migrations()


def _config(migrations: str) -> Config:
    config = Config()
    config.set_main_option("script_location", migrations)
    return config


def _revisions(script: ScriptDirectory) -> list[str]:
    """The revisions that this code knows, newest first."""
    return [migration.revision for migration in script.walk_revisions()]


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _works_with(connection: Connection, script: ScriptDirectory) -> bool:
    """Whether this code knows the `oldest_code` that the database declares."""
    if not inspect(connection).has_table(_compatibility.name):
        return False
    return connection.execute(select(_compatibility)).scalar() in _revisions(script)


def _declare(connection: Connection, script: ScriptDirectory) -> None:
    """Stores the `oldest_code` of the newest migration that sets it. Other migrations only expand the schema. If none
    sets it, the code of the first revision still works.
    """
    declared = (getattr(migration.module, "oldest_code", None) for migration in script.walk_revisions())
    oldest_code = next(filter(None, declared), _revisions(script)[-1])
    _compatibility.create(connection, checkfirst=True)
    connection.execute(delete(_compatibility))
    connection.execute(insert(_compatibility).values(oldest_code=oldest_code))
