"""Regulated zones of risk prevention plans, by place."""

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import BigInteger, Column, Connection, Index, Text

from land.datasets.partitions import Partition
from land.datasets.planning.queries import row_keys
from land.datasets.risk_zones.records import RiskZoneRecord
from land.store.boxes import Box
from land.store.repository import BoxTree, Repository
from land.store.snapshot import Snapshot
from land.store.tables import table_of

risk_zone = table_of(
    RiskZoneRecord,
    "risk_zone",
    [],
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("partition", Text, nullable=False),
    Column("part", Text, nullable=False),
    Index("risk_zone_partition", "partition", "part"),
    regulation=Text(),
)
RISK_ZONES = Repository(risk_zone, RiskZoneRecord, ["partition", "part"], BoxTree("risk_zone_box", "id"))
_IN_BOXES = RISK_ZONES.in_boxes(RISK_ZONES.select().order_by(risk_zone.c.id))


def replace_risk_zones(
    connection: Connection, dataset: str, partition: Partition, records: Iterable[RiskZoneRecord]
) -> None:
    RISK_ZONES.replace(connection, dataset, partition, records, row_keys(risk_zone, partition))


def zones_in_boxes(snapshot: Snapshot, boxes: Sequence[Box]) -> list[RiskZoneRecord]:
    """The zones whose bounding box intersects one of these."""
    return RISK_ZONES.read(snapshot, _IN_BOXES, {"boxes": json.dumps(boxes)})
