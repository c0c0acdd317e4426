"""Batches single requests without a delay for the first one.

If no call is in flight, a request is sent immediately. Requests that arrive while calls are in flight are batched. A
batch is sent when it is full, when a call in flight ends, or when the window is over.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from typing import Generic, TypeVar

Request = TypeVar("Request")
Response = TypeVar("Response")


class Batcher(Generic[Request, Response]):
    """`send` answers a batch in order, in the context of its first request. If it raises an error, each request of the
    batch raises it.
    """

    def __init__(
        self, send: Callable[[Sequence[Request]], Awaitable[Sequence[Response]]], *, window_s: float, limit: int
    ) -> None:
        self._send = send
        self._window_s = window_s
        self._limit = limit
        self._waiting: list[tuple[Request, asyncio.Future[Response]]] = []
        self._starting: list[tuple[Request, asyncio.Future[Response]]] | None = None
        """The batch of a task that starts in the next turn of the event loop. Requests of this turn join it."""
        self._context = copy_context()
        self._timer: asyncio.TimerHandle | None = None
        self._calls: set[asyncio.Task[None]] = set()

    async def __call__(self, request: Request) -> Response:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Response] = loop.create_future()
        if self._starting is not None and len(self._starting) < self._limit:
            self._starting.append((request, future))
            return await future
        if not self._waiting:
            self._context = copy_context()
        self._waiting.append((request, future))
        if not self._calls or len(self._waiting) >= self._limit:
            self._flush()
        elif self._timer is None:
            self._timer = loop.call_later(self._window_s, self._flush)
        return await future

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            self._starting, self._waiting = self._waiting, []
            call = asyncio.create_task(self._run(self._starting), context=self._context)
            self._calls.add(call)
            call.add_done_callback(self._call_finished)

    def _call_finished(self, call: asyncio.Task[None]) -> None:
        self._calls.discard(call)
        if self._waiting:
            self._flush()

    async def _run(self, batch: list[tuple[Request, asyncio.Future[Response]]]) -> None:
        if self._starting is batch:
            self._starting = None
        try:
            responses = await self._send([request for request, _ in batch])
            if len(responses) != len(batch):
                raise ValueError(f"{len(responses)} responses to {len(batch)} requests")
        except Exception as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
        else:
            for (_, future), response in zip(batch, responses, strict=True):
                if not future.done():
                    future.set_result(response)
