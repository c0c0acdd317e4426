"""Database connections whose statements are spans. Import it only if traces are on.

The driver's own classes are derived, since most statements of requests do not run through SQLAlchemy.
"""

import sqlite3
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from sqlalchemy import Dialect
from sqlalchemy.pool import ConnectionPoolEntry

from servicekit import tracing


def connect(dialect: Dialect, _: ConnectionPoolEntry, arguments: list[Any], options: dict[str, Any]) -> Any:
    """For SQLAlchemy's event `do_connect`."""
    if dialect.name == "sqlite":
        return sqlite3.connect(*arguments, **options, factory=_SqliteConnection)
    return _PostgresConnection.connect(*arguments, **options, cursor_factory=_PostgresCursor)


class _SqliteCursor(sqlite3.Cursor):
    def execute(self, sql: str, *parameters: Any) -> Any:
        with _span("sqlite", sql):
            return super().execute(sql, *parameters)

    def executemany(self, sql: str, *parameters: Any) -> Any:
        with _span("sqlite", sql):
            return super().executemany(sql, *parameters)


class _SqliteConnection(sqlite3.Connection):
    def cursor(self, *_: Any) -> Any:
        return super().cursor(_SqliteCursor)

    def execute(self, sql: str, *parameters: Any) -> Any:
        return self.cursor().execute(sql, *parameters)

    def commit(self) -> None:
        with _span("sqlite", "COMMIT"):
            super().commit()


class _PostgresCursor(psycopg.Cursor[Any]):
    """In a pipeline, a statement ends when it is sent. The results are waited for in the next span, or in COMMIT."""

    def execute(self, query: Any, *parameters: Any, **options: Any) -> Any:
        with _span("postgresql", _text(query)):
            return super().execute(query, *parameters, **options)

    def executemany(self, query: Any, *parameters: Any, **options: Any) -> None:
        with _span("postgresql", _text(query)):
            super().executemany(query, *parameters, **options)


class _PostgresConnection(psycopg.Connection[Any]):
    def commit(self) -> None:
        with _span("postgresql", "COMMIT"):
            super().commit()


def _text(query: Any) -> str:
    return query if isinstance(query, str) else query.decode() if isinstance(query, bytes) else "statement"


def _span(system: str, text: str) -> AbstractContextManager[None]:
    spans = tracing.active()
    assert spans is not None  # noqa: S101 (tells mypy)
    return spans.statement(system, text)
