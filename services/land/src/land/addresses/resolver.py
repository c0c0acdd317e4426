"""Resolves a query to an address: first the commune, then the street in it, then the number.

It reads addresses through an `AddressIndex`, which the cache implements over the store.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from land.addresses.candidates import (
    Candidate,
    city_agreement,
    city_names,
    commune_candidate,
    has_number,
    house,
    is_exact,
    is_likely,
    is_same_name,
    order_of,
    street_candidate,
)
from land.addresses.confidence import (
    CONTRADICTION_COST,
    MIN_PROBABILITY,
    answer_probability,
    calibrated,
    limited,
    probabilities,
)
from land.addresses.evidence import (
    Comparison,
    Place,
    Statement,
    agreement_with,
    contradicted,
    contradiction,
    contradictory_fields,
    has_several_inputs,
    statements,
)
from land.addresses.gazetteer import MIN_CITY_SIMILARITY, Commune, Gazetteer
from land.addresses.labels import address_of
from land.addresses.model import Address, AddressQuery, Agreement, ParcelMatch
from land.addresses.name_similarity import EXACT, MIN_SIMILARITY, NameSimilarity
from land.addresses.normalise import STREET_TYPE_WORDS, canonical_city, canonical_street, split_arrondissement
from land.addresses.parsing import HouseNumber, Interpretation, Reading, interpretations, whole_text
from land.addresses.published import published_names, text_of
from land.addresses.rewriting import rewritten, unlisted
from land.addresses.streets import StreetIndex
from land.addresses.words import PREPOSITIONS, STOP_WORDS, is_number, joined
from land.answers.texts import AnswerWarning
from land.datasets.addresses.records import HouseNumberPoint, Street
from land.datasets.partitions import arrondissements_of, filing_commune
from land.store.loads import Load

MIN_OTHER_NAME = 0.15
"""The weight of the typed words that a street lacks, as a ratio, which may be those of no part."""
MAX_COMMUNES = 80
MAX_TEXT_COMMUNES = 20
"""Communes whose published names are searched inside the text."""
MAX_NAME_LOOKUPS = 160
"""Lookups of similar names for one query, one per commune and name: limits its cost."""
MAX_SIMILARITY_DIFFERENCE = 0.1
"""If the similarities of a typed name to two streets differ by more, the name means the more similar one."""
MAX_ALTERNATIVES = 4
MIN_ALTERNATIVE_PROBABILITY = 0.01
OTHER_NUMBER_COST = 2.0
"""What the utility of the answer exceeds that of a house with another number of the text. Its probability is then at
most 0.88: the text does not say which of the numbers is the house's.
"""
OTHER_PART = 0.5
"""The agreement of the city with a street outside the former commune of this name, which has a similar street."""
MIN_FIGURES = 2
_FIGURE = re.compile(r"\b([0-9]{1,4})(?: ?(bis|ter|quater|[a-df-z]))?\b")


class AddressIndex(Protocol):
    @property
    def gazetteer(self) -> Gazetteer:
        """The communes whose addresses are loaded."""

    def streets(self, commune_codes: Sequence[str]) -> Sequence[StreetIndex]:
        """The streets of each commune; empty if its addresses are not loaded."""

    def numbers(self, street: Street, number: int) -> list[HouseNumberPoint]:
        """The published numbers of a street with this number, with any suffix, in order of suffix."""

    def is_name(self, word: str) -> bool:
        """Whether the name of a street in the store is this word, or ends with it."""


@dataclass(frozen=True)
class AddressMatch:
    """The most probable address of a query."""

    address: Address
    point: HouseNumberPoint | None
    """None unless the address is a house number."""
    missing_number: HouseNumber | None
    """The number in the query, if the street does not have it."""
    alternatives: tuple[Address, ...]
    contradictory: Mapping[str, str]
    """The typed values of the fields that contradict each other, by field."""
    parcels: tuple[ParcelMatch, ...] | None = None
    """The parcels that the query names, if it names land without an address."""
    warnings: Sequence[AnswerWarning] = ()
    loads: Sequence[Load] = ()
    """What names the parcels, besides the addresses and the plan of the commune."""


def resolve(query: AddressQuery, index: AddressIndex) -> AddressMatch | None:
    """The most probable address with alternatives; None if it is too uncertain."""
    search = _Search(query, index)
    search.candidates()
    ranked = search.ranked()
    scores = _scores(ranked)
    if not _is_answer(ranked, scores):
        return None
    (first, score), *next_candidates = zip(ranked, scores, strict=True)
    return AddressMatch(
        address=_address(first, score, search),
        point=first.point,
        missing_number=first.number if first.point is None and first.street else None,
        alternatives=tuple(
            _address(other, score, search)
            for other, score in next_candidates[:MAX_ALTERNATIVES]
            if score >= MIN_ALTERNATIVE_PROBABILITY
        ),
        contradictory=search.contradictory(first),
    )


def find_candidates(query: AddressQuery, index: AddressIndex) -> list[Candidate]:
    """Every address that the query may stand for, in no order."""
    return _Search(query, index).candidates()


_FindStreets = Callable[[str, str], Sequence[tuple[NameSimilarity, Street]]]
_Place = tuple[Commune, float | None]
"""A commune of an interpretation, and the similarity of its name to the interpretation's city."""


