"""Runs the statements of authorize and record through the database driver. SQLAlchemy compiles each statement once. To
run it through SQLAlchemy would take longer than the database does.

In `transaction`, PostgreSQL gets the statements in a pipeline: they are sent when rows are read, and with the commit.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Engine, Insert, Select, Update
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.dml import ReturningInsert

from servicekit.database import is_read_only, is_sqlite

Statement = Select[Any] | Insert | ReturningInsert[Any] | Update
Values = Mapping[str, Any]
"""The parameters of a statement by name. `ids` is a list, which the statement has as an expanding parameter."""
Write = tuple[Statement, Sequence[Values]]
"""A statement without rows, and the rows of values that it runs for."""
_Convert = Callable[[Any], Any]
_IDS = "ids"
_MAX_IDS = 8_192
"""Ids of one statement. SQLite allows 32,766 parameters, and PostgreSQL 65,535."""
_NAMED_SQLITE: Dialect = sqlite.dialect(paramstyle="named")


@dataclass
class DriverTransaction:
    """A transaction for functions of this module only. SQLAlchemy's `Connection` costs as much as two statements."""

    dialect: Dialect
    driver: Any
    pipeline: Any = None


Store = Connection | DriverTransaction


@contextmanager
def transaction(engine: Engine) -> Iterator[DriverTransaction]:
    """Commits when the block ends, and rolls back if it raises. Raises the errors of the pool and of the driver."""
    pooled = engine.raw_connection()
    session = DriverTransaction(engine.dialect, pooled.driver_connection)
    try:
        if is_sqlite(session):
            begin(session)
            yield session
            _commit(session.driver)
        else:
            with session.driver.pipeline() as session.pipeline:
                yield session
                _commit(session.driver)
    except BaseException as error:
        if is_read_only(error):
            engine.dispose()  # the other connections of the pool lead to the former primary, too
            pooled.invalidate()
        elif getattr(session.driver, "closed", False):
            pooled.invalidate()
        else:
            session.driver.rollback()
        raise
    finally:
        pooled.close()


def begin(session: DriverTransaction) -> None:
    """Begins a transaction that writes to SQLite."""
    _run(session.driver, "BEGIN IMMEDIATE", {})


@contextmanager
def begun(session: DriverTransaction) -> Iterator[None]:
    """Commits the transaction that `begin` began when the block ends, and rolls back if it raises."""
    try:
        yield
        _commit(session.driver)
    except BaseException:
        session.driver.rollback()
        raise


class Rows:
    """The rows of statements that were started. To read them waits for the database."""

    def __init__(self, cursors: Sequence[Any], prepared: "_Prepared | None") -> None:
        self._cursors = cursors
        self._prepared = prepared

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for cursor in self._cursors:
            for fetched in cursor.fetchall():
                row = list(fetched)
                for index, convert in self._prepared.results if self._prepared is not None else ():
                    row[index] = convert(row[index])
                yield row

    def mappings(self) -> Iterator[Mapping[Column[Any], Any]]:
        """Each row by its columns."""
        columns = self._prepared.columns if self._prepared is not None else ()
        return (dict(zip(columns, row, strict=True)) for row in self)


def read(connection: Store, statement: Statement, values: Values) -> Rows:
    """Starts a statement, once for each _MAX_IDS of its ids: their rows follow each other, so an order or a limit holds
    only within these. Does nothing if the list of ids is empty.
    """
    ids = values.get(_IDS)
    if ids is None:
        return read_each(connection, statement, [values])
    slices = [ids[first : first + _MAX_IDS] for first in range(0, len(ids), _MAX_IDS)]
    return read_each(connection, statement, [{**values, _IDS: ids_slice} for ids_slice in slices])


def read_each(connection: Store, statement: Statement, rows: Sequence[Values]) -> Rows:
    """Starts a statement once for each row of values. The rows have the same names."""
    if not rows:
        return Rows((), None)
    driver, prepared = _driver(connection), _prepared(connection, statement, rows[0])
    return Rows([_run(driver, prepared.text, prepared.converted(values)) for values in rows], prepared)


