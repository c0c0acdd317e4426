"""What readers ask of parcels and their history. One query per table, however many parcels are asked for.

Statements are built once: building one takes longer than running it.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import shapely
from sqlalchemy import BindParameter, Connection, bindparam, func, select, text

from land import parcels
from land.records.addresses import NearbyAddress
from land.records.parcels import ParcelRecord
from land.records.permits import PermitRecord, Placement
from land.records.sales import Sale
from land.store.boxes import Box, ids_in_tree, keys_in_table
from land.store.geometry import SRID
from land.store.tables import (
    address,
    address_commune,
    commune_territory,
    parcel,
    permit,
    permit_reference,
    placement,
    sale,
    street,
)


def _any_of(name: str) -> BindParameter[Any]:
    return bindparam(name, expanding=True)


_BOXES_SQLITE = text(
    "SELECT id FROM parcel_box WHERE min_lon <= :east AND max_lon >= :west AND min_lat <= :north AND max_lat >= :south"
)
_IN_BOXES_SQLITE = text(ids_in_tree("parcel_box"))
_PARCELS = select(*(parcel.c[name] for name in ParcelRecord._fields))
_PARCELS_BY_ID = _PARCELS.where(
    parcel.c.commune_code.in_(_any_of("communes")), parcel.c.parcel_id.in_(_any_of("parcel_ids"))
)
_PARCELS_IN_BOX = _PARCELS.where(
    parcel.c.geometry.op("&&")(
        func.ST_MakeEnvelope(*(bindparam(side) for side in Box._fields), SRID),
    )
).order_by(parcel.c.parcel_id)
_PARCELS_IN_BOXES = _PARCELS.where(parcel.c.parcel_id.in_(text(keys_in_table("parcel", "parcel_id")))).order_by(
    parcel.c.parcel_id
)
_ADDRESSES_IN_BOX = (
    select(
        *(address.c[name] for name in NearbyAddress._fields if name in address.c),
        street.c.name,
        address_commune.c.name,
    )
    .join(street, (street.c.commune_code == address.c.commune_code) & (street.c.street_id == address.c.street_id))
    .join(address_commune, address_commune.c.commune_code == address.c.commune_code)
    .where(
        address.c.commune_code.in_(_any_of("communes")),
        address.c.lat.between(bindparam("south"), bindparam("north")),
        address.c.lon.between(bindparam("west"), bindparam("east")),
    )
)
"""In no order: asked for that of its key, SQLite reads all of a commune's addresses rather than find the place."""
_TERRITORIES = select(commune_territory.c.commune_code, commune_territory.c.geometry).where(
    commune_territory.c.commune_code.in_(_any_of("communes"))
)
_COMMUNE_NAMES = select(address_commune.c.commune_code, address_commune.c.name).where(
    address_commune.c.commune_code.in_(_any_of("communes"))
)
_SALES = select(*(sale.c[name] for name in Sale._fields)).where(sale.c.commune_code.in_(_any_of("communes")))
_SALES_ON = _SALES.where(sale.c.id_parcelle.in_(_any_of("parcel_ids"))).union_all(
    _SALES.where(sale.c.ancien_id_parcelle.in_(_any_of("parcel_ids")), sale.c.id_parcelle.not_in(_any_of("parcel_ids")))
)
_PERMIT_FIELDS = [name for name in PermitRecord._fields if name in permit.c]
_PERMITS_ON = (
    select(permit_reference.c.parcel_id, *(permit.c[name] for name in _PERMIT_FIELDS))
    .join(
        permit,
        (permit.c.filing_commune == permit_reference.c.filing_commune)
        & (permit.c.dataset == permit_reference.c.dataset)
        & (permit.c.number == permit_reference.c.permit_number),
    )
    .where(
        permit_reference.c.commune_code.in_(_any_of("communes")),
        permit_reference.c.parcel_id.in_(_any_of("parcel_ids")),
    )
    .order_by(permit_reference.c.parcel_id, permit.c.series, permit.c.number, permit.c.dataset)
    .distinct()
)
_AMBIGUOUS = select(
    permit_reference.c.commune_code,
    permit_reference.c.section,
    permit_reference.c.number,
    permit_reference.c.dataset,
    permit_reference.c.permit_number,
).where(
    permit_reference.c.commune_code.in_(_any_of("communes")),
    permit_reference.c.section.in_(_any_of("sections")),
    permit_reference.c.number.in_(_any_of("numbers")),
    permit_reference.c.placement == "ambiguous",
)
_RETIRED = select(placement.c.commune_code, placement.c.retired).where(
    placement.c.commune_code.in_(_any_of("communes")), placement.c.retired > 0
)


