"""What resolving an address asks of the store."""

from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, select

from land.addresses.gazetteer import Commune, make_commune
from land.addresses.labels import ban_id
from land.addresses.resolver import HouseNumberPoint
from land.addresses.streets import Street
from land.store.tables import address, address_commune, street

_NUMBERS = (
    select(address)
    .where(
        address.c.commune_code == bindparam("commune"),
        address.c.street_id == bindparam("street"),
        address.c.number == bindparam("number"),
    )
    .order_by(address.c.suffix)
)


def communes(connection: Connection, codes: Iterable[str] | None = None) -> list[Commune]:
    """All communes whose addresses are loaded, or those of these codes."""
    statement = select(address_commune)
    if codes is not None:
        statement = statement.where(address_commune.c.commune_code.in_(sorted(codes)))
    return [
        make_commune(row.commune_code, row.name, _split(row.postcodes), _split(row.former_names), row.lon, row.lat)
        for row in connection.execute(statement)
    ]


def streets_of(connection: Connection, commune_code: str) -> list[Street]:
    statement = select(street).where(street.c.commune_code == commune_code).order_by(street.c.street_id)
    return [
        Street(
            commune_code,
            row.street_id,
            row.name,
            _split(row.search_names),
            _split(row.postcodes),
            row.is_locality,
            row.lon,
            row.lat,
        )
        for row in connection.execute(statement)
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


def _split(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("|")) if joined else ()
