"""Ways and water, by place."""

from land.datasets.ways.records import WayRecord
from land.store.boxes import of_boxes
from land.store.repository import Repository

WAYS = Repository.placed(WayRecord, "way")
ways_in_boxes = WAYS.reading(WAYS.in_boxes(WAYS.select().order_by(WAYS.table.c.id)), of_boxes)
"""The ways whose bounding box intersects one of these. Files of neighbouring communes repeat some."""
