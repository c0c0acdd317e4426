"""Communes with addresses, and house numbers."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, FromClause, Select, and_, bindparam, select, text

from land.datasets.addresses.records import (
    AddressCommune,
    AddressCommuneRow,
    AddressRow,
    HouseNumberPoint,
    NearbyAddress,
    ban_id,
)
from land.datasets.addresses.street_queries import address, address_commune, locality, split, street
from land.datasets.parcels import ids as parcels
from land.store.boxes import Box, ids_in_tree, is_in_boxes, merged
from land.store.feature_rows import FeatureRows, at_points
from land.store.prepared import IN_COMMUNES, Prepared
from land.store.repository import BoxTree, Repository

ADDRESS_COMMUNES = Repository(
    address_commune,
    AddressCommuneRow,
    ["commune_code"],
    BoxTree("address_commune_box", "commune_code", parcels.commune_to_key),
)
ADDRESSES = Repository(address, AddressRow, ["commune_code"])
MAX_CODES = 1_000
"""Commune codes in one statement: databases limit its parameters to some ten thousand."""
_a, _c, _l = address.c, address_commune.c, locality.c
_NUMBERS = Prepared(
    select(_a.suffix, _a.ban_id, _a.postcode, _a.lon, _a.lat, _a.parcel_ids)
    .where(
        _a.commune_code == bindparam("commune"), _a.street_id == bindparam("street"), _a.number == bindparam("number")
    )
    .order_by(_a.suffix)
)
_COMMUNES = select(_c.commune_code, _c.name, _c.postcodes, _c.former_names, _c.lon, _c.lat, _c.address_count)
_WITHOUT_NUMBERS = (
    select(_l.commune_code, _l.commune_name, _l.postcode, _l.former_commune_name)
    .where(~select(_c.commune_code).where(_c.commune_code == _l.commune_code).exists())
    .order_by(_l.commune_code, _l.locality_id)
)


def communes(connection: Connection, codes: Iterable[str] | None = None) -> list[AddressCommune]:
    """Communes with loaded addresses or lieux-dits: all, or those with these codes."""
    selected = None if codes is None else sorted(codes)
    if selected is not None and len(selected) > MAX_CODES:
        selected_codes = set(selected)
        return [commune for commune in communes(connection) if commune.code in selected_codes]
    with_numbers, without_numbers = _COMMUNES, _WITHOUT_NUMBERS
    if selected is not None:
        with_numbers = with_numbers.where(_c.commune_code.in_(selected))
        without_numbers = without_numbers.where(_l.commune_code.in_(selected))
    numbered = [
        AddressCommune(code, name, split(postcodes), split(former), lon, lat, address_count)
        for code, name, postcodes, former, lon, lat, address_count in connection.execute(with_numbers)
    ]
    by_code: dict[str, tuple[str, set[str], set[str]]] = {}
    for code, name, postcode, former in connection.execute(without_numbers):
        _, postcodes, former_names = by_code.setdefault(code, (name, set(), set()))
        postcodes.add(postcode)
        former_names.add(former)
    return numbered + [
        AddressCommune(code, name, _sorted(postcodes), _sorted(former_names), None, None, 0)
        for code, (name, postcodes, former_names) in by_code.items()
    ]


def numbers(connection: Connection, commune_code: str, street_id: str, number: int) -> list[HouseNumberPoint]:
    """The published numbers of a street with this number, with any suffix, in order of suffix."""
    rows = _NUMBERS.rows(connection, {"commune": commune_code, "street": street_id, "number": number})
    return [
        HouseNumberPoint(
            ban_id(street_id, number, suffix, published), number, suffix, postcode, lon, lat, split(parcel_ids)
        )
        for suffix, published, postcode, lon, lat, parcel_ids in rows
    ]


def _sorted(values: set[str]) -> tuple[str, ...]:
    return tuple(sorted(filter(None, values)))


def _in_box(addresses: Select[Any], place: FromClause) -> Prepared:
    """The addresses whose place, in this table, is in the box."""
    p = place.c
    return Prepared(
        addresses.where(
            p.commune_code.in_(IN_COMMUNES),
            p.lat.between(bindparam("south"), bindparam("north")),
            p.lon.between(bindparam("west"), bindparam("east")),
            address.c.parcel_ids.like(bindparam("declared"))
            | (
                p.lat.between(bindparam("least_lat"), bindparam("most_lat"))
                & p.lon.between(bindparam("least_lon"), bindparam("most_lon"))
            ),
        )
    )


_NAMED = (
    select(
        *(address.c[name] for name in NearbyAddress._fields if name in address.c),
        street.c.name,
        address_commune.c.name,
    )
    .join(street, (street.c.commune_code == address.c.commune_code) & (street.c.street_id == address.c.street_id))
    .join(address_commune, address_commune.c.commune_code == address.c.commune_code)
)
_near = address.alias("near")
_IN_BOX = {
    "sqlite": _in_box(_NAMED.join(_near, and_(*(_near.c[key.name] == key for key in address.primary_key))), _near),
    "postgresql": _in_box(_NAMED, address),
}
"""There is no ORDER BY: in order of the primary key, SQLite reads all addresses of the commune. On SQLite the statement
joins the index as a second table: otherwise SQLite reads the row of each address in the band of latitudes.
"""
_BY_ID = Prepared(
    _NAMED.where(
        _a.commune_code == bindparam("commune"),
        (_a.ban_id == bindparam("id")) | (_a.ban_id.is_(None) & (_a.street_id == bindparam("street"))),
    )
)
_COMMUNE_NAMES = Prepared(select(_c.commune_code, _c.name).where(_c.commune_code.in_(IN_COMMUNES)))
_AROUND = Prepared(
    select(_c.commune_code).where(text(is_in_boxes("address_commune"))), sqlite=text(ids_in_tree("address_commune_box"))
)


def addresses_in_boxes(
    connection: Connection, communes: Iterable[str], boxes: Sequence[Box], parcel_ids: Sequence[str], inner: Box
) -> list[NearbyAddress]:
    """Numbered addresses of these communes whose point lies in one of the boxes, each once, in order of street and
    number. Addresses that neither lie in the inner box nor declare one of the parcels may be left out.
    """
    of_all_boxes = {
        "communes": sorted(communes),
        "declared": f"%{parcel_ids[0]}%" if len(parcel_ids) == 1 else "%",
        **dict(zip(("least_lon", "least_lat", "most_lon", "most_lat"), inner, strict=True)),
    }
    statement = _IN_BOX[connection.dialect.name]
    by_key = {
        (near.commune_code, near.street_id, near.number, near.suffix): near
        for box in merged(boxes)
        for near in map(NearbyAddress._make, statement.rows(connection, {**of_all_boxes, **box._asdict()}))
    }
    return [by_key[key] for key in sorted(by_key)]


def address_by_id(connection: Connection, address_id: str) -> NearbyAddress | None:
    """The address with an interoperability key; None if it is not loaded."""
    values = {"commune": address_id[:5], "id": address_id, "street": "_".join(address_id.split("_")[:2])}
    rows = map(NearbyAddress._make, _BY_ID.rows(connection, values))
    ids = ((ban_id(row.street_id, row.number, row.suffix, row.ban_id), row) for row in rows)
    return next((row for row_id, row in ids if row_id == address_id), None)


def communes_with_addresses_in(connection: Connection, box: Box) -> list[str]:
    """Codes of communes whose addresses may lie in the box."""
    keys = _AROUND.values(connection, {"boxes": json.dumps([box])})
    return sorted(map(parcels.commune_from_key, keys) if connection.dialect.name == "sqlite" else keys)


def commune_names(connection: Connection, communes: Iterable[str]) -> dict[str, str]:
    return dict(_COMMUNE_NAMES.rows(connection, {"communes": sorted(communes)}))


FEATURES = FeatureRows(
    _NAMED.with_only_columns(
        _a.commune_code, *ADDRESSES.columns, street.c.name.label("street_name"), _c.name.label("commune_name")
    ),
    tuple(address.primary_key),
    "commune_code",
    at_points(communes_with_addresses_in, _a.commune_code, _a.lon, _a.lat),
    {"commune_code": _a.commune_code.in_},
)