class _Search:
    """The search for one query, the cheapest and most certain lookups first.

    It looks for exact street names, then for similar names where the code or postcode matches, then for similar names
    where only the city matches.
    """

    def __init__(self, query: AddressQuery, index: AddressIndex) -> None:
        self._query = query
        self._index = index
        self._codes = index.gazetteer.present_codes(query.city_code.strip().upper())
        self._has_several_inputs = has_several_inputs(query)
        self._unread = interpretations(query, index.gazetteer)
        self._read: list[tuple[Interpretation, list[_Place]]] = []
        self._best: dict[tuple[str, str, str], Candidate] = {}
        self._places: dict[tuple[str, str, str, bool], list[_Place]] = {}
        self._streets: dict[str, StreetIndex] = {}
        self._similar: dict[tuple[str, str], list[tuple[NameSimilarity, Street]]] = {}
        self._names: dict[str, bool] = {}
        self._named_first: dict[str, float] = {}
        """The utility of the street before a name, by the letters of the name."""

    def candidates(self) -> list[Candidate]:
        """Each address once, with the interpretation that gives it the highest utility."""
        self._search_exact()
        if not any(is_exact(candidate) for candidate in self._best.values()):
            self._search_similar(is_in_coded_place=True)
            conclusive = (is_likely(candidate) or is_same_name(candidate) for candidate in self._best.values())
            if not any(conclusive):
                self._search_similar(is_in_coded_place=False)
            self._search_named_first()
        ranked = self.ranked()
        if not _is_answer(ranked, _scores(ranked)):
            self._search_published()
        self._add_other_numbers()
        return list(self._best.values())

    def ranked(self) -> list[Candidate]:
        """The candidates found so far, the most probable first."""
        return sorted(self._best.values(), key=order_of)

    def matched(self, candidate: Candidate) -> Agreement:
        """The agreement of a candidate with each part of the query."""
        return agreement_with(self._query, self._statements(candidate))

    def contradictory(self, candidate: Candidate) -> Mapping[str, str]:
        """The typed values of the fields that contradict each other, by field; empty if none do."""
        return contradictory_fields(self._statements(candidate), candidate.contradicted, self._query)

    def _statements(self, candidate: Candidate) -> list[Statement]:
        commune, street, point = candidate.commune, candidate.street, candidate.point
        place = Place(
            commune,
            (point.postcode,) if point else street.postcodes if street else commune.postcodes,
            city_names(street, commune) if street else commune.search_names,
            self._codes | {filing_commune(code) for code in self._codes},
            self._index.gazetteer,
        )
        return statements(candidate.interpretation, place, point, lambda name: self._compare_name(candidate, name))

    def _compare_name(self, candidate: Candidate, name: str) -> Comparison:
        """Compares a typed street name with the candidate's. It names another street if that one is more similar."""
        street, similarity = candidate.street, candidate.agreement.street
        if street is None or similarity is None:
            return Comparison(0.0, is_other=True)
        if name == candidate.interpretation.reading.street:
            return Comparison(similarity, is_other=False)
        similar_streets = [*self._find_exact(street.commune_code, name)] or self._find_similar(
            street.commune_code, name
        )
        best = max((similarity.similarity for similarity, _ in similar_streets), default=0.0)
        of_street = [similarity.similarity for similarity, other in similar_streets if other.id == street.id]
        agreement = max(of_street, default=0.0)
        return Comparison(agreement, agreement < max(MIN_SIMILARITY, best - MAX_SIMILARITY_DIFFERENCE))

    def _interpretations(self) -> Iterator[tuple[Interpretation, list[_Place]]]:
        """Each interpretation with its communes, computed at its first use."""
        yield from self._read
        for interpretation in self._unread:
            reading = interpretation.reading
            where = (reading.city_code, reading.postcode, reading.city, reading.is_city_short)
            if where not in self._places:
                self._places[where] = _places(interpretation, self._codes, self._index.gazetteer)
            self._read.append((interpretation, self._places[where]))
            yield self._read[-1]

    def _municipalities(self, reading: Reading, places: Sequence[_Place]) -> Iterable[_Place]:
        """The communes; Paris, Lyon or Marseille instead of their arrondissements if no arrondissement is named."""
        names_part = reading.city[:1].isdigit() or split_arrondissement(reading.city)[1] is not None
        if names_part or reading.postcode or filing_commune(reading.city_code) != reading.city_code:
            return places
        by_code: dict[str, _Place] = {}
        for commune, city in places:
            code = filing_commune(commune.code)
            if code not in by_code:
                by_code[code] = (commune if code == commune.code else self._index.gazetteer.city_of(code), city)
        return by_code.values()

    def _read_streets(self, places: Sequence[_Place]) -> None:
        """Reads the streets of these communes together."""
        unread = [commune.code for commune, _ in places if commune.code not in self._streets]
        if unread:
            self._streets.update(zip(unread, self._index.streets(unread), strict=True))

    def _search_exact(self) -> None:
        for interpretation, places in self._interpretations():
            reading = interpretation.reading
            if reading.street:
                self._read_streets(places)
                self._add_streets(interpretation, places, self._find_exact)
            elif reading.number is None:
                for commune, city in self._municipalities(reading, places):
                    self._add(commune_candidate(interpretation, commune, city))
            if any(is_exact(candidate) and has_number(candidate) for candidate in self._best.values()):
                return

    def _search_similar(self, *, is_in_coded_place: bool) -> None:
        for interpretation, places in self._interpretations():
            reading = interpretation.reading
            selected = [
                p for p in places if reading.street and self._is_coded_place(reading, p[0]) is is_in_coded_place
            ]
            # Communes with the code or postcode are searched one by one: a match in one of them ends the search.
            for together in [[place] for place in selected] if is_in_coded_place else [selected]:
                self._add_streets(interpretation, together, self._find_similar)
                if any(is_likely(candidate) and candidate.agreement.city == 1.0 for candidate in self._best.values()):
                    return  # later interpretations treat words of the city as words of the street

    def _add_streets(
        self,
        interpretation: Interpretation,
        places: Sequence[_Place],
        find: _FindStreets,
    ) -> None:
        for commune, city in places:
            for candidate in self._street_candidates(interpretation, commune, city, find):
                self._add(candidate)

    def _street_candidates(
        self, interpretation: Interpretation, commune: Commune, city: float | None, find: _FindStreets
    ) -> Iterator[Candidate]:
        if not (streets := find(commune.code, interpretation.reading.street)):
            return
        typed_city = interpretation.reading.city
        is_in_part = any(typed_city == canonical_city(street.former_commune) for _, street in streets if typed_city)
        for similarity, street in streets:
            if is_in_part and not street.former_commune:
                city = OTHER_PART
            candidate = street_candidate(
                interpretation, commune, city, street, similarity, self._index.numbers, self._is_name
            )
            yield candidate

    def _search_named_first(self) -> None:
        """Searches whole names before words of no part, such as a quarter's, unless a similar name has all words."""
        if any(c.point and c.features["unmatched_typed_ratio"] < MIN_OTHER_NAME for c in self._best.values()):
            return
        names = set()
        for interpretation, places in self._interpretations():
            if (name := interpretation.reading[:2]) not in names:
                names.add(name)
                self._add_named_first(interpretation, places)
        self._prefer_named_first()

    def _add_named_first(self, interpretation: Interpretation, places: Sequence[_Place]) -> None:
        """Adds the streets whose whole name stands, with their number, before words of no part, such as a quarter's:
        "17 rue Lepic Montmartre".
        """
        reading = interpretation.reading
        words = reading.street.split()
        if reading.number is None or STREET_TYPE_WORDS.isdisjoint(words[:1]):
            return
        is_quarter = not self._is_name(words[-1])
        for end in range(len(words) - 1, 1, -1):
            if words[end] in PREPOSITIONS or any(map(is_number, words[end:])):  # "Rue du Puits" of "… aux Loups"
                continue
            rest = sum(word not in STOP_WORDS for word in words[end:])
            found = reading._replace(street=" ".join(words[:end]), ignored=reading.ignored + rest)
            first = Interpretation(found, interpretation.fields, interpretation.label and found)
            streets = [
                candidate
                for commune, city in places
                for candidate in self._street_candidates(first, commune, city, self._find_exact)
                if has_number(candidate)
            ]
            after = joined(words[end:])
            if streets and (is_quarter or self._is_whole(after, places)):
                for candidate in streets:
                    self._add(candidate)
                    self._named_first[after] = max(candidate.utility, self._named_first.get(after, candidate.utility))

    def _prefer_named_first(self) -> None:
        """Makes a street less probable than the one before its whole name: "9 Rue de Patay, Butte aux Cailles"."""
        for key, candidate in self._best.items():
            name = canonical_street(candidate.street.name) if candidate.street and self._named_first else ""
            if (first := self._named_first.get(joined(name.split()))) is not None:
                self._best[key] = replace(candidate, utility=min(candidate.utility, first - OTHER_NUMBER_COST))

    def _is_whole(self, joined_name: str, places: Sequence[_Place]) -> bool:
        """Whether a street of these communes, or of their city, has no other words than these."""
        codes = {commune.code for commune, _ in places}
        codes |= {part for code in codes for part in arrondissements_of(filing_commune(code))}
        codes &= self._index.gazetteer.by_code.keys()
        return any(streets.has_whole(joined_name) for streets in self._index.streets(sorted(codes)))

    def _is_name(self, word: str) -> bool:
        if word not in self._names:
            self._names[word] = self._index.is_name(word)
        return self._names[word]

    def _add(self, candidate: Candidate) -> None:
        if self._has_several_inputs and (wrong := contradicted(self._statements(candidate))):
            uncounted = [statement for statement in wrong if not statement.is_in(candidate.interpretation.reading)]
            cost = CONTRADICTION_COST * contradiction(uncounted)
            candidate = replace(candidate, utility=candidate.utility - cost, contradicted=wrong)
        key = candidate.key()
        if key not in self._best or candidate.utility > self._best[key].utility:
            self._best[key] = candidate

    def _search_published(self) -> None:
        """Searches published names inside the text, in the communes that it names."""
        gazetteer = self._index.gazetteer
        text = text_of(unlisted(whole_text(self._query)), lambda part: rewritten(part, gazetteer.is_postcode))
        places = self._named_places()
        self._read_streets([place for _, place in places])
        for interpretation, (commune, city) in places:
            reading, streets = interpretation.reading, self._streets[commune.code]
            words = {word for name in (*commune.search_names, reading.city) for word in name.split()}
            place_words = words | {reading.postcode, *commune.postcodes}
            for published in published_names(text, streets, place_words, self._is_name):
                found = reading._replace(
                    number=published.number,
                    street=published.name,
                    ignored=published.other_words,
                    is_published=True,
                    is_continued=published.is_continued,
                )
                label = found if interpretation.label else None
                fields = interpretation.fields if interpretation.label else found
                inside = Interpretation(found, fields, label)
                for candidate in self._street_candidates(inside, commune, city, self._find_exact):
                    if has_number(candidate):
                        self._add(candidate)

    def _add_other_numbers(self) -> None:
        """Adds the houses of the best candidate's street whose numbers are in the text, too."""
        best = min(self._best.values(), key=order_of, default=None)
        if best is None or best.street is None or best.point is None:
            return
        text = whole_text(self._query).replace("(", " ")
        if len(_FIGURE.findall(text)) < MIN_FIGURES:
            return
        reading = best.interpretation.reading
        used = {*re.findall("[0-9]+", f"{canonical_street(best.street.name)} {reading.street} {reading.city}")}
        for figure, suffix in _FIGURE.findall(rewritten(text, self._index.gazetteer.is_postcode)):
            numbers = [] if figure in used else [HouseNumber(int(figure), suffix), HouseNumber(int(figure))]
            point = next(filter(None, map(partial(house, best.street, self._index.numbers), numbers)), None)
            if point is None:
                continue
            other = replace(best, point=point, number=numbers[0], utility=best.utility - OTHER_NUMBER_COST)
            if other.key() not in self._best or other.utility > self._best[other.key()].utility:
                self._best[other.key()] = other

    def _named_places(self) -> list[tuple[Interpretation, _Place]]:
        """The communes that a code or postcode of the query means, or else its city, each with an interpretation."""
        by_code: dict[str, tuple[Interpretation, _Place]] = {}
        coded: set[str] = set()
        for interpretation, places in self._read:
            for commune, city in places:
                if self._is_coded_place(interpretation.reading, commune):
                    if commune.code not in coded:
                        by_code[commune.code] = interpretation, (commune, city)
                    coded.add(commune.code)
                elif city == 1.0:
                    by_code.setdefault(commune.code, (interpretation, (commune, city)))
        return [by_code[code] for code in by_code if code in coded or not coded][:MAX_TEXT_COMMUNES]

    def _is_coded_place(self, reading: Reading, commune: Commune) -> bool:
        return commune.code in self._codes or reading.postcode in commune.postcodes

    def _find_exact(self, commune_code: str, name: str) -> Sequence[tuple[NameSimilarity, Street]]:
        streets = self._streets[commune_code].find_exact(name)
        return [(EXACT, street) for street in streets] if streets else ()

    def _find_similar(self, commune_code: str, name: str) -> list[tuple[NameSimilarity, Street]]:
        key = (commune_code, name)
        if key not in self._similar and len(self._similar) >= MAX_NAME_LOOKUPS:
            return []
        if key not in self._similar:
            self._similar[key] = self._streets[commune_code].find_similar(name)
        return self._similar[key]


