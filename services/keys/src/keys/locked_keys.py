"""Waits for keys that other transactions have locked, so that requests of other keys do not wait.

A few threads wait at the same time, at most two of them for one key.  Further
calls wait in the event loop, without a thread.
After a timeout, nobody waits for the key for BLOCKED_S: a request of it is decided only if the key is unlocked.
"""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ParamSpec, TypeVar

from keys import texts
from keys.errors import Blocked
from servicekit.workers import Workers

PER_KEY = 2
"""The second thread has an open transaction when the first one commits."""
BLOCKED_S = 5.0
MAX_BLOCKED = 10_000

P = ParamSpec("P")
R = TypeVar("R")


class LockedKeys:
    """The locked keys that one event loop knows."""

    def __init__(
        self, workers: Workers, at_once: int, per_key: int = PER_KEY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`at_once` threads wait at most, `per_key` for one key. The other workers stay free for unlocked keys."""
        self._workers = workers
        self._per_key = per_key
        self._clock = clock
        self._slots = asyncio.Semaphore(at_once)
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._isolated: set[str] = set()
        self._blocked_until: OrderedDict[str, float] = OrderedDict()

    @property
    def blocked(self) -> frozenset[str]:
        """Keys whose lock timed out and that were not seen unlocked since. A batch does not wait for them."""
        return frozenset(self._blocked_until)

    @property
    def busy(self) -> frozenset[str]:
        """Keys that a batch must leave out: a call waits for them, or they delayed a whole batch."""
        return frozenset(self._waiting) | self._isolated

    def isolate(self, key_id: str) -> None:
        """Keeps the key out of batches: another row of the key is locked, which `TryLock` does not detect."""
        if len(self._isolated) < MAX_BLOCKED:
            self._isolated.add(key_id)

    def is_blocked(self, key_id: str) -> bool:
        return self._blocked_until.get(key_id, 0.0) > self._clock()

    def note_free(self, key_id: str) -> None:
        """Records that the key is unlocked."""
        self._blocked_until.pop(key_id, None)
        self._isolated.discard(key_id)

    async def run(self, key_id: str, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a function that waits for the key, in a thread. Raises Blocked after a timeout, or at once after a
        recent one.
        """
        self._refuse_blocked(key_id)
        # Cancelling the caller does not end the thread's wait. The slot stays taken until the thread ends.
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
            self.note_free(key_id)
            return result

    def _refuse_blocked(self, key_id: str) -> None:
        if self.is_blocked(key_id):
            raise Blocked(texts.KEY_LOCKED, retry_after_s=1)

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # marks the error as retrieved, in case the caller was cancelled

    @asynccontextmanager
    async def _turn(self, key_id: str) -> AsyncIterator[None]:
        turn = self._turns.setdefault(key_id, asyncio.Semaphore(self._per_key))
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
