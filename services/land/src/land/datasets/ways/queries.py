"""Ways and water, by place."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection

from land.datasets.ways.records import WayRecord
from land.store.boxes import Box
from land.store.repository import BoxTree, Repository
from land.store.tables import placed_table_of

way = placed_table_of(WayRecord, "way")
WAYS = Repository(way, WayRecord, ["partition", "part"], BoxTree("way_box", "id"))
_IN_BOXES = WAYS.in_boxes(WAYS.select().order_by(way.c.id))


def ways_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[WayRecord]:
    """The ways whose bounding box intersects one of these. Files of neighbouring communes repeat some."""
    return WAYS.read(connection, _IN_BOXES, {"boxes": json.dumps(boxes)})
