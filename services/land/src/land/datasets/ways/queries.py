"""Ways and water, by place."""

from land.datasets.ways.records import WayRecord
from land.store.boxes import of_boxes
from land.store.repository import BoxTree, Repository
from land.store.tables import placed_table_of

way = placed_table_of(WayRecord, "way")
WAYS = Repository(way, WayRecord, ["partition", "part"], BoxTree("way_box", "id"))
ways_in_boxes = WAYS.reading(WAYS.in_boxes(WAYS.select().order_by(way.c.id)), of_boxes)
"""The ways whose bounding box intersects one of these. Files of neighbouring communes repeat some."""
