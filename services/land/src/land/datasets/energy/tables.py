"""Energy ratings."""

from sqlalchemy import Boolean, Column, Float, Integer, String, Table

from land.store.tables import columns, metadata

energy_rating = Table(
    "energy_rating",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("lat", Float(53), primary_key=True),
    Column("lon", Float(53), primary_key=True),
    Column("part", String(10), primary_key=True, comment="existing or new dwellings"),
    Column("place", Integer, primary_key=True),
    Column("rnb_id", String(12), nullable=False),
    Column("street_id", String(40), nullable=False),
    Column("house_number", Integer, nullable=False),
    Column("suffix", String(20), nullable=False),
    Column("is_placed", Boolean, nullable=False, comment="whether the point is surely that of its address"),
    *columns(String(1), "energy", "greenhouse_gas", nullable=False),
    Column("rating_count", Integer, nullable=False),
    *columns(String(10), "oldest_on", "newest_on", nullable=False),
    sqlite_with_rowid=False,
)
