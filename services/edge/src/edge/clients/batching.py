"""Gathers single questions into batches without making a lone one wait.

A question that finds nothing in flight leaves at once; those that come while calls are in flight leave together: when
one of these calls has come back, as soon as a batch is full, and after the window at the latest.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class Batcher(Generic[Q, A]):
    """`ask` answers a batch in order. What it raises is raised to each who waits for that batch."""

    def __init__(self, ask: Callable[[Sequence[Q]], Awaitable[Sequence[A]]], *, window_s: float, limit: int) -> None:
        self._ask = ask
        self._window_s = window_s
        self._limit = limit
        self._waiting: list[tuple[Q, asyncio.Future[A]]] = []
        self._timer: asyncio.Handle | None = None
        self._calls: set[asyncio.Task[None]] = set()

    async def __call__(self, question: Q) -> A:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[A] = loop.create_future()
        self._waiting.append((question, future))
        if len(self._waiting) >= self._limit:
            self._flush()
        elif self._timer is None:
            # call_soon still gathers what other tasks ask in this turn of the loop
            self._timer = loop.call_later(self._window_s, self._flush) if self._calls else loop.call_soon(self._flush)
        return await future

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch, self._waiting = self._waiting, []
        if batch:
            call = asyncio.create_task(self._run(batch))
            self._calls.add(call)
            call.add_done_callback(self._came_back)

    def _came_back(self, call: asyncio.Task[None]) -> None:
        self._calls.discard(call)
        if self._waiting:
            self._flush()

    async def _run(self, batch: Sequence[tuple[Q, asyncio.Future[A]]]) -> None:
        try:
            answers = await self._ask([question for question, _ in batch])
            if len(answers) != len(batch):
                raise ValueError(f"{len(answers)} answers to {len(batch)} questions")
        except Exception as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
        else:
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)
