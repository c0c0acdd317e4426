"""Parses a query into interpretations: which words are the number, the street, the postcode and the city.

Free text is ambiguous ("12 a rue…", "rue du 8 mai 1945 Lyon"), so the parser returns several interpretations. The
resolver looks each one up.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from land.addresses.gazetteer import MAX_NAME_WORDS, Gazetteer
from land.addresses.labels import PARIS_SUFFIXES
from land.addresses.model import AddressQuery
from land.normalise import STREET_TYPE_WORDS, STREET_TYPES, canonical_city, canonical_street, fold

MAX_TEXT = 512
"""Longer text is cut off: French addresses are much shorter."""
MAX_INTERPRETATIONS = 80
MAX_MISSPELLED_WORDS = 4
"""Words of a misspelled commune name: each lookup compares thousands of names."""

_POSTCODE = re.compile(r"(?:0[1-9]|[1-8][0-9]|9[0-8]|00)[0-9]{3}")
_NUMBER = re.compile(r"([0-9]{1,5})(bis|ter|quater|quinquies|[a-z]{1,2}[0-9]{0,2})?")
_FIGURE = re.compile(r"[0-9]{1,5}")
_SUFFIX = re.compile(r"bis|ter|quater|quinquies|[a-z]{1,2}[0-9]{0,2}")
_LETTERS = {spoken: letter for letter, spoken in PARIS_SUFFIXES.items()} | {"quinquies": "c"}
_RANGE_END = re.compile(r"[0-9]{1,5}(?:bis|ter|quater)?")
_RANGE_WORDS = frozenset(("a", "et", "ou"))
"""Words between the numbers of a range."""
_SUFFIX_WORDS = frozenset(("bis", "ter", "quater", "quinquies"))
_PARENTHESES = re.compile(r"\([^)]*\)?")
_NOISE = re.compile(
    r"\b(?:(?:bp|cs|tsa) [0-9]+|cedex(?: [0-9]{1,2})?|[0-9]+ ?(?:er|e|eme) etage|rdc"
    r"|(?:batiment|bat|bt|escalier|esc|appartement|appt|apt|etage|interphone|digicode|hall) \w{1,4})\b|\bfrance$"
)
_TYPE_WORDS = STREET_TYPE_WORDS | STREET_TYPES.keys()
_ALSATIAN_TYPES = ("strasse", "gasse", "weg", "platz", "matt")
"""Endings of names in one word: "Bahnhofstrasse"."""
_ALSATIAN_PREPOSITIONS = frozenset(("am", "im", "auf", "beim", "zum"))


@dataclass(frozen=True)
class HouseNumber:
    number: int
    suffix: str = ""

    def matches(self, number: int, suffix: str) -> bool:
        """Whether it equals the published number and suffix. `bis` equals Paris's `b`, and `quinquies` equals `c`."""
        return self.number == number and _in_letters(self.suffix) == _in_letters(suffix)

    def __str__(self) -> str:
        return f"{self.number} {self.suffix}".strip()


def _in_letters(suffix: str) -> str:
    return _LETTERS.get(suffix, suffix)


class Reading(NamedTuple):
    """What one input says. `street` and `city` are canonical names; parts that it does not have are empty."""

    number: HouseNumber | None = None
    street: str = ""
    postcode: str = ""
    city: str = ""
    city_code: str = ""

    def filled_by(self, other: "Reading") -> "Reading":
        """With the parts of another reading for those that are empty."""
        return Reading(
            self.number or other.number,
            self.street or other.street,
            self.postcode or other.postcode,
            self.city or other.city,
            self.city_code or other.city_code,
        )


@dataclass(frozen=True)
class Interpretation:
    """One address that a query may stand for: what to search for, and what each input says about it."""

    wanted: Reading
    fields: Reading
    """The separate fields."""
    label: Reading | None
    """None without a label."""


@dataclass(frozen=True)
class _LabelParts:
    """The words of the street line, the postcode, and the canonical city name."""

    street: Sequence[str]
    postcode: str
    city: str


