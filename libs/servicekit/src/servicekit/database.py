"""One way to open a database for all services: SQLite in a file (embedded) or PostgreSQL (Compose), by URL alone."""

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

SQLITE_BUSY_MS = 15_000
CONNECT_TIMEOUT_S = 5
UNANSWERED_MS = 10_000
"""How long PostgreSQL's host may leave what was sent to it unconfirmed until the connection is given up."""


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