def write_each(connection: Store, statement: Statement, rows: Sequence[Values]) -> None:
    """Runs a statement without rows, once for each row of values."""
    if len(rows) > 1:
        prepared = _prepared(connection, statement, rows[0])
        _run_each(_driver(connection), prepared.text, [prepared.converted(values) for values in rows])
    else:
        read_each(connection, statement, rows)


def write_together(connection: Store, writes: Sequence[Write]) -> None:
    """Runs writes to different tables. PostgreSQL gets them as one statement if each has one row."""
    if is_sqlite(connection) or any(len(rows) != 1 for _, rows in writes):
        for statement, rows in writes:
            write_each(connection, statement, rows)
        return
    prepared = [_prepared(connection, statement, rows[0]) for statement, rows in writes]
    values = [write.converted(rows[0]) for write, (_, rows) in zip(prepared, writes, strict=True)]
    named = {f"{name}_{index}": value for index, row in enumerate(values) for name, value in row.items()}
    _run(_driver(connection), _together(tuple(write.text for write in prepared)), named)


@cache
def _together(texts: Sequence[str]) -> str:
    """One statement of several. The names of their values end with the number of their statement."""
    *first, last = (text.replace(")s", f"_{index})s") for index, text in enumerate(texts))
    return f"WITH {', '.join(f'write_{index} AS ({text})' for index, text in enumerate(first))} {last}"


def wait(connection: Store) -> None:
    """Waits until the database has run all started statements. Raises the error of the first that failed."""
    if isinstance(connection, DriverTransaction) and connection.pipeline is not None:
        connection.pipeline.sync()


@dataclass(frozen=True)
class _Prepared:
    """A statement as the driver gets it, and the conversions of those of its values and columns that need one."""

    text: str
    constants: Values
    values: Mapping[str, _Convert]
    id_count: int
    columns: Sequence[Column[Any]]
    results: Sequence[tuple[int, _Convert]]

    def converted(self, values: Values) -> Values:
        converted = {**self.constants, **values}
        if self.id_count:
            ids = converted.pop(_IDS)
            for index in range(self.id_count):
                converted[f"{_IDS}_{index + 1}"] = ids[min(index, len(ids) - 1)]
        for name, convert in self.values.items():
            converted[name] = convert(converted[name])
        return converted


def _driver(connection: Store) -> Any:
    return connection.driver if isinstance(connection, DriverTransaction) else connection.connection.driver_connection


def _commit(driver: Any) -> None:
    driver.commit()


def _run(driver: Any, text: str, values: Values) -> Any:
    return driver.execute(text, values)


def _run_each(driver: Any, text: str, rows: Sequence[Values]) -> None:
    driver.cursor().executemany(text, rows)


def _prepared(connection: Store, statement: Statement, values: Values) -> _Prepared:
    """The list of ids gets a power of two as its length, so that the statement has few texts."""
    ids = values.get(_IDS)
    id_count = 0 if ids is None else 1 << (len(ids) - 1).bit_length()
    return _prepare(_NAMED_SQLITE if is_sqlite(connection) else connection.dialect, statement, id_count, tuple(values))


@cache
def _prepare(dialect: Dialect, statement: Statement, id_count: int, names: Sequence[str]) -> _Prepared:
    is_insert = isinstance(statement, Insert | ReturningInsert)
    compiled: Any = statement.compile(dialect=dialect, column_keys=list(names) if is_insert else None)
    expanded = compiled.construct_expanded_state({name: [None] * id_count if name == _IDS else None for name in names})
    values = {
        name: bind.type.dialect_impl(dialect).bind_processor(dialect) for bind, name in compiled.bind_names.items()
    }
    columns: Any = tuple(statement.selected_columns) if isinstance(statement, Select) else ()
    results = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
    return _Prepared(
        expanded.statement,
        {name: value for name, value in expanded.parameters.items() if value is not None},
        {name: convert for name, convert in values.items() if convert is not None and name != _IDS},
        id_count,
        columns,
        [(index, convert) for index, convert in enumerate(results) if convert is not None],
    )
