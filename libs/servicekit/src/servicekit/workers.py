"""A bounded thread pool for blocking work, so that the event loop is not blocked.

It does not use anyio's threads. They cost several times as much per call, and a cancelled call frees its place while
its thread still works.
"""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from prometheus_client import Counter, Gauge

from servicekit.context import remaining_s
from servicekit.errors import Overloaded
from servicekit.languages import Text

RETRY_AFTER_S = 1

_refused = Counter("workers_refused", "Work that was not begun, by reason.", ["reason"])
for _reason in ("queue", "deadline"):  # from 0, so that a rate includes the first one
    _refused.labels(_reason)

_unfinished = Gauge("workers_unfinished", "Work that runs or waits for a thread.")
_threads = Gauge("workers_threads", "Threads for blocking work, at most.")

TOO_MUCH_WORK = Text("Le service a trop de travail en cours.", "The service has too much work.")

P = ParamSpec("P")
R = TypeVar("R")
Request = TypeVar("Request")


class Workers:
    """A thread pool with a bounded queue. If `max_queued` items wait, further work is refused at once. Queued work is
    not started if its deadline has passed or its caller was cancelled.
    """

    def __init__(self, count: int, max_queued: int = 256) -> None:
        self._count = count
        self._limit = count + max_queued
        self._unfinished = 0
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="worker")

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the function in a thread, in the context of this request. Raises Overloaded if it is not started."""

        def start() -> R:
            if remaining_s() == 0:
                raise _overloaded(
                    "deadline",
                    Text(
                        "Le délai est passé avant le début du travail.",
                        "The deadline passed before the work was begun.",
                    ),
                )
            return function(*args, **kwargs)

        with self._lock:
            if self._unfinished >= self._limit:
                raise _overloaded("queue", TOO_MUCH_WORK)
            work = self._threads.submit(copy_context().run, start)
            self._unfinished += 1
        work.add_done_callback(self._finish)
        return await asyncio.wrap_future(work)

    @property
    def is_idle(self) -> bool:
        """Whether no work runs or waits."""
        return not self._unfinished

    def sample(self) -> None:
        """Sets the metrics of these workers."""
        _unfinished.set(self._unfinished)
        _threads.set(self._count)

    def close(self) -> None:
        """Waits for running work and drops queued work."""
        self._threads.shutdown(cancel_futures=True)

    def _finish(self, _: Future[R]) -> None:
        """Work of a cancelled caller keeps its place until its thread has finished it."""
        with self._lock:
            self._unfinished -= 1


def _overloaded(reason: str, detail: Text) -> Overloaded:
    _refused.labels(reason).inc()
    return Overloaded(detail, retry_after_s=RETRY_AFTER_S)


def in_thread(answer: Callable[[Any, Request], R]) -> Callable[..., Awaitable[R]]:
    """Makes a method of a servicer a call: it runs in one of the servicer's `workers`, in the context of the call."""

    @wraps(answer)
    async def call(servicer: Any, request: Request, context: object) -> R:
        return await servicer.workers.run(answer, servicer, request)  # type: ignore[no-any-return]

    return call
