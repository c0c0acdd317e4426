"""Parses a query into interpretations: which words are the number, the street, the postcode and the city.

Free text is ambiguous ("12 a rue…", "rue du 8 mai 1945 Lyon"), so the parser returns several interpretations. The
resolver looks each one up.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from land.addresses.gazetteer import Gazetteer
from land.addresses.labels import PARIS_SUFFIXES
from land.addresses.model import AddressQuery
from land.addresses.normalise import STREET_TYPE_WORDS, canonical_city, canonical_street, fold
from land.addresses.places import split_label
from land.addresses.rewriting import TYPE_WORDS, in_french, is_range, rewritten, unlisted, with_all_numbers

MAX_TEXT = 512
"""Longer text is cut off: French addresses are much shorter."""
MAX_INTERPRETATIONS = 80
MAX_NUMBERS_INSIDE = 3
MAX_STREET_STARTS = 3

_POSTCODE = re.compile(r"(?:0[1-9]|[1-8][0-9]|9[0-8]|00)[0-9]{3}")
_NUMBER = re.compile(r"([0-9]{1,5})(bis|ter|quater|quinquies|[a-z]{1,2}[0-9]{0,2})?")
_FIGURE = re.compile(r"[0-9]{1,5}")
_SUFFIX = re.compile(r"bis|ter|quater|quinquies|[a-z]{1,2}[0-9]{0,2}")
_LETTERS = {suffix: letter for letter, suffix in PARIS_SUFFIXES.items()} | {"quinquies": "c"}
_RANGE_END = re.compile(r"([0-9]{1,5})(?:bis|ter|quater)?")
_RANGE_WORDS = frozenset(("a", "et", "ou"))
"""Words between the numbers of a range."""
_SUFFIX_WORDS = frozenset(("bis", "ter", "quater", "quinquies"))
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
    return "".join(_LETTERS.get(part, part) for part in suffix.split())


class Reading(NamedTuple):
    """What one input says. `street` and `city` are canonical names; parts that it does not have are empty."""

    number: HouseNumber | None = None
    street: str = ""
    postcode: str = ""
    city: str = ""
    city_code: str = ""
    is_city_short: bool = False
    """The city is only the start of a commune's name."""
    ignored: int = 0
    """Words that are in no part, other than floors, doors and post office boxes."""
    is_outside_ignored: bool = True
    """All of them are before a number and a street type, or after a postcode and a city."""
    is_published: bool = False
    """The street is a published name that was found inside a text."""
    is_continued: bool = False
    """An ignored word stands beside it, without punctuation."""

    def filled_by(self, other: "Reading") -> "Reading":
        """Returns this reading with the parts of another one for those that are empty."""
        return Reading(
            self.number or other.number,
            self.street or other.street,
            self.postcode or other.postcode,
            self.city or other.city,
            self.city_code or other.city_code,
            self.is_city_short if self.city else other.is_city_short,
            self.ignored + other.ignored,
            self.is_outside_ignored and other.is_outside_ignored,
        )


@dataclass(frozen=True)
class Interpretation:
    """One address that a query may stand for, and what each input says about it."""

    reading: Reading
    """What to search for."""
    fields: Reading
    """The separate fields."""
    label: Reading | None
    """None without a label."""


