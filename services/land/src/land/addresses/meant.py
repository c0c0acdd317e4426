"""Which communes a query speaks of, whether their addresses are loaded or not.

The first of these that leads anywhere decides, since what it costs to be wrong is a download: the code; a postcode with
the commune's name; a postcode with a name like it; the name; the postcode.
"""

from collections.abc import Callable, Sequence

from land.addresses.gazetteer import LIKE_CITY, Commune, Gazetteer, city_likeness
from land.addresses.model import Address, AddressQuery
from land.addresses.parsing import Hypothesis, hypotheses
from land.parcels import department_of

MAX_MEANT = 50
"""The most communes that share a postcode are 46; a name that more communes have means none of them."""

LIKE_STREET = 0.85
"""A street like enough, in the very place that the query names, is not looked for where nothing is loaded."""

_Finder = Callable[[Hypothesis, Gazetteer], Sequence[Commune]]


def communes_meant(query: AddressQuery, gazetteer: Gazetteer, today: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """Codes of present communes, none twice; nothing where the query names no place. `today` leads from a code, also a
    former one, to those of today.
    """
    if coded := today(query.city_code.strip().upper()):
        return tuple(coded)
    readings = list(hypotheses(query, gazetteer))
    for find in _FINDERS:
        for reading in readings:
            found = find(reading, gazetteer)
            if 0 < len(found) <= MAX_MEANT:
                return tuple(dict.fromkeys(commune.code for commune in found))
    return ()


def is_settled(query: AddressQuery, address: Address) -> bool:
    """Whether the address agrees with the place that the query names, so that it need not be looked for elsewhere."""
    agreed, code = address.matched, query.city_code.strip().upper()
    names_place = code or agreed.city is not None or agreed.postcode is not None
    return (
        bool(names_place)
        and (agreed.street is None or agreed.street >= LIKE_STREET)
        and {agreed.city, agreed.postcode} <= {None, 1.0}
        and code in ("", address.city_code)
    )


def _name_and_postcode(reading: Hypothesis, gazetteer: Gazetteer) -> Sequence[Commune]:
    return [commune for commune in gazetteer.named(reading.city) if reading.postcode in commune.postcodes]


def _like_name_and_postcode(reading: Hypothesis, gazetteer: Gazetteer) -> Sequence[Commune]:
    if not reading.city or gazetteer.named(reading.city):
        return ()
    return [
        commune
        for commune in gazetteer.with_postcode(reading.postcode)
        if city_likeness(reading.city, commune.search_names) >= LIKE_CITY
    ]


def _name(reading: Hypothesis, gazetteer: Gazetteer) -> Sequence[Commune]:
    """Communes of the name; where a postcode disagrees, those of its département if there are any."""
    named = gazetteer.named(reading.city)
    department = department_of(reading.postcode) if reading.postcode else ""
    return [commune for commune in named if department_of(commune.code) == department] or named


def _postcode(reading: Hypothesis, gazetteer: Gazetteer) -> Sequence[Commune]:
    return gazetteer.with_postcode(reading.postcode)


_FINDERS: tuple[_Finder, ...] = (_name_and_postcode, _like_name_and_postcode, _name, _postcode)
