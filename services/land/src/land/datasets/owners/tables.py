"""Rights of legal persons."""

from sqlalchemy import Column, Index, String, Table, Text

from land.store.tables import metadata

owner = Table(
    "owner",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("parcel_id", String(14), primary_key=True),
    Column("right_code", String(1), primary_key=True),
    Column("holder", String(20), primary_key=True, comment="SIREN, or the provisional number of the DGFiP"),
    Column("department", String(3), nullable=False),
    Column("name", Text, comment="null if it may be the name of an individual"),
    Column("siren", String(9)),
    Column("legal_form_code", String(4)),
    Column("legal_form", Text),
    Column("group_code", String(1)),
    Index("owner_department", "department"),
    sqlite_with_rowid=False,
    comment="Rights of legal persons on parcels.",
)
