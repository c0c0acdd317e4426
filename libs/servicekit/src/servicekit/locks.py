"""Locks between processes: PostgreSQL's advisory locks; on SQLite, lock files beside the database."""

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import Engine, func, select

from servicekit.database import Limits, is_sqlite, set_limits

_POLL_S = 0.1
_SEED = 1
"""Seed of the hash of a name: it gives other numbers than those of a service's own advisory locks."""
_NO_LIMITS = Limits(lock_s=0, statement_s=0, idle_s=0)
"""The transaction is idle for as long as the lock is held."""


@contextmanager
def held(engine: Engine, name: str, give_up: Callable[[], bool]) -> Iterator[bool]:
    """Waits for the lock of this name and holds it inside the block. Yields False without the lock once `give_up`
    returns True.

    The lock is released when the process ends, even if it is killed. On PostgreSQL a transaction holds it, so that it
    also works through PgBouncer. It occupies one connection of the engine while it is held, none while it waits.
    """
    if is_sqlite(engine):
        folder = Path(str(engine.url.database)).parent / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / hashlib.blake2b(name.encode(), digest_size=8).hexdigest()).open("ab") as file:
            yield _poll(lambda: _lock_file(file.fileno()), give_up)
        return
    with ExitStack() as stack:
        yield _poll(lambda: _lock_advisory(engine, name, stack), give_up)


def _poll(acquire: Callable[[], bool], give_up: Callable[[], bool]) -> bool:
    while not acquire():
        if give_up():
            return False
        time.sleep(_POLL_S)
    return True


def _lock_file(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_advisory(engine: Engine, name: str, stack: ExitStack) -> bool:
    """Whether the lock was free. If it was, leaving the stack releases it and its connection."""
    with ExitStack() as tried:
        connection = tried.enter_context(engine.connect())
        set_limits(connection, _NO_LIMITS)
        if not connection.scalar(select(func.pg_try_advisory_xact_lock(func.hashtextextended(name, _SEED)))):
            return False
        stack.push(tried.pop_all())
    return True
