"""Planning documents."""

from sqlalchemy import BigInteger, Column, Index, Table, Text

from land.datasets.planning.records import (
    DocumentRecord,
    InForceRecord,
    PlanFeatureRecord,
    PlanningCommuneRecord,
    ZoneRecord,
)
from land.store.tables import table_of


def _drawn_in_a_document(row: type[ZoneRecord] | type[PlanFeatureRecord], name: str) -> Table:
    return table_of(
        row,
        name,
        [],
        Column("id", BigInteger, primary_key=True, autoincrement=False),
        Column("part", Text, nullable=False),
        Index(f"{name}_document", "partition", "part"),
        geometry_kind=None,
    )


planning_zone = _drawn_in_a_document(ZoneRecord, "planning_zone")
planning_prescription = _drawn_in_a_document(PlanFeatureRecord, "planning_prescription")
planning_information = _drawn_in_a_document(PlanFeatureRecord, "planning_information")
planning_document = table_of(DocumentRecord, "planning_document", ["partition", "document_id"])
planning_in_force = table_of(InForceRecord, "planning_in_force", ["commune_code", "partition"])
planning_commune = table_of(PlanningCommuneRecord, "planning_commune", ["commune_code"])
