"""Protected historic monuments, by place."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection

from land.datasets.monuments.records import MonumentRecord
from land.store.boxes import Box
from land.store.repository import BoxTree, Repository
from land.store.tables import placed_table_of

monument = placed_table_of(MonumentRecord, "monument")
MONUMENTS = Repository(monument, MonumentRecord, ["partition", "part"], BoxTree("monument_box", "id"))
_IN_BOXES = MONUMENTS.in_boxes(MONUMENTS.select().order_by(monument.c.reference))


def monuments_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[MonumentRecord]:
    return MONUMENTS.read(connection, _IN_BOXES, {"boxes": json.dumps(boxes)})
