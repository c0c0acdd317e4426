"""Reads a text that is being typed: which words are a number, a street, a postcode and a city.

Only the beginning of the last word may be there, so the reader returns several readings, the most literal first.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from land.addresses.normalise import STREET_TYPE_WORDS, STREET_TYPES, canonical_city, canonical_street, fold
from land.addresses.parsing import HouseNumber
from land.addresses.street_starts import content_of
from land.addresses.words import STOP_WORDS, type_of

MAX_TEXT = 200
MAX_WORDS = 14
MAX_CITY_WORDS = 4
MAX_READINGS = 16
_POSTCODE = re.compile(r"[0-9]{5}")
_NUMBER = re.compile(r"([0-9]{1,4})(bis|ter|quater|[a-z])?")
_SUFFIXES = frozenset(("bis", "ter", "quater"))
_UNKNOWN = "zzz"
"""A word without a canonical form of its own."""


class Reading(NamedTuple):
    number: HouseNumber | None
    street_type: str
    """Canonical; empty if the text has none, or nothing else."""
    start: str
    """The first characters of a street's canonical name without stop words; empty without a street."""
    postcode: str
    city: str
    """The first characters of a commune's canonical name; empty without one."""


def readings(text: str) -> list[Reading]:
    """Returns at most MAX_READINGS different ones."""
    return list(dict.fromkeys(_readings(fold(text[:MAX_TEXT]).split()[:MAX_WORDS])))[:MAX_READINGS]


def _readings(words: Sequence[str]) -> Iterator[Reading]:
    postcode = next((at for at in reversed(range(len(words))) if _POSTCODE.fullmatch(words[at])), None)
    if postcode is not None:
        code, before, after = words[postcode], words[:postcode], words[postcode + 1 :]
        yield from _with_street(before or (), code, _city(after))
        if not before and len(after) > 1:  # "75018 paris rue lepic"
            for size in range(1, min(len(after), MAX_CITY_WORDS + 1)):
                yield from _with_street(after[size:], code, _city(after[:size]))
        return
    yield from _with_street(words, "", "")
    if not words or _NUMBER.fullmatch(words[0]) is None:
        yield Reading(None, "", "", "", _city(words))
    for size in range(1, min(len(words) - 1, MAX_CITY_WORDS) + 1):
        yield from _with_street(words[:-size], "", _city(words[-size:]))
    for size in range(1, min(len(words) - 1, MAX_CITY_WORDS) + 1):
        if words[size] in STREET_TYPE_WORDS or words[size] in STREET_TYPES or _NUMBER.fullmatch(words[size]):
            yield from _with_street(words[size:], "", _city(words[:size]))  # "paris rue lepic"


def _with_street(words: Sequence[str], postcode: str, city: str) -> Iterator[Reading]:
    if not words:
        yield Reading(None, "", "", postcode, city)
        return
    for number, name_words in _numbered(words):
        for street_type, start in _street(name_words):
            yield Reading(number, street_type, start, postcode, city)


def _numbered(words: Sequence[str]) -> Iterator[tuple[HouseNumber | None, Sequence[str]]]:
    """Reads the words with the number at the start or the end, and without one: "8 mai 1945"."""
    first = _NUMBER.fullmatch(words[0])
    if first is not None and len(words) > 1:
        if words[1] in _SUFFIXES and len(words) > 2:  # noqa: PLR2004 (number, suffix and a name)
            yield HouseNumber(int(first[1]), words[1]), words[2:]
        else:
            yield HouseNumber(int(first[1]), first[2] or ""), words[1:]
    yield None, words
    last = _NUMBER.fullmatch(words[-1])
    if last is not None and len(words) > 1 and first is None:
        yield HouseNumber(int(last[1]), last[2] or ""), words[:-1]


def _street(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The type, and the first characters of the name. The last word counts as written in full, and as a beginning."""
    if len(words) == 1 and (kind := STREET_TYPES.get(words[0], words[0])) in STREET_TYPE_WORDS:
        yield kind, ""
    for canonical in dict.fromkeys((_as_beginning(words), canonical_street(" ".join(words)))):
        parts = canonical.split()
        content = content_of(parts)
        yield type_of(parts), " ".join(content)
        if parts[-1] in STOP_WORDS and len(parts) > 1:  # "rue d" may become "rue Diderot"
            yield type_of(parts), " ".join([*(content if content != parts else ()), parts[-1]])


def _as_beginning(words: Sequence[str]) -> str:
    """The canonical name, with the last word unchanged: "st" may become "stalingrad"."""
    *before, _ = canonical_street(" ".join([*words[:-1], _UNKNOWN])).split()
    return " ".join([*before, words[-1]])


def _city(words: Sequence[str]) -> str:
    return canonical_city(" ".join(words))
