"""Buildings in the store: those of every source in one table, a source's unit at a time."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import shapely
from sqlalchemy import Connection, delete, select, text

from land.partitions import Partition
from land.records.buildings import BuildingRecord
from land.store import bulk
from land.store.boxes import Box, ids_in_tree, keys_in_table
from land.store.tables import building

MAX_ROWS = 20_000
"""Of one request: several times what a hundred built-up parcels have."""
_BOXES_AT_ONCE = 5_000
_DATASET_BITS, _PLACE_BITS = 3, 33
"""Of a key, below the unit's 26: up to 8 datasets, and 8 billion buildings of one unit."""

_ROWS = select(*(building.c[name] for name in BuildingRecord._fields)).order_by(building.c.key).limit(MAX_ROWS)
_IN_BOXES = {
    "sqlite": _ROWS.where(building.c.key.in_(text(ids_in_tree("building_box")))),
    "postgresql": _ROWS.where(building.c.key.in_(text(keys_in_table("building", "key")))),
}


_NUMBERS = {"cadastre-buildings": 0, "bdtopo": 1, "rnb": 2}


def to_key(unit_code: str, dataset: str, place: int) -> int:
    """The number of a building's row, below 2^63: its unit, its dataset, its place in that. SQLite's R*Tree knows rows
    by number; and so all rows of a unit lie together, and units of a département do.
    """
    return (((int(unit_code, 36) << _DATASET_BITS) | _NUMBERS[dataset]) << _PLACE_BITS) | place


def replace_buildings(connection: Connection, dataset: str, unit: Partition, records: Iterable[BuildingRecord]) -> None:
    """All buildings of one unit of one dataset, as `land.store.writing` says. In one pass and bounded memory."""
    first = to_key(unit.code, dataset, 0)
    here = building.c.key.between(first, first + (1 << _PLACE_BITS) - 1)
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:
        connection.exec_driver_sql(
            "DELETE FROM building_box WHERE id IN (SELECT key FROM building WHERE key BETWEEN ? AND ?)",
            (first, first + (1 << _PLACE_BITS) - 1),
        )
    connection.execute(delete(building).where(here))
    places = enumerate(records, start=first)
    if not is_sqlite:
        bulk.insert(connection, building, _rows(dataset, places))
        return
    while batch := list(islice(places, _BOXES_AT_ONCE)):
        bulk.insert(connection, building, _rows(dataset, batch))
        bounds = shapely.bounds(shapely.from_wkb([record.geometry for _, record in batch])).tolist()
        boxes = [
            (key, west, east, south, north) for (key, _), (west, south, east, north) in zip(batch, bounds, strict=True)
        ]
        connection.exec_driver_sql("INSERT INTO building_box VALUES (?, ?, ?, ?, ?)", boxes)


def _rows(dataset: str, records: Iterable[tuple[int, BuildingRecord]]) -> Iterator[tuple[Any, ...]]:
    for key, r in records:
        yield (key, r.unit_code, r.dataset, *r[2:])


def buildings_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[BuildingRecord]:
    """Buildings of every source whose bounding box meets one of these, each row once, MAX_ROWS at most."""
    statement = _IN_BOXES[connection.dialect.name]
    return [BuildingRecord._make(row) for row in connection.execute(statement, {"boxes": json.dumps(boxes)})]
