"""The outcomes of one process, on disk until keys has acknowledged them.

Each process has a folder and holds its lock. If a process dies, its lock is released, and another process adopts the
folder. The folder has two SQLite files. One takes outcomes, while a thread deletes the acknowledged ones of the other
and writes its WAL back: a WAL that is written all the time never ends, and the event loop must not wait for the disk.

Space for an outcome is allocated in the WAL before the work of a request begins. So with a full disk, new requests are
refused and no outcome of a finished request is lost. A completed write survives a crash of the process; after `sync`,
it also survives a power failure.
"""

import fcntl
import logging
import os
import re
import shutil
import sqlite3
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

log = logging.getLogger(__name__)

PAGE_BYTES = 1024
PAGE_PAYLOAD_BYTES = 960
"""A row of this size fits in one page."""
MAX_PAYLOAD_BYTES = 1920
"""A row of this size fits in two pages, and takes the space of two inserts: the last outcome of a file, which names all
its lines.
"""
EXTENT_BYTES = 256 * 1024
"""A WAL grows by this. An idle one keeps this, so that it can take outcomes if the disk is full."""
_FRAME_BYTES = PAGE_BYTES + 24
INSERT_BYTES = 5 * _FRAME_BYTES
"""The space of an insert in the WAL, at most, on average: a leaf, its parent, a page map, page 1, a share of splits."""
_RESERVE_BYTES = 64 * _FRAME_BYTES
"""The first inserts may split a page on each level of the tree."""
_LOCK = "lock"
_CREATE = f"""
PRAGMA page_size = {PAGE_BYTES};
PRAGMA auto_vacuum = FULL;
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS outcomes (id INTEGER PRIMARY KEY, payload BLOB NOT NULL);
"""


class SpoolFull(Exception):
    """There is no space for another outcome: the disk is full, or the process has reached its maximum."""


def _inserts(payload: bytes) -> int:
    """How many inserts of a page have the space of a payload."""
    return 1 if len(payload) <= PAGE_PAYLOAD_BYTES else 2


