"""The outcomes that keys refuses: one file for all edges that share a spool, until `edge replay-refused` sends them.

Each access holds a lock. A removal replaces the file atomically, so that a crash leaves the file valid.
"""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from edge.metering import frames

BATCH = 500
"""Outcomes that are sent together."""
MAX_BYTES = 64 * 1024 * 1024

Send = Callable[[Sequence[bytes]], Awaitable[Sequence[bytes]]]
"""Sends payloads and returns those that were not acknowledged. Raises if keys is not available."""


class RefusedFull(Exception):
    """The file has reached its maximum size. The outcomes stay in the spool."""


class RefusedOutcomes:
    """The file in a spool's folder. Each call blocks while another process holds the lock. Raises OSError."""

    def __init__(self, root: Path, max_bytes: int = MAX_BYTES) -> None:
        self.path = root / "refused.frames"
        self._lock_path = root / "refused.lock"
        self._max_bytes = max_bytes

    def add(self, payloads: Sequence[bytes]) -> None:
        """Writes and syncs the payloads. Raises RefusedFull and then keeps none of them."""
        data = b"".join(frames.encode(payload) for payload in payloads)
        with self._locked():
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(fd, "ab", buffering=0) as file:
                size = os.fstat(fd).st_size
                if size + len(data) > self._max_bytes:
                    raise RefusedFull(f"{self.path.name} has {size} bytes")
                if file.write(data) != len(data):
                    raise OSError(f"{self.path.name}: short write")
                os.fsync(fd)

    def size(self) -> int:
        """Bytes of the file. Takes no lock."""
        return self.path.stat().st_size if self.path.exists() else 0

    def read(self) -> list[bytes]:
        """The distinct payloads, in the order of their arrival."""
        with self._locked():
            return self._read()

    def remove(self, payloads: Collection[bytes]) -> None:
        """Removes these payloads and keeps all others."""
        removed = frozenset(payloads)
        with self._locked():
            remaining = [payload for payload in self._read() if payload not in removed]
            if not remaining:
                self.path.unlink(missing_ok=True)
                return
            unfinished = self.path.with_suffix(".new")
            with unfinished.open("wb") as file:
                file.write(b"".join(frames.encode(payload) for payload in remaining))
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self.path)

    def _read(self) -> list[bytes]:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        return list(dict.fromkeys(frame.payload for frame in frames.decode(data)))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fd = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


class Replayed(NamedTuple):
    counted: int
    """Outcomes that keys has counted, now or earlier."""
    still_refused: int
    """Outcomes that keys still refuses. They stay in the file."""


async def replay(refused: RefusedOutcomes, send: Send) -> Replayed:
    """Sends every outcome and removes the acknowledged ones from the file. Raises the errors of `send`."""
    payloads = await asyncio.to_thread(refused.read)
    acknowledged: set[bytes] = set()
    try:
        for start in range(0, len(payloads), BATCH):
            batch = payloads[start : start + BATCH]
            refused_again = await send(batch)
            acknowledged.update(set(batch).difference(refused_again))
            if len(refused_again) == len(batch) > 1:  # keys may have refused the batch as a whole
                for payload in batch:
                    if not await send([payload]):
                        acknowledged.add(payload)
    finally:
        await asyncio.to_thread(refused.remove, acknowledged)
    return Replayed(len(acknowledged), len(payloads) - len(acknowledged))
