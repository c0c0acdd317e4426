"""Database connections whose statements are spans. Import it only if traces are on.

The driver's own classes are derived, since most statements of requests do not run through SQLAlchemy.
"""

import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Any

import psycopg
from sqlalchemy import Dialect
from sqlalchemy.pool import ConnectionPoolEntry

from servicekit import tracing


def connect(dialect: Dialect, _: ConnectionPoolEntry, arguments: list[Any], options: dict[str, Any]) -> Any:
    """Opens a connection for SQLAlchemy's event `do_connect`."""
    return (
        sqlite3.connect(*arguments, **options, factory=_SqliteConnection)
        if dialect.name == "sqlite"
        else _PostgresConnection.connect(*arguments, **options, cursor_factory=_PostgresCursor)
    )


def _traced(system: str, method: Callable[..., Any]) -> Any:
    """Returns the method with a span. Its first argument is the statement; COMMIT has none.

    A composed statement may have values, so its text is not recorded.
    """

    @wraps(method)
    def run(self: Any, *arguments: Any, **options: Any) -> Any:
        spans, statement = tracing.active(), arguments[0] if arguments else "COMMIT"
        assert spans is not None  # noqa: S101 (tells mypy)
        text = statement.decode() if isinstance(statement, bytes) else statement
        with spans.statement(system, text if isinstance(text, str) else "statement"):
            return method(self, *arguments, **options)

    return run


class _SqliteCursor(sqlite3.Cursor):
    execute = _traced("sqlite", sqlite3.Cursor.execute)
    executemany = _traced("sqlite", sqlite3.Cursor.executemany)


class _SqliteConnection(sqlite3.Connection):
    commit = _traced("sqlite", sqlite3.Connection.commit)

    def cursor(self, *_: Any) -> Any:
        return super().cursor(_SqliteCursor)

    def execute(self, sql: str, *parameters: Any) -> Any:
        return self.cursor().execute(sql, *parameters)


class _PostgresCursor(psycopg.Cursor[Any]):
    """A cursor whose statements in a pipeline end when they are sent. The next span or COMMIT waits for the results."""

    execute = _traced("postgresql", psycopg.Cursor.execute)
    executemany = _traced("postgresql", psycopg.Cursor.executemany)


class _PostgresConnection(psycopg.Connection[Any]):
    commit = _traced("postgresql", psycopg.Connection.commit)