class SpoolFile:
    """One SQLite file of outcomes. While a thread cleans it, the event loop may only call `acknowledge`."""

    def __init__(self, path: Path) -> None:
        """Opens the file or creates it. Raises sqlite3.Error (another process has it, for example) or OSError."""
        with ExitStack() as stack:
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._database = stack.enter_context(closing(connection))
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")  # without shared memory, which also needs space
            self._database.execute("PRAGMA wal_autocheckpoint = 0")
            self._database.executescript(_CREATE)
            self._database.execute("PRAGMA synchronous = OFF")
            self._last_id, self.rows, self.waiting_bytes = self._database.execute(
                "SELECT coalesce(max(id), 0), count(*), coalesce(sum(length(payload)), 0) FROM outcomes"
            ).fetchone()
            self._wal_fd = os.open(f"{path}-wal", os.O_RDWR)
            stack.pop_all()
        self._read_id = 0
        self._acknowledged: set[int] = set()
        self.is_busy = False
        """A thread cleans the file or is about to."""
        self._used_bytes, self._wal_bytes, self._database_bytes = _RESERVE_BYTES, 0, 0
        self._is_dirty = False

    @property
    def size(self) -> int:
        """Bytes on the disk, as of the last allocation and cleaning."""
        return self._wal_bytes + self._database_bytes

    @property
    def needs_cleaning(self) -> bool:
        return bool(self._acknowledged) or self._used_bytes > _RESERVE_BYTES

    def allocate(self, outcomes: int, max_bytes: int) -> None:
        """Makes the WAL large enough for this number of outcomes. Raises SpoolFull."""
        missing = self._used_bytes + outcomes * INSERT_BYTES - self._wal_bytes
        if missing <= 0:
            return
        wal_bytes = self._wal_bytes - missing // -EXTENT_BYTES * EXTENT_BYTES
        if wal_bytes - self._wal_bytes > max_bytes:
            raise SpoolFull("the spool has its maximum size")
        try:
            os.posix_fallocate(self._wal_fd, 0, wal_bytes)
        except OSError as error:
            raise SpoolFull(error.strerror or "cannot allocate") from error
        self._wal_bytes = wal_bytes

    def insert(self, payload: bytes) -> None:
        """Raises sqlite3.Error; the file is then unchanged."""
        self._used_bytes += _inserts(payload) * INSERT_BYTES
        self._database.execute("INSERT INTO outcomes VALUES (?, ?)", (self._last_id + 1, payload))
        self._last_id += 1
        self.rows += 1
        self.waiting_bytes += len(payload)
        self._is_dirty = True

    def read_next(self, limit: int) -> dict[int, bytes]:
        """The oldest payloads that were not read yet, by id."""
        query = "SELECT id, payload FROM outcomes WHERE id > ? ORDER BY id LIMIT ?"
        payloads = dict(self._database.execute(query, (self._read_id, limit)).fetchall())
        self._read_id = max(payloads, default=self._read_id)
        return payloads

    def read(self, ids: Sequence[int]) -> dict[int, bytes]:
        """The payloads with these ids."""
        query = f"SELECT id, payload FROM outcomes WHERE id IN ({', '.join('?' * len(ids))})"  # noqa: S608 (no values)
        return dict(self._database.execute(query, ids).fetchall())

    def acknowledge(self, payloads: Mapping[int, bytes]) -> None:
        """Marks rows for `clean`. If the process dies before, they are sent again."""
        self._acknowledged.update(payloads)
        self.rows -= len(payloads)
        self.waiting_bytes -= sum(map(len, payloads.values()))

    def sync(self) -> None:
        """Blocks until the outcomes are on the disk. Raises OSError."""
        if self._is_dirty:
            self._is_dirty = False
            os.fdatasync(self._wal_fd)

    def clean(self) -> None:
        """Deletes the acknowledged rows and begins the WAL again. Blocks. Raises sqlite3.Error, for another attempt.

        Each step is on the disk before the next one, so a power failure may interrupt it anywhere.
        """
        self._used_bytes += self._wal_bytes + 1  # until this succeeds
        try:
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._delete_acknowledged()
            self._database.execute("PRAGMA wal_checkpoint(RESTART)")
            if self._wal_bytes > EXTENT_BYTES:
                self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._wal_bytes = 0
            self._database.execute("PRAGMA user_version = 1")  # syncs the header of the new WAL
            (pages,) = self._database.execute("PRAGMA page_count").fetchone()
            self._used_bytes, self._database_bytes = _RESERVE_BYTES, pages * PAGE_BYTES
        finally:
            self._database.execute("PRAGMA synchronous = OFF")
            self.is_busy = False

    def close(self) -> None:
        """Deletes the acknowledged rows and syncs the others. Blocks. Raises sqlite3.Error or OSError."""
        with closing(self._database):
            self._database.execute("PRAGMA synchronous = NORMAL")
            os.fdatasync(self._wal_fd)
            os.close(self._wal_fd)
            with suppress(sqlite3.Error):  # the disk is full; keys counts an outcome once, however often it is sent
                self._delete_acknowledged()

    def _delete_acknowledged(self) -> None:
        ids = tuple(self._acknowledged)
        if not self.rows:
            self._database.execute("DELETE FROM outcomes")  # needs next to no space
        else:
            self._database.execute("BEGIN")
            try:
                self._database.executemany("DELETE FROM outcomes WHERE id = ?", zip(ids, strict=True))
                self._database.execute("COMMIT")
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
        self._acknowledged.difference_update(ids)


