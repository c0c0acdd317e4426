"""Waits for keys that other transactions hold, so that nobody waits with them.

A few threads wait at the same time, two of them for one key; everybody else waits without a thread. A key that was not
had in time is not waited for again for some seconds: until then a request of it is decided only where it is free at
once.
"""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ParamSpec, TypeVar

from keys.errors import Blocked
from servicekit.workers import Workers

PER_KEY = 2
"""The second thread has its transaction open when the first one commits."""
BLOCKED_S = 5.0
MAX_BLOCKED = 10_000

P = ParamSpec("P")
R = TypeVar("R")


class LockedKeys:
    """Used by one event loop."""

    def __init__(self, workers: Workers, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        """At most `at_once` threads wait, which leaves the other workers to those who need not wait."""
        self._workers = workers
        self._clock = clock
        self._slots = asyncio.Semaphore(at_once)
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._alone: set[str] = set()
        self._blocked_until: OrderedDict[str, float] = OrderedDict()

    @property
    def apart(self) -> frozenset[str]:
        """Keys that were not had in time and not seen free since; a batch does not wait for them."""
        return frozenset(self._blocked_until)

    @property
    def busy(self) -> frozenset[str]:
        """Keys that are to be tried alone: somebody waits for them, or they kept a whole batch waiting."""
        return frozenset(self._waiting) | self._alone

    def try_alone(self, key_id: str) -> None:
        """Says that the key would keep a batch waiting: not its own row is held, but another one of it."""
        if len(self._alone) < MAX_BLOCKED:
            self._alone.add(key_id)

    def is_blocked(self, key_id: str) -> bool:
        return self._blocked_until.get(key_id, 0.0) > self._clock()

    def was_free(self, key_id: str) -> None:
        """Says that the key is not held any more."""
        self._blocked_until.pop(key_id, None)
        self._alone.discard(key_id)

    async def run(self, key_id: str, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs work that waits for the key, in a thread. Raises Blocked where it is not had in time, at once where that
        is known.
        """
        self._refuse_blocked(key_id)
        # A caller who leaves does not end the thread's wait, so the thread's slot must not be free before that.
        task = asyncio.create_task(self._run(key_id, lambda: function(*args, **kwargs)))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def _run(self, key_id: str, work: Callable[[], R]) -> R:
        async with self._turn(key_id):
            self._refuse_blocked(key_id)
            try:
                result = await self._workers.run(work)
            except Blocked:
                self._note_blocked(key_id)
                raise
            self.was_free(key_id)
            return result

    def _refuse_blocked(self, key_id: str) -> None:
        if self.is_blocked(key_id):
            raise Blocked("Another transaction holds the key.", retry_after_s=1)

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # the caller may have left

    @asynccontextmanager
    async def _turn(self, key_id: str) -> AsyncIterator[None]:
        turn = self._turns.setdefault(key_id, asyncio.Semaphore(PER_KEY))
        self._waiting[key_id] += 1
        try:
            async with turn, self._slots:
                yield
        finally:
            self._waiting[key_id] -= 1
            if not self._waiting[key_id]:
                del self._waiting[key_id], self._turns[key_id]

    def _note_blocked(self, key_id: str) -> None:
        self._blocked_until[key_id] = self._clock() + BLOCKED_S
        self._blocked_until.move_to_end(key_id)
        while len(self._blocked_until) > MAX_BLOCKED:
            self._blocked_until.popitem(last=False)
