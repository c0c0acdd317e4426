"""Limits the disk space that loads take: checks the free space before a load, and evicts partitions after it."""

import logging
import shutil
from collections.abc import Collection
from pathlib import Path

from sqlalchemy import Engine

from land.datasets.partitions import Partition
from land.errors import DiskSpaceLow
from land.events.recording import keep_evicted_facts
from land.registry import DATASETS, replace_rows
from land.store import fetches, loads, size
from servicekit.database import for_writing

log = logging.getLogger(__name__)

DISK_BYTES_PER_FILE_BYTE = 20
"""The most that a load takes. A gzipped file unpacks into a spool of about six times its size. Its rows, indexes and
journal in the store take about twice the spool.
"""
EVICTION_BATCH = 20
_EVICTABLE = {dataset.id for dataset in DATASETS.values() if dataset.kind != "country"}


class DiskSpace:
    """The free space on the disks that land writes to: its data folder and, with SQLite, the folder of the store. Land
    cannot see the disk of a PostgreSQL server.
    """

    def __init__(self, engine: Engine, data_folder: Path, min_free_bytes: int) -> None:
        self._folders = {data_folder, size.folder(engine) or data_folder}
        self._min_free_bytes = min_free_bytes

    def require(self, done_bytes: int = 0, total_bytes: int | None = None) -> None:
        """Checks that a file can be loaded. Raises DiskSpaceLow if the load would leave too little space free.

        `done_bytes` of the file are already on the disk; `total_bytes` is None if the publisher does not state it.
        """
        needed = DISK_BYTES_PER_FILE_BYTE * (done_bytes if total_bytes is None else total_bytes) - done_bytes
        for folder in self._folders:
            free = shutil.disk_usage(folder).free
            if free - needed < self._min_free_bytes:
                raise DiskSpaceLow(
                    f"{folder}: {free} bytes are free, the load needs {needed}, and {self._min_free_bytes} stay free"
                )


def evict(engine: Engine, max_bytes: int, in_use: Collection[str]) -> list[str]:
    """Deletes the least recently used partitions until the store is within `max_bytes`. Returns their codes.

    Imported partitions, national lists and the partitions `in_use` stay. Each partition is deleted in one transaction.
    """
    evicted: list[str] = []
    with engine.connect() as connection:
        journal_bytes = size.journal_bytes(connection)  # evictions make the journal longer: measured before them
    while True:
        with engine.connect() as connection:
            is_over = size.occupied_bytes(connection) + journal_bytes > max_bytes
            oldest = fetches.least_recently_used(connection, _EVICTABLE, in_use, EVICTION_BATCH) if is_over else []
        if not oldest:
            return evicted
        for fetch in oldest:
            with for_writing(engine).begin() as connection:
                for part in loads.parts_of(connection, fetch.dataset, fetch.partition):
                    partition = Partition(fetch.partition, part)
                    keep_evicted_facts(connection, DATASETS[fetch.dataset], partition)
                    replace_rows(connection, fetch.dataset, partition, [])
                loads.drop(connection, fetch.dataset, fetch.partition)
                fetches.forget(connection, fetch.dataset, fetch.partition)
                is_over = size.occupied_bytes(connection) + journal_bytes > max_bytes
            evicted.append(fetch.partition)
            log.info("partition evicted", extra={"dataset": fetch.dataset, "partition": fetch.partition})
            if not is_over:
                return evicted