class SpoolFolder:
    """The folder of one process, locked by this one."""

    def __init__(self, folder: Path, lock_fd: int) -> None:
        """Raises sqlite3.Error or OSError."""
        self.folder = folder
        self.is_settled = False
        """If true, `close` removes the folder. Otherwise another process may adopt it."""
        with ExitStack() as stack:
            stack.callback(os.close, lock_fd)
            stack.callback(self._remove_if_settled)
            self.files = [stack.enter_context(closing(SpoolFile(path))) for path in sorted(folder.glob("*.sqlite"))]
            self._opened = stack.pop_all()

    @property
    def rows(self) -> int:
        """Outcomes that are not acknowledged."""
        return sum(file.rows for file in self.files)

    def close(self) -> None:
        """Blocks. Raises sqlite3.Error or OSError."""
        self._opened.close()

    def _remove_if_settled(self) -> None:
        """The WALs go after their files and the lock last, so that another process can continue after a crash."""
        if self.is_settled:
            with suppress(OSError):
                for path in sorted(self.folder.iterdir()):
                    path.unlink()
                self.folder.rmdir()


class Spool(SpoolFolder):
    """The folder of this process. Only `sync` and `close` are for other threads."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        """Creates a new folder under root. Raises OSError or sqlite3.Error."""
        name = uuid.uuid4().hex
        unfinished = root / f".new-{name}"  # no process adopts this name; the lock comes before the final name
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, unfinished, ignore_errors=True)  # many restarts may find a full disk
            unfinished.mkdir(mode=0o700, parents=True)
            lock_fd = lock(unfinished / _LOCK)
            stack.callback(os.close, lock_fd)
            for file in ("a.sqlite", "b.sqlite"):
                SpoolFile(unfinished / file).close()
            folder = unfinished.rename(root / name)
            stack.pop_all()
        super().__init__(folder, lock_fd)
        self._current, self._spare = self.files
        self.max_bytes = max_bytes
        self._held = 0

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return self._current.size + self._spare.size

    def hold(self) -> None:
        """Allocates space for one outcome that fits in a page. Raises SpoolFull."""
        self._allocate(1)
        self._held += 1

    def release(self) -> None:
        self._held -= 1

    def append(self, payload: bytes) -> None:
        """Writes a payload into held space. Raises OSError, and SpoolFull if it needs more than a page and there is no
        space for it. The held space is released in any case.
        """
        self._held -= 1
        if not 0 < len(payload) <= MAX_PAYLOAD_BYTES:
            raise ValueError(f"a payload of {len(payload)} bytes")
        if (inserts := _inserts(payload)) > 1:
            self._allocate(inserts)
        try:
            self._current.insert(payload)
        except sqlite3.Error as error:
            raise OSError(f"the spool: {error}") from error

    def _allocate(self, inserts: int) -> None:
        left_bytes = self.max_bytes - self.size
        if left_bytes < 0:
            raise SpoolFull("the spool has its maximum size")
        self._current.allocate(self._held + inserts, left_bytes)

    def sync(self) -> None:
        """Blocks until all outcomes are on the disk. Raises OSError."""
        for file in self.files:
            file.sync()

    def next_to_clean(self) -> SpoolFile | None:
        """A file for `SpoolFile.clean`, which takes no outcomes until that succeeds; None if no file needs it.

        Raises SpoolFull if the disk is.
        """
        if not self._spare.needs_cleaning and self._current.needs_cleaning:
            self._spare.allocate(self._held, sys.maxsize)
            self._current, self._spare = self._spare, self._current
        if self._spare.is_busy or not self._spare.needs_cleaning:
            return None
        self._spare.is_busy = True
        return self._spare


def orphans(root: Path, own_folder: Path) -> Iterator[SpoolFolder]:
    """Adopts, one by one, the folders under root that no process has locked."""
    for folder in sorted(root.iterdir()):
        if folder == own_folder or not re.fullmatch("[0-9a-f]{32}", folder.name):
            continue
        try:
            lock_fd = lock(folder / _LOCK)
        except OSError:
            continue  # its process runs, or another one has just adopted or removed it
        try:
            yield SpoolFolder(folder, lock_fd)
        except (sqlite3.Error, OSError):
            log.exception("the spool of a dead process cannot be read", extra={"folder": folder.name})


def lock(path: Path) -> int:
    """The descriptor of a lock that ends with the process. Raises OSError if another process has it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise
    return fd
