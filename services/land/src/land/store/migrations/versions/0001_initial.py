"""The first schema: loads, addresses, parcels, sales, permits.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0001"
down_revision = None


def upgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    geometry = Geometry().with_variant(sa.LargeBinary(), "sqlite")
    if not sqlite:
        op.execute("CREATE EXTENSION IF NOT EXISTS postgis")
    op.create_table(
        "dataset_load",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("unit", sa.String(40), primary_key=True),
        sa.Column("part", sa.String(10), primary_key=True),
        sa.Column("edition", sa.String(40), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("retrieved_at", sa.String(20), nullable=False),
        sa.Column("loaded_at", sa.String(20), nullable=False),
        sa.Column("row_count", sa.BigInteger, nullable=False),
        sa.Column("rejected_count", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        comment="One row for each edition that is loaded; a later load of the same unit takes its place.",
    )
    op.create_index("dataset_load_revision", "dataset_load", ["dataset", "revision"])
    op.create_table(
        "revision",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
        comment="Counts the loads of a dataset, so that caches see in one row that something changed.",
    )
    op.create_table(
        "address_commune",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("postcodes", sa.Text, nullable=False, comment="joined by |"),
        sa.Column("former_names", sa.Text, nullable=False, comment="communes that it absorbed, joined by |"),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
    )
    op.create_table(
        "street",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("street_id", sa.String(40), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("search_names", sa.Text, nullable=False, comment="canonical forms of its names, joined by |"),
        sa.Column("postcodes", sa.Text, nullable=False, comment="joined by |"),
        sa.Column("former_commune_name", sa.Text, nullable=False),
        sa.Column("is_locality", sa.Boolean, nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "address",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("street_id", sa.String(40), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("suffix", sa.String(20), primary_key=True),
        sa.Column(
            "ban_id", sa.String(80), comment="null where it is the street's id, the number on 5 digits and the suffix"
        ),
        sa.Column("postcode", sa.String(5), nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sa.Column("parcel_ids", sa.Text, nullable=False, comment="parcels that BAN declares, joined by |"),
        sqlite_with_rowid=False,
    )
    op.create_index("address_place", "address", ["commune_code", "lat", "lon"])
    op.create_table(
        "parcel",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("parcel_id", sa.String(14), primary_key=True),
        sa.Column("prefix", sa.String(3), nullable=False),
        sa.Column("section", sa.String(2), nullable=False),
        sa.Column("number", sa.String(4), nullable=False),
        sa.Column("cadastral_area_m2", sa.Integer),
        sa.Column("is_surveyed", sa.Boolean),
        sa.Column("created_on", sa.String(10)),
        sa.Column("updated_on", sa.String(10)),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", geometry),
        sqlite_with_rowid=False,
        comment="On SQLite the virtual table parcel_box (R*Tree) holds the bounding boxes.",
    )
    op.create_index("parcel_reference", "parcel", ["commune_code", "section", "number", "prefix"])
    if sqlite:
        op.execute("CREATE VIRTUAL TABLE parcel_box USING rtree(id, min_lon, max_lon, min_lat, max_lat)")
    else:
        op.execute("CREATE INDEX parcel_geometry ON parcel USING gist (geometry)")
    op.create_table(
        "sale",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("id_parcelle", sa.String(14), primary_key=True),
        sa.Column(
            "part", sa.String(10), primary_key=True, comment="year of the file: mutation ids are unique within it"
        ),
        sa.Column("id_mutation", sa.String(40), primary_key=True),
        sa.Column("ancien_id_parcelle", sa.String(14), nullable=False),
        sa.Column("date_mutation", sa.String(10)),
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
    )
    op.create_index("sale_former_parcel", "sale", ["commune_code", "ancien_id_parcelle"])
    op.create_table(
        "permit",
        sa.Column("filing_commune", sa.String(5), primary_key=True),
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("number", sa.String(20), primary_key=True),
        sa.Column("series", sa.String(3), nullable=False),
        sa.Column("type_dau", sa.Text),
        sa.Column("etat_dau", sa.Text),
        sa.Column("date_reelle_autorisation", sa.String(10)),
        sa.Column("date_reelle_doc", sa.String(10)),
        sa.Column("date_reelle_daact", sa.String(10)),
        sa.Column("nature_projet_declaree", sa.Text),
        sa.Column("nature_projet_completee", sa.Text),
        sa.Column("destination_principale", sa.Text),
        sa.Column("superficie_terrain", sa.Text),
        sa.Column("unreadable_references", sa.SmallInteger, nullable=False),
    )
    op.create_table(
        "permit_reference",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("section", sa.String(2), primary_key=True),
        sa.Column("number", sa.String(4), primary_key=True),
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("permit_number", sa.String(20), primary_key=True),
        sa.Column("prefix", sa.String(3), primary_key=True, comment="empty where the permit does not say"),
        sa.Column("filing_commune", sa.String(5), nullable=False),
        sa.Column(
            "placement", sa.String(10), nullable=False, comment="placed, ambiguous, retired or unchecked (no cadastre)"
        ),
        sa.Column("parcel_id", sa.String(14), comment="the one parcel that it names, where placed"),
    )
    op.create_index("permit_reference_parcel", "permit_reference", ["commune_code", "parcel_id"])
    op.create_index("permit_reference_filing", "permit_reference", ["filing_commune", "dataset"])
    op.create_table(
        "placement",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("placed", sa.Integer, nullable=False),
        sa.Column("ambiguous", sa.Integer, nullable=False),
        sa.Column("retired", sa.Integer, nullable=False),
        sa.Column("unchecked", sa.Integer, nullable=False, comment="no cadastre is loaded to look them up in"),
        comment="How the references of permits to a commune's parcels fared.",
    )


def downgrade() -> None:
    for table in ("placement", "permit_reference", "permit", "sale", "parcel", "address", "street", "address_commune"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE parcel_box")
    op.drop_table("revision")
    op.drop_table("dataset_load")
