"""Ways and water, by place."""

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import BigInteger, Column, Connection, Index, Text

from land.datasets.partitions import Partition
from land.datasets.planning.queries import row_keys
from land.datasets.ways.records import WayRecord
from land.store.boxes import Box
from land.store.repository import BoxTree, Repository
from land.store.tables import table_of

way = table_of(
    WayRecord,
    "way",
    [],
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("partition", Text, nullable=False),
    Column("part", Text, nullable=False),
    Index("way_partition", "partition", "part"),
)
WAYS = Repository(way, WayRecord, ["partition", "part"], BoxTree("way_box", "id"))
_IN_BOXES = WAYS.in_boxes(WAYS.select().order_by(way.c.id))


def replace_ways(connection: Connection, dataset: str, partition: Partition, records: Iterable[WayRecord]) -> None:
    WAYS.replace(connection, dataset, partition, records, row_keys(way, partition))


def ways_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[WayRecord]:
    """The ways whose bounding box intersects one of these. Files of neighbouring communes repeat some."""
    return WAYS.read(connection, _IN_BOXES, {"boxes": json.dumps(boxes)})
