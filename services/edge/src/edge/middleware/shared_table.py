"""Numbers by client address, in memory that all processes of the edge share. Its size is fixed."""

import mmap
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b

from servicekit.processes import Process

_SETS, _WAYS = 4_096, 8
"""A key has a set, and is in one of its rows. An attacker cannot choose the set, since the hash has a secret salt."""
_NUMBER_BYTES = 8
_SALT_BYTES = 16
_OPENING = 0
"""The lock of the whole table. The locks of the sets follow."""


class SharedTable:
    """Rows of numbers by key. A new row contains zeros, and replaces the least recently used row of its set."""

    def __init__(
        self,
        process: Process,
        name: str,
        columns: int,
        *,
        is_count: bool = False,
        sets: int = _SETS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """With `is_count`, a row is replaced only if it contains zeros."""
        self._clock = clock
        self._is_count = is_count
        self._sets = sets
        self._locks = process.locks(name)
        column_bytes = sets * _WAYS * _NUMBER_BYTES
        size = _SALT_BYTES + (2 + columns) * column_bytes
        with self._locked(_OPENING):
            self._memory = self._open(process, name, size)
            if self._memory[:_SALT_BYTES] == bytes(_SALT_BYTES):
                self._memory[:_SALT_BYTES] = secrets.token_bytes(_SALT_BYTES)
        self._salt = self._memory[:_SALT_BYTES]
        numbers = memoryview(self._memory)[_SALT_BYTES:]
        parts = [numbers[start : start + column_bytes] for start in range(0, len(numbers), column_bytes)]
        self._tags = parts[0].cast("Q")
        self._used_at = parts[1].cast("d")
        self.columns = [part.cast("d") for part in parts[2:]]

    @staticmethod
    def _open(process: Process, name: str, size: int) -> mmap.mmap:
        if process.folder is None:
            return mmap.mmap(-1, size)
        file = os.open(process.folder / f"{name}.table", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(file, size)
            return mmap.mmap(file, size)
        finally:
            os.close(file)

    @contextmanager
    def row(self, key: bytes, *, is_added: bool = True) -> Iterator[int | None]:
        """The row of the key, which no other process uses in the block. None if the key has no row, and either gets
        none by `is_added`, or no row of its set can be replaced.
        """
        tag = int.from_bytes(blake2b(key, digest_size=_NUMBER_BYTES, key=self._salt).digest(), "little") or 1
        number = tag % self._sets
        with self._locked(_OPENING + 1 + number):
            rows = range(number * _WAYS, (number + 1) * _WAYS)
            row = next((row for row in rows if self._tags[row] == tag), None)
            if row is None and is_added:
                row = self._replace(rows, tag)
            if row is not None:
                self._used_at[row] = self._clock()
            yield row

    def forget(self, key: bytes) -> None:
        """Frees the row of the key."""
        with self.row(key, is_added=False) as row:
            if row is not None:
                self._tags[row] = 0

    def _replace(self, rows: range, tag: int) -> int | None:
        row = min(
            (row for row in rows if not (self._is_count and any(column[row] for column in self.columns))),
            key=self._used_at.__getitem__,
            default=None,
        )
        if row is not None:
            self._tags[row] = tag
            for column in self.columns:
                column[row] = 0.0
        return row

    @contextmanager
    def _locked(self, number: int) -> Iterator[None]:
        if self._locks is None:
            yield
            return
        self._locks.acquire(number)
        try:
            yield
        finally:
            self._locks.release(number)


class SharedCounts:
    """Counts what is under way by key, over all processes. What a process counted ends with that process."""

    def __init__(self, process: Process, name: str) -> None:
        self._table = SharedTable(process, name, process.count, is_count=True)
        self._own = self._table.columns[process.index]
        self._own[:] = memoryview(bytes(self._own.nbytes)).cast("d")  # of a predecessor

    def add(self, key: str) -> int:
        """Counts one. Returns the count of all processes. If too many keys are counted, returns 0."""
        with self._table.row(key.encode()) as row:
            if row is None:
                return 0
            self._own[row] += 1
            return int(sum(column[row] for column in self._table.columns))

    def remove(self, key: str) -> None:
        with self._table.row(key.encode(), is_added=False) as row:
            if row is not None and self._own[row]:
                self._own[row] -= 1
