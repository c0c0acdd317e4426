"""Buildings of all sources."""

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, String, Table, Text

from land.store.tables import GEOMETRY, columns, metadata

building = Table(
    "building",
    metadata,
    Column(
        "key",
        BigInteger().with_variant(Integer(), "sqlite"),
        primary_key=True,
        autoincrement=False,
        comment="partition, dataset and place as one number, so that rows of a partition are adjacent",
    ),
    Column(
        "partition",
        String(5),
        nullable=False,
        comment="the commune, or the département if it is published by département",
    ),
    *columns(String(40), "dataset", "building_id", nullable=False),
    Column("rnb_ids", Text, nullable=False, comment="joined by |"),
    Column("is_light", Boolean),
    Column("height_m", Float(53)),
    Column("storeys", Integer),
    Column("usage", Text),
    *columns(Integer, "dwelling_count", "construction_year"),
    Column("plots", Text, nullable=False, comment="parcel:ratio joined by |, if the source has it"),
    Column("geometry", GEOMETRY, nullable=False),
    Column("is_repaired", Boolean, nullable=False),
    comment="One row per building and source. On SQLite building_box (R*Tree) holds the bounding boxes.",
)
