"""Batches single requests without a delay for the first one.

If no call is in flight, a request is sent immediately. Requests that arrive while calls are in flight are batched. A
batch is sent when it is full, when a call in flight ends, or when the window is over.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

from prometheus_client import Histogram

from servicekit import tracing
from servicekit.context import joined, request_id

_sizes = Histogram(
    "edge_batch_requests", "Requests that a call answers together.", ["call"], buckets=(1, 2, 4, 8, 16, 32, 64)
)
_size = cache(_sizes.labels)
"""The metric of a call. `labels` costs more than to observe."""

Request = TypeVar("Request")
Response = TypeVar("Response")


class _Waiting(NamedTuple, Generic[Request, Response]):
    """A request, the future of its caller, and what its logs and its trace need."""

    request: Request
    future: asyncio.Future[Response]
    request_id: str
    span: Any


class Batcher(Generic[Request, Response]):
    """`send` answers a batch in order, in the context of its first request but with the ids of all. If it raises an
    error, each request of the batch raises it. `call` is the name of the batch in metrics and traces.
    """

    def __init__(
        self,
        call: str,
        send: Callable[[Sequence[Request]], Awaitable[Sequence[Response]]],
        *,
        window_s: float,
        limit: int,
    ) -> None:
        self._call = call
        self._send = send
        self._spans = tracing.active()
        self._window_s = window_s
        self._limit = limit
        self._waiting: list[_Waiting[Request, Response]] = []
        self._starting: list[_Waiting[Request, Response]] | None = None
        """The batch of a task that starts in the next turn of the event loop. Requests of this turn join it."""
        self._context = copy_context()
        self._timer: asyncio.TimerHandle | None = None
        self._calls: set[asyncio.Task[None]] = set()

    async def __call__(self, request: Request) -> Response:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Response] = loop.create_future()
        span = None if self._spans is None else self._spans.current()
        waiting = _Waiting(request, future, request_id.get(), span)
        if self._starting is not None and len(self._starting) < self._limit:
            self._starting.append(waiting)
            return await future
        if not self._waiting:
            self._context = copy_context()
        self._waiting.append(waiting)
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

    async def _run(self, batch: list[_Waiting[Request, Response]]) -> None:
        if self._starting is batch:
            self._starting = None
        _size(self._call).observe(len(batch))
        try:
            responses = await self._send_together(batch)
            if len(responses) != len(batch):
                raise ValueError(f"{len(responses)} responses to {len(batch)} requests")
        except Exception as error:
            for waiting in batch:
                if not waiting.future.done():
                    waiting.future.set_exception(error)
        else:
            for waiting, response in zip(batch, responses, strict=True):
                if not waiting.future.done():
                    waiting.future.set_result(response)

    async def _send_together(self, batch: list[_Waiting[Request, Response]]) -> Sequence[Response]:
        requests = [waiting.request for waiting in batch]
        if len(batch) == 1:
            return await self._send(requests)
        request_id.set(joined([waiting.request_id for waiting in batch]))
        if self._spans is None:
            return await self._send(requests)
        with self._spans.batch(self._call, [waiting.span for waiting in batch]):
            return await self._send(requests)
