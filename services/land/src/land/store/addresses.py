"""Communes, streets and house numbers for resolving addresses."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, FromClause, Select, and_, bindparam, delete, insert, select, text, union

from land.parcels import commune_from_key
from land.records.addresses import AddressCommune, HouseNumberPoint, NamedStreet, NearbyAddress, Street, ban_id
from land.store.boxes import Box, ids_in_tree, is_in_boxes, merged
from land.store.parameters import IN_COMMUNES
from land.store.prepared import Pending, Prepared
from land.store.tables import address, address_commune, commune_streets, locality, street

MAX_CODES = 1_000
"""Commune codes in one statement: databases limit its parameters to some ten thousand."""
_a, _c, _f, _s, _l = address.c, address_commune.c, commune_streets.c, street.c, locality.c
_NUMBERS = Prepared(
    select(_a.suffix, _a.ban_id, _a.postcode, _a.lon, _a.lat, _a.parcel_ids)
    .where(
        _a.commune_code == bindparam("commune"), _a.street_id == bindparam("street"), _a.number == bindparam("number")
    )
    .order_by(_a.suffix)
)
_STREETS = Prepared(
    select(
        _s.street_id, _s.name, _s.search_names, _s.postcodes, _s.former_commune_name, _s.lon, _s.lat, _s.address_count
    )
    .where(_s.commune_code == bindparam("commune"))
    .order_by(_s.street_id)
)
_LOCALITIES = Prepared(
    select(_l.locality_id, _l.name, _l.search_name, _l.postcode, _l.former_commune_name, _l.lon, _l.lat)
    .where(_l.commune_code == bindparam("commune"))
    .order_by(_l.locality_id)
)
"""Statements are built once and rows unpacked by position: one request may read a dozen communes."""
_FORMS = Prepared(
    select(_f.commune_code, _f.form).where(_f.commune_code.in_(IN_COMMUNES), _f.form_version == bindparam("version"))
)
_DELETE_FORM = delete(commune_streets).where(_f.commune_code == bindparam("commune"))
_INSERT_FORM = insert(commune_streets)
_loaded = union(select(_c.commune_code), select(_l.commune_code)).subquery().c.commune_code
_WITHOUT_FORM = select(_loaded).where(
    _loaded.not_in(select(_f.commune_code).where(_f.form_version >= bindparam("version")))
)
_COMMUNES = select(_c.commune_code, _c.name, _c.postcodes, _c.former_names, _c.lon, _c.lat, _c.address_count)
_WITHOUT_NUMBERS = (
    select(_l.commune_code, _l.commune_name, _l.postcode, _l.former_commune_name)
    .where(~select(_c.commune_code).where(_c.commune_code == _l.commune_code).exists())
    .order_by(_l.commune_code, _l.locality_id)
)


def communes(connection: Connection, codes: Iterable[str] | None = None) -> list[AddressCommune]:
    """Communes with loaded addresses or lieux-dits: all, or those with these codes."""
    wanted = None if codes is None else sorted(codes)
    if wanted is not None and len(wanted) > MAX_CODES:
        selected = set(wanted)
        return [commune for commune in communes(connection) if commune.code in selected]
    numbered = _COMMUNES if wanted is None else _COMMUNES.where(_c.commune_code.in_(wanted))
    found = [
        AddressCommune(code, name, _split(postcodes), _split(former), lon, lat, address_count)
        for code, name, postcodes, former, lon, lat, address_count in connection.execute(numbered)
    ]
    unnumbered = _WITHOUT_NUMBERS if wanted is None else _WITHOUT_NUMBERS.where(_l.commune_code.in_(wanted))
    by_code: dict[str, tuple[str, set[str], set[str]]] = {}
    for code, name, postcode, former in connection.execute(unnumbered):
        _, postcodes, former_names = by_code.setdefault(code, (name, set(), set()))
        postcodes.add(postcode)
        former_names.add(former)
    return found + [
        AddressCommune(code, name, _sorted(postcodes), _sorted(former_names), None, None, 0)
        for code, (name, postcodes, former_names) in by_code.items()
    ]


def streets(connection: Connection, commune_code: str) -> list[NamedStreet]:
    """Streets in order of id, then lieux-dits without numbers."""
    shared: dict[str, tuple[str, ...]] = {}  # most streets of a commune have the same postcodes: one tuple for all
    of_commune = {"commune": commune_code}
    found = [
        NamedStreet(
            Street(commune_code, key, name, _shared(postcodes, shared), False, lon, lat, address_count, former),
            _split(names),
        )
        for key, name, names, postcodes, former, lon, lat, address_count in _STREETS.rows(connection, of_commune)
    ]
    numbered = {each.street.id for each in found}
    return found + [
        NamedStreet(
            Street(commune_code, key, name, _shared(postcode, shared), True, lon, lat, 0, former), _split(search)
        )
        for key, name, search, postcode, former, lon, lat in _LOCALITIES.rows(connection, of_commune)
        if key not in numbered
    ]


def forms(connection: Connection, communes: Sequence[str], version: int) -> dict[str, bytes]:
    """The streets of these communes in the form that the search reads, without those of another version."""
    return dict(_FORMS.rows(connection, {"communes": communes, "version": version}))


def without_form(connection: Connection, version: int) -> list[str]:
    """Codes of communes with streets or lieux-dits whose form is missing or has an older version."""
    return sorted(connection.scalars(_WITHOUT_FORM, {"version": version}))


def replace_form(connection: Connection, commune_code: str, version: int, form: bytes) -> None:
    """Replaces the form of a commune's streets; an empty form is only deleted."""
    connection.execute(_DELETE_FORM, {"commune": commune_code})
    if form:
        row = {"commune_code": commune_code, "form_version": version, "form": form}
        connection.execute(_INSERT_FORM, row)


