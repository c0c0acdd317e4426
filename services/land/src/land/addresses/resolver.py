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

STREET_THRESHOLD = 0.72
"""A street less similar than this is another street."""
NUMBERLESS_THRESHOLD = 0.95
"""The same where the number that was asked for does not exist on the street."""
ELSEWHERE_THRESHOLD = 0.93
"""The same where the query's code and postcode point to another commune."""
SETTLED_SIMILARITY = 0.85
"""A street this similar where code or postcode point is not looked for elsewhere."""
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


def resolve(query: AddressQuery, book: AddressBook) -> Found | None:
    """The address that is meant; None rather than a street that was not."""
    candidates = _Search(query, book).candidates()
    if not candidates:
        return None
    ranked = sorted(candidates, key=_rank)
    first = ranked[0]
    return Found(
        address=_address(first),
        point=first.point,
        missing_number=first.wanted if first.point is None and first.street else None,
        alternatives=tuple(_address(candidate) for candidate in ranked[1 : 1 + MAX_ALTERNATIVES]),
    )


_Place = tuple[Commune, float | None]
"""A commune that a reading speaks for, and how far its name agrees with the city that the reading has."""


class _Search:
    """One query's search, from what costs little and is sure to what costs more: names as they are typed, then similar
    ones where code or postcode point, then wherever the city's name leads.
    """

    def __init__(self, query: AddressQuery, book: AddressBook) -> None:
        self._book = book
        readings = hypotheses(query, book.gazetteer)
        self._readings = [(reading, _places(reading, book.gazetteer)) for reading in readings]
        self._best: dict[tuple[str, str, str], _Candidate] = {}
        self._ranked: dict[tuple[str, str], list[tuple[float, Street]]] = {}

    def candidates(self) -> list[_Candidate]:
        """Each address that a reading leads to, by the reading that speaks for it most."""
        self._by_name()
        if not any(_agrees(candidate) for candidate in self._best.values()):
            self._by_likeness(is_pointed_at=True)
            settled = (_is_likely(candidate) or _is_same_name(candidate) for candidate in self._best.values())
            if not any(settled):
                self._by_likeness(is_pointed_at=False)
        return list(self._best.values())

    def _by_name(self) -> None:
        for reading, places in self._readings:
            if reading.street:
                self._look(reading, places, self._named)
            elif reading.number is None:
                for commune, city in places:
                    self._keep(_municipality(reading, commune, city))
            if any(_agrees(candidate) and _has_number(candidate) for candidate in self._best.values()):
                return

    def _by_likeness(self, *, is_pointed_at: bool) -> None:
        for reading, places in self._readings:
            here = [place for place in places if _is_pointed_at(reading, place[0]) is is_pointed_at]
            self._look(reading, here if reading.street else [], self._similar)

    def _look(
        self, reading: Hypothesis, places: Sequence[_Place], find: Callable[[str, str], list[tuple[float, Street]]]
    ) -> None:
        for commune, city in places:
            for similarity, street in find(commune.code, reading.street):
                candidate = _street(reading, commune, city, street, similarity, self._book)
                if similarity >= _threshold(reading, candidate):
                    self._keep(candidate)

    def _keep(self, candidate: _Candidate) -> None:
        key = candidate.key()
        if key not in self._best or candidate.score > self._best[key].score:
            self._best[key] = candidate

    def _named(self, commune_code: str, name: str) -> list[tuple[float, Street]]:
        return [(1.0, street) for street in self._book.streets(commune_code).named(name)]

    def _similar(self, commune_code: str, name: str) -> list[tuple[float, Street]]:
        key = (commune_code, name)
        if key not in self._ranked:
            ranked = self._book.streets(commune_code).ranked(name)[:MAX_STREETS]
            self._ranked[key] = [item for item in ranked if item[0] >= STREET_THRESHOLD]
        return self._ranked[key]


def _has_number(candidate: _Candidate) -> bool:
    return candidate.point is not None or candidate.wanted is None


def _is_same_name(candidate: _Candidate) -> bool:
    """The very street name, with the number that was asked for."""
    return candidate.agreement.street == 1.0 and _has_number(candidate)


def _agrees(candidate: _Candidate) -> bool:
    """The very street name, where city and postcode say. A number that it lacks does not make it another street."""
    agreement = candidate.agreement
    return agreement.street == 1.0 and {agreement.city, agreement.postcode} <= {None, 1.0}


def _is_likely(candidate: _Candidate) -> bool:
    """A street like enough, with its number, where city and postcode say: not looked for elsewhere."""
    agreement = candidate.agreement
    return (
        (agreement.street or 0.0) >= SETTLED_SIMILARITY
        and _has_number(candidate)
        and {agreement.city, agreement.postcode} <= {None, 1.0}
    )


def _threshold(reading: Hypothesis, candidate: _Candidate) -> float:
    """How similar a street must be to be the one that was meant: the less else agrees, the more."""
    threshold = STREET_THRESHOLD
    if candidate.wanted is not None and candidate.point is None:
        threshold = max(threshold, NUMBERLESS_THRESHOLD)
    if (reading.postcode or reading.city_code) and not _is_pointed_at(reading, candidate.commune):
        threshold = max(threshold, ELSEWHERE_THRESHOLD)
    return threshold


def _is_pointed_at(reading: Hypothesis, commune: Commune) -> bool:
    return commune.code == reading.city_code or reading.postcode in commune.postcodes


def _rank(candidate: _Candidate) -> tuple[float, bool, str, str, str]:
    return (-candidate.score, candidate.point is None, *candidate.key())


def _places(reading: Hypothesis, gazetteer: Gazetteer) -> list[_Place]:
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
