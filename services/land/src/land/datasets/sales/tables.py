"""Sales."""

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table, Text, text

from land.store.tables import columns, metadata

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
    *columns(Text, "nature_mutation", "type_local"),
    Column("has_dependance", Boolean, nullable=False),
    Column("lot_count", Integer, nullable=False),
    *columns(Float(53), "surface_reelle_bati", "surface_terrain"),
    Column("nombre_pieces_principales", Integer),
    Column("valeur_fonciere", Float(53)),
    *columns(Text, "adresse_numero", "adresse_suffixe", "adresse_nom_voie", "code_postal", "nom_commune"),
    Column("parcel_count", Integer, nullable=False),
    Column("unit_count", Integer, comment="houses, flats and premises, identical rows once"),
    Column("unfolded_unit_count", Integer, comment="identical rows each; null where that changes no figure"),
    *columns(Float(53), "unfolded_surface_reelle_bati", "unfolded_surface_terrain"),
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
    *columns(Float(53), "built_m2", "land_m2"),
    Column("parcel_ids", Text, nullable=False, comment="joined by |"),
    *columns(Float(53), "lon", "lat", nullable=False),
    Column("unfolded_land_m2", Float(53), comment="the ground, identical rows each; null where it is land_m2"),
    Index("market_sale_place", "commune_code", "lat", "lon", "kind"),
    Index("market_sale_date", "commune_code", "date_mutation"),
    sqlite_with_rowid=False,
    comment="Mutations that can be compared with others of their kind, each once.",
)
