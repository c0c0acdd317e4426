"""Finds the address that a query means: commune first, then the street inside it, then the number.

Pure over an `AddressBook`, which is what the store holds behind a cache.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from land.addresses.confidence import Evidence, evidence, probabilities, strength
from land.addresses.gazetteer import LIKE_CITY, Commune, Gazetteer, city_likeness
from land.addresses.labels import label, spoken_number
from land.addresses.model import Address, AddressQuery, AddressType, Agreement
from land.addresses.normalise import canonical_city
from land.addresses.parsing import HouseNumber, Hypothesis, hypotheses
from land.addresses.streets import SAME, CommuneStreets, Likeness, Street

STREET_THRESHOLD = 0.6
"""A street less similar than this is not considered."""
ACCEPTED = 0.75
"""The probability that what is meant is in the book, below which nothing is answered: rather nothing than another."""
SETTLED_SIMILARITY = 0.85
"""A street this similar where code or postcode point is not looked for elsewhere."""
MAX_COMMUNES = 80
MAX_STREETS = 8
MAX_RANKINGS = 160
"""Communes times names that are compared for one query: what bounds its cost."""
MAX_ALTERNATIVES = 4
MIN_ALTERNATIVE = 0.01
"""The probability below which an alternative is none."""


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
class Candidate:
    commune: Commune
    street: Street | None
    point: HouseNumberPoint | None
    wanted: HouseNumber | None
    agreement: Agreement
    strength: float
    """See `land.addresses.confidence`."""
    evidence: Evidence

    def key(self) -> tuple[str, str, str]:
        return self.commune.code, self.street.id if self.street else "", self.point.ban_id if self.point else ""


def resolve(query: AddressQuery, book: AddressBook) -> Found | None:
    """The address that is meant; None rather than a street that was not."""
    query = replace(query, city_code=book.gazetteer.present_code(query.city_code.strip().upper()))
    ranked = sorted(considered(query, book), key=_rank)
    scores = probabilities([candidate.strength for candidate in ranked])
    if sum(scores) < ACCEPTED:
        return None
    first, *others = zip(ranked, scores, strict=True)
    return Found(
        address=_address(*first),
        point=first[0].point,
        missing_number=first[0].wanted if first[0].point is None and first[0].street else None,
        alternatives=tuple(_address(*other) for other in others[:MAX_ALTERNATIVES] if other[1] >= MIN_ALTERNATIVE),
    )


def considered(query: AddressQuery, book: AddressBook) -> list[Candidate]:
    """What a query may mean, in no order."""
    return _Search(query, book).candidates()


_Place = tuple[Commune, float | None]
"""A commune that a reading speaks for, and how far its name agrees with the city that the reading has."""


class _Search:
    """One query's search, from what costs little and is sure to what costs more: names as they are typed, then similar
    ones where code or postcode point, then wherever the city's name leads.
    """

    def __init__(self, query: AddressQuery, book: AddressBook) -> None:
        self._book = book
        self._unread = hypotheses(query, book.gazetteer)
        self._read: list[tuple[Hypothesis, list[_Place]]] = []
        self._best: dict[tuple[str, str, str], Candidate] = {}
        self._ranked: dict[tuple[str, str], list[tuple[Likeness, Street]]] = {}

    def candidates(self) -> list[Candidate]:
        """Each address that a reading leads to, by the reading that speaks for it most."""
        self._by_name()
        if not any(_agrees(candidate) for candidate in self._best.values()):
            self._by_likeness(is_pointed_at=True)
            settled = (_is_likely(candidate) or _is_same_name(candidate) for candidate in self._best.values())
            if not any(settled):
                self._by_likeness(is_pointed_at=False)
        return list(self._best.values())

    def _readings(self) -> Iterator[tuple[Hypothesis, list[_Place]]]:
        """Each reading with its places, read the first time that somebody comes so far."""
        yield from self._read
        for reading in self._unread:
            self._read.append((reading, _places(reading, self._book.gazetteer)))
            yield self._read[-1]

    def _by_name(self) -> None:
        for reading, places in self._readings():
            if reading.street:
                self._look(reading, places, self._named)
            elif reading.number is None:
                for commune, city in places:
                    self._keep(_municipality(reading, commune, city))
            if any(_agrees(candidate) and _has_number(candidate) for candidate in self._best.values()):
                return

    def _by_likeness(self, *, is_pointed_at: bool) -> None:
        for reading, places in self._readings():
            here = [place for place in places if reading.street and _is_pointed_at(reading, place[0]) is is_pointed_at]
            # A commune pointed at is asked by itself: where its name agrees too, the postcode's others are not meant.
            for together in [[place] for place in here] if is_pointed_at else [here]:
                self._look(reading, together, self._similar)
                if any(_is_likely(candidate) and candidate.agreement.city == 1.0 for candidate in self._best.values()):
                    return  # later readings take the city's words for the street's, all over the postcode

    def _look(
        self, reading: Hypothesis, places: Sequence[_Place], find: Callable[[str, str], list[tuple[Likeness, Street]]]
    ) -> None:
        for commune, city in places:
            for likeness, street in find(commune.code, reading.street):
                self._keep(_street(reading, commune, city, street, likeness, self._book))

    def _keep(self, candidate: Candidate) -> None:
        key = candidate.key()
        if key not in self._best or candidate.strength > self._best[key].strength:
            self._best[key] = candidate

    def _named(self, commune_code: str, name: str) -> list[tuple[Likeness, Street]]:
        return [(SAME, street) for street in self._book.streets(commune_code).named(name)]

    def _similar(self, commune_code: str, name: str) -> list[tuple[Likeness, Street]]:
        key = (commune_code, name)
        if key not in self._ranked and len(self._ranked) >= MAX_RANKINGS:
            return []
        if key not in self._ranked:
            ranked = self._book.streets(commune_code).ranked(name)[:MAX_STREETS]
            self._ranked[key] = [item for item in ranked if item[0].similarity >= STREET_THRESHOLD]
        return self._ranked[key]


def _has_number(candidate: Candidate) -> bool:
    return candidate.point is not None or candidate.wanted is None


def _is_same_name(candidate: Candidate) -> bool:
    """The very street name, with the number that was asked for."""
    return candidate.agreement.street == 1.0 and _has_number(candidate)


def _agrees(candidate: Candidate) -> bool:
    """The very street name, where city and postcode say. A number that it lacks does not make it another street."""
    agreement = candidate.agreement
    return agreement.street == 1.0 and {agreement.city, agreement.postcode} <= {None, 1.0}


def _is_likely(candidate: Candidate) -> bool:
    """A street like enough, with its number, where city and postcode say: not looked for elsewhere."""
    agreement = candidate.agreement
    return (
        (agreement.street or 0.0) >= SETTLED_SIMILARITY
        and _has_number(candidate)
        and {agreement.city, agreement.postcode} <= {None, 1.0}
    )


def _is_pointed_at(reading: Hypothesis, commune: Commune) -> bool:
    return commune.code == reading.city_code or reading.postcode in commune.postcodes


def _rank(candidate: Candidate) -> tuple[float, bool, str, str, str]:
    return (-candidate.strength, candidate.point is None, *candidate.key())


def _places(reading: Hypothesis, gazetteer: Gazetteer) -> list[_Place]:
    """Communes that the reading's code, postcode and city speak for, with the agreement of the city's name.

    Each is evidence, none alone rules out: a wrong postcode beside a right city, or the reverse, still finds both.
    """
    found: dict[str, Commune] = {}
    if commune := gazetteer.by_code.get(reading.city_code):
        found[commune.code] = commune
    named, at_postcode = gazetteer.named(reading.city), gazetteer.with_postcode(reading.postcode)
    if not (named or at_postcode or found):
        named = gazetteer.named_like(reading.city)
    for commune in (*named, *at_postcode):
        found.setdefault(commune.code, commune)
    places = [(commune, _city_agreement(reading.city, commune.search_names)) for commune in found.values()]
    places = [
        (commune, city)
        for commune, city in places
        if city is None or city >= LIKE_CITY or commune.code == reading.city_code
    ]
    places.sort(
        key=lambda p: (p[0].code != reading.city_code, reading.postcode not in p[0].postcodes, -(p[1] or 0), p[0].code)
    )
    return places[:MAX_COMMUNES]


def _city_agreement(city: str, names: Collection[str]) -> float | None:
    return city_likeness(city, names) if city else None


def _city_agreement_of(street: Street, city: str, commune: Commune) -> float | None:
    """Of a street of a commune that merged: the name of another one that it absorbed is not the street's."""
    return _city_agreement(city, [canonical_city(name) for name in (commune.name, street.former_commune)])