def interpretations(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[Interpretation]:
    """Yields at most MAX_INTERPRETATIONS different ones, the most literal first. They are parsed lazily: for most
    queries the first one is right.
    """
    yielded: set[Interpretation] = set()
    for interpretation in _all_interpretations(query, gazetteer):
        if interpretation not in yielded:
            yielded.add(interpretation)
            yield interpretation
        if len(yielded) >= MAX_INTERPRETATIONS:
            return


def whole_text(query: AddressQuery) -> str:
    """The label, or the fields as one, without the place of an address in a list."""
    texts = (query.number, query.street, query.postcode, query.city)
    fields = ", ".join(filter(None, (text[:MAX_TEXT].strip() for text in texts)))
    return with_all_numbers(query.label[:MAX_TEXT]) if query.label.strip() else fields[:MAX_TEXT]


def _all_interpretations(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[Interpretation]:
    of_fields = list(_field_readings(query))
    if not query.label.strip():
        yield from (Interpretation(fields, fields, None) for fields in of_fields)
        if _has_misplaced_text(query):
            code = query.city_code.strip().upper()
            for reading in _label_readings(whole_text(query), bool(code), gazetteer):
                if _keeps_city(reading, query):
                    yield Interpretation(moved := reading._replace(city_code=code), moved, None)
        return
    has_place = bool(query.postcode.strip() or query.city.strip() or query.city_code.strip())
    for index, label in enumerate(_label_readings(query.label[:MAX_TEXT], has_place, gazetteer)):
        for fields in of_fields:
            yield Interpretation(label.filled_by(fields), fields, label)
            if not (index and fields.street):  # beside another street, only the most literal reading shows what differs
                yield Interpretation(fields.filled_by(label), fields, label)


def _keeps_city(reading: Reading, query: AddressQuery) -> bool:
    """Whether words of the city are still the city. Beside a street they are no words of the street: otherwise a wrong
    city would not contradict the rest.
    """
    city = query.city[:MAX_TEXT]
    if not query.street.strip() or not city.strip() or any(map(str.isdigit, city)):
        return True
    return bool(reading.city) and f" {reading.city} " in f" {canonical_city(city)} "


def _has_misplaced_text(query: AddressQuery) -> bool:
    """Whether a field may have the text of another: a postcode in the city, or a city in the street."""
    is_place_whole = bool(query.postcode.strip() and query.city.strip())
    is_figure_in_city = any(map(str.isdigit, query.city[:MAX_TEXT]))
    is_letter_in_postcode = any(map(str.isalpha, query.postcode[:MAX_TEXT]))
    return is_figure_in_city or is_letter_in_postcode or bool(query.street.strip() and not is_place_whole)


def _field_readings(query: AddressQuery) -> Iterator[Reading]:
    """Readings of the separate fields. The street may contain the number."""
    place = "".join(query.postcode.split()), canonical_city(query.city[:MAX_TEXT]), query.city_code.strip().upper()
    number, street = fold(query.number[:MAX_TEXT]).split(), fold(query.street[:MAX_TEXT]).split()
    field_number = next((house_number for house_number, _ in _number_first(number)), None)
    if street or not query.label.strip():
        for parsed_number, name in _numbered([*number, *street]):
            if parsed_number is not None or field_number is None:  # a given number is no word of the street
                yield Reading(parsed_number, name, *place)
    else:
        yield Reading(field_number, "", *place)


def street_names(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[str]:
    """The canonical street of each reading of a query that names no place."""
    for reading in _field_readings(query):
        if reading.street:
            yield reading.street
    for words, _, _ in _label_words(unlisted(query.label[:MAX_TEXT]), gazetteer):
        yield from (name for _, name in _numbered(words))


def _label_readings(label: str, has_place: bool, gazetteer: Gazetteer) -> Iterator[Reading]:
    for words, left_out, is_number_next in _label_words(unlisted(label), gazetteer):
        for parts in split_label(words, has_place, gazetteer):
            for number, name in _numbered(parts.street):
                if number is None or not gazetteer.is_postcode(str(number.number)):
                    yield Reading(
                        number,
                        name,
                        parts.postcode,
                        parts.city,
                        is_city_short=parts.is_city_short,
                        ignored=left_out + parts.ignored,
                        is_outside_ignored=(is_number_next or not left_out)
                        and (parts.is_end_ignored or not parts.ignored),
                    )


def _label_words(label: str, gazetteer: Gazetteer) -> Iterator[tuple[list[str], int, bool]]:
    """The words of the label: first as they are, then rewritten, then from the start of a street name on. The last
    versions omit names of firms and residences. Also the number of these words, and whether a number follows them.
    """
    typed = fold(label).split()
    yield typed, 0, False
    cleaned = rewritten(label, gazetteer.is_postcode).split()
    if cleaned != typed:
        yield cleaned, 0, False
    if (french := in_french(" ".join(cleaned)).split()) != cleaned:
        yield french, 0, False
    for index in islice(_street_starts(cleaned), MAX_STREET_STARTS):
        is_number_next = cleaned[index] not in STREET_TYPE_WORDS
        number = [] if is_number_next else _number_at_start(cleaned)  # "11 bis petite rue de Douai"
        yield [*number, *cleaned[index:]], index - len(number), is_number_next


def _street_starts(words: Sequence[str]) -> Iterator[int]:
    """The places where a street may start after other words: at a number before a type, then at a type."""
    is_number_first = bool(words) and _NUMBER.fullmatch(words[0]) is not None
    starts = [index for index in range(1, len(words) - 1) if not (is_number_first and _are_numbers(words[:index]))]
    for index in starts:  # "3 14P2 rue …" is number 3 of "14P2 rue …"
        if _is_house_number(words[index]) and _starts_street(words[index + 1 : index + 3]):
            yield index
    for index in range(1, len(words) - 1):
        if words[index] not in STREET_TYPE_WORDS:
            continue
        if _number_at_start(words[:index]) == words[:index] or _is_house_number(words[index - 1]):
            return  # a later street is another one: "10 rue X, angle rue Y"
        if index in starts and not _are_numbers(words[index - 1 : index]):
            yield index


def _number_at_start(words: Sequence[str]) -> Sequence[str]:
    """The house number and its suffix; empty if the words start with something else."""
    if not _is_house_number(words[0]):
        return []
    has_suffix = len(words) > 1 and (words[1] in _SUFFIX_WORDS or (len(words[1]) == 1 and words[1] not in "dl"))
    return words[: 2 if has_suffix else 1]


def _is_house_number(word: str) -> bool:
    """A postcode is not one: a city follows it, and the "Pont" of Pont-l'Abbé is no street type."""
    return _NUMBER.fullmatch(word) is not None and _POSTCODE.fullmatch(word) is None


def _starts_street(words: Sequence[str]) -> bool:
    """Whether these words, which follow a number, start a street name: with a type, or as in Alsace."""
    return any(word in TYPE_WORDS or word.endswith(_ALSATIAN_TYPES) or word in _ALSATIAN_PREPOSITIONS for word in words)


def _are_numbers(words: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(word) or _SUFFIX.fullmatch(word) for word in words)


def has_postcode(words: Sequence[str]) -> bool:
    return any(_POSTCODE.fullmatch(word) for word in words)


def _numbered(words: Sequence[str]) -> Iterator[tuple[HouseNumber | None, str]]:
    """(house number, canonical street) for each interpretation of a street line."""
    for number, name_words in (*_number_first(words), *_number_last(words), (None, words)):
        yield number, canonical_street(" ".join(name_words))
    for number, name_words in islice(_number_inside(words), MAX_NUMBERS_INSIDE):
        yield number, canonical_street(" ".join(name_words))


def _number_first(words: Sequence[str]) -> Iterator[tuple[HouseNumber, Sequence[str]]]:
    match = _NUMBER.fullmatch(words[0]) if words else None
    if match is None:
        return
    number, glued = int(match[1]), match[2] or ""
    name_words = words[1:]
    parts = [glued, *name_words] if glued else name_words
    if _has_long_suffix(parts):
        yield HouseNumber(number, " ".join(parts[:2])), parts[2:]
    if glued:
        yield from ((HouseNumber(number, glued), name) for name in _after_range(number, name_words))
        if glued == "a" and name_words and _RANGE_END.fullmatch(name_words[0]):  # "64a-66" may be "64 à 66"
            yield HouseNumber(number), name_words[1:]
        return
    if name_words and _SUFFIX.fullmatch(name_words[0]) and not _is_range(name_words):
        yield from ((HouseNumber(number, name_words[0]), name) for name in _after_range(number, name_words[1:]))
    if not name_words or name_words[0] not in _SUFFIX_WORDS:  # a letter may also start the name: "12 d'Artagnan"
        yield from ((HouseNumber(number), name) for name in _after_range(number, name_words))
        if len(name_words) > 1 and _RANGE_END.fullmatch(
            name_words[0]
        ):  # "118, 57 bis rue …": the last number is the house's
            yield from _number_first(name_words)


def _has_long_suffix(words: Sequence[str]) -> bool:
    """Whether the words start with a suffix of two words, "a bis" or "bis a"."""
    parts = {*words[:2]}
    is_letter = any(len(part) == 1 and part not in ("d", "l") for part in parts)
    return len(words) > 1 and bool(parts & _SUFFIX_WORDS) and (is_letter or parts <= _SUFFIX_WORDS)


def _after_range(number: int, words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The words after a range or a list, "12-14 rue …" or "12, 14 et 16 bis rue …", then all words, as in
    "12 8 mai 1945".
    """
    name_words = words
    while len(rest := name_words[_is_range(name_words) :]) > 1 and (end := _RANGE_END.fullmatch(rest[0])):
        if not is_range(number, int(end[1])):
            break
        name_words = rest[2:] if rest[1] in _SUFFIX_WORDS else rest[1:]
    if name_words and name_words != words:
        yield name_words
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


def _number_inside(words: Sequence[str]) -> Iterator[tuple[HouseNumber, Sequence[str]]]:
    """Each figure inside a name: "Lepic 10 rue" and "Résidence Les Mimosas 10 Lepic"."""
    for index in range(1, len(words) - 1):
        if match := _NUMBER.fullmatch(words[index]):
            around = [*words[:index], *words[index + 1 :]]
            if not match[2] and words[index + 1] in _SUFFIX_WORDS:
                yield HouseNumber(int(match[1]), words[index + 1]), [*words[:index], *words[index + 2 :]]
            else:
                yield HouseNumber(int(match[1]), match[2] or ""), around
