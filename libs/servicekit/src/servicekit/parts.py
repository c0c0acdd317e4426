"""Parts of an answer, each of which may fail without the others: drawings, checks, blocks, rows of a file."""

import logging
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from types import TracebackType
from typing import TypeVar

from prometheus_client import Counter

from servicekit.errors import ServiceError
from servicekit.languages import Text

log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")

_failed = Counter("parts_failed", "Parts of answers, rows and keys that were left out because of a defect.")
failed_parts: ContextVar[list[Text] | None] = ContextVar("failed_parts", default=None)
"""The parts that the answer to this call leaves out; None outside of a call."""


class Attempt:
    """Runs the block as one part of an answer. If the block fails by a defect, the part is left out: the trace is
    logged, the failure counted and noted in `failed_parts`, and the code after the block runs.

    What ends the whole call passes: errors for the caller, cancellations, a lack of memory, and errors in `passing`.
    """

    has_failed = False

    def __init__(self, part: Text, *passing: type[Exception]) -> None:
        """`part` names what is missing if the block fails."""
        self._part = part
        self._passing = (ServiceError, MemoryError, *passing)

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._passing):
            return False
        self.has_failed = True
        _failed.inc()
        log.error("a part failed and is left out", exc_info=error, extra={"part": self._part.en})
        parts = failed_parts.get()
        if parts is not None and self._part not in parts:
            parts.append(self._part)
        return True


def attempted(part: Text, write: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """What the function makes of each item, without the items for which it fails."""
    results = []
    for item in items:
        with Attempt(part):
            results.append(write(item))
    return results
