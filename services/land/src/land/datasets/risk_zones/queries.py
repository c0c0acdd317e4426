"""Regulated zones of risk prevention plans, by place."""

from sqlalchemy import Text

from land.datasets.risk_zones.records import RiskZoneRecord
from land.store.boxes import of_boxes
from land.store.repository import Repository

RISK_ZONES = Repository.placed(RiskZoneRecord, "risk_zone", regulation=Text())
zones_in_boxes = RISK_ZONES.reading(RISK_ZONES.in_boxes(RISK_ZONES.select().order_by(RISK_ZONES.table.c.id)), of_boxes)
"""The zones whose bounding box intersects one of these."""
