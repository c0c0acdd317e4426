"""The schema. Tables of territory carry the commune code first in their keys, so that they partition and distribute.

Rows are written by loads only, a unit (see `land.records.Partition`) at a time, each in one transaction.
"""

from typing import Any

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
    text,
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
    Index("dataset_load_unit", "unit"),
    comment="One row for each edition that is loaded; a later load of the same unit takes its place.",
)

revision = Table(
    "revision",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("value", BigInteger, nullable=False),
    comment="Counts the loads of a dataset, so that caches see in one row that something changed.",
)

dropped_unit = Table(
    "dropped_unit",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("unit", String(40), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Index("dropped_unit_revision", "dataset", "revision"),
    comment="Units that were loaded once and are no more, so that caches forget them.",
)

fetch = Table(
    "fetch",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("unit", String(40), primary_key=True),
    Column("commune_code", String(5), nullable=False, comment="whose files were asked for"),
    Column("is_complete", Boolean, nullable=False),
    Column("fetched_at", String(20), nullable=False),
    Column("used_at", String(20), nullable=False, comment="to the hour or so"),
    Column("size_bytes", BigInteger, nullable=False),
    Index("fetch_unit", "unit"),
    Index("fetch_used", "used_at"),
    comment="What was fetched on demand; what was imported by hand is not here, and is never dropped.",
)

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
    Column("old_code", String(5), primary_key=True, comment="empty where a commune was made anew"),
    Column("effective_on", String(10), primary_key=True),
    Column("change", String(2), primary_key=True, comment="MOD of INSEE"),
    Column("old_kind", String(4), primary_key=True),
    Column("new_code", String(5), primary_key=True),
    Column("new_kind", String(4), primary_key=True),
    Column("old_name", Text, nullable=False),
    Column("new_name", Text, nullable=False),
    sqlite_with_rowid=False,
    comment="Changes of communes since 1943.",
)

commune_postcodes = Table(
    "commune_postcodes",
    metadata,
    Column("code", String(5), primary_key=True),
    Column("name", Text, nullable=False),
    Column("postcodes", Text, nullable=False, comment="joined by |"),
    Column("lon", Float(53)),
    Column("lat", Float(53)),
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
    Column("lon", Float(53)),
    Column("lat", Float(53)),
    Column("address_count", Integer, nullable=False, comment="its numbered addresses"),
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
    Column("lon", Float(53)),
    Column("lat", Float(53)),
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
    Column("commune_name", Text, nullable=False),
    Column("former_commune_name", Text, nullable=False),
    Column("lon", Float(53)),
    Column("lat", Float(53)),
    sqlite_with_rowid=False,
    comment="Lieux-dits. One that has numbers is a street too, under the same id, and that one is shown.",
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

building = Table(
    "building",
    metadata,
    Column(
        "key",
        BigInteger().with_variant(Integer(), "sqlite"),
        primary_key=True,
        autoincrement=False,
        comment="its unit, dataset and place in that as one number, so that rows of a unit lie together",
    ),
    Column("unit_code", String(5), nullable=False, comment="the commune, or the département of what is published so"),
    Column("dataset", String(40), nullable=False),
    Column("building_id", String(40), nullable=False),
    Column("rnb_ids", Text, nullable=False, comment="joined by |"),
    Column("is_light", Boolean),
    Column("height_m", Float(53)),
    Column("storeys", Integer),
    Column("usage", Text),
    Column("dwelling_count", Integer),
    Column("construction_year", Integer),
    Column("plots", Text, nullable=False, comment="parcel:ratio joined by |, where the source says it"),
    Column("geometry", GEOMETRY, nullable=False),
    Column("is_repaired", Boolean, nullable=False),
    comment="A building is here once for each source that has it. On SQLite building_box (R*Tree) holds the boxes.",
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
    Column("last_edition", String(40), nullable=False, comment="of the plan, the last that had it"),
    Column("geometry", GEOMETRY, comment="as in that edition"),
    sqlite_with_rowid=False,
)

_FORMER = text("ancien_id_parcelle <> ''")

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
    Column("unit_count", Integer, comment="houses, flats and premises, identical rows once"),
    Column("unfolded_unit_count", Integer, comment="identical rows each; null where that changes no figure"),
    Column("unfolded_surface_reelle_bati", Float(53)),
    Column("unfolded_surface_terrain", Float(53)),
    Column("unfolded_nombre_pieces_principales", Integer),
    Index("sale_former_parcel", "commune_code", "ancien_id_parcelle"),
    Index("sale_former_id", "ancien_id_parcelle", sqlite_where=_FORMER, postgresql_where=_FORMER),
)

market_sale = Table(
    "market_sale",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("part", String(10), primary_key=True, comment="year of the file: mutation ids are unique within it"),
    Column("id_mutation", String(40), primary_key=True),
    Column("kind", String(20), nullable=False, comment="house, flat, commercial, building_land or land"),
    Column("date_mutation", String(10), nullable=False),
    Column("type_local", Text),
    Column("price_eur", Float(53), nullable=False),
    Column("area_m2", Float(53), nullable=False, comment="what the price is divided by"),
    Column("built_m2", Float(53)),
    Column("land_m2", Float(53)),
    Column("parcel_ids", Text, nullable=False, comment="joined by |"),
    Column("lon", Float(53), nullable=False),
    Column("lat", Float(53), nullable=False),
    Column("unfolded_land_m2", Float(53), comment="the ground, identical rows each; null where it is land_m2"),
    Index("market_sale_place", "commune_code", "lat", "lon", "kind"),
    Index("market_sale_date", "commune_code", "date_mutation"),
    sqlite_with_rowid=False,
    comment="Mutations that can be compared with others of their kind, each once.",
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


def _drawn_in_a_document(part_comment: str, *own: Column[Any]) -> list[Column[Any]]:
    """The columns of what planning documents draw, those that one kind alone has among them."""
    return [
        Column("id", BigInteger, primary_key=True, autoincrement=False, comment="made of partition, part and place"),
        Column("partition", String(40), nullable=False),
        Column("part", String(10), nullable=False, comment=part_comment),
        Column("document_id", Text, nullable=False),
        Column("document_type", String(4)),
        Column("approved_on", String(10)),
        Column("label", Text, nullable=False),
        *own,
        Column("regulation_url", Text),
        Column("is_repaired", Boolean, nullable=False),
        Column("geometry", GEOMETRY, nullable=False),
    ]


planning_zone = Table(
    "planning_zone",
    metadata,
    *_drawn_in_a_document(
        "cc for a carte communale",
        Column("long_label", Text),
        Column("zone_type", String(3)),
        Column("sector_type", String(2), comment="of a carte communale"),
    ),
    Index("planning_zone_document", "partition", "part"),
    comment="Zones of planning documents. On SQLite the virtual table planning_box (R*Tree) holds the bounding boxes.",
)

planning_prescription = Table(
    "planning_prescription",
    metadata,
    *_drawn_in_a_document("surface, line or point", Column("type_code", String(2)), Column("subtype_code", String(2))),
    Index("planning_prescription_document", "partition", "part"),
)

planning_document = Table(
    "planning_document",
    metadata,
    Column("partition", String(40), primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("document_type", String(4)),
    Column("approved_on", String(10)),
    Column("url", Text),
    sqlite_with_rowid=False,
)

planning_in_force = Table(
    "planning_in_force",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("partition", String(40), primary_key=True),
    sqlite_with_rowid=False,
    comment="The planning documents in force in the middle of a commune.",
)

planning_commune = Table(
    "planning_commune",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("is_rnu", Boolean),
)
