"""Buildings of every source, in one table."""

import re
from collections.abc import Iterable, Sequence
from itertools import count

from sqlalchemy import BigInteger, Column, Connection, Index, Integer, bindparam, false, or_, text

from land.datasets.buildings.records import BuildingRecord
from land.datasets.partitions import Partition
from land.store.boxes import of_boxes
from land.store.feature_rows import FeatureRows, Where, in_tree
from land.store.prepared import Prepared
from land.store.repository import BoxTree, Repository
from land.store.tables import table_of

IS_RNB = text("dataset = 'rnb'")
building = table_of(
    BuildingRecord,
    "building",
    [],
    Column("key", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Index("building_rnb", "building_id", sqlite_where=IS_RNB, postgresql_where=IS_RNB),
)
"""The key is partition, dataset and place as one number, so that the rows of a partition are adjacent."""
BUILDINGS = Repository(
    building,
    BuildingRecord,
    tree=BoxTree("building_box", "key"),
    within=building.c.key.between(bindparam("first"), bindparam("last")),
)
MAX_ROWS = 20_000
"""Rows that one request reads: several times those of a hundred built-up parcels."""
_SOURCE_BITS, _PLACE_BITS = 3, 33
"""Bits of a key below the 26 of the partition's code: 8 sources, and 8 billion buildings of one partition."""

_REGISTERED = Prepared(BUILDINGS.select().where(IS_RNB, building.c.building_id == bindparam("rnb_id")))
buildings_in_boxes = BUILDINGS.reading(
    BUILDINGS.in_boxes(BUILDINGS.select().order_by(building.c.key).limit(MAX_ROWS)), of_boxes
)
"""Buildings of every source whose bounding box intersects one of these, each row once, at most MAX_ROWS."""


def first_key(partition_code: str, source: int) -> int:
    """The key of the first building of a partition of a source, below 2^63; the following buildings count up from it.

    SQLite's R*Tree requires numbers as keys. Rows of a partition are adjacent, and so are partitions of a département.
    """
    return ((int(partition_code, 36) << _SOURCE_BITS) | source) << _PLACE_BITS


def _of_partitions(codes: Sequence[str]) -> Where:
    """The ranges of keys of these partitions. Some codes of départements and communes have the same range."""
    ranges = (first_key(code, 0) for code in codes if re.fullmatch("[0-9A-Z]{1,5}", code))
    last = (1 << (_SOURCE_BITS + _PLACE_BITS)) - 1
    return or_(false(), *(building.c.key.between(first, first + last) for first in ranges)) & building.c.partition.in_(
        codes
    )


FEATURES = FeatureRows(
    BUILDINGS.select(), (building.c.key,), "partition", in_tree(BUILDINGS), {"partition": _of_partitions}
)


def replace_buildings(
    connection: Connection, _: str, partition: Partition, records: Iterable[BuildingRecord], *, source: int
) -> None:
    """Replaces the buildings of a partition of one source, in one pass over the records. `source` is the number of the
    dataset in the keys.
    """
    first = first_key(partition.code, source)
    bounds = {"first": first, "last": first + (1 << _PLACE_BITS) - 1}
    BUILDINGS.replace(connection, "", partition, records, count(first), bounds)


def registered_building(connection: Connection, rnb_id: str) -> BuildingRecord | None:
    """The building with an id of the national register; None if no loaded file of the register has it."""
    return next(iter(BUILDINGS.read(connection, _REGISTERED, {"rnb_id": rnb_id})), None)
