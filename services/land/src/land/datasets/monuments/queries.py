"""Protected historic monuments, by place."""

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import BigInteger, Column, Connection, Index, Text

from land.datasets.monuments.records import MonumentRecord
from land.datasets.partitions import Partition
from land.datasets.planning.queries import row_keys
from land.store.boxes import Box
from land.store.repository import BoxTree, Repository
from land.store.tables import table_of

monument = table_of(
    MonumentRecord,
    "monument",
    [],
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("department", Text, nullable=False),
    Index("monument_department", "department"),
)
MONUMENTS = Repository(monument, MonumentRecord, ["department"], BoxTree("monument_box", "id"))
_IN_BOXES = MONUMENTS.in_boxes(MONUMENTS.select().order_by(monument.c.reference))


def replace_monuments(
    connection: Connection, dataset: str, partition: Partition, records: Iterable[MonumentRecord]
) -> None:
    MONUMENTS.replace(connection, dataset, partition, records, row_keys(monument, partition))


def monuments_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[MonumentRecord]:
    return MONUMENTS.read(connection, _IN_BOXES, {"boxes": json.dumps(boxes)})
