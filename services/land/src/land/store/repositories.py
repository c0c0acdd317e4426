"""The tables that loads write, with the class of their rows and the columns that identify a partition.

`land.store.parcels`, `buildings`, `permits` and `planning` declare those that need more than a replacement of rows.
"""

from land import parcels
from land.records.addresses import AddressCommuneRow, AddressRow, LocalityRow, StreetRow, StreetStart
from land.records.communes import CommuneRecord, MovementRecord, PostcodesRecord
from land.store.repository import BoxTree, Repository
from land.store.tables import (
    address,
    address_commune,
    cog_commune,
    cog_movement,
    commune_postcodes,
    locality,
    street,
    street_start,
)

COMMUNES = Repository(cog_commune, CommuneRecord, only_part="communes")
MOVEMENTS = Repository(cog_movement, MovementRecord, only_part="movements")
POSTCODES = Repository(commune_postcodes, PostcodesRecord)
ADDRESS_COMMUNES = Repository(
    address_commune,
    AddressCommuneRow,
    ["commune_code"],
    BoxTree("address_commune_box", "commune_code", parcels.commune_to_key),
)
STREETS = Repository(street, StreetRow, ["commune_code"])
ADDRESSES = Repository(address, AddressRow, ["commune_code"])
STREET_STARTS = Repository(street_start, StreetStart, ["commune_code"])
LOCALITIES = Repository(locality, LocalityRow, ["commune_code"])
