import asyncio
import threading

import pytest

from servicekit.context import deadline
from servicekit.errors import Overloaded
from servicekit.workers import Workers

SAFETY_S = 30.0


class Jam:
    """Work that holds its thread until it is let go."""

    def __init__(self) -> None:
        self.has_begun = threading.Event()
        self.go = threading.Event()

    def __call__(self) -> str:
        self.has_begun.set()
        assert self.go.wait(SAFETY_S)
        return "done"


async def test_work_past_the_queue_is_refused_at_once_and_what_was_taken_is_done() -> None:
    workers, jam = Workers(1, 2), Jam()
    tasks = [asyncio.create_task(workers.run(jam)) for _ in range(3)]
    await asyncio.to_thread(jam.has_begun.wait, SAFETY_S)
    with pytest.raises(Overloaded) as caught:
        await workers.run(lambda: "never")
    assert (caught.value.code, caught.value.retry_after_s) == ("unavailable", 1)
    jam.go.set()
    assert await asyncio.gather(*tasks) == ["done"] * 3
    assert await workers.run(lambda: "again") == "again"
    workers.close()


async def test_work_whose_deadline_passed_in_the_queue_is_not_begun() -> None:
    workers, jam = Workers(1), Jam()
    begun: list[int] = []
    first = asyncio.create_task(workers.run(jam))
    await asyncio.to_thread(jam.has_begun.wait, SAFETY_S)
    with deadline(0.01):
        late = asyncio.create_task(workers.run(begun.append, 1))
    await asyncio.sleep(0.05)
    jam.go.set()
    with pytest.raises(Overloaded):
        await late
    assert await first == "done"
    assert begun == []
    workers.close()


async def test_work_whose_caller_left_keeps_its_place_in_the_queue_and_is_not_begun() -> None:
    workers, jam = Workers(1, 1), Jam()
    begun: list[int] = []
    first = asyncio.create_task(workers.run(jam))
    await asyncio.to_thread(jam.has_begun.wait, SAFETY_S)
    left = asyncio.create_task(workers.run(begun.append, 1))
    await asyncio.sleep(0)
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    with pytest.raises(Overloaded):
        await workers.run(begun.append, 2)
    jam.go.set()
    assert await first == "done"
    await workers.run(begun.append, 3)
    assert begun == [3]
    workers.close()


async def test_what_the_work_raises_is_raised() -> None:
    workers = Workers(1)
    with pytest.raises(ZeroDivisionError):
        await workers.run(lambda: 1 // 0)
    workers.close()
