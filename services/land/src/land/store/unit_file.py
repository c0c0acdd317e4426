"""A SQLite file with finished parts of land units: a cache, which is deleted and begun anew if it is damaged.

It is no part of the store, and of no backup. Replicas with one data folder share it.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from typing import NamedTuple

log = logging.getLogger(__name__)

MAX_QUEUED = 200
"""Writes that wait. Further ones are dropped: a later request computes these parts again."""
MAX_BATCH = 50
"""Writes in one transaction."""
USE_INTERVAL_S = 3600
"""The use of a unit is recorded at most this often. Eviction needs no finer order."""
RETRY_S = 60.0
"""The pause after the file could not be written."""
EVICTED_SHARE = 20
"""One in so many parts is evicted at a time."""
_SCHEMA = """
PRAGMA journal_mode = wal;
PRAGMA synchronous = off;
CREATE TABLE IF NOT EXISTS part (
    unit BLOB, name TEXT, commune TEXT, place TEXT, stamp BLOB, body BLOB, used_at INTEGER, PRIMARY KEY (unit, name)
);
CREATE INDEX IF NOT EXISTS part_used ON part (used_at);
CREATE INDEX IF NOT EXISTS part_commune ON part (commune);
"""
_PARTS = "SELECT name, commune, place, stamp, body, used_at FROM part WHERE unit = ?"
_PUT = "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?)"
_USE = "UPDATE part SET used_at = ? WHERE unit = ?"
_FORGET = "DELETE FROM part WHERE commune = ?"
_EVICT = "DELETE FROM part WHERE rowid IN (SELECT rowid FROM part ORDER BY used_at LIMIT ?)"
_USED_BYTES = """
SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()
"""


class StoredPart(NamedTuple):
    name: str
    commune: str
    """The commune of the first parcel of the unit."""
    place: str
    stamp: bytes
    body: bytes


class UnitFile:
    """Safe for threads. Calls read in their own thread; one background task writes."""

    def __init__(self, folder: Path, version: str, max_bytes: int) -> None:
        """`version` names the code that makes the parts: the files of other versions are deleted."""
        self._path = folder / f"units-{version}.sqlite"
        self.max_bytes = max_bytes
        self._lock = Lock()
        self._reader: sqlite3.Connection | None = None
        self._failure: sqlite3.DatabaseError | None = None
        self._queue: Queue[tuple[str, Sequence[tuple[object, ...]]]] = Queue(MAX_QUEUED)
        self._ending = Event()
        self._thread = Thread(target=self._run, name="stored-units", daemon=True)
        self.size_bytes = 0
        """The pages in use, as of the last write."""

    def start(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._delete(lambda name: not name.startswith(self._path.name))
        self._thread.start()

    def end(self) -> None:
        self._ending.set()
        self._write(_FORGET, [])  # wakes the thread

    def join(self) -> None:
        """Waits for the end."""
        self._thread.join()

    def flush(self) -> None:
        """Waits until everything is written."""
        self._queue.join()

    def parts(self, unit: bytes) -> list[StoredPart]:
        """The stored parts of a unit, in no order."""
        try:
            with self._lock:
                rows = self._reader.execute(_PARTS, (unit,)).fetchall() if self._reader is not None else []
        except sqlite3.DatabaseError as error:
            self._close_reader()
            self._failure = error
            self._write(_FORGET, [])  # wakes the thread
            return []
        now = int(time.time())
        if rows and rows[0][-1] < now - USE_INTERVAL_S:
            self._write(_USE, [(now, unit)])
        return [StoredPart(*row[:-1]) for row in rows]

    def put(self, unit: bytes, parts: Iterable[StoredPart]) -> None:
        """Stores parts of a unit soon, in place of those with the same names."""
        now = int(time.time())
        self._write(_PUT, [(unit, *part, now) for part in parts])

    def forget_commune(self, commune_code: str) -> None:
        """Deletes the units of a commune soon."""
        self._write(_FORGET, [(commune_code,)])

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            self._queue.put_nowait((statement, rows))
        except Full:
            log.debug("a write of stored units was dropped")

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                with closing(sqlite3.connect(self._path)) as connection:
                    connection.executescript(_SCHEMA)
                    self._reader = sqlite3.connect(self._path, check_same_thread=False)
                    while not self._ending.is_set():
                        self._write_batch(connection)
            except (sqlite3.DatabaseError, OSError) as error:
                log.warning("the file of stored units cannot be used", exc_info=True)
                self._close_reader()
                if not isinstance(error, sqlite3.OperationalError):  # such as a lock of another replica, or a full disk
                    self._delete(lambda name: name.startswith(self._path.name))
                self._ending.wait(RETRY_S)
        self._close_reader()

    def _write_batch(self, connection: sqlite3.Connection) -> None:
        batch = [self._queue.get()]
        with suppress(Empty):
            while len(batch) < MAX_BATCH:
                batch.append(self._queue.get_nowait())
        try:
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure
            with connection:
                for statement, rows in batch:
                    connection.executemany(statement, rows)
            [(self.size_bytes,)] = connection.execute(_USED_BYTES)
            while self.size_bytes > self.max_bytes:
                [(count,)] = connection.execute("SELECT count(*) FROM part")
                with connection:
                    connection.execute(_EVICT, (count // EVICTED_SHARE + 1,))
                [(self.size_bytes,)] = connection.execute(_USED_BYTES)
        finally:
            for _ in batch:
                self._queue.task_done()

    def _close_reader(self) -> None:
        with self._lock:
            reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def _delete(self, is_deleted: Callable[[str], bool]) -> None:
        for path in self._path.parent.glob("units-*"):
            if is_deleted(path.name):
                path.unlink(missing_ok=True)
