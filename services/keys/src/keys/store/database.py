"""The database as the rest of the store uses it: transactions, its schema, and rows that may be there already.

Statements of the hot path are built once: building one takes longer than running it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

from sqlalchemy import Column, Connection, Engine, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql.dml import ReturningInsert

from keys.errors import Unavailable
from servicekit.database import for_writing, is_sqlite, open_engine
from servicekit.errors import InvalidPayload
from servicekit.migrations import is_current, upgrade

MIGRATIONS = "keys:store/migrations"


class Database:
    """One engine. A transaction commits where its block ends, and is rolled back where it raises. Both kinds raise
    Unavailable where the database does not answer, and InvalidPayload for a value that it cannot store.
    """

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        self._engine = open_engine(url, pool_size=pool_size)
        self._writing = for_writing(self._engine)
        self._turn: AbstractContextManager[object] = Lock() if is_sqlite(self._engine) else nullcontext()
        """SQLite's one writer at a time. Those who wait at the file itself sleep and try again, in no order."""

    @property
    def engine(self) -> Engine:
        return self._engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with _told(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with _told(), self._turn, self._writing.begin() as connection:
            yield connection

    def migrate(self) -> None:
        """Brings the schema to the newest revision that this code knows. Raises Unavailable."""
        with _told():
            upgrade(self._engine, MIGRATIONS)

    def is_current(self) -> bool:
        """Whether the schema is at the newest revision that this code knows."""
        with _told():
            return is_current(self._engine, MIGRATIONS)

    def close(self) -> None:
        self._engine.dispose()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise Unavailable("The database of keys does not answer.", retry_after_s=1) from error
    except DataError as error:
        raise InvalidPayload("A value cannot be stored, such as a text with a NUL character.") from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise Unavailable("The database of keys does not answer.", retry_after_s=1) from error
        raise


def upsert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An insert that can say what happens where the row is there already."""
    return _insert(connection.dialect.name, table)


def _insert(dialect: str, table: Table) -> postgresql.Insert | sqlite.Insert:
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def insert_new(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Inserts the row, unless it breaks a unique constraint. Returns whether it is new."""
    statement = upsert(connection, table).values(values).on_conflict_do_nothing()
    return connection.execute(statement.returning(*table.primary_key.columns)).first() is not None


def add_missing(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> set[Any]:
    """Adds the rows whose primary key is not there yet, and returns those keys. The table's key is one column."""
    if not rows:
        return set()
    return set(connection.execute(_adding_missing(connection.dialect.name, table), rows).scalars())


def add_to_counts(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds each row's numbers to those of the row with the same primary key, made where there is none."""
    if rows:
        connection.execute(_adding(connection.dialect.name, table), rows)


def put_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes each row over the one with the same primary key, where there is one."""
    if rows:
        connection.execute(_putting(connection.dialect.name, table), rows)


@cache
def _adding_missing(dialect: str, table: Table) -> ReturningInsert[Any]:
    (key,) = table.primary_key.columns
    return _insert(dialect, table).on_conflict_do_nothing(index_elements=[key]).returning(key)


@cache
def _adding(dialect: str, table: Table) -> Insert:
    statement = _insert(dialect, table)
    sums = {column.name: column + statement.excluded[column.name] for column in _values(table)}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=sums)


@cache
def _putting(dialect: str, table: Table) -> Insert:
    statement = _insert(dialect, table)
    values = {column.name: statement.excluded[column.name] for column in _values(table)}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=values)


def _values(table: Table) -> list[Column[Any]]:
    return [column for column in table.columns if not column.primary_key]
