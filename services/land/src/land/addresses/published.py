"""Finds published street names in a text that has more than an address: letters, sentences, tables, notes.

A name is found as a run of words, or as joined letters between the starts and ends of words. The words around it need
no meaning: they lower the score.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import accumulate, islice
from typing import Literal, NamedTuple

from land.addresses.normalise import STREET_TYPE_WORDS, canonical_street
from land.addresses.parsing import HouseNumber
from land.addresses.rewriting import is_range
from land.addresses.streets import StreetIndex
from land.addresses.words import PREPOSITIONS, STOP_WORDS

MAX_WORDS = 80
MAX_NAMES = 6
"""Names in one commune."""
MAX_RUN = 12
MIN_JOINED = 7
"""Shorter names are found as runs of words only."""
_SEPARATOR = re.compile(r"[,;:()\[\]{}|/\n\r\t\"«»<>=]+| [-–—] |[.!?](?= |$)")
_SUFFIX = "(bis|ter|quater|quinquies|[a-z]{1,2}[0-9]{0,2})"
_NUMBER_BEFORE = re.compile(
    rf"(?:^| )([0-9]{{1,4}})(?: ?{_SUFFIX})??(?: (?:(?:a|et|ou) )?([0-9]{{1,4}})(?: ?(bis|ter|quater))?)?$"
)
_NUMBER_AFTER = re.compile(rf"([0-9]{{1,4}})(?: ?{_SUFFIX}(?= |$))?(?= |$)")
_FIGURE = re.compile(r"[0-9]{1,4}(?:[a-z]|bis|ter|quater)?")
_NUMBER_WORDS = 5
"""The words of a range with suffixes."""
_BESIDE = STOP_WORDS | {"n", "no", "numero", "num", "nr", "voie"}
"""Words between a number and its street."""


class Text(NamedTuple):
    words: Sequence[str]
    breaks: Set[int]
    """The words that punctuation precedes."""


class PublishedName(NamedTuple):
    """A published street name in a text."""

    name: str
    number: HouseNumber | None
    other_words: int
    """The words of the text that are in no part of the address."""
    is_continued: bool
    """A word of no part stands beside the name, without punctuation: the text may mean a longer name."""


def text_of(label: str, rewrite: Callable[[str], str]) -> Text:
    """The words of a label, each part between punctuation rewritten by itself."""
    parts = [rewrite(part).split() for part in _SEPARATOR.split(label)]
    ends = accumulate(map(len, parts))
    return Text([word for part in parts for word in part][:MAX_WORDS], {0, *ends})


def published_names(
    text: Text, streets: StreetIndex, place: Set[str], is_name: Callable[[str], bool]
) -> Iterator[PublishedName]:
    """Published names of a commune, each with the number beside it. `place` has the words that name the commune, and
    `is_name` tells whether a word is the name of a street, or its end.
    """
    first = [canonical_street(f"{word} x")[:-2] for word in text.words]
    later = [canonical_street(f"x {word}")[2:] for word in text.words]
    runs = list(islice(streets.find_runs(first, later, MAX_RUN), MAX_NAMES)) or list(
        islice(_joined_runs(text, streets, place), MAX_NAMES)
    )
    for start, end, name in runs:
        for number, from_word, to_word in _with_number(text.words, start, end):
            rest = [word for word in (*text.words[:from_word], *text.words[to_word:]) if word not in place]
            if number is None and any(map(_FIGURE.fullmatch, rest)):
                continue  # the number is another street's
            continuation = _continuation(text, to_word, place)
            is_other_name = continuation not in name.split() and is_name(continuation)
            if continuation and (text.words[to_word] in PREPOSITIONS or is_other_name):
                continue  # "Rue du Puits" of "Rue du Puits aux Loups" or of "Rue du Puits Martin"
            other_words = sum(word not in STOP_WORDS for word in rest)
            is_after_word = from_word not in text.breaks and _is_other(text, from_word - 1, place)
            yield PublishedName(name, number, other_words, bool(continuation) or (number is None and is_after_word))


def _continuation(text: Text, at: int, place: Set[str]) -> str:
    """The last of the words of no part from this place on, up to punctuation, a figure, the place or another street."""
    last = ""
    for place_of_word, word in enumerate(text.words[at:], at):
        is_other_street = word in STREET_TYPE_WORDS and text.words[place_of_word - 1] not in PREPOSITIONS
        is_of_no_part = word in STOP_WORDS or _is_other(text, place_of_word, place)
        if place_of_word in text.breaks or is_other_street or not is_of_no_part:
            break
        last = last if word in STOP_WORDS else word
    return last


def _is_other(text: Text, at: int, place: Set[str]) -> bool:
    if not 0 <= at < len(text.words):
        return False
    word = text.words[at]
    return word not in place and word not in STOP_WORDS and not word.isdigit()


def _with_number(words: Sequence[str], start: int, end: int) -> Iterator[tuple[HouseNumber | None, int, int]]:
    """The number before the name and the one after it, or none, with the words of the name and its number."""
    has_number = False
    for before in range(start, _skipped(words, start, -1) - 1, -1):
        if match := _NUMBER_BEFORE.search(" ".join(words[max(0, before - _NUMBER_WORDS) : before])):
            number, count = _house_number(match), match[0].strip().count(" ") + 1
            yield number, before - count, end
            has_number = True
    after = _skipped(words, end, 1)
    if match := _NUMBER_AFTER.match(" ".join(words[after : after + 2])):
        yield HouseNumber(int(match[1]), match[2] or ""), start, after + match[0].count(" ") + 1
        has_number = True
    if not has_number:
        yield None, start, end


def _skipped(words: Sequence[str], at: int, step: Literal[-1, 1]) -> int:
    """The place after at most two small words: "12 de la", "rue X, au n° 12"."""
    for _ in range(2):
        beside = at - 1 if step < 0 else at
        if 0 <= beside < len(words) and words[beside] in _BESIDE:
            at += step
    return at


def _house_number(match: re.Match[str]) -> HouseNumber:
    """The first number of a range, else the last: "lot 3, 12 rue X"."""
    number, suffix, last = int(match[1]), match[2] or "", match[3]
    return (
        HouseNumber(int(last), match[4] or "")
        if last and not is_range(number, int(last))
        else HouseNumber(number, suffix)
    )


def _joined_runs(text: Text, streets: StreetIndex, place: Set[str]) -> Iterator[tuple[int, int, str]]:
    """Names whose letters follow each other in the text, whatever the spaces."""
    starts = {at: place for place, at in enumerate(accumulate(map(len, text.words), initial=0))}
    joined = "".join(text.words)
    cities = [(match.start(), match.end()) for city in place for match in re.finditer(re.escape(city), joined)]
    for name, at in streets.find_joined(joined, MIN_JOINED):
        start = next((begin for begin in (at, *(b for b, e in cities if e == at)) if begin in starts), None)
        end_at = at + len(name.replace(" ", ""))
        end = next((e for e in (end_at, *(e for b, e in cities if b == end_at)) if e in starts), None)
        if start is not None and end is not None:
            yield starts[start], starts[end], name
