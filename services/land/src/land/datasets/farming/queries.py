"""Farmed parcels, by place."""

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import BigInteger, Column, Connection, Index, Text, select

from land.datasets.farming.records import DeclaredField, FieldRecord
from land.datasets.partitions import Partition
from land.datasets.planning.queries import row_keys
from land.store.boxes import Box
from land.store.prepared import IN_COMMUNES
from land.store.repository import BoxTree, Repository
from land.store.tables import table_of

field = table_of(
    FieldRecord,
    "farmed_field",
    [],
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("partition", Text, nullable=False),
    Column("part", Text, nullable=False),
    Index("farmed_field_partition", "partition", "part"),
    is_repaired=None,
)
FIELDS = Repository(field, FieldRecord, ["partition", "part"], BoxTree("farmed_field_box", "id"))
_f = field.c
_IN_BOXES = FIELDS.in_boxes(
    select(_f.partition, _f.part, _f.crop_code, _f.crop_group, _f.geometry)
    .where(_f.partition.in_(IN_COMMUNES))
    .order_by(_f.id)
)


def replace_fields(connection: Connection, dataset: str, partition: Partition, records: Iterable[FieldRecord]) -> None:
    FIELDS.replace(connection, dataset, partition, records, row_keys(field, partition))


def fields_in_boxes(connection: Connection, boxes: Sequence[Box], communes: Sequence[str]) -> list[DeclaredField]:
    """The parcels of these communes whose bounding box intersects one of the boxes. A field on their border is
    repeated.
    """
    parameters = {"boxes": json.dumps(boxes), "communes": list(communes)}
    return list(map(DeclaredField._make, _IN_BOXES.rows(connection, parameters)))
