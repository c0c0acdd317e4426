"""Reads whose results change only with loads, cached for one set of dataset revisions."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from land.store.snapshot import Snapshot

MAX_RESULTS = 2_000
"""A commune has about seven: its outline takes some tens of kilobytes, its loads take some kilobytes."""
_ABSENT = object()

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True)
class Reads:
    """One snapshot of the store, with the results that are cached for its revisions."""

    snapshot: Snapshot
    _results: dict[tuple[object, Hashable], Any]

    def cached(self, read: Callable[[Snapshot, K], V], key: K) -> V:
        """The result of `read(snapshot, key)`, which nobody may change. It must depend on loaded data only."""
        result: V = self._results.get((read, key), _ABSENT)
        if result is _ABSENT:
            if len(self._results) >= MAX_RESULTS:
                self._results.clear()
            result = self._results[read, key] = read(self.snapshot, key)
        return result


class ReadCache:
    """Safe for threads."""

    def __init__(self) -> None:
        self._current: tuple[Mapping[str, int], dict[tuple[object, Hashable], Any]] = ({}, {})

    def at(self, snapshot: Snapshot, revisions: Mapping[str, int]) -> Reads:
        """`revisions` are those of all datasets in the snapshot. Results of other revisions are dropped."""
        cached_revisions, results = self._current
        if revisions != cached_revisions:
            results = {}
            self._current = revisions, results
        return Reads(snapshot, results)
