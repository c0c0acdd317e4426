"""Migrates the database schemas of all services, and decides whether a service works with a schema.

Version N of a service works with the schema of version N+1. A migration only expands the schema. What the new code no
longer needs is removed one version later. The migration that removes it sets `oldest_code`: the oldest revision whose
code works with the new schema. The code of a revision is the code whose newest revision it is. The database stores
`oldest_code`, so that code can accept a revision that it does not know.

Alembic is imported only when it is needed. Most starts of a service meet the newest schema.
"""

from dataclasses import dataclass

from sqlalchemy import Engine, inspect, text

_TABLE = "alembic_version"


@dataclass(frozen=True)
class Accepted:
    """The range of schema revisions that a service works with. It does not know revisions after `newest`."""

    oldest: str
    newest: str


class SchemaMismatch(Exception):
    """The schema is newer than this code and does not work with it."""


def upgrade(engine: Engine, migrations: str) -> None:
    """Migrates to the newest revision of this code. `migrations` is the Alembic folder, as `package:folder`.

    A newer schema that works with this code stays unchanged. For any other one, raises SchemaMismatch. Replicas that
    start together wait for each other, with an advisory lock on PostgreSQL and the write lock on SQLite.
    """
    from servicekit import migrations as alembic  # noqa: PLC0415 (slow)

    alembic.upgrade(engine, migrations)


def is_accepted(engine: Engine, migrations: str, accepted: Accepted) -> bool:
    """Whether this code works with the current schema: an accepted revision, or a newer one that declares it."""
    if _is_at(engine, accepted.newest):
        return True
    from servicekit import migrations as alembic  # noqa: PLC0415 (slow)

    return alembic.accepts(engine, migrations, accepted)


def _is_at(engine: Engine, revision: str) -> bool:
    with engine.connect() as connection:
        has_revision = inspect(connection).has_table(_TABLE)
        return has_revision and connection.execute(text(f"SELECT version_num FROM {_TABLE}")).scalar() == revision  # noqa: S608
