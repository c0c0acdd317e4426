"""The schema. Tables of territory carry the commune code first in their keys, so that they partition and distribute.

Rows are written by loads only, a unit (see `land.records.Unit`) at a time, each in one transaction.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

from land.store.geometry import Geometry

metadata = MetaData()

GEOMETRY = Geometry().with_variant(LargeBinary(), "sqlite")

dataset_load = Table(
    "dataset_load",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("unit", String(40), primary_key=True),
    Column("part", String(10), primary_key=True),
    Column("edition", String(40), nullable=False),
    Column("url", Text, nullable=False),
    Column("retrieved_at", String(20), nullable=False),
    Column("loaded_at", String(20), nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("rejected_count", BigInteger, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("revision", BigInteger, nullable=False),
    Index("dataset_load_revision", "dataset", "revision"),
    comment="One row for each edition that is loaded; a later load of the same unit takes its place.",
)

revision = Table(
    "revision",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("value", BigInteger, nullable=False),
    comment="Counts the loads of a dataset, so that caches see in one row that something changed.",
)

address_commune = Table(
    "address_commune",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("name", Text, nullable=False),
    Column("postcodes", Text, nullable=False, comment="joined by |"),
    Column("former_names", Text, nullable=False, comment="communes that it absorbed, joined by |"),
    Column("lon", Float(53)),
    Column("lat", Float(53)),
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
    Column("is_locality", Boolean, nullable=False),
    Column("lon", Float(53)),
    Column("lat", Float(53)),
    sqlite_with_rowid=False,
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
    Column("lon", Float(53)),
    Column("lat", Float(53)),
    Column("parcel_ids", Text, nullable=False, comment="parcels that BAN declares, joined by |"),
    Index("address_place", "commune_code", "lat", "lon"),
    sqlite_with_rowid=False,
)

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
    Column("created_on", String(10)),
    Column("updated_on", String(10)),
    Column("is_repaired", Boolean, nullable=False),
    Column("geometry", GEOMETRY),
    Index("parcel_reference", "commune_code", "section", "number", "prefix"),
    sqlite_with_rowid=False,
    comment="On SQLite the virtual table parcel_box (R*Tree) holds the bounding boxes.",
)

sale = Table(
    "sale",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("id_parcelle", String(14), primary_key=True),
    Column("part", String(10), primary_key=True, comment="year of the file: mutation ids are unique within it"),
    Column("id_mutation", String(40), primary_key=True),
    Column("ancien_id_parcelle", String(14), nullable=False),
    Column("date_mutation", String(10)),
    Column("nature_mutation", Text),
    Column("type_local", Text),
    Column("has_dependance", Boolean, nullable=False),
    Column("lot_count", Integer, nullable=False),
    Column("surface_reelle_bati", Float(53)),
    Column("surface_terrain", Float(53)),
    Column("nombre_pieces_principales", Integer),
    Column("valeur_fonciere", Float(53)),
    Column("adresse_numero", Text),
    Column("adresse_suffixe", Text),
    Column("adresse_nom_voie", Text),
    Column("code_postal", Text),
    Column("nom_commune", Text),
    Column("parcel_count", Integer, nullable=False),
    Index("sale_former_parcel", "commune_code", "ancien_id_parcelle"),
)

permit = Table(
    "permit",
    metadata,
    Column("filing_commune", String(5), primary_key=True),
    Column("dataset", String(40), primary_key=True),
    Column("number", String(20), primary_key=True),
    Column("series", String(3), nullable=False),
    Column("type_dau", Text),
    Column("etat_dau", Text),
    Column("date_reelle_autorisation", String(10)),
    Column("date_reelle_doc", String(10)),
    Column("date_reelle_daact", String(10)),
    Column("nature_projet_declaree", Text),
    Column("nature_projet_completee", Text),
    Column("destination_principale", Text),
    Column("superficie_terrain", Text),
    Column("unreadable_references", SmallInteger, nullable=False),
)

permit_reference = Table(
    "permit_reference",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("section", String(2), primary_key=True),
    Column("number", String(4), primary_key=True),
    Column("dataset", String(40), primary_key=True),
    Column("permit_number", String(20), primary_key=True),
    Column("prefix", String(3), primary_key=True, comment="empty where the permit does not say"),
    Column("filing_commune", String(5), nullable=False),
    Column("placement", String(10), nullable=False, comment="placed, ambiguous, retired or unchecked (no cadastre)"),
    Column("parcel_id", String(14), comment="the one parcel that it names, where placed"),
    Index("permit_reference_parcel", "commune_code", "parcel_id"),
    Index("permit_reference_filing", "filing_commune", "dataset"),
)

placement = Table(
    "placement",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("placed", Integer, nullable=False),
    Column("ambiguous", Integer, nullable=False),
    Column("retired", Integer, nullable=False),
    Column("unchecked", Integer, nullable=False, comment="no cadastre is loaded to look them up in"),
    comment="How the references of permits to a commune's parcels fared.",
)
