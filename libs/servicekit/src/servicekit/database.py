"""One way to open a database for all services: SQLite in a file (embedded) or PostgreSQL (Compose), by URL alone."""

import sqlite3
from pathlib import Path

from alembic import command, context
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

SQLITE_BUSY_MS = 15_000
CONNECT_TIMEOUT_S = 5
UNANSWERED_MS = 10_000
"""How long PostgreSQL's host may leave what was sent to it unconfirmed until the connection is given up."""
_MIGRATION_LOCK = 0x6C616E64


def open_engine(url: str, *, pool_size: int = 8) -> Engine:
    """Opens `sqlite:///path` or `postgresql+psycopg://…`. A SQLite file's folder is made where it is missing.

    SQLite runs in WAL mode, so that readers go on while one writes; transactions are begun explicitly, so that a read
    transaction sees one state throughout. Open those that write with `for_writing`. Errors do
    not repeat the values of a statement.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(
            parsed,
            pool_size=pool_size,
            max_overflow=0,
            pool_pre_ping=True,
            pool_timeout=5,
            hide_parameters=True,
            connect_args={"connect_timeout": CONNECT_TIMEOUT_S, "tcp_user_timeout": UNANSWERED_MS},
        )
    if parsed.database:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed, pool_size=pool_size, max_overflow=0, pool_timeout=5, hide_parameters=True)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def for_writing(engine: Engine) -> Engine:
    """The same engine, whose SQLite transactions take the write lock when they begin: a transaction that reads first
    and writes later would fail when another one wrote in between. PostgreSQL is not changed by it.
    """
    return engine.execution_options(sqlite_begin="BEGIN IMMEDIATE")


def is_sqlite(bind: Engine | Connection) -> bool:
    return bind.dialect.name == "sqlite"


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("sqlite_begin", "BEGIN"))


def _set_up_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)  # noqa: S101 (tells mypy)
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {SQLITE_BUSY_MS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "temp_store = MEMORY",
        "mmap_size = 268435456",
    ):
        connection.execute(f"PRAGMA {pragma}")


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
