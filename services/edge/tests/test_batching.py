"""Questions that are gathered while others are under way."""

import asyncio
from collections.abc import Sequence

import pytest

from edge.clients.batching import Batcher

LONG_S = 60.0


class Asked:
    """Answers a batch with its own questions once it is told to, and keeps what was asked."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self._open = [asyncio.Event() for _ in range(10)]

    async def __call__(self, questions: Sequence[int]) -> Sequence[int]:
        number = len(self.batches)
        self.batches.append(list(questions))
        await self._open[number].wait()
        return questions

    def answer(self, number: int) -> None:
        self._open[number].set()


async def settled() -> None:
    """Lets every task come as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_lone_question_leaves_at_once_and_the_next_ones_together_when_it_is_answered() -> None:
    asked = Asked()
    batcher: Batcher[int, int] = Batcher(asked, window_s=LONG_S, limit=64)
    first = asyncio.create_task(batcher(1))
    await settled()
    others = [asyncio.create_task(batcher(number)) for number in (2, 3, 4)]
    await settled()
    assert asked.batches == [[1]]
    asked.answer(0)
    await settled()
    assert first.result() == 1
    assert asked.batches == [[1], [2, 3, 4]]
    asked.answer(1)
    assert await asyncio.gather(*others) == [2, 3, 4]


async def test_a_call_that_does_not_come_back_holds_others_up_for_the_window_at_most() -> None:
    asked = Asked()
    batcher: Batcher[int, int] = Batcher(asked, window_s=0.01, limit=64)
    stuck = asyncio.create_task(batcher(1))
    await settled()
    asked.answer(1)
    assert await asyncio.wait_for(batcher(2), LONG_S) == 2
    assert not stuck.done()
    asked.answer(0)
    assert await stuck == 1


async def test_a_full_batch_does_not_wait() -> None:
    asked = Asked()
    batcher: Batcher[int, int] = Batcher(asked, window_s=LONG_S, limit=2)
    tasks = [asyncio.create_task(batcher(1))]
    await settled()
    tasks += [asyncio.create_task(batcher(number)) for number in (2, 3, 4)]
    await settled()
    assert asked.batches == [[1], [2, 3]]
    for number in range(3):
        asked.answer(number)
    assert await asyncio.gather(*tasks) == [1, 2, 3, 4]


async def test_what_fails_is_told_to_each_who_asked_and_the_next_are_asked_again() -> None:
    is_broken = True

    async def ask(questions: Sequence[int]) -> Sequence[int]:
        if is_broken:
            raise ConnectionError
        return questions

    batcher: Batcher[int, int] = Batcher(ask, window_s=LONG_S, limit=64)
    failed = await asyncio.gather(batcher(1), batcher(2), return_exceptions=True)
    assert [type(each) for each in failed] == [ConnectionError, ConnectionError]
    is_broken = False
    assert await batcher(3) == 3


async def test_too_few_answers_are_a_fault() -> None:
    async def ask(questions: Sequence[int]) -> Sequence[int]:
        return questions[:1]

    batcher: Batcher[int, int] = Batcher(ask, window_s=LONG_S, limit=64)
    assert [type(each) for each in await asyncio.gather(batcher(1), batcher(2), return_exceptions=True)] == [
        ValueError,
        ValueError,
    ]
    with pytest.raises(ValueError, match="0 answers to 1 questions"):
        await Batcher[int, int](lambda _: asyncio.sleep(0, []), window_s=LONG_S, limit=64)(1)
