"""The disk space that a load needs, checked before it is taken: a full disk stops more than the load."""

import shutil
from collections.abc import Collection
from pathlib import Path

from sqlalchemy import Engine

from land.errors import DiskSpaceLow
from land.store import size

GROWTH = 20
"""Bytes of disk for one byte of a file, at most: a gzipped file unpacks to about six times its size, into a spool, and
the store with its indexes and its journal takes about twice that.
"""


class DiskSpace:
    """What is free where land itself writes: its data folder and, with SQLite, the folder of the store. The disk of a
    PostgreSQL server cannot be seen from here.
    """

    def __init__(self, folders: Collection[Path], kept_free_bytes: int) -> None:
        self._folders = folders
        self._kept_free_bytes = kept_free_bytes

    def require(self, done_bytes: int = 0, total_bytes: int | None = None) -> None:
        """Raises DiskSpaceLow where a file of so many bytes, of which some are on the disk, leaves too little free."""
        needed = GROWTH * (done_bytes if total_bytes is None else total_bytes) - done_bytes
        for folder in self._folders:
            free = shutil.disk_usage(folder).free
            if free - needed < self._kept_free_bytes:
                raise DiskSpaceLow(
                    f"{folder}: {free} bytes are free, the load needs {needed}, and {self._kept_free_bytes} stay free"
                )


def folders_of(engine: Engine, data_folder: Path) -> set[Path]:
    """The folders in which loads take disk space."""
    return {data_folder, size.folder(engine) or data_folder}