def numbers(connection: Connection, commune_code: str, street_id: str, number: int) -> list[HouseNumberPoint]:
    """The published numbers of a street with this number, with any suffix, in order of suffix."""
    wanted = {"commune": commune_code, "street": street_id, "number": number}
    return [
        HouseNumberPoint(
            ban_id(street_id, number, suffix, published), number, suffix, postcode, lon, lat, _split(parcel_ids)
        )
        for suffix, published, postcode, lon, lat, parcel_ids in _NUMBERS.rows(connection, wanted)
    ]


def _sorted(values: set[str]) -> tuple[str, ...]:
    return tuple(sorted(filter(None, values)))


def _shared(joined: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    parts = known.get(joined)
    return parts if parts is not None else known.setdefault(joined, _split(joined))


def _split(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("|")) if joined else ()


def _in_box(found: Select[Any], place: FromClause) -> Prepared:
    """Those of the found addresses whose place, in this table, is in the box."""
    here = place.c
    return Prepared(
        found.where(
            here.commune_code.in_(IN_COMMUNES),
            here.lat.between(bindparam("south"), bindparam("north")),
            here.lon.between(bindparam("west"), bindparam("east")),
            address.c.parcel_ids.like(bindparam("declared"))
            | (
                here.lat.between(bindparam("least_lat"), bindparam("most_lat"))
                & here.lon.between(bindparam("least_lon"), bindparam("most_lon"))
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
    "sqlite": _in_box(_NAMED.join(_near, and_(*(_near.c[each.name] == each for each in address.primary_key))), _near),
    "postgresql": _in_box(_NAMED, address),
}
"""Without ORDER BY: in order of the primary key, SQLite reads all addresses of the commune. On SQLite the statement
joins the index as a second table: otherwise SQLite reads the row of each address in the band of latitudes.
"""
_COMMUNE_NAMES = Prepared(
    select(address_commune.c.commune_code, address_commune.c.name).where(
        address_commune.c.commune_code.in_(IN_COMMUNES)
    )
)


_AROUND = {
    "sqlite": Prepared(text(ids_in_tree("address_commune_box"))),
    "postgresql": Prepared(select(_c.commune_code).where(text(is_in_boxes("address_commune")))),
}


def addresses_in_boxes(
    connection: Connection, communes: Iterable[str], boxes: Sequence[Box], parcel_ids: Sequence[str], inner: Box
) -> Pending[list[NearbyAddress]]:
    """Numbered addresses of these communes whose point lies in one of the boxes, each once, in order of street and
    number. Addresses that neither lie in the inner box nor declare one of the parcels may be left out.
    """
    of_all = {
        "communes": sorted(communes),
        "declared": f"%{parcel_ids[0]}%" if len(parcel_ids) == 1 else "%",
        **dict(zip(("least_lon", "least_lat", "most_lon", "most_lat"), inner, strict=True)),
    }
    statement = _IN_BOX[connection.dialect.name]
    started = [statement.start(connection, {**of_all, **part._asdict()}) for part in merged(boxes)]

    def found() -> list[NearbyAddress]:
        by_key: dict[tuple[str, str, int, str], NearbyAddress] = {}
        for near in (NearbyAddress._make(row) for rows in started for row in rows()):
            by_key[near.commune_code, near.street_id, near.number, near.suffix] = near
        return [by_key[key] for key in sorted(by_key)]

    return found


def communes_with_addresses_in(connection: Connection, box: Box) -> list[str]:
    """Codes of communes whose addresses may lie in the box."""
    found = _AROUND[connection.dialect.name].values(connection, {"boxes": json.dumps([box])})
    return sorted(map(commune_from_key, found) if connection.dialect.name == "sqlite" else found)


def commune_names(connection: Connection, communes: Iterable[str]) -> dict[str, str]:
    return dict(_COMMUNE_NAMES.rows(connection, {"communes": sorted(communes)}))
