"""Transactions, migrations and upserts for the rest of the store.

Statements of the hot path are built once: building one takes longer than running it.
"""

import json
import operator
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from threading import Lock
from typing import Any

import psycopg
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Insert,
    String,
    Table,
    any_,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    text,
    update,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql.dml import ReturningInsert

from keys.store.tables import write_probes
from keys.values import texts
from keys.values.errors import Blocked, Conflict, Unavailable
from servicekit.context import remaining_s
from servicekit.database import SQLITE_BUSY_MS, Limits, close_engine, for_writing, is_read_only, is_sqlite, open_engine
from servicekit.errors import InvalidPayload
from servicekit.languages import Text
from servicekit.postgres import check_database
from servicekit.schema import Accepted, SchemaMismatch, upgrade
from servicekit.settings import RpcSettings

MIGRATIONS = "keys:store/migrations"
SCHEMA = Accepted(oldest="0003_folded_names", newest="0003_folded_names")
LIMITS = Limits(lock_s=1, statement_s=10, idle_s=10)
"""An edge waits 2 s for a decision. A transaction that holds a lock for half of that is probably stuck."""
_LOCK_NOT_AVAILABLE = "55P03"
_RETRY_AFTER_S = 1
_SILENT = (psycopg.OperationalError, psycopg.InterfaceError, sqlite3.OperationalError, sqlite3.InterfaceError)


class Database:
    """One engine. A transaction commits when its block ends, and is rolled back if the block raises. Both kinds of
    transaction raise Unavailable if the database does not answer, and Blocked if a lock takes longer than `LIMITS`
    allow. They raise InvalidPayload for a value that cannot be stored.
    """

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        self.engine = open_engine(url, pool_size=pool_size, limits=LIMITS, name="keys")
        self._writing = for_writing(self.engine)
        self._turn = Lock() if is_sqlite(self.engine) else None
        """SQLite has one writer at a time. Writers queue here: at the file they would sleep and retry, in no order."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with _translate_errors(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with _translate_errors(), self._in_turn(), self._writing.begin() as connection:
            yield connection

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        if self._turn is None:
            yield
            return
        remaining = remaining_s()
        if not self._turn.acquire(timeout=SQLITE_BUSY_MS / 1000 if remaining is None else remaining):
            raise Unavailable(
                Text("La base de données des clés est occupée.", "The database of keys is busy."),
                retry_after_s=_RETRY_AFTER_S,
            )
        try:
            yield
        finally:
            self._turn.release()

    def migrate(self) -> None:
        """Upgrades the schema to the newest revision of this version. Raises Unavailable, and Conflict if the schema is
        too new for this version.
        """
        with _translate_errors():
            try:
                upgrade(self.engine, MIGRATIONS)
            except SchemaMismatch as error:
                raise Conflict(str(error)) from error

    def check(self, settings: RpcSettings) -> None:
        """Raises DatabaseUnfit if the database does not suit all replicas of the service, and Unavailable."""
        with _translate_errors():
            check_database(self.engine, MIGRATIONS, SCHEMA, settings, LIMITS)

    def check_writable(self) -> None:
        """Raises Unavailable if the database cannot be written."""
        probe = {"id": secrets.token_bytes(16)}
        with self.writing() as connection:
            connection.execute(insert(write_probes), probe)
            connection.execute(delete(write_probes).where(write_probes.c.id == probe["id"]))

    def now(self) -> datetime | None:
        """Returns the instant of the database host's clock, None on SQLite. Raises Unavailable."""
        with self.reading() as connection:
            return now_of(connection)

    def close(self) -> None:
        close_engine(self.engine)


