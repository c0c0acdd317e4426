"""Records on disk, grouped by unit: a file is read to its end before the store is touched, in bounded memory.

Publishers' files do not keep a unit's rows together, and may turn out to be cut short on their last byte. So records
go to one temporary file in segments of one unit each, and come back a unit at a time.
"""

import hashlib
import marshal
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, Self

from land.partitions import Partition

SEGMENT_RECORDS = 20_000
MAX_PENDING_RECORDS = 200_000


class Spool:
    """A context manager; its file is gone when it closes. Not for threads."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="spool-")  # noqa: SIM115 (closed in __exit__)
        self._pending: dict[Partition, list[tuple[Any, ...]]] = {}
        self._pending_count = 0
        self._segments: dict[Partition, list[tuple[int, int]]] = {}
        self._counts: dict[Partition, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, unit: Partition, record: tuple[Any, ...]) -> None:
        pending = self._pending.setdefault(unit, [])
        pending.append(tuple(record))
        self._pending_count += 1
        if len(pending) >= SEGMENT_RECORDS:
            self._flush(unit)
        elif self._pending_count >= MAX_PENDING_RECORDS:
            for key in list(self._pending):
                self._flush(key)

    def _flush(self, unit: Partition) -> None:
        records = self._pending.pop(unit)
        self._pending_count -= len(records)
        offset = self._file.seek(0, 2)
        try:
            written = marshal.dumps(records)
        except ValueError:  # records inside records: looking into each value takes longer than all the rest
            written = marshal.dumps([_plain(record) for record in records])
        self._file.write(written)
        self._segments.setdefault(unit, []).append((offset, self._file.tell() - offset))
        self._counts[unit] = self._counts.get(unit, 0) + len(records)

    @property
    def size(self) -> int:
        """Bytes of all records, once `units` was asked."""
        return self._file.seek(0, 2)

    def units(self) -> list[Partition]:
        """The units in order of code, once all records are added."""
        for unit in list(self._pending):
            self._flush(unit)
        return sorted(self._segments)

    def count(self, unit: Partition) -> int:
        """How many records of the unit were added."""
        return self._counts.get(unit, 0)

    def records(self, unit: Partition) -> Iterator[tuple[Any, ...]]:
        """The unit's records in the order they were added, as plain tuples."""
        for offset, length in self._segments.get(unit, []):
            self._file.seek(offset)
            yield from marshal.loads(self._file.read(length))  # noqa: S302 (our own bytes, written by this process)


def digest(records: Iterable[tuple[Any, ...]]) -> str:
    """A digest of a unit's records: the same records in the same order give the same one."""
    whole = hashlib.blake2b(digest_size=16)
    left = iter(records)
    while text := "".join(map(repr, islice(left, SEGMENT_RECORDS))):
        whole.update(text.encode())
    return whole.hexdigest()


def _plain(value: Any) -> Any:
    """Named tuples as plain ones, which marshal can write."""
    if isinstance(value, tuple):
        return tuple(_plain(item) if isinstance(item, tuple) else item for item in value)
    return value
