"""Consistent reads: a snapshot shows one state of the store while other transactions commit.

`Store` and `Snapshot` let the domains pass both on without importing SQLAlchemy.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from land.errors import StoreUnavailable
from land.store.tables import dataset_load
from servicekit.languages import Text

Store = Engine
Snapshot = Connection
_SILENT = Text("La base des données foncières ne répond pas.", "The store of land does not answer.")


@contextmanager
def snapshot(store: Store) -> Iterator[Snapshot]:
    """Opens a snapshot. Raises StoreUnavailable when the database does not answer, here or in a query of the block."""
    if store.dialect.name != "sqlite":
        store = store.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    try:
        with store.connect() as connection:
            yield connection
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise StoreUnavailable(_SILENT, retry_after_s=1) from error


def check_readable(store: Store) -> None:
    """Raises StoreUnavailable when the store cannot be read."""
    with snapshot(store) as connection:
        connection.execute(select(dataset_load.c.dataset).limit(1)).first()
