"""A bounded thread pool for blocking work, so that the event loop is not blocked.

A call is passed to a thread and back with one queue and one callback. `ThreadPoolExecutor` and `asyncio.wrap_future`
need several locks and two more futures, which cost more processor time than a short call itself.
"""

import asyncio
import atexit
import contextlib
import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

from prometheus_client import Counter, Gauge

from servicekit.context import remaining_s
from servicekit.errors import Overloaded
from servicekit.languages import Text

RETRY_AFTER_S = 1

_refused = Counter("workers_refused", "Work that was not begun, by reason.", ["reason"])
for _known in ("queue", "deadline"):  # from 0, so that a rate includes the first one
    _refused.labels(_known)

_unfinished = Gauge("workers_unfinished", "Work that runs or waits for a thread.")
_threads = Gauge("workers_threads", "Threads for blocking work, at most.")

_TOO_LATE = Text("Le délai est passé avant le début du travail.", "The deadline passed before the work was begun.")
_TOO_MUCH_WORK = Text("Le service a trop de travail en cours.", "The service has too much work.")

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(slots=True, eq=False)
class _Call:
    """A call, its context, and the future of its caller."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    context: contextvars.Context
    future: asyncio.Future[Any]


class Workers:
    """A thread pool with a bounded queue, for one event loop. If `max_queued` items wait, further work is refused at
    once. Queued work is not started if its deadline has passed or its caller was cancelled.
    """

    def __init__(self, count: int, max_queued: int = 256) -> None:
        self._count = count
        self._limit = count + max_queued
        self._unfinished = 0
        self._queue: SimpleQueue[_Call | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._is_closed = False
        self._lock = Lock()
        atexit.register(self.close)  # running work finishes before the process ends

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the function in a thread, in the context of this request. Raises Overloaded if it is not started."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._submit(_Call(function, args, kwargs, contextvars.copy_context(), future))
        return await future

    def sample(self) -> None:
        """Sets the metrics of these workers."""
        _unfinished.set(self._unfinished)
        _threads.set(self._count)

    def close(self) -> None:
        """Waits for running work and drops queued work."""
        atexit.unregister(self.close)
        with self._lock:
            self._is_closed = True
            with contextlib.suppress(Empty):
                while call := self._queue.get_nowait():
                    _notify(call, call.future.cancel)
            for _ in self._threads:
                self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _submit(self, call: _Call) -> None:
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the workers are closed")
            if self._unfinished >= self._limit:
                raise _overloaded("queue", _TOO_MUCH_WORK)
            self._unfinished += 1
            self._queue.put(call)
            if len(self._threads) < min(self._unfinished, self._count):
                thread = Thread(target=self._work, name=f"worker-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _work(self) -> None:
        while (call := self._queue.get()) is not None:
            try:
                result = call.context.run(_start, call)
            except BaseException as error:
                _notify(call, self._finish, call.future, None, error)
            else:
                _notify(call, self._finish, call.future, result, None)
                del result  # it would stay in memory until the next call
            del call

    def _finish(self, future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
        self._unfinished -= 1
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)


def _start(call: _Call) -> Any:
    if call.future.cancelled() or remaining_s() == 0:
        raise _overloaded("deadline", _TOO_LATE)
    return call.function(*call.args, **call.kwargs)


def _notify(call: _Call, callback: Callable[..., object], *args: object) -> None:
    with contextlib.suppress(RuntimeError):  # the event loop is closed
        call.future.get_loop().call_soon_threadsafe(callback, *args)


def _overloaded(reason: str, detail: Text) -> Overloaded:
    _refused.labels(reason).inc()
    return Overloaded(detail, retry_after_s=RETRY_AFTER_S)
