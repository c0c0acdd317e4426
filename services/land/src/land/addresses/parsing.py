"""Reads a query into hypotheses: which words are the number, the street, the postcode and the city.

Free text is ambiguous ("12 a rue…", "rue du 8 mai 1945 Lyon"), so several readings are kept and the gazetteer and the
streets decide between them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from land.addresses.gazetteer import MAX_NAME_WORDS, Gazetteer
from land.addresses.labels import PARIS_SUFFIXES
from land.addresses.model import AddressQuery
from land.addresses.normalise import STREET_TYPES, canonical_city, canonical_street, fold
from land.addresses.streets import STREET_TYPE_WORDS

MAX_TEXT = 512
"""Longer text is cut: no French address comes near."""
MAX_HYPOTHESES = 80
MAX_MISSPELLED_WORDS = 4
"""Of a commune's name that is looked for among names like it: each is a look at thousands."""

_POSTCODE = re.compile(r"(?:0[1-9]|[1-8][0-9]|9[0-8]|00)[0-9]{3}")
_NUMBER = re.compile(r"([0-9]{1,5})(bis|ter|quater|quinquies|[a-z]{1,2}[0-9]{0,2})?")
_FIGURE = re.compile(r"[0-9]{1,5}")
_SUFFIX = re.compile(r"bis|ter|quater|quinquies|[a-z]{1,2}[0-9]{0,2}")
_LETTERS = {spoken: letter for letter, spoken in PARIS_SUFFIXES.items()} | {"quinquies": "c"}
_RANGE_END = re.compile(r"[0-9]{1,5}(?:bis|ter|quater)?")
_UP_TO = frozenset(("a", "et", "ou"))
"""Between the numbers of a range."""
_SUFFIX_WORDS = frozenset(("bis", "ter", "quater", "quinquies"))
_PARENTHESES = re.compile(r"\([^)]*\)?")
_NOISE = re.compile(
    r"\b(?:(?:bp|cs|tsa) [0-9]+|cedex(?: [0-9]{1,2})?|[0-9]+ ?(?:er|e|eme) etage|rdc"
    r"|(?:batiment|bat|bt|escalier|esc|appartement|appt|apt|etage|interphone|digicode|hall) \w{1,4})\b|\bfrance$"
)
_TYPE_WORDS = STREET_TYPE_WORDS | STREET_TYPES.keys()
_ALSATIAN_TYPES = ("strasse", "gasse", "weg", "platz", "matt")
"""What a name of one word ends with: "Bahnhofstrasse"."""
_ALSATIAN_OPENINGS = frozenset(("am", "im", "auf", "beim", "zum"))


@dataclass(frozen=True)
class HouseNumber:
    number: int
    suffix: str = ""

    def fits(self, number: int, suffix: str) -> bool:
        """Whether it is the published number and suffix; `bis` and Paris's `b` are the same, so `quinquies` and `c`."""
        return self.number == number and _in_letters(self.suffix) == _in_letters(suffix)

    def __str__(self) -> str:
        return f"{self.number} {self.suffix}".strip()


def _in_letters(suffix: str) -> str:
    return _LETTERS.get(suffix, suffix)


@dataclass(frozen=True)
class Hypothesis:
    """One reading of a query. `street` and `city` are canonical; what the query does not give is empty."""

    number: HouseNumber | None
    street: str
    postcode: str
    city: str
    city_code: str


@dataclass(frozen=True)
class _Cut:
    """A label in three: the words of the street line, the postcode, and the canonical city."""

    street: Sequence[str]
    postcode: str
    city: str


