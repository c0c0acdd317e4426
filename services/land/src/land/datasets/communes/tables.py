"""National lists of communes."""

from sqlalchemy import Column, Float, Integer, String, Table, Text

from land.store.tables import columns, metadata

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
