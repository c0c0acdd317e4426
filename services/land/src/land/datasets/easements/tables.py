"""Public easements."""

from sqlalchemy import BigInteger, Boolean, Column, Index, String, Table, Text

from land.store.tables import GEOMETRY, columns, metadata

easement = Table(
    "easement",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, comment="made of partition, part and place"),
    Column("partition", String(40), nullable=False, comment="a commune, or a document of easements"),
    Column("part", String(10), nullable=False, comment="surface, line or point"),
    Column("document", String(40), nullable=False),
    Column("category", String(20), nullable=False),
    Column("easement_id", Text, nullable=False),
    *columns(Text, "generator_id", "name"),
    Column("technical_name", Text, nullable=False),
    *columns(Text, "type", "act_file", "act_url"),
    Column("is_repaired", Boolean, nullable=False),
    Column("geometry", GEOMETRY, nullable=False),
    Index("easement_partition", "partition", "part"),
    comment="Pieces of the land that bears easements: an outline of many corners has several rows.",
)

easement_detail = Table(
    "easement_detail",
    metadata,
    Column("partition", String(40), nullable=False),
    Column("part", String(10), nullable=False),
    Column("document", String(40), nullable=False),
    Column("kind", String(10), nullable=False, comment="generator, servitude, link, act or file"),
    Column("key", Text, nullable=False),
    *columns(Text, "refers_to", "name", "type"),
    Column("decided_on", String(10)),
    Index("easement_detail_partition", "partition", "part"),
    Index("easement_detail_key", "document", "kind", "key"),
)

easement_document = Table(
    "easement_document",
    metadata,
    Column("department", String(3), primary_key=True),
    Column("document", String(40), primary_key=True),
    Column("category", String(20), nullable=False),
    Column("territory", String(5), nullable=False),
    sqlite_with_rowid=False,
    comment="The documents of easements that are published for land of a département.",
)