def hypotheses(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[Hypothesis]:
    """The readings of a query, the most literal first, at most MAX_HYPOTHESES, none twice. Each is made when it is
    asked for: most queries mean their first one.
    """
    made: set[Hypothesis] = set()
    for reading in _readings(query, gazetteer):
        if reading not in made:
            made.add(reading)
            yield reading
        if len(made) >= MAX_HYPOTHESES:
            return


def _readings(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[Hypothesis]:
    postcode = "".join(query.postcode.split())
    city, city_code = canonical_city(query.city[:MAX_TEXT]), query.city_code.strip().upper()
    street = query.street[:MAX_TEXT]
    if street.strip() or not query.label.strip():
        text = f"{query.number[:MAX_TEXT]} {street}" if query.number.strip() else street
        for number, name in _numbered(fold(text).split()):
            yield Hypothesis(number, name, postcode, city, city_code)
    if query.label.strip():
        has_place = bool(postcode or city or city_code)
        for words in _label_words(query):
            for cut in _split_label(words, has_place, gazetteer):
                for number, name in _numbered(cut.street):
                    yield Hypothesis(number, name, postcode or cut.postcode, city or cut.city, city_code)


def _label_words(query: AddressQuery) -> Iterator[list[str]]:
    """The words of the label: as given, without what is inside the building or the post office's own, and from the
    first number before a street's name on, which leaves out names of firms and residences.
    """
    number = fold(query.number[:MAX_TEXT]).split()
    label = query.label[:MAX_TEXT]
    given = fold(label).split()
    yield number + given
    text = fold(_PARENTHESES.sub(" ", label))
    cleaned = _NOISE.sub(" ", text).split()
    if cleaned != given:
        yield number + cleaned
    for index in range(1, len(cleaned) - 1):
        if _is_house_number(cleaned[index]) and _opens_street(cleaned[index + 1 : index + 3]):
            if not _are_numbers(cleaned[:index]):  # "3 14P2 rue …" is number 3 of a street that has 14P2 in its name
                yield cleaned[index:]
            break


def _is_house_number(word: str) -> bool:
    """Not a postcode: what follows one is a city, and Pont-l'Abbé no bridge."""
    return _NUMBER.fullmatch(word) is not None and _POSTCODE.fullmatch(word) is None


def _opens_street(words: Sequence[str]) -> bool:
    """Whether a street's name begins in these words, which follow a number: with its type, or as in Alsace."""
    return any(word in _TYPE_WORDS or word.endswith(_ALSATIAN_TYPES) or word in _ALSATIAN_OPENINGS for word in words)


def _are_numbers(words: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(word) or _SUFFIX.fullmatch(word) for word in words)


def _split_label(words: Sequence[str], has_place: bool, gazetteer: Gazetteer) -> Iterator[_Cut]:
    """Each way to cut a label, where the gazetteer knows the city or a postcode marks it."""
    for index in reversed(range(len(words))):
        if _POSTCODE.fullmatch(words[index]) and len(words) > 1:
            before, after = words[:index], words[index + 1 :]
            if before:
                yield _Cut(before, words[index], canonical_city(" ".join(after)))
            for size in range(min(len(after), MAX_NAME_WORDS), 0, -1):  # "75018 Paris 10 rue …"
                city = canonical_city(" ".join(after[:size]))
                if gazetteer.named(city):
                    yield _Cut(before, words[index], city)  # what follows the city is not the address's
                    yield _Cut([*before, *after[size:]], words[index], city)
            yield _Cut([*before, *after], words[index], "")
    if len(words) == 1 and _POSTCODE.fullmatch(words[0]):
        yield _Cut([], words[0], "")
    is_named = False
    for size in range(min(len(words), MAX_NAME_WORDS), 0, -1):
        for city_words, rest in ((words[-size:], words[:-size]), (words[:size], words[size:])):
            city = canonical_city(" ".join(city_words))
            if gazetteer.named(city):
                is_named = True
                yield _Cut(rest, "", city)
    if has_place:
        yield _Cut(words, "", "")
    elif not is_named and not any(_POSTCODE.fullmatch(word) for word in words):
        yield from _misspelled_cities(words, gazetteer)


def _misspelled_cities(words: Sequence[str], gazetteer: Gazetteer) -> Iterator[_Cut]:
    for size in range(min(len(words) - 1, MAX_MISSPELLED_WORDS), 0, -1):
        city = canonical_city(" ".join(words[-size:]))
        if gazetteer.named_like(city):
            yield _Cut(words[:-size], "", city)


def _numbered(words: Sequence[str]) -> Iterator[tuple[HouseNumber | None, str]]:
    """(house number, canonical street) for each way to read the words of a street line."""
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
    if not rest or rest[0] not in _SUFFIX_WORDS:  # a letter may as well begin the name: "12 d'Artagnan"
        yield from ((HouseNumber(number), name) for name in _after_range(rest))


def _after_range(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """What follows the first number of a range, "12-14 rue …", "12 à 14 bis rue …"; else all, "12 8 mai 1945" too."""
    rest = words[1:] if _is_range(words) else words
    if len(rest) > 1 and _RANGE_END.fullmatch(rest[0]):
        rest = rest[2:] if rest[1] in _SUFFIX_WORDS else rest[1:]
        if rest:
            yield rest
    yield words


def _is_range(words: Sequence[str]) -> bool:
    """Whether "à 14" goes on a number, rather than "a" being its suffix."""
    return len(words) > 1 and words[0] in _UP_TO and _RANGE_END.fullmatch(words[1]) is not None


def _number_last(words: Sequence[str]) -> Iterator[tuple[HouseNumber, Sequence[str]]]:
    match words:  # "Rue X, 12" and "Rue X, 12 bis"
        case [*rest, figure] if rest and (match := _NUMBER.fullmatch(figure)):
            yield HouseNumber(int(match[1]), match[2] or ""), rest
        case [*rest, figure, suffix] if rest and _FIGURE.fullmatch(figure) and _SUFFIX.fullmatch(suffix):
            yield HouseNumber(int(figure), suffix), rest
