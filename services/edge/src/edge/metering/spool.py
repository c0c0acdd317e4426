"""The outcomes of one process, on disk until keys has acknowledged them.

Each process has a folder and holds its lock. If a process dies, its lock is released, and another process adopts the
folder. Space for an outcome is allocated before the work of a request begins. So with a full disk, new requests are
refused and no outcome of a finished request is lost. A completed write survives a crash of the process; after `sync`,
it also survives a power failure.
"""

import fcntl
import logging
import os
import shutil
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from edge.metering import frames

log = logging.getLogger(__name__)

SEGMENT_BYTES = 1024 * 1024
_SLOTS_PER_SEGMENT = SEGMENT_BYTES // frames.MAX_FRAME_BYTES
_LOCK = "lock"
_SUFFIX = ".frames"
_UNFINISHED = ".new-"


class SpoolFull(Exception):
    """There is no space for another outcome: the disk is full, or the process has reached its maximum."""


@dataclass(eq=False)
class Segment:
    """One file of frames. The frames between the offsets `sent_offset` and `write_offset` are not acknowledged."""

    path: Path
    fd: int
    write_offset: int = 0
    sent_offset: int = 0
    is_dirty: bool = False

    @classmethod
    def allocate(cls, path: Path) -> Self:
        """Raises OSError if the disk is full; then removes the file."""
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.posix_fallocate(fd, 0, SEGMENT_BYTES)
        except OSError:
            os.close(fd)
            path.unlink(missing_ok=True)
            raise
        return cls(path, fd)

    @classmethod
    def reopen(cls, path: Path) -> Self:
        fd = os.open(path, os.O_RDONLY)
        return cls(path, fd, write_offset=os.fstat(fd).st_size)

    @property
    def free_bytes(self) -> int:
        return SEGMENT_BYTES - self.write_offset

    def append(self, frame: bytes) -> None:
        """Raises OSError; the next frame is then written at the same offset."""
        if os.pwrite(self.fd, frame, self.write_offset) != len(frame):
            raise OSError(f"{self.path.name}: short write")
        self.write_offset += len(frame)
        self.is_dirty = True

    def read(self, limit: int) -> "Batch":
        data = os.pread(self.fd, self.write_offset - self.sent_offset, self.sent_offset)
        payloads: list[bytes] = []
        for frame in frames.decode(data):
            payloads.append(frame.payload)
            if len(payloads) == limit:
                return Batch(self, payloads, self.sent_offset + frame.end)
        return Batch(self, payloads, self.write_offset)

    def delete(self) -> None:
        os.close(self.fd)
        self.path.unlink(missing_ok=True)


class Batch(NamedTuple):
    """Payloads of one segment, acknowledged together."""

    segment: Segment
    payloads: list[bytes]
    end: int