def interpretations(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[Interpretation]:
    """At most MAX_INTERPRETATIONS different ones, the most literal first. They are parsed lazily: for most queries the
    first one is right.
    """
    seen: set[Interpretation] = set()
    for interpretation in _all_interpretations(query, gazetteer):
        if interpretation not in seen:
            seen.add(interpretation)
            yield interpretation
        if len(seen) >= MAX_INTERPRETATIONS:
            return


def _all_interpretations(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[Interpretation]:
    of_fields = list(_field_readings(query))
    if not query.label.strip():
        yield from (Interpretation(fields, fields, None) for fields in of_fields)
        return
    for index, label in enumerate(_label_readings(query, gazetteer)):
        for fields in of_fields:
            yield Interpretation(label.filled_by(fields), fields, label)
            if not (index and fields.street):  # beside another street, only the most literal reading shows what differs
                yield Interpretation(fields.filled_by(label), fields, label)


def _field_readings(query: AddressQuery) -> Iterator[Reading]:
    """Readings of the separate fields. The street may contain the number."""
    place = "".join(query.postcode.split()), canonical_city(query.city[:MAX_TEXT]), query.city_code.strip().upper()
    number, street = fold(query.number[:MAX_TEXT]).split(), fold(query.street[:MAX_TEXT]).split()
    given = next((each for each, _ in _number_first(number)), None)
    if street or not query.label.strip():
        for found, name in _numbered([*number, *street]):
            if found is not None or given is None:  # a given number is no word of the street
                yield Reading(found, name, *place)
    else:
        yield Reading(given, "", *place)


def street_names(query: AddressQuery) -> Iterator[str]:
    """The canonical street of each reading of a query that names no place."""
    for reading in _field_readings(query):
        if reading.street:
            yield reading.street
    for words in _label_words(query.label[:MAX_TEXT]):
        yield from (name for _, name in _numbered(words))


def _label_readings(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[Reading]:
    has_place = bool(query.postcode.strip() or query.city.strip() or query.city_code.strip())
    for words in _label_words(query.label[:MAX_TEXT]):
        for parts in _split_label(words, has_place, gazetteer):
            for number, name in _numbered(parts.street):
                yield Reading(number, name, parts.postcode, parts.city)


def _label_words(label: str) -> Iterator[list[str]]:
    """The words of the label: first all, then without floors, doors and post office boxes, then from the first number
    before a street name on. The last version omits names of firms and residences.
    """
    given = fold(label).split()
    yield given
    text = fold(_PARENTHESES.sub(" ", label))
    cleaned = _NOISE.sub(" ", text).split()
    if cleaned != given:
        yield cleaned
    for index in range(1, len(cleaned) - 1):
        if _is_house_number(cleaned[index]) and _starts_street(cleaned[index + 1 : index + 3]):
            if not _are_numbers(cleaned[:index]):  # "3 14P2 rue …" is number 3 of "14P2 rue …"
                yield cleaned[index:]
            break


def _is_house_number(word: str) -> bool:
    """A postcode is not one: a city follows it, and the "Pont" of Pont-l'Abbé is no street type."""
    return _NUMBER.fullmatch(word) is not None and _POSTCODE.fullmatch(word) is None


def _starts_street(words: Sequence[str]) -> bool:
    """Whether these words, which follow a number, start a street name: with a type, or as in Alsace."""
    return any(
        word in _TYPE_WORDS or word.endswith(_ALSATIAN_TYPES) or word in _ALSATIAN_PREPOSITIONS for word in words
    )


def _are_numbers(words: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(word) or _SUFFIX.fullmatch(word) for word in words)


def has_postcode(words: Sequence[str]) -> bool:
    return any(_POSTCODE.fullmatch(word) for word in words)


def _split_label(words: Sequence[str], has_place: bool, gazetteer: Gazetteer) -> Iterator[_LabelParts]:
    """Each way to split a label at a postcode or at a city that the gazetteer has."""
    for index in reversed(range(len(words))):
        if _POSTCODE.fullmatch(words[index]) and len(words) > 1:
            before, after = words[:index], words[index + 1 :]
            if before:
                yield _LabelParts(before, words[index], canonical_city(" ".join(after)))
            for size in range(min(len(after), MAX_NAME_WORDS), 0, -1):  # "75018 Paris 10 rue …"
                city = canonical_city(" ".join(after[:size]))
                if gazetteer.named(city):
                    yield _LabelParts(before, words[index], city)  # words after the city are not part of the address
                    yield _LabelParts([*before, *after[size:]], words[index], city)
            yield _LabelParts([*before, *after], words[index], "")
    if len(words) == 1 and _POSTCODE.fullmatch(words[0]):
        yield _LabelParts([], words[0], "")
    is_named = False
    for size in range(min(len(words), MAX_NAME_WORDS), 0, -1):
        for city_words, rest in ((words[-size:], words[:-size]), (words[:size], words[size:])):
            city = canonical_city(" ".join(city_words))
            if gazetteer.named(city):
                is_named = True
                yield _LabelParts(rest, "", city)
    if has_place:
        yield _LabelParts(words, "", "")
    elif not is_named and not has_postcode(words):
        yield from _misspelled_cities(words, gazetteer)


def _misspelled_cities(words: Sequence[str], gazetteer: Gazetteer) -> Iterator[_LabelParts]:
    for size in range(min(len(words) - 1, MAX_MISSPELLED_WORDS), 0, -1):
        city = canonical_city(" ".join(words[-size:]))
        if gazetteer.similar_to(city):
            yield _LabelParts(words[:-size], "", city)


def _numbered(words: Sequence[str]) -> Iterator[tuple[HouseNumber | None, str]]:
    """(house number, canonical street) for each interpretation of a street line."""
    for number, rest in (*_number_first(words), *_number_last(words), (None, words)):
        yield number, canonical_street(" ".join(rest))


def _number_first(words: Sequence[str]) -> Iterator[tuple[HouseNumber, Sequence[str]]]:
    match = _NUMBER.fullmatch(words[0]) if words else None
    if match is None:
        return
    number, glued = int(match[1]), match[2] or ""
    rest = words[1:]
    if glued:
        yield from ((HouseNumber(number, glued), name) for name in _after_range(rest))
        return
    if rest and _SUFFIX.fullmatch(rest[0]) and not _is_range(rest):
        yield from ((HouseNumber(number, rest[0]), name) for name in _after_range(rest[1:]))
    if not rest or rest[0] not in _SUFFIX_WORDS:  # a letter may also start the name: "12 d'Artagnan"
        yield from ((HouseNumber(number), name) for name in _after_range(rest))


def _after_range(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The words after a range, "12-14 rue …" or "12 à 14 bis rue …", then all words, as in "12 8 mai 1945"."""
    rest = words[1:] if _is_range(words) else words
    if len(rest) > 1 and _RANGE_END.fullmatch(rest[0]):
        rest = rest[2:] if rest[1] in _SUFFIX_WORDS else rest[1:]
        if rest:
            yield rest
    yield words


def _is_range(words: Sequence[str]) -> bool:
    """Whether the words continue a range, as "à 14" does. Otherwise "a" may be a suffix."""
    return len(words) > 1 and words[0] in _RANGE_WORDS and _RANGE_END.fullmatch(words[1]) is not None


def _number_last(words: Sequence[str]) -> Iterator[tuple[HouseNumber, Sequence[str]]]:
    match words:  # "Rue X, 12" and "Rue X, 12 bis"
        case [*rest, figure] if rest and (match := _NUMBER.fullmatch(figure)):
            yield HouseNumber(int(match[1]), match[2] or ""), rest
        case [*rest, figure, suffix] if rest and _FIGURE.fullmatch(figure) and _SUFFIX.fullmatch(suffix):
            yield HouseNumber(int(figure), suffix), rest
