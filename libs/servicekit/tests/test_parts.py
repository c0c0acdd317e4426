"""A part that fails is left out; what ends the call passes."""

import asyncio
import logging

import pytest
from prometheus_client import REGISTRY

from servicekit.context import request_id
from servicekit.errors import Overloaded
from servicekit.languages import Text
from servicekit.logs import _RequestFilter
from servicekit.parts import Attempt, attempted, failed_parts

DRAWING = Text("le dessin", "the drawing")


def failures() -> float:
    return REGISTRY.get_sample_value("parts_failed_total") or 0.0


def test_a_defect_is_logged_with_its_request_counted_and_noted_once(caplog: pytest.LogCaptureFixture) -> None:
    before = failures()
    failed_parts.set([])
    request_id.set("trace-7")
    caplog.handler.addFilter(_RequestFilter("land"))
    for _ in range(2):
        with Attempt(DRAWING) as attempt:
            max([])
    assert attempt.has_failed
    assert failed_parts.get() == [DRAWING]
    assert failures() == before + 2
    record = caplog.records[0]
    assert (record.levelno, record.__dict__["request_id"], record.__dict__["part"]) == (
        logging.ERROR,
        "trace-7",
        "the drawing",
    )
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)


def test_a_part_that_succeeds_changes_nothing() -> None:
    before = failures()
    failed_parts.set([])
    with Attempt(DRAWING) as attempt:
        pass
    assert (attempt.has_failed, failed_parts.get(), failures()) == (False, [], before)


@pytest.mark.parametrize("error", [Overloaded("too much work"), MemoryError(), KeyError("gone"), KeyboardInterrupt()])
def test_what_ends_the_call_passes(error: BaseException) -> None:
    with pytest.raises(type(error)), Attempt(DRAWING, KeyError):
        raise error


async def test_a_cancellation_passes() -> None:
    async def wait() -> None:
        with Attempt(DRAWING):
            await asyncio.sleep(60)

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_other_items_are_kept() -> None:
    assert attempted(DRAWING, lambda number: 6 // number, [3, 0, 2]) == [2, 3]
