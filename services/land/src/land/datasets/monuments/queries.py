"""Protected historic monuments, by place."""

from land.datasets.monuments.records import MonumentRecord
from land.store.boxes import of_boxes
from land.store.repository import BoxTree, Repository
from land.store.tables import placed_table_of

monument = placed_table_of(MonumentRecord, "monument")
MONUMENTS = Repository(monument, MonumentRecord, ["partition", "part"], BoxTree("monument_box", "id"))
monuments_in_boxes = MONUMENTS.reading(MONUMENTS.in_boxes(MONUMENTS.select().order_by(monument.c.reference)), of_boxes)
