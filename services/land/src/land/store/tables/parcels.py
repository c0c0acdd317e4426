"""The cadastre, buildings of all sources, and altitudes of parcels."""

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, String, Table, Text

from land.store.tables.base import GEOMETRY, columns, metadata

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

owner = Table(
    "owner",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("parcel_id", String(14), primary_key=True),
    Column("right_code", String(1), primary_key=True),
    Column("holder", String(20), primary_key=True, comment="SIREN, or the provisional number of the DGFiP"),
    Column("department", String(3), nullable=False),
    Column("name", Text, comment="null if it may be the name of an individual"),
    Column("siren", String(9)),
    Column("legal_form_code", String(4)),
    Column("legal_form", Text),
    Column("group_code", String(1)),
    Index("owner_department", "department"),
    sqlite_with_rowid=False,
    comment="Rights of legal persons on parcels.",
)
