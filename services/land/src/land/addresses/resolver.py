"""Finds the address that a query means: commune first, then the street inside it, then the number.

Pure over an `AddressBook`, which is what the store holds behind a cache.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz import fuzz

from land.addresses.gazetteer import Commune, Gazetteer
from land.addresses.labels import label, spoken_number
from land.addresses.model import Address, AddressQuery, AddressType, Agreement
from land.addresses.parsing import HouseNumber, Hypothesis, hypotheses
from land.addresses.streets import CommuneStreets, Street
from land.errors import AddressNotFound

STREET_THRESHOLD = 0.8
"""A street less similar than this is another street."""
CITY_THRESHOLD = 0.75
MAX_COMMUNES = 80
MAX_STREETS = 8
MAX_ALTERNATIVES = 4
_WEIGHTS = {"street": 0.6, "city": 0.15, "postcode": 0.15, "number": 0.1}


@dataclass(frozen=True)
class HouseNumberPoint:
    """A published number of a street."""

    ban_id: str
    number: int
    suffix: str
    postcode: str
    lon: float | None
    lat: float | None
    parcel_ids: tuple[str, ...]


class AddressBook(Protocol):
    gazetteer: Gazetteer

    def streets(self, commune_code: str) -> CommuneStreets:
        """The streets of a commune; none where its addresses are not loaded."""

    def numbers(self, street: Street, number: int) -> list[HouseNumberPoint]:
        """The published numbers of a street with this figure, whatever the suffix, in order of suffix."""


@dataclass(frozen=True)
class Found:
    """The address, with what decides on its parcels."""

    address: Address
    point: HouseNumberPoint | None
    """None for anything coarser than a house number."""
    missing_number: HouseNumber | None
    """The number that was asked for and does not exist on the street."""
    alternatives: tuple[Address, ...]


_Streets = Callable[[CommuneStreets, str], list[tuple[float, Street]]]
"""Streets of a commune that a canonical name may mean, with their similarity."""


@dataclass(frozen=True)
class _Candidate:
    commune: Commune
    street: Street | None
    point: HouseNumberPoint | None
    wanted: HouseNumber | None
    agreement: Agreement
    score: float

    def key(self) -> tuple[str, str, str]:
        return self.commune.code, self.street.id if self.street else "", self.point.ban_id if self.point else ""


def resolve(query: AddressQuery, book: AddressBook) -> Found:
    """Raises AddressNotFound rather than give a street that was not meant."""
    readings = hypotheses(query, book.gazetteer)
    best = _best(readings, book, _exact_streets)
    if not any(_is_certain(candidate) for candidate in best):
        best = _best(readings, book, _similar_streets)
    if not best:
        raise AddressNotFound("No address matches.")
    ranked = sorted(best, key=_rank)
    first = ranked[0]
    return Found(
        address=_address(first),
        point=first.point,
        missing_number=first.wanted if first.point is None and first.street else None,
        alternatives=tuple(_address(candidate) for candidate in ranked[1 : 1 + MAX_ALTERNATIVES]),
    )


def _best(readings: Sequence[Hypothesis], book: AddressBook, streets: _Streets) -> list[_Candidate]:
    """Each address that a reading leads to, by the reading that speaks for it most. Stops at a certain one."""
    best: dict[tuple[str, str, str], _Candidate] = {}
    for reading in readings:
        for candidate in _candidates(reading, book, streets):
            key = candidate.key()
            if key not in best or candidate.score > best[key].score:
                best[key] = candidate
        if any(_is_certain(candidate) for candidate in best.values()):
            break
    return list(best.values())


def _exact_streets(streets: CommuneStreets, name: str) -> list[tuple[float, Street]]:
    return [(1.0, street) for street in streets.named(name)]


def _similar_streets(streets: CommuneStreets, name: str) -> list[tuple[float, Street]]:
    ranked = streets.ranked(name)[:MAX_STREETS]
    return [(similarity, street) for similarity, street in ranked if similarity >= STREET_THRESHOLD]


def _is_certain(candidate: _Candidate) -> bool:
    has_number = candidate.point is not None or candidate.wanted is None
    return candidate.score >= 1.0 and has_number and candidate.street is not None


def _rank(candidate: _Candidate) -> tuple[float, bool, str, str, str]:
    return (-candidate.score, candidate.point is None, *candidate.key())


def _candidates(reading: Hypothesis, book: AddressBook, streets: _Streets) -> list[_Candidate]:
    places = _places(reading, book.gazetteer)
    if not reading.street:
        return [_municipality(reading, commune, city) for commune, city in places if reading.number is None]
    return [
        _street(reading, commune, city, street, similarity, book)
        for commune, city in places
        for similarity, street in streets(book.streets(commune.code), reading.street)
    ]


def _places(reading: Hypothesis, gazetteer: Gazetteer) -> list[tuple[Commune, float | None]]:
    """Communes that the reading's code, postcode and city speak for, with the agreement of the city's name.

    Each is evidence, none alone rules out: a wrong postcode beside a right city, or the reverse, still finds both.
    """
    found: dict[str, Commune] = {}
    if commune := gazetteer.by_code.get(reading.city_code):
        found[commune.code] = commune
    for commune in (*gazetteer.named(reading.city), *gazetteer.with_postcode(reading.postcode)):
        found.setdefault(commune.code, commune)
    places = [(commune, _city_agreement(reading.city, commune)) for commune in found.values()]
    places = [
        (commune, city)
        for commune, city in places
        if city is None or city >= CITY_THRESHOLD or commune.code == reading.city_code
    ]
    places.sort(
        key=lambda p: (p[0].code != reading.city_code, reading.postcode not in p[0].postcodes, -(p[1] or 0), p[0].code)
    )
    return places[:MAX_COMMUNES]


def _city_agreement(city: str, commune: Commune) -> float | None:
    if not city:
        return None
    return float(max(fuzz.ratio(city, name) for name in commune.search_names) / 100)


def _postcode_agreement(wanted: str, postcodes: Sequence[str]) -> float | None:
    if not wanted:
        return None
    if wanted in postcodes:
        return 1.0
    return 0.5 if any(postcode[:2] == wanted[:2] for postcode in postcodes) else 0.0


def _municipality(reading: Hypothesis, commune: Commune, city: float | None) -> _Candidate:
    agreement = Agreement(city=city, postcode=_postcode_agreement(reading.postcode, commune.postcodes))
    return _Candidate(commune, None, None, None, agreement, _score(agreement))


def _street(
    reading: Hypothesis, commune: Commune, city: float | None, street: Street, similarity: float, book: AddressBook
) -> _Candidate:
    wanted, point = reading.number, None
    if wanted is not None:
        numbers = book.numbers(street, wanted.number)
        point = next((p for p in numbers if wanted.fits(p.number, p.suffix)), None)
    postcodes = (point.postcode,) if point else street.postcodes
    agreement = Agreement(
        number=None if wanted is None else float(point is not None),
        street=similarity,
        city=city,
        postcode=_postcode_agreement(reading.postcode, postcodes),
    )
    return _Candidate(commune, street, point, wanted, agreement, _score(agreement))


def _score(agreement: Agreement) -> float:
    """The weighted mean of the parts that the query gave."""
    parts = {name: getattr(agreement, name) for name in _WEIGHTS if getattr(agreement, name) is not None}
    if not parts:
        return 1.0
    total = sum(_WEIGHTS[name] * float(value) for name, value in parts.items())
    return round(total / sum(_WEIGHTS[name] for name in parts), 4)


def _address(candidate: _Candidate) -> Address:
    commune, street, point = candidate.commune, candidate.street, candidate.point
    number = spoken_number(point.number, point.suffix, commune.code) if point else None
    postcodes = street.postcodes if street else commune.postcodes
    postcode = point.postcode if point else (postcodes[0] if len(postcodes) == 1 else None)
    lon, lat = (point.lon, point.lat) if point else (street.lon, street.lat) if street else (commune.lon, commune.lat)
    kind: AddressType = "housenumber" if point else "municipality"
    if street and not point:
        kind = "locality" if street.is_locality else "street"
    return Address(
        id=point.ban_id if point else street.id if street else commune.code,
        label=label(number, street.name if street else None, postcode, commune.name),
        number=number,
        street=street.name if street else None,
        postcode=postcode or None,
        city=commune.name,
        city_code=commune.code,
        latitude=lat,
        longitude=lon,
        type=kind,
        score=candidate.score,
        matched=candidate.agreement,
    )
