"""Consistent reads: a snapshot shows one state of the store while other transactions commit.

`Store` and `Snapshot` let the domains pass both on without importing SQLAlchemy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Engine, event, select
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from land.errors import StoreUnavailable
from land.store.prepared import errors_of_sqlalchemy
from land.store.tables import dataset_load
from servicekit.languages import Text

Store = Engine
Snapshot = Connection
STANDBY = "standby"
"""The execution option of engines that lead to a standby: its `store.standbys.Standby`."""
_SILENT = Text("La base des données foncières ne répond pas.", "The store of land does not answer.")


class StandbyFailed(Exception):
    """A standby does not answer, or is too old for the request. The primary must answer instead."""


STORE_ERRORS = (SQLAlchemyError, StandbyFailed)
"""After one of these, the snapshot cannot be read any more. `snapshot` or its caller handles them."""


@contextmanager
def snapshot(store: Store) -> Iterator[Snapshot]:
    """Opens a snapshot. Raises StoreUnavailable when the database does not answer, here or in a query of the block. If
    it is a standby, raises StandbyFailed instead.
    """
    try:
        with _reading(store).connect() as connection:
            if store.dialect.name != "sqlite":
                # The driver would wait for the answer to its own BEGIN, `_begin` does not.
                _driver(connection).autocommit = True
            try:
                yield connection
            finally:
                _end(connection)
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        standby = store.get_execution_options().get(STANDBY)
        if standby is not None:
            standby.set_aside("failed")
            raise StandbyFailed from error
        raise StoreUnavailable(_SILENT, retry_after_s=1) from error


def _end(connection: Connection) -> None:
    """Commits, since the driver forgets after a rollback which statements PostgreSQL has prepared. A connection that
    could not be given back as it was is closed: a writer would get it next.
    """
    if connection.invalidated:
        return
    try:
        connection.commit()
        if connection.dialect.name != "sqlite":
            with errors_of_sqlalchemy(connection.dialect):
                _driver(connection).autocommit = False
    except BaseException:
        connection.invalidate()
        raise


@lru_cache(maxsize=16)
def _reading(store: Store) -> Store:
    """Returns the store for transactions that are snapshots. SQLAlchemy's own way to set the isolation level of one
    transaction takes longer than most statements.
    """
    reading = store.execution_options()
    if store.dialect.name != "sqlite":
        event.listen(reading, "begin", _begin)
    return reading


def _begin(connection: Connection) -> None:
    with errors_of_sqlalchemy(connection.dialect):
        _driver(connection).execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", prepare=False)


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def restart(connection: Snapshot) -> None:
    """Lets the snapshot show the present state. Raises StandbyFailed on a standby, whose state may stay the same."""
    if STANDBY in connection.get_execution_options():
        raise StandbyFailed
    connection.rollback()


def check_readable(store: Store) -> None:
    """Raises StoreUnavailable when the store cannot be read."""
    with snapshot(store) as connection:
        connection.execute(select(dataset_load.c.dataset).limit(1)).first()
