"""National lists of communes, and addresses."""

from sqlalchemy import Column, Float, Index, Integer, LargeBinary, SmallInteger, String, Table, Text

from land.store.tables.base import GEOMETRY, columns, metadata

cog_commune = Table(
    "cog_commune",
    metadata,
    Column("code", String(5), primary_key=True),
    Column("kind", String(4), primary_key=True, comment="COM, ARM, COMD or COMA: a code may be two of them"),
    Column("name", Text, nullable=False),
    Column("parent_code", String(5), nullable=False, comment="empty for COM"),
    sqlite_with_rowid=False,
    comment="The communes that exist, with their arrondissements and the delegated and associated ones.",
)

cog_movement = Table(
    "cog_movement",
    metadata,
    Column("old_code", String(5), primary_key=True, comment="empty if no commune existed before"),
    Column("effective_on", String(10), primary_key=True),
    Column("change", String(2), primary_key=True, comment="MOD of INSEE"),
    Column("old_kind", String(4), primary_key=True),
    Column("new_code", String(5), primary_key=True),
    Column("new_kind", String(4), primary_key=True),
    *columns(Text, "old_name", "new_name", nullable=False),
    sqlite_with_rowid=False,
    comment="Changes of communes since 1943.",
)

commune_postcodes = Table(
    "commune_postcodes",
    metadata,
    Column("code", String(5), primary_key=True),
    Column("name", Text, nullable=False),
    Column("postcodes", Text, nullable=False, comment="joined by |"),
    *columns(Float(53), "lon", "lat"),
    Column("epci", String(9), comment="SIREN of its intercommunality"),
    Column("population", Integer),
    sqlite_with_rowid=False,
)

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
