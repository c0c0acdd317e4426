"""Addresses, streets and communes for a text that is being typed.

Streets are found by the first characters of their names: in the communes that the text, the city code or the place of
the user suggest, and in the whole country, the largest streets first. Every read has a limit. If nothing is found, the
same is tried with one typing error.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10
from typing import NamedTuple

from rapidfuzz.distance import OSA

from land.addresses.gazetteer import Commune, Gazetteer
from land.addresses.labels import address_of
from land.addresses.model import Address
from land.addresses.normalise import canonical_street
from land.addresses.place_index import PlaceIndex, Point
from land.addresses.street_starts import MAX_LENGTH, TIERS, content_of
from land.addresses.typed_text import Reading, readings
from land.addresses.word_similarity import corrected_type
from land.datasets.addresses import queries as addresses
from land.datasets.addresses import street_queries as streets
from land.datasets.addresses.records import HouseNumberPoint, Street
from land.datasets.addresses.street_queries import FoundStart
from land.datasets.partitions import arrondissements_of
from land.store.snapshot import Snapshot

MAX_SUGGESTIONS = 10
MAX_CITIES = 40
"""Communes whose name starts as a typed city."""
MAX_NEAR = 20
NEAR_KM = 50.0
MAX_ROWS = 100
"""Starts of names in one read."""
ENOUGH = 60
"""Streets found in the whole country, after which no smaller ones are read."""
MAX_COMPARED = 1_000
"""Starts of names that one read compares with a text that has an error."""
MIN_ERROR_LENGTH = 4
_LETTERS = " abcdefghijklmnopqrstuvwxyz"


class Typed(NamedTuple):
    text: str
    limit: int
    near: Point | None
    city_code: str


@dataclass(frozen=True)
class SuggestIndex:
    """What suggestions are read from: one snapshot of the store, and its communes."""

    snapshot: Snapshot
    gazetteer: Gazetteer
    places: PlaceIndex
    is_demo: bool


class _Found(NamedTuple):
    score: float
    commune: Commune
    street: FoundStart | None
    """None if it is the commune itself."""
    reading: Reading

    @property
    def key(self) -> tuple[str, str]:
        return self.commune.code, self.street.street_id if self.street else ""


def suggest(typed: Typed, index: SuggestIndex) -> list[Address]:
    """Returns at most `limit` addresses, best first."""
    limit = max(1, min(typed.limit, MAX_SUGGESTIONS))
    search = _Search(typed, index)
    return [address for _, address in sorted(search.addresses(search.found(limit)), key=_rank)[:limit]]


def _rank(scored: tuple[float, Address]) -> tuple[float, str, str]:
    score, address = scored
    return -score, address.label, address.id


class _Search:
    def __init__(self, typed: Typed, index: SuggestIndex) -> None:
        self._typed = typed
        self._index = index
        code = typed.city_code
        codes = {code, *index.gazetteer.present_codes(code), *arrondissements_of(code)}
        self._chosen = index.places.by_code.keys() & codes
        self._around = self._communes_around()

    def found(self, limit: int) -> list[_Found]:
        """The best communes and streets, before their points and numbers are known. Each once."""
        read = readings(self._typed.text)
        matches = [match for reading in read for match in self._exact(reading)]
        if not matches:
            of_streets = (list(self._with_error(reading)) for reading in read if reading.start)
            matches = next(filter(None, of_streets), [])
            matches += [match for reading in read if not reading.start for match in self._with_error(reading)]
        best = {match.key: match for match in sorted(matches, key=lambda match: match.score)}
        return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.key))[: 3 * limit]

    def addresses(self, candidates: Sequence[_Found]) -> Iterator[tuple[float, Address]]:
        """The addresses of these, with their final scores."""
        by_id = streets.streets_by_id(
            self._index.snapshot, [candidate.key for candidate in candidates if candidate.street]
        )
        for score, commune, start, reading in candidates:
            if start is None:
                yield score, address_of(commune, None, None)
            elif (street := by_id.get((commune.code, start.street_id))) is not None:
                point = self._number(street, reading)
                nearness = self._nearness(street.lat, street.lon) - self._nearness(commune.lat, commune.lon)
                has_number = 0.0 if reading.number is None else 1.0 if point else -0.5
                final = score + nearness + has_number - _skipped(start, street, reading)
                yield final, address_of(commune, street, point)

    def _communes_around(self) -> list[str]:
        """Communes that are searched without being typed: the chosen ones, those near the user, all of the demo."""
        index, near = self._index, self._typed.near
        if index.is_demo:
            return sorted(index.places.by_code)
        around = index.places.nearest(near, MAX_NEAR, NEAR_KM) if near else ()
        return sorted(self._chosen | {commune.code for commune in around})

    def _exact(self, reading: Reading) -> Iterator[_Found]:
        cities = self._cities(reading)
        if not (reading.start or reading.street_type):
            yield from (self._commune(commune, part, reading) for commune, part in cities)
        elif reading.city or reading.postcode:
            parts = {commune.code: part for commune, part in cities}
            yield from self._streets(reading, self._in_communes(list(parts), reading.start, MAX_ROWS), parts)
        else:
            yield from self._streets(reading, self._in_communes(self._around, reading.start, MAX_ROWS), {})
            if reading.start:
                yield from self._streets(reading, self._in_country(reading), {})

    def _cities(self, reading: Reading) -> list[tuple[Commune, float]]:
        """Communes with the postcode, if there is one, whose name starts as the city, with the part that was typed."""
        if not reading.postcode:
            return self._index.places.starting_with(reading.city, MAX_CITIES) if reading.city else []
        typed_parts = [
            (commune, _part(reading.city, commune)) for commune in self._index.gazetteer.with_postcode(reading.postcode)
        ]
        return [commune for commune in typed_parts if commune[1]] or [(commune, 0.0) for commune, _ in typed_parts]

    def _in_communes(self, codes: Sequence[str], start: str, most: int) -> list[FoundStart]:
        if not codes:
            return []
        communes = codes if len(start) > 2 else codes[: 4 * (len(start) + 1)]  # noqa: PLR2004 (in most names)
        return streets.starts_in_communes(self._index.snapshot, communes, start, most)

    def _in_country(self, reading: Reading) -> Iterator[FoundStart]:
        """The largest streets first."""
        count = 0
        for tier in range(len(TIERS) + 1) if not self._index.is_demo else ():
            for row in streets.starts_in_tier(self._index.snapshot, tier, reading.start, MAX_ROWS):
                yield row
                count += not reading.street_type or row.street_type == reading.street_type
            if count >= ENOUGH:
                return

    def _with_error(self, reading: Reading) -> Iterator[_Found]:
        """Searches with one typing error in the street, its type or the city."""
        if reading.city and not reading.postcode and not self._cities(reading):
            for city in self._similar_cities(reading.city):
                yield from self._exact(reading._replace(city=city))
        start = reading.start
        typed_type, _, rest = start.partition(" ")
        if rest and not reading.street_type and (corrected := corrected_type(typed_type)):
            yield from self._exact(reading._replace(street_type=corrected, start=rest))
        if len(start) < MIN_ERROR_LENGTH:
            return
        parts = dict.fromkeys((commune.code for commune, _ in self._cities(reading)), 0.0)
        codes = list(parts) or ([] if reading.city else self._around)
        rows = [row for initial in {*start[:2]} for row in self._in_communes(codes, initial, MAX_COMPARED)]
        if not (reading.city or reading.postcode or self._index.is_demo):
            likely = list(_likely_starts(start))
            for tier in range(len(TIERS) + 1):
                rows += streets.starts_like(self._index.snapshot, tier, likely, MAX_COMPARED // 4)
        similar = [row for row in rows if _has_one_error(start, row.words)]
        yield from (row._replace(score=row.score - 1.5) for row in self._streets(reading, similar, parts))

    def _similar_cities(self, city: str) -> Iterator[str]:
        """Names of communes like the typed one, or else starts of names that it differs from by one error."""
        similar = self._index.gazetteer.similar_to(city)
        yield from (commune.search_names[0] for commune in similar)
        if not similar and len(city) > MIN_ERROR_LENGTH:
            has_start = self._index.places.has_start
            end = next((end for end in range(1, len(city)) if not has_start(city[:end])), len(city))
            yield from filter(has_start, dict.fromkeys(_with_one_error(city, end)))

    def _streets(
        self, reading: Reading, rows: Sequence[FoundStart] | Iterator[FoundStart], cities: dict[str, float]
    ) -> Iterator[_Found]:
        for row in rows:
            commune = self._index.gazetteer.by_code.get(row.commune_code)
            if commune is None or not (reading.start or row.street_type == reading.street_type):
                continue
            agreement = 0.0
            if reading.street_type:
                agreement = 1.0 if row.street_type == reading.street_type else -0.7
            size = 0.4 * (len(TIERS) - row.tier)
            place = 1.5 + cities[commune.code] if commune.code in cities else 0.0
            length = _typed_length(reading.start, row.words)
            yield _Found(length + agreement + size + place + self._preference(commune), commune, row, reading)

    def _commune(self, commune: Commune, part: float, reading: Reading) -> _Found:
        size = 0.5 * log10(1 + commune.address_count)
        postcode_bonus = 1.0 if reading.postcode else 0.0
        return _Found(2.0 * part + size + postcode_bonus + self._preference(commune), commune, None, reading)

    def _preference(self, commune: Commune) -> float:
        chosen = 3.0 if commune.code in self._chosen else 0.0
        return chosen + self._nearness(commune.lat, commune.lon)

    def _nearness(self, lat: float | None, lon: float | None) -> float:
        near = self._typed.near
        return 2.5 / (1 + near.km_to(lat, lon) / 3) if near else 0.0

    def _number(self, street: Street, reading: Reading) -> HouseNumberPoint | None:
        house_number = reading.number
        if house_number is None or street.is_locality:
            return None
        points = addresses.numbers(self._index.snapshot, street.commune_code, street.id, house_number.number)
        return next((point for point in points if house_number.matches(point.number, point.suffix)), None)


def _part(city: str, commune: Commune) -> float:
    """The part of the commune's name that the text is; 0 if the name starts otherwise, 1 without a text."""
    return max((len(city) / len(name) for name in commune.search_names if name.startswith(city)), default=0.0) or float(
        not city
    )