@dataclass(eq=False)
class Spool:
    """Create it with `open`. Not thread-safe."""

    root: Path
    folder: Path
    lock_fd: int
    max_bytes: int
    _current: Segment | None = None
    _spare: deque[Segment] = field(default_factory=deque)
    _sealed: deque[Segment] = field(default_factory=deque)
    _held: int = 0
    _serial: int = 0

    @classmethod
    def open(cls, root: Path, max_bytes: int) -> Self:
        """Creates a new folder under root. Raises OSError."""
        root.mkdir(parents=True, exist_ok=True)
        name = uuid.uuid4().hex
        unfinished = root / f"{_UNFINISHED}{name}"  # no process adopts this name; the lock comes before the final name
        unfinished.mkdir(mode=0o700)
        lock_fd = os.open(unfinished / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return cls(root, unfinished.rename(root / name), lock_fd, max_bytes)

    def hold(self) -> None:
        while self._held >= self._slots():
            self._allocate()
        self._held += 1

    def release(self) -> None:
        self._held -= 1

    def append(self, payload: bytes) -> None:
        """Writes a payload into held space. Raises OSError and then releases the space."""
        self._held -= 1
        frame = frames.encode(payload)
        if self._current is None or self._current.free_bytes < len(frame):
            self._roll()
        assert self._current is not None  # noqa: S101 (tells mypy)
        self._current.append(frame)

    def next_batch(self, limit: int) -> Batch | None:
        """The oldest payloads that are not acknowledged; None if there are none."""
        segment = self._sealed[0] if self._sealed else self._current
        if segment is None or segment.sent_offset == segment.write_offset:
            return None
        return segment.read(limit)

    def acknowledge(self, batch: Batch) -> None:
        """Marks a batch as counted by keys. Deletes a segment that is fully counted."""
        segment = batch.segment
        segment.sent_offset = batch.end
        if segment.sent_offset == segment.write_offset and segment is not self._current:
            self._sealed.remove(segment)
            segment.delete()

    def segment_count(self) -> int:
        return len(self._sealed) + len(self._spare) + (self._current is not None)

    def unacknowledged_bytes(self) -> int:
        """Safe for threads, as an approximation."""
        return sum(
            segment.write_offset - segment.sent_offset
            for segment in (*self._sealed, self._current)
            if segment is not None
        )

    def take_dirty(self) -> list[int]:
        """Duplicated descriptors of the segments written since the last call, for `sync`."""
        dirty = [segment for segment in (*self._sealed, self._current) if segment is not None and segment.is_dirty]
        for segment in dirty:
            segment.is_dirty = False
        return [os.dup(segment.fd) for segment in dirty]

    def close(self) -> None:
        """Removes the folder if all is acknowledged; otherwise another process will adopt it."""
        segments = [*self._sealed, *([self._current] if self._current else []), *self._spare]
        pending = [segment for segment in segments if segment.sent_offset != segment.write_offset]
        for segment in segments:
            if segment in pending:
                os.fdatasync(segment.fd)
                os.close(segment.fd)
            else:
                segment.delete()
        if not pending:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self.lock_fd)

    def _roll(self) -> None:
        last, self._current = self._current, self._spare.popleft()
        if last is None:
            return
        if last.sent_offset == last.write_offset:
            last.delete()
        else:
            self._sealed.append(last)

    def _slots(self) -> int:
        current = self._current.free_bytes // frames.MAX_FRAME_BYTES if self._current else 0
        return current + len(self._spare) * _SLOTS_PER_SEGMENT

    def _allocate(self) -> None:
        files = self.segment_count()
        if (files + 1) * SEGMENT_BYTES > self.max_bytes:
            raise SpoolFull(f"{files} segments are not acknowledged")
        self._serial += 1
        try:
            self._spare.append(Segment.allocate(self.folder / f"{self._serial:08}{_SUFFIX}"))
        except OSError as error:
            raise SpoolFull(error.strerror or "cannot allocate") from error


def sync(descriptors: Sequence[int]) -> None:
    """Syncs the files to disk and closes the descriptors. Blocks."""
    for fd in descriptors:
        try:
            os.fdatasync(fd)
        finally:
            os.close(fd)


@dataclass(eq=False)
class Orphan:
    """The folder of a dead process, locked by the process that adopted it."""

    folder: Path
    lock_fd: int
    segments: deque[Segment]

    def next_batch(self, limit: int) -> Batch | None:
        while self.segments:
            batch = self.segments[0].read(limit)
            if batch.payloads:
                return batch
            self.acknowledge(batch)
        return None

    def acknowledge(self, batch: Batch) -> None:
        batch.segment.sent_offset = batch.end
        if batch.segment.sent_offset == batch.segment.write_offset:
            self.segments.remove(batch.segment)
            batch.segment.delete()

    def close(self) -> None:
        """Removes the folder if it is empty; otherwise releases it for another process."""
        for segment in self.segments:
            os.close(segment.fd)
        if not self.segments:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self.lock_fd)


def orphans(root: Path, own_folder: Path) -> Iterator[Orphan]:
    """Adopts, one by one, the folders under root that no process has locked."""
    for folder in sorted(root.iterdir()):
        if folder == own_folder or not folder.is_dir() or folder.name.startswith(_UNFINISHED):
            continue
        try:
            lock_fd = os.open(folder / _LOCK, os.O_RDWR)
        except OSError:
            continue  # another process has just removed it
        try:
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock_fd)
            continue
        segments = deque(Segment.reopen(path) for path in sorted(folder.glob(f"*{_SUFFIX}")))
        log.info("adopted the spool of a dead process", extra={"folder": folder.name, "segments": len(segments)})
        yield Orphan(folder, lock_fd, segments)
