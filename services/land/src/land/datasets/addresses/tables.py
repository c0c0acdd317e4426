"""Addresses, streets and lieux-dits."""

from sqlalchemy import Column, Float, Index, Integer, LargeBinary, SmallInteger, String, Table, Text

from land.store.tables import GEOMETRY, columns, metadata

address_commune = Table(
    "address_commune",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("name", Text, nullable=False),
    Column("postcodes", Text, nullable=False, comment="joined by |"),
    Column("former_names", Text, nullable=False, comment="communes that it absorbed, joined by |"),
    *columns(Float(53), "lon", "lat"),
    Column("address_count", Integer, nullable=False, comment="its numbered addresses"),
    Column("geometry", GEOMETRY, comment="the bounding box of its addresses"),
    comment="On SQLite the virtual table address_commune_box (R*Tree) holds the bounding boxes.",
)

street = Table(
    "street",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("street_id", String(40), primary_key=True),
    Column("name", Text, nullable=False),
    Column("search_names", Text, nullable=False, comment="canonical forms of its names, joined by |"),
    Column("postcodes", Text, nullable=False, comment="joined by |"),
    Column("former_commune_name", Text, nullable=False),
    *columns(Float(53), "lon", "lat"),
    Column("address_count", Integer, nullable=False, comment="its numbered addresses"),
    sqlite_with_rowid=False,
    comment="Streets and places that have numbers.",
)

address = Table(
    "address",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("street_id", String(40), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("suffix", String(20), primary_key=True),
    Column("ban_id", String(80), comment="null where it is the street's id, the number on 5 digits and the suffix"),
    Column("postcode", String(5), nullable=False),
    *columns(Float(53), "lon", "lat"),
    Column("parcel_ids", Text, nullable=False, comment="parcels that BAN declares, joined by |"),
    Index("address_place", "commune_code", "lat", "lon"),
    sqlite_with_rowid=False,
)

locality = Table(
    "locality",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("locality_id", String(40), primary_key=True),
    Column("name", Text, nullable=False),
    Column("search_name", Text, nullable=False, comment="its canonical form"),
    Column("postcode", String(5), nullable=False),
    *columns(Text, "commune_name", "former_commune_name", nullable=False),
    *columns(Float(53), "lon", "lat"),
    sqlite_with_rowid=False,
    comment="Lieux-dits. One with numbers is also a street with the same id; then only the street is shown.",
)

commune_streets = Table(
    "commune_streets",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("form_version", Integer, nullable=False),
    Column("form", LargeBinary, nullable=False),
    comment="The streets and lieux-dits of a commune in the form that the search reads.",
)

street_start = Table(
    "street_start",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("words", Text(collation="C").with_variant(Text(), "sqlite"), primary_key=True),
    Column("street_id", String(40), primary_key=True),
    Column("street_type", Text, nullable=False),
    Column("tier", SmallInteger, nullable=False, comment="0 for the largest streets of the largest cities, up to 3"),
    Index("street_start_words", "tier", "words"),
    sqlite_with_rowid=False,
    comment="Where the canonical names of streets and lieux-dits start, for texts that are being typed.",
)
