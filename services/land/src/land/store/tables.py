"""What all tables share, and the tables of loads."""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, LargeBinary, MetaData, String, Table, Text

from land.store.geometry import Geometry

metadata = MetaData()
GEOMETRY = Geometry().with_variant(LargeBinary(), "sqlite")


def columns(kind: Any, *names: str, nullable: bool = True) -> list[Column[Any]]:
    """Several columns of one type."""
    return [Column(name, kind, nullable=nullable) for name in names]


dataset_load = Table(
    "dataset_load",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("partition", String(40), primary_key=True),
    Column("part", String(10), primary_key=True),
    Column("edition", String(40), nullable=False),
    Column("url", Text, nullable=False),
    *columns(String(20), "retrieved_at", "loaded_at", nullable=False),
    *columns(BigInteger, "row_count", "rejected_count", nullable=False),
    Column("digest", String(64), nullable=False),
    Column("revision", BigInteger, nullable=False),
    Index("dataset_load_revision", "dataset", "revision"),
    Index("dataset_load_partition", "partition"),
    comment="One row per loaded partition and part. A later load of the same replaces it.",
)

revision = Table(
    "revision",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("value", BigInteger, nullable=False),
    comment="Counts the loads of a dataset, so that caches detect a change by reading one row.",
)

dropped_partition = Table(
    "dropped_partition",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("partition", String(40), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Index("dropped_partition_revision", "dataset", "revision"),
    comment="Partitions whose rows were deleted, so that caches drop them.",
)

fetch = Table(
    "fetch",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("partition", String(40), primary_key=True),
    Column("commune_code", String(5), nullable=False, comment="the commune whose files were downloaded"),
    Column("is_complete", Boolean, nullable=False),
    Column("fetched_at", String(20), nullable=False),
    Column("used_at", String(20), nullable=False, comment="to about one hour"),
    Column("size_bytes", BigInteger, nullable=False),
    Index("fetch_partition", "partition"),
    Index("fetch_used", "used_at"),
    comment="Partitions loaded on demand. Imported ones have no row here and are never evicted.",
)
