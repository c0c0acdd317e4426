"""The tables of addresses, streets and lieux-dits, and the statements for streets. A lieu-dit with numbers is also a
street with the same id.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    Select,
    SmallInteger,
    Table,
    Text,
    bindparam,
    select,
    text,
)

from land.datasets.addresses.records import (
    AddressCommuneRow,
    AddressRow,
    LocalityRow,
    NamedStreet,
    Street,
    StreetRow,
    StreetStart,
)
from land.store.prepared import IN_COMMUNES, Prepared, any_of
from land.store.repository import Repository
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


class StreetForm(NamedTuple):
    """The streets and lieux-dits of a commune in the form that the search reads."""

    commune_code: str
    form_version: int
    form: bytes


STREETS = Repository(street, StreetRow, ["commune_code"])
LOCALITIES = Repository(locality, LocalityRow, ["commune_code"])
FORMS = Repository(commune_streets, StreetForm, ["commune_code"])
STREET_STARTS = Repository(street_start, StreetStart, ["commune_code"])

_s, _l, _f, _t = street.c, locality.c, commune_streets.c, street_start.c
_STREETS = select(_s.commune_code, *STREETS.columns).where(_s.commune_code.in_(IN_COMMUNES)).order_by(_s.street_id)
_LOCALITIES = (
    select(_l.commune_code, *LOCALITIES.columns).where(_l.commune_code.in_(IN_COMMUNES)).order_by(_l.locality_id)
)
_OF_COMMUNE = Prepared(_STREETS), Prepared(_LOCALITIES)
_BY_ID = (
    Prepared(_STREETS.where(_s.street_id.in_(any_of("streets")))),
    Prepared(_LOCALITIES.where(_l.locality_id.in_(any_of("streets")))),
)
_FORMS = Prepared(
    select(_f.commune_code, _f.form).where(_f.commune_code.in_(IN_COMMUNES), _f.form_version == bindparam("version"))
)


class FoundStart(NamedTuple):
    commune_code: str
    street_id: str
    words: str
    street_type: str
    tier: int


def _limited(statement: Select[tuple[str, ...]]) -> Prepared:
    return Prepared(statement.limit(bindparam("most")))


_STARTS = select(*(_t[name] for name in FoundStart._fields)).where(
    _t.words >= bindparam("first"), _t.words < bindparam("after")
)
_STARTS_IN_COMMUNES = _limited(_STARTS.where(_t.commune_code.in_(IN_COMMUNES)))
_STARTS_IN_TIER = _limited(_STARTS.where(_t.tier == bindparam("tier")).order_by(_t.words))
_WITH_ANY_START = (
    f"SELECT {', '.join(FoundStart._fields)} FROM %s WHERE tier = :tier"  # noqa: S608
    " AND words >= typed.value AND words < typed.value || '\x7f'"
)
_WITH_ANY_START_IN_TIER = Prepared(
    text(
        "SELECT found.* FROM json_array_elements_text(CAST(:starts AS json)) AS typed (value)"  # noqa: S608
        f" CROSS JOIN LATERAL ({_WITH_ANY_START % 'street_start'} ORDER BY words LIMIT :most) AS found LIMIT :most"
    ),
    sqlite=text(_WITH_ANY_START % "json_each(:starts) AS typed CROSS JOIN street_start" + " LIMIT :most"),
)
"""LATERAL on PostgreSQL, and CROSS JOIN on SQLite, keep the starts in the outer loop, so that each reads the index."""
_WITH_START = _limited(select(_t.commune_code).where(_t.tier.in_(any_of("tiers")), _t.words == bindparam("start")))


def streets(connection: Connection, commune_code: str) -> list[NamedStreet]:
    """Streets in order of id, then lieux-dits without numbers."""
    numbered, unnumbered = _read(connection, _OF_COMMUNE, {"communes": [commune_code]})
    ids = {named.street.id for named in numbered}
    return numbered + [named for named in unnumbered if named.street.id not in ids]


def streets_by_id(connection: Connection, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Street]:
    """The streets and lieux-dits with these commune codes and ids."""
    keys = set(keys)
    parameters = {"communes": sorted({code for code, _ in keys}), "streets": sorted({key for _, key in keys})}
    numbered, unnumbered = _read(connection, _BY_ID, parameters)
    by_id = {(named.street.commune_code, named.street.id): named.street for named in (*unnumbered, *numbered)}
    return {key: street for key, street in by_id.items() if key in keys}


def _read(
    connection: Connection, statements: tuple[Prepared, Prepared], parameters: dict[str, list[str]]
) -> tuple[list[NamedStreet], list[NamedStreet]]:
    """The streets, and the lieux-dits."""
    numbered, unnumbered = (statement.rows(connection, parameters) for statement in statements)
    return [_street(code, StreetRow(*values)) for code, *values in numbered], [
        _locality(code, LocalityRow(*values)) for code, *values in unnumbered
    ]


def _street(commune_code: str, row: StreetRow) -> NamedStreet:
    postcodes, names = split(row.postcodes), split(row.search_names)
    place = row.lon, row.lat, row.address_count, row.former_commune_name
    return NamedStreet(Street(commune_code, row.street_id, row.name, postcodes, False, *place), names)


def _locality(commune_code: str, row: LocalityRow) -> NamedStreet:
    postcodes, names = split(row.postcode), split(row.search_name)
    place = row.lon, row.lat, 0, row.former_commune_name
    return NamedStreet(Street(commune_code, row.locality_id, row.name, postcodes, True, *place), names)


def split(joined: str) -> tuple[str, ...]:
    """The texts that a column joins by `|`."""
    return tuple(joined.split("|")) if joined else ()


def forms(connection: Connection, communes: Sequence[str], version: int) -> dict[str, bytes]:
    """The streets of each commune in the form that the search reads, if they are stored in this version of it."""
    return dict(_FORMS.rows(connection, {"communes": communes, "version": version}))


def starts_in_communes(connection: Connection, communes: Sequence[str], start: str, most: int) -> list[FoundStart]:
    """Streets of these communes whose name has a start with these first characters."""
    rows = _STARTS_IN_COMMUNES.rows(connection, {**_range(start), "communes": communes, "most": most})
    return list(map(FoundStart._make, rows))


def starts_in_tier(connection: Connection, tier: int, start: str, most: int) -> list[FoundStart]:
    """Streets of one tier in the whole country whose name has a start with these first characters, in alphabetical
    order.
    """
    rows = _STARTS_IN_TIER.rows(connection, {**_range(start), "tier": tier, "most": most})
    return list(map(FoundStart._make, rows))


def starts_like(connection: Connection, tier: int, starts: Sequence[str], most: int) -> list[FoundStart]:
    """Streets of one tier in the whole country whose name has a start with the first characters of any of these."""
    parameters = {"starts": json.dumps(starts), "tier": tier, "most": most}
    return list(map(FoundStart._make, _WITH_ANY_START_IN_TIER.rows(connection, parameters)))


def communes_with_start(connection: Connection, start: str, tiers: Iterable[int], most: int) -> list[str]:
    """The commune of each street of the country that has exactly this start, at most `most` of them."""
    return _WITH_START.values(connection, {"start": start, "tiers": list(tiers), "most": most})


def _range(start: str) -> dict[str, str]:
    """Texts with these first characters, which are ASCII as in every canonical name."""
    return {"first": start, "after": start[:-1] + chr(ord(start[-1]) + 1) if start else "\x7f"}
