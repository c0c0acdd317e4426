"""Drops what was fetched on demand and least recently used, past a bound on what is held."""

import logging
from collections.abc import Collection

from sqlalchemy import Engine

from land.store import fetches, loads
from land.store.writing import DROPPABLE, drop_unit
from servicekit.database import for_writing

log = logging.getLogger(__name__)

BATCH = 20


def evict(engine: Engine, bound_bytes: int, keep: Collection[str]) -> int:
    """Drops units until the records held are within the bound, each in a transaction of its own. Returns how many.

    Never what was imported by hand, nor the national lists, nor the units `keep`, for which room is being made. A plan
    of many communes goes when it is itself the least recently used, which it is not while one of them is.
    """
    count = 0
    while True:
        with engine.connect() as connection:
            excess = fetches.total_bytes(connection) - bound_bytes
            oldest = fetches.least_recently_used(connection, DROPPABLE, keep, BATCH)
        if excess <= 0 or not oldest:
            return count
        for each in oldest:
            if excess <= 0:
                break
            with for_writing(engine).begin() as connection:
                for part in loads.parts_of(connection, each.dataset, each.unit):
                    drop_unit(connection, each.dataset, each.unit, part)
                loads.drop(connection, each.dataset, each.unit)
                fetches.forget(connection, each.dataset, each.unit)
            excess -= each.size_bytes
            count += 1
            log.info("dropped the least recently used", extra={"dataset": each.dataset, "unit": each.unit})
