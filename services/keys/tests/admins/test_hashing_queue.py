"""Password hashing: order, and refusal when the queue is full."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from keys.admins.hashing_queue import MAX_WAITING, MAX_WAITING_OF_ONE, HashingQueue
from keys.values.errors import SignInThrottled, Unavailable

WITHIN_S = 60.0
"""A generous bound, which only ends a test that hangs."""


class Hashing:
    """A hash that runs until the test releases it."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.go = threading.Event()

    def __call__(self, name: str) -> str:
        self.started.append(name)
        assert self.go.wait(WITHIN_S)
        return name


@asynccontextmanager
async def queue_of_two(hashing: Hashing) -> AsyncIterator[HashingQueue]:
    queue = HashingQueue(2)
    try:
        yield queue
    finally:
        hashing.go.set()
        queue.close()


async def until(hashing: Hashing, count: int) -> None:
    async with asyncio.timeout(WITHIN_S):
        while len(hashing.started) < count:  # noqa: ASYNC110 (the hash runs in a thread)
            await asyncio.sleep(0.001)


async def test_one_network_uses_one_worker_and_does_not_delay_others() -> None:
    hashing = Hashing()
    async with queue_of_two(hashing) as queue:
        flood = [
            asyncio.create_task(queue.run(f"2001:db8::{number}", hashing, f"flood {number}"))
            for number in range(MAX_WAITING_OF_ONE)
        ]
        await until(hashing, 1)
        other = asyncio.create_task(queue.run("192.0.2.1", hashing, "other"))
        await until(hashing, 2)
        assert hashing.started == ["flood 0", "other"]
        with pytest.raises(SignInThrottled) as caught:
            await queue.run("2001:db8::ffff", hashing, "one more")
        assert caught.value.retry_after_s == 1
        hashing.go.set()
        assert await other == "other"
        assert await asyncio.gather(*flood) == [f"flood {number}" for number in range(MAX_WAITING_OF_ONE)]
        assert await queue.run("2001:db8::ffff", hashing, "later") == "later"


async def test_a_full_queue_refuses_at_once() -> None:
    hashing = Hashing()
    async with queue_of_two(hashing) as queue:
        waiting = [asyncio.create_task(queue.run(f"192.0.2.{n}", hashing, str(n))) for n in range(MAX_WAITING)]
        await until(hashing, 2)
        with pytest.raises(Unavailable):
            await queue.run("198.51.100.1", hashing, "one more")
        assert len(hashing.started) == 2
        hashing.go.set()
        assert len(await asyncio.gather(*waiting)) == MAX_WAITING


async def test_a_cancelled_call_frees_its_slot() -> None:
    hashing = Hashing()
    async with queue_of_two(hashing) as queue:
        first = asyncio.create_task(queue.run("192.0.2.1", hashing, "first"))
        await until(hashing, 1)
        waiting = [asyncio.create_task(queue.run("192.0.2.1", hashing, "other")) for _ in range(MAX_WAITING_OF_ONE - 1)]
        await asyncio.sleep(0)
        for other in waiting:
            other.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        again = asyncio.create_task(queue.run("192.0.2.1", hashing, "again"))
        await asyncio.sleep(0)
        hashing.go.set()
        assert (await first, await again) == ("first", "again")
        assert hashing.started == ["first", "again"]