def _postcode_agreement(wanted: str, postcodes: Sequence[str]) -> float | None:
    if not wanted:
        return None
    if wanted in postcodes:
        return 1.0
    return 0.5 if any(postcode[:2] == wanted[:2] for postcode in postcodes) else 0.0


def _municipality(reading: Hypothesis, commune: Commune, city: float | None) -> Candidate:
    agreement = Agreement(city=city, postcode=_postcode_agreement(reading.postcode, commune.postcodes))
    found = evidence(SAME, agreement, commune.address_count)
    return Candidate(commune, None, None, None, agreement, strength(found), found)


def _street(
    reading: Hypothesis, commune: Commune, city: float | None, street: Street, likeness: Likeness, book: AddressBook
) -> Candidate:
    wanted, point = reading.number, None
    if wanted is not None:
        numbers = book.numbers(street, wanted.number)
        point = next((p for p in numbers if wanted.fits(p.number, p.suffix)), None)
    postcodes = (point.postcode,) if point else street.postcodes
    agreement = Agreement(
        number=None if wanted is None else float(point is not None),
        street=likeness.similarity,
        city=_city_agreement_of(street, reading.city, commune) if street.former_commune else city,
        postcode=_postcode_agreement(reading.postcode, postcodes),
    )
    found = evidence(likeness, agreement, street.address_count)
    return Candidate(commune, street, point, wanted, agreement, strength(found), found)


def _address(candidate: Candidate, score: float) -> Address:
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
        score=round(score, 4),
        matched=candidate.agreement,
    )