def parcels_by_id(connection: Connection, parcel_ids: Sequence[str]) -> dict[str, ParcelRecord]:
    """Those that exist, by id."""
    if not parcel_ids:
        return {}
    rows = connection.execute(_PARCELS_BY_ID, _selection(parcel_ids))
    return {row.parcel_id: ParcelRecord._make(row) for row in rows}


def parcels_in_box(connection: Connection, box: Box) -> list[ParcelRecord]:
    """Parcels whose bounding box meets this one, in any commune, in order of id."""
    if connection.dialect.name == "sqlite":
        keys = connection.scalars(_BOXES_SQLITE, box._asdict())
        found = parcels_by_id(connection, [parcels.from_key(key) for key in keys])
        return [found[key] for key in sorted(found)]
    return [ParcelRecord._make(row) for row in connection.execute(_PARCELS_IN_BOX, box._asdict())]


def parcels_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[ParcelRecord]:
    """Parcels whose bounding box meets one of these, in any commune, each once, in order of id."""
    wanted = {"boxes": json.dumps(boxes)}
    if connection.dialect.name == "sqlite":
        keys = set(connection.scalars(_IN_BOXES_SQLITE, wanted))
        found = parcels_by_id(connection, [parcels.from_key(key) for key in sorted(keys)])
        return [found[key] for key in sorted(found)]
    return [ParcelRecord._make(row) for row in connection.execute(_PARCELS_IN_BOXES, wanted)]


def territories_of(connection: Connection, communes: Iterable[str]) -> dict[str, bytes]:
    """By commune, its territory as WKB, of those that are loaded."""
    rows = connection.execute(_TERRITORIES, {"communes": sorted(communes)})
    return {row.commune_code: row.geometry for row in rows}


def addresses_in_boxes(connection: Connection, communes: Iterable[str], boxes: Sequence[Box]) -> list[NearbyAddress]:
    """Numbered addresses of these communes whose point lies in one of the boxes, each once, in order of street and
    number. Boxes that meet are one: the parcels of a unit mostly adjoin, and those that do not may lie far apart.
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


def sales_on(connection: Connection, parcel_ids: Sequence[str]) -> list[Sale]:
    """Sales on these parcels, under their present or their former id, newest first."""
    rows = [Sale._make(row) for row in connection.execute(_SALES_ON, _selection(parcel_ids))]
    rows.sort(key=lambda row: (row.id_parcelle, row.id_mutation))
    rows.sort(key=lambda row: row.date_mutation or "", reverse=True)
    return rows


def permits_on(connection: Connection, parcel_ids: Sequence[str]) -> list[tuple[str, PermitRecord]]:
    """Parcel id and permit, for each reference that is placed on one of these parcels, in order of parcel, series,
    number and dataset. Without the references.
    """
    rows = connection.execute(_PERMITS_ON, _selection(parcel_ids))
    return [(row[0], PermitRecord(**dict(zip(_PERMIT_FIELDS, row[1:], strict=True)))) for row in rows]


def ambiguous_permit_count(connection: Connection, parcel_ids: Sequence[str]) -> int:
    """Permits that name the section and number of one of these parcels, where several parcels have them."""
    ids = [parcels.parse(parcel_id) for parcel_id in parcel_ids]
    wanted = {(i.commune_code, i.section, i.number) for i in ids if i is not None}
    communes, sections, numbers = (sorted({key[part] for key in wanted}) for part in range(3))
    rows = connection.execute(_AMBIGUOUS, {"communes": communes, "sections": sections, "numbers": numbers})
    return len({(row[3], row[4]) for row in rows if (row[0], row[1], row[2]) in wanted})


def retired_reference_counts(connection: Connection, communes: Iterable[str]) -> dict[str, int]:
    """By commune, the references of permits that no parcel of its cadastre fits; those with any."""
    rows = connection.execute(_RETIRED, {"communes": sorted(communes)})
    return {row.commune_code: row.retired for row in rows}


def _selection(parcel_ids: Sequence[str]) -> dict[str, list[str]]:
    return {"communes": sorted({parcel_id[:5] for parcel_id in parcel_ids}), "parcel_ids": list(parcel_ids)}


def placements(connection: Connection, commune: str) -> list[Placement]:
    """How references of permits fared, by commune; of one commune where given."""
    statement = select(placement).order_by(placement.c.commune_code)
    if commune:
        statement = statement.where(placement.c.commune_code == commune)
    return [Placement._make(row) for row in connection.execute(statement)]
