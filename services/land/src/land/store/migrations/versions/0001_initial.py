"""The schema.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

from land.store.tables import Geometry

revision = "0001"
down_revision = None

GEOMETRY = Geometry().with_variant(sa.LargeBinary(), "sqlite")
FORMER = sa.text("ancien_id_parcelle <> ''")
TREES = (
    "parcel_box",
    "building_box",
    "planning_box",
    "easement_box",
    "address_commune_box",
    "way_box",
    "risk_zone_box",
    "farmed_field_box",
    "monument_box",
)
"""SQLite's R*Trees of bounding boxes."""
WITH_GEOMETRY_INDEX = (
    "parcel", "building", "planning_zone", "planning_prescription", "planning_information", "easement",
    "address_commune", "way", "risk_zone", "farmed_field", "monument",
)  # fmt: skip
"""Tables whose geometries PostGIS indexes."""

KEYS_WITH_BOXES = {
    "load_box": ("dataset_load", "dataset", "partition", "part"),
    "watch_box": ("watch", "owner", "watch_id"),
}
"""SQLite's R*Trees of tables with a box in each row: the table and its keys. The ids of a tree are its own, because
VACUUM may change the row ids of the table.
"""


def create_keyed_tree(tree: str, table: str, *keys: str) -> None:
    names, values = ", ".join(keys), ", ".join(f"new.{key}" for key in keys)
    is_row = " AND ".join(f"{key} = old.{key}" for key in keys)
    columns = ", ".join(f"+{key} TEXT" for key in keys)
    op.execute(f"CREATE VIRTUAL TABLE {tree} USING rtree(id, min_lon, max_lon, min_lat, max_lat, {columns})")
    op.execute(
        f"CREATE TRIGGER {tree}_insert AFTER INSERT ON {table} WHEN new.west IS NOT NULL BEGIN"  # noqa: S608 (names of this file)
        f" INSERT INTO {tree} (min_lon, max_lon, min_lat, max_lat, {names})"
        f" VALUES (new.west, new.east, new.south, new.north, {values}); END"
    )
    op.execute(
        f"CREATE TRIGGER {tree}_delete AFTER DELETE ON {table} WHEN old.west IS NOT NULL BEGIN"  # noqa: S608 (names of this file)
        f" DELETE FROM {tree} WHERE min_lon <= old.east AND max_lon >= old.west AND min_lat <= old.north"
        f" AND max_lat >= old.south AND {is_row}; END"
    )


def upgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    if not sqlite:
        op.execute("CREATE EXTENSION IF NOT EXISTS postgis")
    op.create_table(
        "cog_commune",
        sa.Column("code", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("parent_code", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "cog_movement",
        sa.Column("old_code", sa.Text, primary_key=True),
        sa.Column("effective_on", sa.Text, primary_key=True),
        sa.Column("change", sa.Text, primary_key=True),
        sa.Column("old_kind", sa.Text, primary_key=True),
        sa.Column("new_code", sa.Text, primary_key=True),
        sa.Column("new_kind", sa.Text, primary_key=True),
        sa.Column("old_name", sa.Text, nullable=False),
        sa.Column("new_name", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "commune_postcodes",
        sa.Column("code", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("postcodes", sa.Text, nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sa.Column("epci", sa.Text),
        sa.Column("population", sa.Integer),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "address_commune",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("postcodes", sa.Text, nullable=False),
        sa.Column("former_names", sa.Text, nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sa.Column("address_count", sa.Integer, nullable=False),
        sa.Column("geometry", GEOMETRY),
    )
    op.create_table(
        "street",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("street_id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("search_names", sa.Text, nullable=False),
        sa.Column("postcodes", sa.Text, nullable=False),
        sa.Column("former_commune_name", sa.Text, nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sa.Column("address_count", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "locality",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("locality_id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("search_name", sa.Text, nullable=False),
        sa.Column("postcode", sa.Text, nullable=False),
        sa.Column("commune_name", sa.Text, nullable=False),
        sa.Column("former_commune_name", sa.Text, nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "commune_streets",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("form_version", sa.Integer, nullable=False),
        sa.Column("form", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "street_start",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("words", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), primary_key=True),
        sa.Column("street_id", sa.Text, primary_key=True),
        sa.Column("street_type", sa.Text, nullable=False),
        sa.Column("tier", sa.SmallInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("street_start_words", "street_start", ["tier", "words"])
    op.create_table(
        "address",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("street_id", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("suffix", sa.Text, primary_key=True),
        sa.Column("ban_id", sa.Text),
        sa.Column("postcode", sa.Text, nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sa.Column("parcel_ids", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("address_place", "address", ["commune_code", "lat", "lon"])
    op.create_table(
        "easement",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("easement_id", sa.Text, nullable=False),
        sa.Column("generator_id", sa.Text),
        sa.Column("name", sa.Text),
        sa.Column("technical_name", sa.Text, nullable=False),
        sa.Column("type", sa.Text),
        sa.Column("act_file", sa.Text),
        sa.Column("act_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("easement_partition", "easement", ["partition", "part"])
    op.create_table(
        "easement_detail",
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("refers_to", sa.Text),
        sa.Column("name", sa.Text),
        sa.Column("type", sa.Text),
        sa.Column("decided_on", sa.Text),
    )
    op.create_index("easement_detail_key", "easement_detail", ["document", "kind", "key"])
    op.create_index("easement_detail_partition", "easement_detail", ["partition", "part"])
    op.create_table(
        "easement_document",
        sa.Column("department", sa.Text, primary_key=True),
        sa.Column("document", sa.Text, primary_key=True),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("territory", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "way",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("half_width_m", sa.Float(53), nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("way_partition", "way", ["partition", "part"])
    op.create_table(
        "risk_zone",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("plan_id", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("regulation", sa.Text),
        sa.Column("regulation_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("risk_zone_partition", "risk_zone", ["partition", "part"])
    op.create_table(
        "farmed_field",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("crop_code", sa.Text, nullable=False),
        sa.Column("crop_group", sa.Text),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("farmed_field_partition", "farmed_field", ["partition", "part"])
    op.create_table(
        "monument",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("reference", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("protection", sa.Text),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("monument_partition", "monument", ["partition", "part"])
    op.create_table(
        "sale",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("id_parcelle", sa.Text, primary_key=True),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("id_mutation", sa.Text, primary_key=True),
        sa.Column("ancien_id_parcelle", sa.Text, nullable=False),
        sa.Column("date_mutation", sa.Text),
        sa.Column("nature_mutation", sa.Text),
        sa.Column("type_local", sa.Text),
        sa.Column("has_dependance", sa.Boolean, nullable=False),
        sa.Column("lot_count", sa.Integer, nullable=False),
        sa.Column("surface_reelle_bati", sa.Float(53)),
        sa.Column("surface_terrain", sa.Float(53)),
        sa.Column("nombre_pieces_principales", sa.Integer),
        sa.Column("valeur_fonciere", sa.Float(53)),
        sa.Column("adresse_numero", sa.Text),
        sa.Column("adresse_suffixe", sa.Text),
        sa.Column("adresse_nom_voie", sa.Text),
        sa.Column("code_postal", sa.Text),
        sa.Column("nom_commune", sa.Text),
        sa.Column("parcel_count", sa.Integer, nullable=False),
        sa.Column("unit_count", sa.Integer),
        sa.Column("unfolded_unit_count", sa.Integer),
        sa.Column("unfolded_surface_reelle_bati", sa.Float(53)),
        sa.Column("unfolded_surface_terrain", sa.Float(53)),
        sa.Column("unfolded_nombre_pieces_principales", sa.Integer),
    )
    op.create_index("sale_former_id", "sale", ["ancien_id_parcelle"], sqlite_where=FORMER, postgresql_where=FORMER)
    op.create_index("sale_former_parcel", "sale", ["commune_code", "ancien_id_parcelle"])
    op.create_index("sale_mutation", "sale", ["id_mutation"])
    op.create_table(
        "market_sale",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("id_mutation", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("date_mutation", sa.Text, nullable=False),
        sa.Column("type_local", sa.Text),
        sa.Column("price_eur", sa.Float(53), nullable=False),
        sa.Column("area_m2", sa.Float(53), nullable=False),
        sa.Column("built_m2", sa.Float(53)),
        sa.Column("land_m2", sa.Float(53)),
        sa.Column("parcel_ids", sa.Text, nullable=False),
        sa.Column("lon", sa.Float(53), nullable=False),
        sa.Column("lat", sa.Float(53), nullable=False),
        sa.Column("unfolded_land_m2", sa.Float(53)),
        sqlite_with_rowid=False,
    )
    op.create_index("market_sale_date", "market_sale", ["commune_code", "date_mutation"])
    op.create_index("market_sale_place", "market_sale", ["commune_code", "lat", "lon", "kind"])
    op.create_table(
        "permit",
        sa.Column("filing_commune", sa.Text, primary_key=True),
        sa.Column("dataset", sa.Text, primary_key=True),
        sa.Column("number", sa.Text, primary_key=True),
        sa.Column("series", sa.Text, nullable=False),
        sa.Column("type_dau", sa.Text),
        sa.Column("etat_dau", sa.Text),
        sa.Column("date_reelle_autorisation", sa.Text),
        sa.Column("date_reelle_doc", sa.Text),
        sa.Column("date_reelle_daact", sa.Text),
        sa.Column("nature_projet_declaree", sa.Text),
        sa.Column("nature_projet_completee", sa.Text),
        sa.Column("destination_principale", sa.Text),
        sa.Column("superficie_terrain", sa.Text),
        sa.Column("unreadable_references", sa.SmallInteger, nullable=False),
    )
    op.create_table(
        "permit_reference",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("section", sa.Text, primary_key=True),
        sa.Column("number", sa.Text, primary_key=True),
        sa.Column("dataset", sa.Text, primary_key=True),
        sa.Column("permit_number", sa.Text, primary_key=True),
        sa.Column("prefix", sa.Text, primary_key=True),
        sa.Column("filing_commune", sa.Text, nullable=False),
        sa.Column("placement", sa.Text, nullable=False, server_default="unchecked"),
        sa.Column("parcel_id", sa.Text),
    )
    op.create_index("permit_reference_filing", "permit_reference", ["filing_commune", "dataset"])
    op.create_index("permit_reference_parcel", "permit_reference", ["commune_code", "parcel_id"])
    op.create_table(
        "placement",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("placed", sa.Integer, nullable=False),
        sa.Column("ambiguous", sa.Integer, nullable=False),
        sa.Column("retired", sa.Integer, nullable=False),
        sa.Column("unchecked", sa.Integer, nullable=False),
    )
    op.create_table(
        "energy_rating",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("lat", sa.Float(53), primary_key=True),
        sa.Column("lon", sa.Float(53), primary_key=True),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("rnb_id", sa.Text, nullable=False),
        sa.Column("street_id", sa.Text, nullable=False),
        sa.Column("house_number", sa.Integer, nullable=False),
        sa.Column("suffix", sa.Text, nullable=False),
        sa.Column("is_placed", sa.Boolean, nullable=False),
        sa.Column("energy", sa.Text, nullable=False),
        sa.Column("greenhouse_gas", sa.Text, nullable=False),
        sa.Column("rating_count", sa.Integer, nullable=False),
        sa.Column("oldest_on", sa.Text, nullable=False),
        sa.Column("newest_on", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset_load",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("partition", sa.String(40), primary_key=True),
        sa.Column("part", sa.String(200), primary_key=True),
        sa.Column("edition", sa.String(40), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("retrieved_at", sa.String(20), nullable=False),
        sa.Column("loaded_at", sa.String(20), nullable=False),
        sa.Column("row_count", sa.BigInteger, nullable=False),
        sa.Column("rejected_count", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Float(53)) for name in ("west", "south", "east", "north")),
        comment="One row per loaded partition and part. A later load of the same replaces it. The box around its rows, "
        "in degrees, is null if none has a place. On SQLite, triggers copy it to the virtual table load_box (R*Tree).",
    )
    op.create_index("dataset_load_partition", "dataset_load", ["partition"])
    op.create_index("dataset_load_revision", "dataset_load", ["dataset", "revision"])
    op.create_table(
        "revision",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
        comment="Counts the loads of a dataset, so that caches detect a change by reading one row.",
    )
    op.create_table(
        "dropped_partition",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("partition", sa.String(40), primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
        comment="Partitions whose rows were deleted, so that caches drop them.",
    )
    op.create_index("dropped_partition_revision", "dropped_partition", ["dataset", "revision"])
    op.create_table(
        "fetch",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("partition", sa.String(40), primary_key=True),
        sa.Column("commune_code", sa.String(5), nullable=False, comment="the commune whose files were downloaded"),
        sa.Column("is_complete", sa.Boolean, nullable=False),
        sa.Column("fetched_at", sa.String(20), nullable=False),
        sa.Column("used_at", sa.String(20), nullable=False, comment="to about one hour"),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, comment="why the last load failed"),
        comment="Partitions loaded on demand. Imported ones have no row here and are never evicted.",
    )
    op.create_index("fetch_partition", "fetch", ["partition"])
    op.create_index("fetch_used", "fetch", ["used_at"])
    op.create_table(
        "parcel",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("parcel_id", sa.Text, primary_key=True),
        sa.Column("prefix", sa.Text, nullable=False),
        sa.Column("section", sa.Text, nullable=False),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("cadastral_area_m2", sa.Integer),
        sa.Column("is_surveyed", sa.Boolean),
        sa.Column("created_on", sa.Text),
        sa.Column("updated_on", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", GEOMETRY),
        sa.Column("geometric_area_m2", sa.Float(53)),
        sqlite_with_rowid=False,
    )
    op.create_index("parcel_reference", "parcel", ["commune_code", "section", "number", "prefix"])
    op.create_table(
        "commune_territory",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_table(
        "retired_parcel",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("parcel_id", sa.Text, primary_key=True),
        sa.Column("last_edition", sa.Text, nullable=False),
        sa.Column("geometry", GEOMETRY),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "building",
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("dataset", sa.Text, nullable=False),
        sa.Column("building_id", sa.Text, nullable=False),
        sa.Column("rnb_ids", sa.Text, nullable=False),
        sa.Column("is_light", sa.Boolean),
        sa.Column("height_m", sa.Float(53)),
        sa.Column("storeys", sa.Integer),
        sa.Column("usage", sa.Text),
        sa.Column("dwelling_count", sa.Integer),
        sa.Column("construction_year", sa.Integer),
        sa.Column("plots", sa.Text, nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
    )
    registered = sa.text("dataset = 'rnb'")
    op.create_index("building_rnb", "building", ["building_id"], sqlite_where=registered, postgresql_where=registered)
    op.create_table(
        "altitude",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("parcel_id", sa.Text, primary_key=True),
        sa.Column("samples", sa.Text, nullable=False),
        sa.Column("max_slope_percent", sa.Float(53)),
        sa.Column("retrieved_at", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("altitude_retrieved", "altitude", ["retrieved_at"])
    op.create_table(
        "joint_ownership",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("parcel_id", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("department", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("lot_count", sa.Integer),
        sa.Column("dwelling_lot_count", sa.Integer),
        sa.Column("construction_period", sa.Text),
        sa.Column("manager_type", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_index("joint_ownership_department", "joint_ownership", ["department"])
    op.create_table(
        "commune_rule",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("dataset", sa.Text, primary_key=True),
        sa.Column("department", sa.Text, primary_key=True),
        sa.Column("extent", sa.Text),
        sa.Column("year", sa.Integer),
        *(sa.Column(f"{name}_percent", sa.Float(53)) for name in ("commune", "highest", "department", "region")),
        sa.Column("plan", sa.Text),
        sa.Column("plan_under_way", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_index("commune_rule_department", "commune_rule", ["dataset", "department"])
    op.create_table(
        "owner",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("parcel_id", sa.Text, primary_key=True),
        sa.Column("right_code", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, primary_key=True),
        sa.Column("department", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("siren", sa.Text),
        sa.Column("legal_form_code", sa.Text),
        sa.Column("legal_form", sa.Text),
        sa.Column("group_code", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_index("owner_department", "owner", ["department"])
    op.create_table(
        "parcel_lineage",
        sa.Column("department", sa.Text, nullable=False),
        sa.Column("commune_code", sa.Text, nullable=False),
        sa.Column("parcel_id", sa.Text, nullable=False),
        sa.Column("lot", sa.Text, nullable=False),
        sa.Column("nature", sa.Text, nullable=False),
        sa.Column("validated_on", sa.Text),
        sa.Column("is_mother", sa.Boolean, nullable=False),
    )
    op.create_index("parcel_lineage_parcel", "parcel_lineage", ["commune_code", "parcel_id"])
    op.create_index("parcel_lineage_lot", "parcel_lineage", ["commune_code", "lot"])
    op.create_index("parcel_lineage_department", "parcel_lineage", ["department"])
    op.create_table(
        "planning_zone",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("document_type", sa.Text),
        sa.Column("approved_on", sa.Text),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("long_label", sa.Text),
        sa.Column("zone_type", sa.Text),
        sa.Column("sector_type", sa.Text),
        sa.Column("regulation_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("planning_zone_document", "planning_zone", ["partition", "part"])
    op.create_table(
        "planning_prescription",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("document_type", sa.Text),
        sa.Column("approved_on", sa.Text),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("type_code", sa.Text),
        sa.Column("subtype_code", sa.Text),
        sa.Column("regulation_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("planning_prescription_document", "planning_prescription", ["partition", "part"])
    op.create_table(
        "planning_information",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("document_type", sa.Text),
        sa.Column("approved_on", sa.Text),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("type_code", sa.Text),
        sa.Column("subtype_code", sa.Text),
        sa.Column("regulation_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", GEOMETRY, nullable=False),
    )
    op.create_index("planning_information_document", "planning_information", ["partition", "part"])
    op.create_table(
        "planning_document",
        sa.Column("partition", sa.Text, primary_key=True),
        sa.Column("document_id", sa.Text, primary_key=True),
        sa.Column("document_type", sa.Text),
        sa.Column("approved_on", sa.Text),
        sa.Column("url", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "planning_regulation",
        sa.Column("partition", sa.Text, primary_key=True),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("label", sa.Text, primary_key=True),
        sa.Column("url", sa.Text, primary_key=True),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text),
        sa.Column("size_bytes", sa.Integer),
        sa.Column("reading", sa.Text),
    )
    op.create_table(
        "planning_in_force",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("partition", sa.Text, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "planning_commune",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("is_rnu", sa.Boolean),
    )
    op.create_table(
        "risk_answer",
        sa.Column("commune_code", sa.Text, primary_key=True),
        sa.Column("place", sa.Text, primary_key=True),
        sa.Column("question", sa.Text, primary_key=True),
        sa.Column("retrieved_at", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("level", sa.Text),
        sa.Column("label", sa.Text),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("findings", sa.Text, nullable=False),
    )
    op.create_index("risk_answer_retrieved", "risk_answer", ["retrieved_at"])
    op.create_table(
        "watch",
        sa.Column("owner", sa.String(80), primary_key=True, comment="the scope and the id of the partner"),
        sa.Column("watch_id", sa.String(40), primary_key=True),
        sa.Column("name", sa.Text),
        sa.Column("created_at", sa.String(20), nullable=False),
        sa.Column("area", sa.LargeBinary, comment="WKB, of a watch of an area"),
        sa.Column("positions", sa.Integer, nullable=False, comment="of the area, or the number of parcels"),
        *(sa.Column(name, sa.Float(53)) for name in ("west", "south", "east", "north")),
    )
    op.create_table(
        "watched_place",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("parcel_id", sa.String(14), primary_key=True, comment="empty for the whole commune"),
        sa.Column("owner", sa.String(80), primary_key=True),
        sa.Column("watch_id", sa.String(40), primary_key=True),
    )
    op.create_index("watched_place_watch", "watched_place", ["owner", "watch_id"])
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.String(80), nullable=False),
        sa.Column("created_at", sa.String(20), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("before", sa.LargeBinary, comment="JSON"),
        sa.Column("after", sa.LargeBinary, comment="JSON"),
        sa.Column("dataset", sa.String(40), nullable=False),
        sa.Column("previous_edition", sa.String(40)),
        sa.Column("edition", sa.String(40), nullable=False),
        sa.Column("commune_codes", sa.Text, nullable=False, comment="separated by spaces, as the following"),
        sa.Column("parcel_ids", sa.Text, nullable=False),
        sa.Column("watch_ids", sa.Text, nullable=False),
        comment="Ids grow in the order of commits, so a reader that has seen one has seen all before it.",
    )
    op.create_index("event_owner", "event", ["owner", "id"])
    op.create_index("event_created", "event", ["created_at"])
    op.create_table(
        "pending_changes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("dataset", sa.String(40), nullable=False),
        sa.Column("edition", sa.String(40), nullable=False),
        sa.Column("previous_edition", sa.String(40)),
        sa.Column("changes", sa.LargeBinary, nullable=False, comment="compressed JSON"),
        comment="What loads changed, until events are made of it.",
    )
    op.create_table(
        "webhook",
        sa.Column("owner", sa.String(80), primary_key=True),
        sa.Column("webhook_id", sa.String(40), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("salt", sa.String(40), nullable=False),
        sa.Column("created_at", sa.String(20), nullable=False),
        sa.Column("state", sa.String(10), nullable=False, comment="unverified, active or paused"),
        sa.Column("sent_id", sa.BigInteger, nullable=False, comment="the last event that arrived"),
        sa.Column("failures", sa.Integer, nullable=False, comment="since the last message that arrived"),
        sa.Column("failing_since", sa.String(20)),
        sa.Column("next_at", sa.String(20), nullable=False, comment="no message is sent before"),
        sa.Column("last_error", sa.Text),
    )
    op.create_index("webhook_next", "webhook", ["next_at"])
    op.create_table(
        "evicted_facts",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("partition", sa.String(40), primary_key=True),
        sa.Column("part", sa.String(200), primary_key=True),
        sa.Column("edition", sa.String(40), nullable=False),
        sa.Column("facts", sa.LargeBinary, nullable=False, comment="compressed JSON"),
        comment="Facts of watched partitions that were evicted, which the next load of the part is compared with.",
    )
    if sqlite:
        for tree in TREES:
            op.execute(f"CREATE VIRTUAL TABLE {tree} USING rtree(id, min_lon, max_lon, min_lat, max_lat)")
        for tree, (table, *keys) in KEYS_WITH_BOXES.items():
            create_keyed_tree(tree, table, *keys)
    else:
        for table, *_ in KEYS_WITH_BOXES.values():
            op.execute(
                f"CREATE INDEX {table}_box ON {table} USING gist (ST_MakeEnvelope(west, south, east, north, 4326))"
            )
        for table in WITH_GEOMETRY_INDEX:
            op.execute(f"CREATE INDEX {table}_geometry ON {table} USING gist (geometry)")
