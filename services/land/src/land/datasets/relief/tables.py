"""Altitudes of parcels."""

from sqlalchemy import Column, Float, Index, String, Table, Text

from land.store.tables import metadata

altitude = Table(
    "altitude",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("parcel_id", String(14), primary_key=True),
    Column("samples", Text, nullable=False, comment="longitude latitude altitude of each point, in one text"),
    Column("max_slope_percent", Float(53)),
    Column("retrieved_at", String(20), nullable=False, comment="empty for imported ones; others are a cache"),
    Index("altitude_retrieved", "retrieved_at"),
    sqlite_with_rowid=False,
)
