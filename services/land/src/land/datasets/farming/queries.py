"""Farmed parcels, by place."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, select

from land.datasets.farming.records import DeclaredField, FieldRecord
from land.store.boxes import Box
from land.store.prepared import IN_COMMUNES
from land.store.repository import Repository

FIELDS = Repository.placed(FieldRecord, "farmed_field", is_repaired=None)
_f = FIELDS.table.c
_IN_BOXES = FIELDS.in_boxes(
    select(_f.partition, _f.part, _f.crop_code, _f.crop_group, _f.geometry)
    .where(_f.partition.in_(IN_COMMUNES))
    .order_by(_f.id)
)


def fields_in_boxes(connection: Connection, boxes: Sequence[Box], communes: Sequence[str]) -> list[DeclaredField]:
    """The parcels of these communes whose bounding box intersects one of the boxes. A field on their border is
    repeated.
    """
    parameters = {"boxes": json.dumps(boxes), "communes": list(communes)}
    return list(map(DeclaredField._make, _IN_BOXES.rows(connection, parameters)))
