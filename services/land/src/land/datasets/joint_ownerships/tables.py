"""Joint ownerships."""

from sqlalchemy import Column, Index, Integer, String, Table, Text

from land.store.tables import columns, metadata

joint_ownership = Table(
    "joint_ownership",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("parcel_id", String(14), primary_key=True),
    Column("id", String(20), primary_key=True, comment="number in the register"),
    Column("department", String(3), nullable=False, comment="of the first parcel that it names"),
    Column("name", Text),
    *columns(Integer, "lot_count", "dwelling_lot_count"),
    Column("construction_period", String(40)),
    Column("manager_type", String(20), comment="professional or volunteer"),
    Index("joint_ownership_department", "department"),
    sqlite_with_rowid=False,
    comment="Joint ownerships of the national register, one row for each parcel that they name.",
)
