"""A bounded pool of threads for blocking work, so that the event loop stays free."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import ParamSpec, TypeVar

from prometheus_client import Counter

from servicekit.context import remaining_s
from servicekit.errors import Overloaded

RETRY_AFTER_S = 1

_refused = Counter("workers_refused", "Work that was not begun, by reason.", ["reason"])

P = ParamSpec("P")
R = TypeVar("R")


class Workers:
    """Work that finds `max_queued` items waiting for a thread is refused at once. Work whose deadline has passed, or
    whose caller has left, when a thread is free is not begun.
    """

    def __init__(self, count: int, max_queued: int = 256) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="worker")
        self._limit = count + max_queued
        self._unfinished = 0
        self._lock = Lock()

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the function in a thread, with this request's id and deadline. Raises Overloaded where it is not
        begun.
        """
        context = contextvars.copy_context()
        has_left = False

        def work() -> R:
            try:
                if has_left or context.run(remaining_s) == 0:
                    raise _overloaded("deadline", "The deadline passed before the work was begun.")
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
            # Cancelling the future itself would leave the item in the pool's queue and out of the count.
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            has_left = True
            raise

    def close(self) -> None:
        """Waits for the work that was begun; the rest is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _begin(self) -> None:
        with self._lock:
            if self._unfinished >= self._limit:
                raise _overloaded("queue", "The service has too much work.")
            self._unfinished += 1

    def _finish(self) -> None:
        with self._lock:
            self._unfinished -= 1


def _overloaded(reason: str, detail: str) -> Overloaded:
    _refused.labels(reason).inc()
    return Overloaded(detail, retry_after_s=RETRY_AFTER_S)
