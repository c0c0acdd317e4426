"""Permits, the parcels that they refer to, and how many of these references are placed."""

from sqlalchemy import Column, Index, SmallInteger, Text

from land.datasets.permits.records import PermitRecord, PermitReferenceRow, Placement
from land.store.tables import table_of

permit = table_of(
    PermitRecord,
    "permit",
    ["filing_commune", "dataset", "number"],
    references=None,
    unreadable_references=SmallInteger,
)
permit_reference = table_of(
    PermitReferenceRow,
    "permit_reference",
    ["commune_code", "section", "number", "dataset", "permit_number", "prefix"],
    Column("filing_commune", Text, nullable=False),
    Column("placement", Text, nullable=False, server_default="unchecked"),
    Column("parcel_id", Text),
    Index("permit_reference_parcel", "commune_code", "parcel_id"),
    Index("permit_reference_filing", "filing_commune", "dataset"),
)
"""`parcel_id` is the one parcel that a placed reference names."""
placement = table_of(Placement, "placement", ["commune_code"])
