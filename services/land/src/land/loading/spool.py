"""A temporary file of records, grouped by partition: a whole file is read before the store changes, in bounded memory.

Publishers' files mix the rows of several partitions, and may be truncated at their last byte. The spool writes segments
of one partition each, and returns the records of one partition at a time.
"""

import hashlib
import marshal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from land.partitions import Partition

SEGMENT_RECORDS = 20_000
MAX_PENDING_RECORDS = 200_000
_PLAIN_FORMAT = 2
"""The last version of marshal's format in which equal values always have equal bytes."""
_LIST_HEAD_BYTES = 5
"""Before the items of a list: its type and its length."""


class Spool:
    """Its file is deleted by `close`. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="spool-")  # noqa: SIM115 (see close)
        self._pending: dict[Partition, list[tuple[Any, ...]]] = {}
        self._pending_count = 0
        self._segments: dict[Partition, list[tuple[int, int]]] = {}
        self._counts: dict[Partition, int] = {}

    def close(self) -> None:
        self._file.close()

    def add(self, partition: Partition, record: tuple[Any, ...]) -> None:
        pending = self._pending.get(partition)
        if pending is None:
            pending = self._pending[partition] = []
        pending.append(tuple(record))
        self._pending_count += 1
        if len(pending) >= SEGMENT_RECORDS:
            self._flush(partition)
        elif self._pending_count >= MAX_PENDING_RECORDS:
            for each in list(self._pending):
                self._flush(each)

    def _flush(self, partition: Partition) -> None:
        records = self._pending.pop(partition)
        self._pending_count -= len(records)
        offset = self._file.seek(0, 2)
        try:
            written = marshal.dumps(records, _PLAIN_FORMAT)
        except ValueError:  # a nested record; testing each value first would take longer than everything else here
            written = marshal.dumps([_plain(record) for record in records], _PLAIN_FORMAT)
        self._file.write(written)
        self._segments.setdefault(partition, []).append((offset, self._file.tell() - offset))
        self._counts[partition] = self._counts.get(partition, 0) + len(records)

    @property
    def size(self) -> int:
        """Bytes of all records, after a call of `partitions`."""
        return self._file.seek(0, 2)

    def partitions(self) -> list[Partition]:
        """The partitions of all records, sorted. No record may be added afterwards."""
        for partition in list(self._pending):
            self._flush(partition)
        return sorted(self._segments)

    def count(self, partition: Partition) -> int:
        """How many records the partition has."""
        return self._counts.get(partition, 0)

    def records(self, partition: Partition) -> Iterator[tuple[Any, ...]]:
        """The partition's records in the order in which they were added, as plain tuples."""
        for segment in self._read(partition):
            yield from marshal.loads(segment)  # noqa: S302 (our own bytes, written by this process)

    def digest(self, partition: Partition) -> str:
        """A digest that is equal for equal records in the same order."""
        whole = hashlib.blake2b(digest_size=16)
        for segment in self._read(partition):
            whole.update(memoryview(segment)[_LIST_HEAD_BYTES:])
        return whole.hexdigest()

    def _read(self, partition: Partition) -> Iterator[bytes]:
        for offset, length in self._segments.get(partition, []):
            self._file.seek(offset)
            yield self._file.read(length)


def _plain(value: Any) -> Any:
    """Named tuples as plain ones, which marshal can write."""
    if isinstance(value, tuple):
        return tuple(_plain(item) if isinstance(item, tuple) else item for item in value)
    return value
