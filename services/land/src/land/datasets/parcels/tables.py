"""The cadastral plan."""

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table

from land.store.tables import GEOMETRY, columns, metadata

parcel = Table(
    "parcel",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("parcel_id", String(14), primary_key=True),
    Column("prefix", String(3), nullable=False),
    Column("section", String(2), nullable=False),
    Column("number", String(4), nullable=False),
    Column("cadastral_area_m2", Integer),
    Column("is_surveyed", Boolean),
    *columns(String(10), "created_on", "updated_on"),
    Column("is_repaired", Boolean, nullable=False),
    Column("geometry", GEOMETRY),
    Column("geometric_area_m2", Float(53), comment="in the legal projection, to one decimal"),
    Index("parcel_reference", "commune_code", "section", "number", "prefix"),
    sqlite_with_rowid=False,
    comment="On SQLite the virtual table parcel_box (R*Tree) holds the bounding boxes.",
)

commune_territory = Table(
    "commune_territory",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("is_repaired", Boolean, nullable=False),
    Column("geometry", GEOMETRY, nullable=False),
    comment="The territory of a commune as its plan draws it.",
)

retired_parcel = Table(
    "retired_parcel",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("parcel_id", String(14), primary_key=True),
    Column("last_edition", String(40), nullable=False, comment="last edition of the plan that has the parcel"),
    Column("geometry", GEOMETRY, comment="as in that edition"),
    sqlite_with_rowid=False,
)
