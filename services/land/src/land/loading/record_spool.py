"""A temporary file of records, grouped by partition: a whole file is read before the store changes, in bounded memory.

Publishers' files mix the rows of several partitions, and may be truncated at their last byte. The spool writes segments
of one partition and one class of records each, and returns the records of one partition at a time.
"""

import hashlib
import marshal
import tempfile
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

from land.datasets.partitions import Partition

RecordClass = type[tuple[Any, ...]]
"""A class of named tuples."""
SEGMENT_RECORDS = 20_000
MAX_PENDING_RECORDS = 200_000
_PLAIN_FORMAT = 2
"""The last version of marshal's format in which equal values always have equal bytes."""
_LIST_HEAD_BYTES = 5
"""The bytes before the items of a list: its type and its length."""


class RecordSpool:
    """A temporary file of records. `close` deletes it. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="spool-")  # noqa: SIM115 (see close)
        self._pending: dict[tuple[Partition, RecordClass], list[tuple[Any, ...]]] = {}
        self._pending_count = 0
        self._segments: dict[Partition, dict[RecordClass, list[tuple[int, int]]]] = {}
        self._counts: dict[Partition, int] = {}

    def close(self) -> None:
        self._file.close()

    def add(self, partition: Partition, record: tuple[Any, ...]) -> None:
        """`record` is a named tuple."""
        key = partition, type(record)
        pending = self._pending.get(key)
        if pending is None:
            pending = self._pending[key] = []
        pending.append(tuple(record))
        self._pending_count += 1
        if len(pending) >= SEGMENT_RECORDS:
            self._flush(*key)
        elif self._pending_count >= MAX_PENDING_RECORDS:
            self._flush_all()

    def _flush_all(self) -> None:
        for key in list(self._pending):
            self._flush(*key)

    def _flush(self, partition: Partition, record_class: RecordClass) -> None:
        records = self._pending.pop((partition, record_class))
        self._pending_count -= len(records)
        offset = self._file.seek(0, 2)
        try:
            segment = marshal.dumps(records, _PLAIN_FORMAT)
        except ValueError:  # a nested record; testing each value first would take longer than everything else here
            segment = marshal.dumps([_plain(record) for record in records], _PLAIN_FORMAT)
        self._file.write(segment)
        segments = self._segments.setdefault(partition, {}).setdefault(record_class, [])
        segments.append((offset, self._file.tell() - offset))
        self._counts[partition] = self._counts.get(partition, 0) + len(records)

    @property
    def size(self) -> int:
        """Bytes of all records, after a call of `partitions`."""
        return self._file.seek(0, 2)

    def partitions(self) -> list[Partition]:
        """The partitions of all records, sorted. No record may be added afterwards."""
        self._flush_all()
        return sorted(self._segments)

    def count(self, partition: Partition) -> int:
        """How many records the partition has."""
        return self._counts.get(partition, 0)

    def records(self, partition: Partition) -> Iterator[Any]:
        """The partition's records, one class after the other. Those of a class have the order in which they were added.
        A record in a record is a plain tuple.
        """
        for record_class, segment in self._read(partition):
            yield from map(record_class._make, marshal.loads(segment))  # type: ignore[attr-defined]  # noqa: S302

    def digest(self, partition: Partition) -> str:
        """A digest that is equal for equal records of each class in the same order."""
        whole = hashlib.blake2b(digest_size=16)
        for _, segment in self._read(partition):
            whole.update(memoryview(segment)[_LIST_HEAD_BYTES:])
        return whole.hexdigest()

    def _read(self, partition: Partition) -> Iterator[tuple[RecordClass, bytes]]:
        segments = self._segments.get(partition, {})
        for record_class in sorted(segments, key=attrgetter("__name__")):
            for offset, length in segments[record_class]:
                self._file.seek(offset)
                yield record_class, self._file.read(length)


def _plain(value: Any) -> Any:
    """Named tuples as plain ones, which marshal can write."""
    return (
        tuple(_plain(item) if isinstance(item, tuple) else item for item in value)
        if isinstance(value, tuple)
        else value
    )