def _typed_length(start: str, words: str) -> float:
    """2 if the start of a name is the whole of it."""
    return 2.0 * min(1.0, len(start) / len(words))


def _skipped(row: FoundStart, street: Street, reading: Reading) -> float:
    """What a name loses for the words before the typed ones: "Rue du Temple" comes before "Rue Vieille du Temple"."""
    name = " ".join(content_of(canonical_street(street.name).split()))
    is_inside = name[:MAX_LENGTH] != row.words and name.endswith(row.words)
    return _typed_length(reading.start, row.words) - _typed_length(reading.start, name) if is_inside else 0.0


def _likely_starts(start: str) -> Iterator[str]:
    """The starts of names that a text with one typing error stands for. It has the error in its first half, or the
    first half is right.
    """
    half = max(3, len(start) // 2)
    yield from _with_one_error(start, half)
    yield start[:half]


def _with_one_error(text: str, end: int) -> Iterator[str]:
    """The texts that differ by one typing error in the first `end` letters."""
    for at in range(end):
        before, after = text[:at], text[at:]
        yield from (before + after[1:], before + after[1::-1] + after[2:])
        for letter in _LETTERS:
            yield from (before + letter + after, before + letter + after[1:])


def _has_one_error(start: str, words: str) -> bool:
    lengths = (len(start) - 1, len(start), len(start) + 1)
    return any(OSA.distance(start, words[:length], score_cutoff=1) <= 1 for length in lengths)
