"""Drops what was fetched on demand and least recently used, where the store occupies more than its bound."""

import logging
from collections.abc import Collection

from sqlalchemy import Engine

from land.partitions import Partition
from land.registry import COMMUNE_LISTS, DATASETS
from land.store import fetches, loads, size
from servicekit.database import for_writing

log = logging.getLogger(__name__)

BATCH = 20
_EVICTABLE = DATASETS.keys() - set(COMMUNE_LISTS)


def evict(engine: Engine, bound_bytes: int, keep: Collection[str]) -> int:
    """Drops units until the store is within the bound, each in a transaction of its own. Returns how many.

    Never what was imported by hand, nor the national lists, nor the units `keep`, for which room is being made. A plan
    of many communes goes when it is itself the least recently used, which it is not while one of them is.
    """
    count = 0
    with engine.connect() as connection:
        journal_bytes = size.journal_bytes(connection)  # dropping makes it longer: counted as it was before
    while True:
        with engine.connect() as connection:
            is_over = size.occupied_bytes(connection) + journal_bytes > bound_bytes
            oldest = fetches.least_recently_used(connection, _EVICTABLE, keep, BATCH) if is_over else []
        if not oldest:
            return count
        for each in oldest:
            with for_writing(engine).begin() as connection:
                for part in loads.parts_of(connection, each.dataset, each.partition):
                    DATASETS[each.dataset].replace(connection, Partition(each.partition, part), [])
                loads.drop(connection, each.dataset, each.partition)
                fetches.forget(connection, each.dataset, each.partition)
                is_over = size.occupied_bytes(connection) + journal_bytes > bound_bytes
            count += 1
            log.info("dropped the least recently used", extra={"dataset": each.dataset, "unit": each.partition})
            if not is_over:
                return count
