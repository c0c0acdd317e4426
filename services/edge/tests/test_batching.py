"""Batching of requests that arrive while a call is in flight."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence

import pytest

from edge.clients.batching import Batcher
from servicekit.context import request_id

LONG_S = 60.0


class FakeService:
    """Echoes a batch when the test allows it, and records the batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self._allowed = [asyncio.Event() for _ in range(10)]

    async def __call__(self, requests: Sequence[int]) -> Sequence[int]:
        number = len(self.batches)
        self.batches.append(list(requests))
        await self._allowed[number].wait()
        return requests

    def respond(self, number: int) -> None:
        self._allowed[number].set()


async def run_ready_tasks() -> None:
    """Runs every task until it waits."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_the_first_request_is_sent_at_once_and_the_next_ones_in_a_batch() -> None:
    service = FakeService()
    batcher: Batcher[int, int] = Batcher("test", service, window_s=LONG_S, limit=64)
    first = asyncio.create_task(batcher(1))
    await run_ready_tasks()
    later_calls = [asyncio.create_task(batcher(number)) for number in (2, 3, 4)]
    await run_ready_tasks()
    assert service.batches == [[1]]
    service.respond(0)
    await run_ready_tasks()
    assert first.result() == 1
    assert service.batches == [[1], [2, 3, 4]]
    service.respond(1)
    assert await asyncio.gather(*later_calls) == [2, 3, 4]


async def test_a_slow_call_delays_others_by_the_window_at_most() -> None:
    service = FakeService()
    batcher: Batcher[int, int] = Batcher("test", service, window_s=0.01, limit=64)
    stuck = asyncio.create_task(batcher(1))
    await run_ready_tasks()
    service.respond(1)
    assert await asyncio.wait_for(batcher(2), LONG_S) == 2
    assert not stuck.done()
    service.respond(0)
    assert await stuck == 1


async def test_a_full_batch_does_not_wait() -> None:
    service = FakeService()
    batcher: Batcher[int, int] = Batcher("test", service, window_s=LONG_S, limit=2)
    tasks = [asyncio.create_task(batcher(1))]
    await run_ready_tasks()
    tasks += [asyncio.create_task(batcher(number)) for number in (2, 3, 4)]
    await run_ready_tasks()
    assert service.batches == [[1], [2, 3]]
    for number in range(3):
        service.respond(number)
    assert await asyncio.gather(*tasks) == [1, 2, 3, 4]


async def test_an_error_is_raised_to_each_request_of_its_batch_only() -> None:
    is_broken = True

    async def send(requests: Sequence[int]) -> Sequence[int]:
        if is_broken:
            raise ConnectionError
        return requests

    batcher: Batcher[int, int] = Batcher("test", send, window_s=LONG_S, limit=64)
    failed = await asyncio.gather(batcher(1), batcher(2), return_exceptions=True)
    assert [type(error) for error in failed] == [ConnectionError, ConnectionError]
    is_broken = False
    assert await batcher(3) == 3


async def test_too_few_responses_raise_an_error() -> None:
    async def send(requests: Sequence[int]) -> Sequence[int]:
        return requests[:1]

    batcher: Batcher[int, int] = Batcher("test", send, window_s=LONG_S, limit=64)
    assert [type(error) for error in await asyncio.gather(batcher(1), batcher(2), return_exceptions=True)] == [
        ValueError,
        ValueError,
    ]
    with pytest.raises(ValueError, match="0 responses to 1 requests"):
        await Batcher[int, int]("test", lambda _: asyncio.sleep(0, []), window_s=LONG_S, limit=64)(1)


async def test_a_batch_has_the_ids_of_all_its_requests() -> None:
    batch_ids: list[str] = []

    async def send(requests: Sequence[int]) -> Sequence[int]:
        batch_ids.append(request_id.get())
        await asyncio.sleep(0)
        return requests

    batcher: Batcher[int, int] = Batcher("test", send, window_s=LONG_S, limit=64)

    async def ask(number: int) -> None:
        request_id.set(f"request-{number}")
        await batcher(number)
        assert request_id.get() == f"request-{number}"

    first = asyncio.create_task(ask(1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await asyncio.gather(first, ask_in_task(ask, 2), ask_in_task(ask, 3))
    assert sorted(batch_ids) == ["request-1", "request-2 request-3"]


def ask_in_task(ask: Callable[[int], Coroutine[None, None, None]], number: int) -> asyncio.Task[None]:
    """Runs it in a context of its own, as requests run."""
    return asyncio.create_task(ask(number))
