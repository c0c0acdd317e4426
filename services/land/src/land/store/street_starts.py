"""Streets by the start of their names, for texts that are being typed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from land.records.addresses import Street
from land.store.parameters import IN_COMMUNES, any_of
from land.store.prepared import Pending, Prepared
from land.store.tables import locality, street, street_start

_t, _s, _l = street_start.c, street.c, locality.c
_FOUND = select(_t.commune_code, _t.street_id, _t.words, _t.street_type, _t.tier).where(
    _t.words >= bindparam("first"), _t.words < bindparam("after")
)
_IN_COMMUNES = Prepared(_FOUND.where(_t.commune_code.in_(IN_COMMUNES)).limit(bindparam("most")))
_IN_TIER = Prepared(_FOUND.where(_t.tier == bindparam("tier")).order_by(_t.words).limit(bindparam("most")))
_WITH_START = Prepared(
    select(_t.commune_code).where(_t.tier.in_(any_of("tiers")), _t.words == bindparam("start")).limit(bindparam("most"))
)
_STREETS = Prepared(
    select(
        _s.commune_code, _s.street_id, _s.name, _s.postcodes, _s.lon, _s.lat, _s.address_count, _s.former_commune_name
    ).where(_s.commune_code.in_(IN_COMMUNES), _s.street_id.in_(any_of("streets")))
)
_LOCALITIES = Prepared(
    select(_l.commune_code, _l.locality_id, _l.name, _l.postcode, _l.lon, _l.lat, _l.former_commune_name).where(
        _l.commune_code.in_(IN_COMMUNES), _l.locality_id.in_(any_of("streets"))
    )
)


class FoundStart(NamedTuple):
    commune_code: str
    street_id: str
    words: str
    street_type: str
    tier: int


def in_communes(connection: Connection, communes: Sequence[str], start: str, most: int) -> Pending[list[FoundStart]]:
    """Streets of these communes whose name has a start with these first characters."""
    rows = _IN_COMMUNES.start(connection, {**_range(start), "communes": communes, "most": most})
    return lambda: list(map(FoundStart._make, rows()))


def in_tier(connection: Connection, tier: int, start: str, most: int) -> list[FoundStart]:
    """The same in the whole country, of one tier, in alphabetical order."""
    return list(map(FoundStart._make, _IN_TIER.rows(connection, {**_range(start), "tier": tier, "most": most})))


def communes_with_start(connection: Connection, start: str, tiers: Iterable[int], most: int) -> list[str]:
    """The commune of each street of the country that has exactly this start, at most `most` of them."""
    return [code for (code,) in _WITH_START.rows(connection, {"start": start, "tiers": list(tiers), "most": most})]


def streets_by_id(connection: Connection, found: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Street]:
    """The streets and lieux-dits with these commune codes and ids."""
    wanted = set(found)
    parameters = {"communes": sorted({code for code, _ in wanted}), "streets": sorted({key for _, key in wanted})}
    numbered, others = _STREETS.start(connection, parameters), _LOCALITIES.start(connection, parameters)
    by_id = {
        (code, key): Street(code, key, name, (postcode,) if postcode else (), True, lon, lat, 0, former)
        for code, key, name, postcode, lon, lat, former in others()
    }
    for code, key, name, postcodes, lon, lat, count, former in numbered():
        split = tuple(postcodes.split("|")) if postcodes else ()
        by_id[code, key] = Street(code, key, name, split, False, lon, lat, count, former)
    return {key: each for key, each in by_id.items() if key in wanted}


def _range(start: str) -> dict[str, str]:
    """Texts with these first characters, which are ASCII as in every canonical name."""
    return {"first": start, "after": start[:-1] + chr(ord(start[-1]) + 1) if start else "\x7f"}
