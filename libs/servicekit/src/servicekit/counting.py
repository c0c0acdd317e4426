"""Counts what is under way, by any key. A key without a count takes no memory."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


@contextmanager
def counted(counts: Counter[K], *keys: K) -> Iterator[None]:
    """Counts these keys while the block runs."""
    counts.update(keys)
    try:
        yield
    finally:
        for key in keys:
            subtract(counts, key)


def subtract(counts: Counter[K], key: K) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
