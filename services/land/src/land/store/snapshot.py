"""One consistent state of the store, for the reads of one request."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from land.errors import StoreUnavailable
from land.store.tables import dataset_load

Snapshot = Connection
"""A connection that sees one state of the store throughout."""


@contextmanager
def snapshot(engine: Engine) -> Iterator[Snapshot]:
    """Loads that commit later do not show in it. Raises StoreUnavailable, also from queries inside the block, if the
    database does not answer.
    """
    if engine.dialect.name != "sqlite":
        engine = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    try:
        with engine.connect() as connection:
            yield connection
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise StoreUnavailable("The store of land does not answer.", retry_after_s=1) from error


def check_readable(engine: Engine) -> None:
    """Raises StoreUnavailable if the store cannot be read."""
    with snapshot(engine) as connection:
        connection.execute(select(dataset_load.c.dataset).limit(1)).first()
