"""Regulated zones of risk prevention plans, by place."""

from sqlalchemy import Text

from land.datasets.risk_zones.records import RiskZoneRecord
from land.store.boxes import of_boxes
from land.store.repository import BoxTree, Repository
from land.store.tables import placed_table_of

risk_zone = placed_table_of(RiskZoneRecord, "risk_zone", regulation=Text())
RISK_ZONES = Repository(risk_zone, RiskZoneRecord, ["partition", "part"], BoxTree("risk_zone_box", "id"))
zones_in_boxes = RISK_ZONES.reading(RISK_ZONES.in_boxes(RISK_ZONES.select().order_by(risk_zone.c.id)), of_boxes)
"""The zones whose bounding box intersects one of these."""
