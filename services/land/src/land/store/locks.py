"""Locks that hold across replicas: advisory ones on PostgreSQL, files beside the store on SQLite."""

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import Engine, func, select

from servicekit.database import is_sqlite

_POLL_S = 0.1
_SPACE = 1
"""Keeps these apart from the locks of transactions in `land.store.loads`."""


@contextmanager
def held(engine: Engine, name: str, folder: Path, give_up: Callable[[], bool]) -> Iterator[bool]:
    """Waits until nobody else holds the name, and holds it inside the block; gives False where `give_up` says so first.

    It ends with the process, however that ends. On PostgreSQL who holds it holds one of the engine's connections, who
    waits for it none. `folder` is where SQLite's lock files are: one for all processes of the store.
    """
    if is_sqlite(engine):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / hashlib.blake2b(name.encode(), digest_size=8).hexdigest()).open("ab") as file:
            yield _until(lambda: _locked(file.fileno()), give_up)
        return
    with ExitStack() as stack:
        yield _until(lambda: _advised(engine, name, stack), give_up)


def _until(take: Callable[[], bool], give_up: Callable[[], bool]) -> bool:
    while not take():
        if give_up():
            return False
        time.sleep(_POLL_S)
    return True


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _advised(engine: Engine, name: str, stack: ExitStack) -> bool:
    """Whether the name was free; then the stack keeps a connection that holds it, and lets both go."""
    key = func.hashtextextended(name, _SPACE)
    with ExitStack() as tried:
        connection = tried.enter_context(engine.execution_options(isolation_level="AUTOCOMMIT").connect())
        if not connection.scalar(select(func.pg_try_advisory_lock(key))):
            return False
        stack.push(tried.pop_all())
        stack.callback(connection.execute, select(func.pg_advisory_unlock(key)))
    return True
