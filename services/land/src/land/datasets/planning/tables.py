"""Planning documents."""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, String, Table, Text

from land.store.tables import GEOMETRY, metadata


def _drawn_in_a_document(part_comment: str, *own_columns: Column[Any]) -> list[Column[Any]]:
    """The columns of what planning documents draw, among them those of one kind alone."""
    return [
        Column("id", BigInteger, primary_key=True, autoincrement=False, comment="made of partition, part and place"),
        Column("partition", String(40), nullable=False),
        Column("part", String(10), nullable=False, comment=part_comment),
        Column("document_id", Text, nullable=False),
        Column("document_type", String(4)),
        Column("approved_on", String(10)),
        Column("label", Text, nullable=False),
        *own_columns,
        Column("regulation_url", Text),
        Column("is_repaired", Boolean, nullable=False),
        Column("geometry", GEOMETRY, nullable=False),
    ]


planning_zone = Table(
    "planning_zone",
    metadata,
    *_drawn_in_a_document(
        "cc for a carte communale",
        Column("long_label", Text),
        Column("zone_type", String(3)),
        Column("sector_type", String(2), comment="of a carte communale"),
    ),
    Index("planning_zone_document", "partition", "part"),
    comment="Zones of planning documents. On SQLite the virtual table planning_box (R*Tree) holds the bounding boxes.",
)


def _plan_features(name: str) -> Table:
    return Table(
        name,
        metadata,
        *_drawn_in_a_document(
            "surface, line or point", Column("type_code", String(2)), Column("subtype_code", String(2))
        ),
        Index(f"{name}_document", "partition", "part"),
    )


planning_prescription = _plan_features("planning_prescription")
planning_information = _plan_features("planning_information")

planning_document = Table(
    "planning_document",
    metadata,
    Column("partition", String(40), primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("document_type", String(4)),
    Column("approved_on", String(10)),
    Column("url", Text),
    sqlite_with_rowid=False,
)

planning_in_force = Table(
    "planning_in_force",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("partition", String(40), primary_key=True),
    sqlite_with_rowid=False,
    comment="The planning documents in force in the middle of a commune.",
)

planning_commune = Table(
    "planning_commune",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("is_rnu", Boolean),
)
