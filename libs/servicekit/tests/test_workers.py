import asyncio
import threading

import pytest

from servicekit.context import deadline
from servicekit.errors import Overloaded
from servicekit.workers import Workers

SAFETY_S = 60.0


class BlockingWork:
    """Work that blocks its thread until `go` is set."""

    def __init__(self) -> None:
        self.has_started = threading.Event()
        self.go = threading.Event()

    def __call__(self) -> str:
        self.has_started.set()
        assert self.go.wait(SAFETY_S)
        return "done"


async def test_work_over_the_queue_limit_is_refused_and_queued_work_is_done() -> None:
    workers, blocking = Workers(1, 2), BlockingWork()
    tasks = [asyncio.create_task(workers.run(blocking)) for _ in range(3)]
    await asyncio.to_thread(blocking.has_started.wait, SAFETY_S)
    with pytest.raises(Overloaded) as caught:
        await workers.run(lambda: "never")
    assert (caught.value.code, caught.value.retry_after_s) == ("unavailable", 1)
    blocking.go.set()
    assert await asyncio.gather(*tasks) == ["done"] * 3
    assert await workers.run(lambda: "again") == "again"
    workers.close()


async def test_queued_work_is_not_started_after_its_deadline() -> None:
    workers, blocking = Workers(1), BlockingWork()
    started: list[int] = []
    first = asyncio.create_task(workers.run(blocking))
    await asyncio.to_thread(blocking.has_started.wait, SAFETY_S)
    with deadline(0.01):
        late = asyncio.create_task(workers.run(started.append, 1))
    await asyncio.sleep(0.05)
    blocking.go.set()
    with pytest.raises(Overloaded):
        await late
    assert await first == "done"
    assert started == []
    workers.close()


async def test_queued_work_of_a_cancelled_caller_is_not_started_and_frees_its_place() -> None:
    workers, blocking = Workers(1, 1), BlockingWork()
    started: list[int] = []
    first = asyncio.create_task(workers.run(blocking))
    await asyncio.to_thread(blocking.has_started.wait, SAFETY_S)
    abandoned = asyncio.create_task(workers.run(started.append, 1))
    await asyncio.sleep(0)
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    following = asyncio.create_task(workers.run(started.append, 2))
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await workers.run(started.append, 3)
    blocking.go.set()
    assert await first == "done"
    await following
    assert started == [2]
    workers.close()


async def test_running_work_of_a_cancelled_caller_keeps_its_place_until_it_ends() -> None:
    workers, blocking = Workers(1, 0), BlockingWork()
    abandoned = asyncio.create_task(workers.run(blocking))
    await asyncio.to_thread(blocking.has_started.wait, SAFETY_S)
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    with pytest.raises(Overloaded):
        await workers.run(lambda: "refused")
    blocking.go.set()
    async with asyncio.timeout(SAFETY_S):
        while True:
            try:
                assert await workers.run(lambda: "begun") == "begun"
            except Overloaded:
                await asyncio.sleep(0.001)
            else:
                break
    workers.close()


async def test_an_exception_of_the_work_is_raised() -> None:
    workers = Workers(1)
    with pytest.raises(ZeroDivisionError):
        await workers.run(lambda: 1 // 0)
    workers.close()


async def test_work_that_close_drops_is_cancelled() -> None:
    workers, blocking = Workers(1), BlockingWork()
    first = asyncio.create_task(workers.run(blocking))
    await asyncio.to_thread(blocking.has_started.wait, SAFETY_S)
    queued = asyncio.create_task(workers.run(lambda: "never"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(asyncio.to_thread(workers.close))
    with pytest.raises(asyncio.CancelledError):
        await queued
    blocking.go.set()
    assert await first == "done"
    await closing
