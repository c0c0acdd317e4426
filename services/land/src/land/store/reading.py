"""Addresses and commune names for the land block."""

from collections.abc import Iterable, Sequence

import shapely
from sqlalchemy import Connection, bindparam, select

from land.records.addresses import NearbyAddress
from land.store.boxes import Box
from land.store.parameters import IN_COMMUNES
from land.store.tables import address, address_commune, street

_ADDRESSES_IN_BOX = (
    select(
        *(address.c[name] for name in NearbyAddress._fields if name in address.c),
        street.c.name,
        address_commune.c.name,
    )
    .join(street, (street.c.commune_code == address.c.commune_code) & (street.c.street_id == address.c.street_id))
    .join(address_commune, address_commune.c.commune_code == address.c.commune_code)
    .where(
        address.c.commune_code.in_(IN_COMMUNES),
        address.c.lat.between(bindparam("south"), bindparam("north")),
        address.c.lon.between(bindparam("west"), bindparam("east")),
    )
)
"""Without ORDER BY: in order of the primary key, SQLite reads all addresses of the commune."""
_COMMUNE_NAMES = select(address_commune.c.commune_code, address_commune.c.name).where(
    address_commune.c.commune_code.in_(IN_COMMUNES)
)


def addresses_in_boxes(connection: Connection, communes: Iterable[str], boxes: Sequence[Box]) -> list[NearbyAddress]:
    """Numbered addresses of these communes whose point lies in one of the boxes, each once, in order of street and
    number. Boxes that overlap are merged: the parcels of a unit mostly adjoin.
    """
    found: dict[tuple[str, str, int, str], NearbyAddress] = {}
    for part in shapely.get_parts(shapely.union_all([shapely.box(*box) for box in boxes])):
        wanted = {"communes": sorted(communes), **Box(*part.bounds)._asdict()}
        for near in map(NearbyAddress._make, connection.execute(_ADDRESSES_IN_BOX, wanted)):
            found[near.commune_code, near.street_id, near.number, near.suffix] = near
    return [found[key] for key in sorted(found)]


def commune_names(connection: Connection, communes: Iterable[str]) -> dict[str, str]:
    rows = connection.execute(_COMMUNE_NAMES, {"communes": sorted(communes)})
    return {row.commune_code: row.name for row in rows}
