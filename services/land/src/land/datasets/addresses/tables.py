"""Addresses, streets and lieux-dits. A lieu-dit with numbers is also a street with the same id."""

from sqlalchemy import Column, Index, Integer, LargeBinary, SmallInteger, Table, Text

from land.datasets.addresses.records import AddressCommuneRow, AddressRow, LocalityRow, StreetRow, StreetStart
from land.store.tables import metadata, table_of

address_commune = table_of(AddressCommuneRow, "address_commune", ["commune_code"])
street = table_of(StreetRow, "street", ["commune_code", "street_id"])
address = table_of(
    AddressRow,
    "address",
    ["commune_code", "street_id", "number", "suffix"],
    Index("address_place", "commune_code", "lat", "lon"),
)
locality = table_of(LocalityRow, "locality", ["commune_code", "locality_id"])
commune_streets = Table(
    "commune_streets",
    metadata,
    Column("commune_code", Text, primary_key=True),
    Column("form_version", Integer, nullable=False),
    Column("form", LargeBinary, nullable=False),
)
"""The streets and lieux-dits of a commune in the form that the search reads."""
street_start = table_of(
    StreetStart,
    "street_start",
    ["commune_code", "words", "street_id"],
    Index("street_start_words", "tier", "words"),
    words=Text(collation="C").with_variant(Text(), "sqlite"),
    tier=SmallInteger,
)
"""Where the canonical names of streets and lieux-dits start, for texts that are being typed."""
