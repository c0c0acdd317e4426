"""A bounded thread pool for blocking work, so that the event loop is not blocked."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import ParamSpec, TypeVar

from prometheus_client import Counter

from servicekit.context import remaining_s
from servicekit.errors import Overloaded
from servicekit.languages import Text

RETRY_AFTER_S = 1
LEAST_WORKERS = 4
"""Threads of one process, if the service has as many. The processes divide the others."""

_refused = Counter("workers_refused", "Work that was not begun, by reason.", ["reason"])

_TOO_LATE = Text("Le délai est passé avant le début du travail.", "The deadline passed before the work was begun.")
_TOO_MUCH_WORK = Text("Le service a trop de travail en cours.", "The service has too much work.")

P = ParamSpec("P")
R = TypeVar("R")


class Workers:
    """A thread pool with a bounded queue. If `max_queued` items wait, further work is refused at once. Queued work is
    not started if its deadline has passed or its caller was cancelled.
    """

    def __init__(self, count: int, max_queued: int = 256) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="worker")
        self._limit = count + max_queued
        self._unfinished = 0
        self._lock = Lock()

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the function in a thread, in the context of this request. Raises Overloaded if it is not started."""
        context = contextvars.copy_context()
        is_cancelled = False

        def work() -> R:
            try:
                if is_cancelled or context.run(remaining_s) == 0:
                    raise _overloaded("deadline", _TOO_LATE)
                return context.run(function, *args, **kwargs)
            finally:
                self._finish()

        self._begin()
        try:
            future = asyncio.wrap_future(self._pool.submit(work))
        except RuntimeError:  # the pool is closed
            self._finish()
            raise
        try:
            # Cancelling the future would leave the item in the pool's queue but not in the count.
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            is_cancelled = True
            raise

    def close(self) -> None:
        """Waits for running work and drops queued work."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _begin(self) -> None:
        with self._lock:
            if self._unfinished >= self._limit:
                raise _overloaded("queue", _TOO_MUCH_WORK)
            self._unfinished += 1

    def _finish(self) -> None:
        with self._lock:
            self._unfinished -= 1


def _overloaded(reason: str, detail: Text) -> Overloaded:
    _refused.labels(reason).inc()
    return Overloaded(detail, retry_after_s=RETRY_AFTER_S)
