"""Permits, and what they refer to."""

from sqlalchemy import Column, Index, Integer, SmallInteger, String, Table, Text

from land.store.tables import columns, metadata

permit = Table(
    "permit",
    metadata,
    Column("filing_commune", String(5), primary_key=True),
    Column("dataset", String(40), primary_key=True),
    Column("number", String(20), primary_key=True),
    Column("series", String(3), nullable=False),
    *columns(Text, "type_dau", "etat_dau"),
    *columns(String(10), "date_reelle_autorisation", "date_reelle_doc", "date_reelle_daact"),
    *columns(Text, "nature_projet_declaree", "nature_projet_completee", "destination_principale", "superficie_terrain"),
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
    *columns(Integer, "placed", "ambiguous", "retired", nullable=False),
    Column("unchecked", Integer, nullable=False, comment="no cadastre is loaded to look for them"),
    comment="By commune, counts of the permit references to its parcels.",
)
