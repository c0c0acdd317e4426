"""What resolving an address asks of the store."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from land.addresses.gazetteer import Commune, make_commune
from land.addresses.labels import ban_id
from land.addresses.resolver import HouseNumberPoint
from land.addresses.streets import Street
from land.store.tables import address, address_commune, locality, street

_NUMBERS = (
    select(address)
    .where(
        address.c.commune_code == bindparam("commune"),
        address.c.street_id == bindparam("street"),
        address.c.number == bindparam("number"),
    )
    .order_by(address.c.suffix)
)
MAX_NAMED = 1_000
"""Communes that one statement names: databases take no more than some ten thousand parameters."""
_s, _l = street.c, locality.c
_STREETS = (
    select(
        _s.street_id, _s.name, _s.search_names, _s.postcodes, _s.former_commune_name, _s.lon, _s.lat, _s.address_count
    )
    .where(_s.commune_code == bindparam("commune"))
    .order_by(_s.street_id)
)
_LOCALITIES = (
    select(_l.locality_id, _l.name, _l.search_name, _l.postcode, _l.former_commune_name, _l.lon, _l.lat)
    .where(_l.commune_code == bindparam("commune"))
    .order_by(_l.locality_id)
)
"""Built once, and their rows taken apart by place: a request may read a dozen communes."""


def communes(connection: Connection, codes: Iterable[str] | None = None) -> list[Commune]:
    """All communes whose addresses are loaded, or those of these codes; with lieux-dits alone, too."""
    wanted = None if codes is None else sorted(codes)
    if wanted is not None and len(wanted) > MAX_NAMED:
        named = set(wanted)
        return [commune for commune in communes(connection) if commune.code in named]
    statement = select(address_commune)
    if wanted is not None:
        statement = statement.where(address_commune.c.commune_code.in_(wanted))
    found = [
        make_commune(
            row.commune_code,
            row.name,
            _split(row.postcodes),
            _split(row.former_names),
            row.lon,
            row.lat,
            row.address_count,
        )
        for row in connection.execute(statement)
    ]
    return found + _without_numbers(connection, wanted)


def _without_numbers(connection: Connection, codes: list[str] | None) -> list[Commune]:
    """Communes of which only lieux-dits are known."""
    numbered = select(address_commune.c.commune_code).where(address_commune.c.commune_code == locality.c.commune_code)
    statement = select(locality).where(~numbered.exists()).order_by(locality.c.commune_code, locality.c.locality_id)
    if codes is not None:
        statement = statement.where(locality.c.commune_code.in_(codes))
    by_code: dict[str, list[Row[Any]]] = {}
    for row in connection.execute(statement):
        by_code.setdefault(row.commune_code, []).append(row)
    return [
        make_commune(
            code,
            rows[0].commune_name,
            sorted({row.postcode for row in rows if row.postcode}),
            sorted({row.former_commune_name for row in rows if row.former_commune_name}),
            None,
            None,
        )
        for code, rows in by_code.items()
    ]


def streets_of(connection: Connection, commune_code: str) -> list[Street]:
    """Streets in order of id, then lieux-dits that have no numbers."""
    shared: dict[str, tuple[str, ...]] = {}  # most streets of a commune have the same postcodes
    of_commune = {"commune": commune_code}
    streets = [
        Street(
            commune_code, key, name, _split(names), _shared(postcodes, shared), False, lon, lat, address_count, former
        )
        for key, name, names, postcodes, former, lon, lat, address_count in connection.execute(_STREETS, of_commune)
    ]
    numbered = {each.id for each in streets}
    return streets + [
        Street(commune_code, key, name, _split(search), _shared(postcode, shared), True, lon, lat, 0, former)
        for key, name, search, postcode, former, lon, lat in connection.execute(_LOCALITIES, of_commune)
        if key not in numbered
    ]


def numbers_of(connection: Connection, of: Street, number: int) -> list[HouseNumberPoint]:
    wanted = {"commune": of.commune_code, "street": of.id, "number": number}
    return [
        HouseNumberPoint(
            ban_id(row.street_id, row.number, row.suffix, row.ban_id),
            row.number,
            row.suffix,
            row.postcode,
            row.lon,
            row.lat,
            _split(row.parcel_ids),
        )
        for row in connection.execute(_NUMBERS, wanted)
    ]


def _shared(joined: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The parts, as one and the same tuple for the same text."""
    parts = known.get(joined)
    return parts if parts is not None else known.setdefault(joined, _split(joined))


def _split(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("|")) if joined else ()
