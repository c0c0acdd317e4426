"""Regulated zones of risk prevention plans, by place."""

import json
from collections.abc import Sequence

from sqlalchemy import Text

from land.datasets.risk_zones.records import RiskZoneRecord
from land.store.boxes import Box
from land.store.repository import BoxTree, Repository
from land.store.snapshot import Snapshot
from land.store.tables import placed_table_of

risk_zone = placed_table_of(RiskZoneRecord, "risk_zone", regulation=Text())
RISK_ZONES = Repository(risk_zone, RiskZoneRecord, ["partition", "part"], BoxTree("risk_zone_box", "id"))
_IN_BOXES = RISK_ZONES.in_boxes(RISK_ZONES.select().order_by(risk_zone.c.id))


def zones_in_boxes(snapshot: Snapshot, boxes: Sequence[Box]) -> list[RiskZoneRecord]:
    """The zones whose bounding box intersects one of these."""
    return RISK_ZONES.read(snapshot, _IN_BOXES, {"boxes": json.dumps(boxes)})