def now_of(connection: Connection) -> datetime | None:
    """Returns the instant of the database host's clock at this call, None on SQLite, which uses our clock."""
    if is_sqlite(connection):
        return None
    now: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return now


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable(texts.DATABASE_SILENT, retry_after_s=_RETRY_AFTER_S) from error
    except DBAPIError as error:
        cause = error.orig
        if getattr(cause, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            raise Blocked(
                Text("Une autre transaction détient un verrou.", "Another transaction holds a lock."),
                retry_after_s=_RETRY_AFTER_S,
            ) from error
        if isinstance(cause, _SILENT) or is_read_only(cause) or getattr(error, "connection_invalidated", False):
            raise Unavailable(texts.DATABASE_SILENT, retry_after_s=_RETRY_AFTER_S) from error
        if isinstance(cause, psycopg.DataError | sqlite3.DataError):
            raise InvalidPayload(
                Text(
                    "Une valeur ne peut pas être enregistrée, par exemple un texte avec un caractère NUL.",
                    "A value cannot be stored, such as a text with a NUL character.",
                )
            ) from error
        raise


def lock_table(connection: Connection, table: Table) -> None:
    """Only one transaction writes the table at a time. A SQLite transaction already locks the whole database."""
    if not is_sqlite(connection):
        connection.execute(text(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE"))


def upsert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Returns an insert that accepts an ON CONFLICT clause."""
    return _insert(connection.dialect.name, table)


def _insert(dialect: str, table: Table) -> postgresql.Insert | sqlite.Insert:
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def among(connection: Connection, column: Column[str], ids: Iterable[str]) -> ColumnElement[bool]:
    """Returns whether the column has one of the ids, of which there may be any number: they are one parameter."""
    if is_sqlite(connection):
        return column.in_(select(func.json_each(json.dumps(list(ids))).table_valued("value").c.value))
    return column == any_(literal(list(ids), ARRAY(String)))


def summed(column: ColumnElement[int]) -> ColumnElement[int]:
    """Returns the sum of a column; 0 without a row. PostgreSQL adds BIGINT to NUMERIC, which is a Decimal."""
    return sql_cast(func.coalesce(func.sum(column), 0), BigInteger)


def insert_new(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Inserts the row unless it breaks a unique constraint. Returns whether it is new."""
    statement = upsert(connection, table).values(values).on_conflict_do_nothing()
    return connection.execute(statement.returning(*table.primary_key.columns)).first() is not None


def put_named(connection: Connection, table: Table, row_id: str, values: Mapping[str, Any]) -> bool:
    """Writes an existing row whose folded name no other row may have. Returns whether none has it."""
    other = table.alias()
    is_taken = exists().where(other.c.folded_name == values["folded_name"], other.c.id != row_id)
    return connection.execute(update(table).where(table.c.id == row_id, ~is_taken).values(values)).rowcount == 1


def add_missing(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> set[Any]:
    """Adds the rows with a new primary key and returns those keys. The primary key must be one column."""
    if not rows:
        return set()
    return set(connection.execute(_adding_missing(connection.dialect.name, table), list(rows)).scalars())


def add_to_counts(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds each row's numbers to the row with the same primary key, or inserts the row. A missing number is 0."""
    if rows:
        none = _no_values(table)
        connection.execute(_storing(connection.dialect.name, table, operator.add), [{**none, **row} for row in rows])


def put_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replaces each row with the same primary key, or inserts the row."""
    if rows:
        connection.execute(_storing(connection.dialect.name, table, _newer), list(rows))


@cache
def _no_values(table: Table) -> Mapping[str, int]:
    return dict.fromkeys((column.name for column in _values(table)), 0)


@cache
def _adding_missing(dialect: str, table: Table) -> ReturningInsert[Any]:
    (key,) = table.primary_key.columns
    return _insert(dialect, table).on_conflict_do_nothing(index_elements=[key]).returning(key)


def _newer(_: Any, new: Any) -> Any:
    return new


@cache
def _storing(dialect: str, table: Table, combine: Callable[[Any, Any], Any]) -> Insert:
    """Returns an insert that gives an existing row what combines its values and the new ones."""
    statement = _insert(dialect, table)
    values = {column.name: combine(column, statement.excluded[column.name]) for column in _values(table)}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=values)


def _values(table: Table) -> list[Column[Any]]:
    return [column for column in table.columns if not column.primary_key]