def _scores(ranked: Sequence[Candidate]) -> Sequence[float]:
    """The probability of each candidate."""
    features = [candidate.features for candidate in ranked]
    contradictions = [contradiction(candidate.contradicted) for candidate in ranked]
    fitted = probabilities(limited([candidate.utility for candidate in ranked], features, contradictions))
    return calibrated(fitted, features[0], contradictions[0]) if ranked else []


def _is_answer(ranked: Sequence[Candidate], scores: Sequence[float]) -> bool:
    return answer_probability(scores, [candidate.other_name for candidate in ranked]) >= MIN_PROBABILITY


def _places(interpretation: Interpretation, codes: frozenset[str], gazetteer: Gazetteer) -> list[_Place]:
    """Communes with the code, the postcode or the city's name.

    A commune needs only one of them, so that a wrong postcode with the right city still finds the street. A city of the
    label that resembles none of them may be words of the street, so it excludes the others.
    """
    reading = interpretation.reading
    by_code = {code: gazetteer.by_code[code] for code in sorted(codes)} if reading.city_code else {}
    named = gazetteer.shortened(reading.city) if reading.is_city_short else gazetteer.named(reading.city)
    at_postcode = gazetteer.with_postcode(reading.postcode)
    if not (named or at_postcode or by_code):
        named = gazetteer.similar_to(reading.city)
    for commune in (*named, *at_postcode):
        by_code.setdefault(commune.code, commune)
    places = [(commune, city_agreement(reading.city, commune.search_names)) for commune in by_code.values()]
    is_field = reading.city == interpretation.fields.city
    places = [
        (commune, city)
        for commune, city in places
        if is_field or city is None or city >= MIN_CITY_SIMILARITY or commune.code in codes
    ]
    places.sort(key=lambda p: (p[0].code not in codes, reading.postcode not in p[0].postcodes, -(p[1] or 0), p[0].code))
    return places[:MAX_COMMUNES]


def _address(candidate: Candidate, score: float, search: _Search) -> Address:
    commune, street, point = candidate.commune, candidate.street, candidate.point
    return address_of(commune, street, point, round(score, 4), search.matched(candidate))
