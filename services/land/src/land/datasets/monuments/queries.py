"""Protected historic monuments, by place."""

from land.datasets.monuments.records import MonumentRecord
from land.store.boxes import of_boxes
from land.store.repository import Repository

MONUMENTS = Repository.placed(MonumentRecord, "monument")
monuments_in_boxes = MONUMENTS.reading(
    MONUMENTS.in_boxes(MONUMENTS.select().order_by(MONUMENTS.table.c.reference)), of_boxes
)
