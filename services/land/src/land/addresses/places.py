"""Splits the words of a label into those of the street line and those of the place, wherever the place is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from land.addresses.gazetteer import MAX_NAME_WORDS, MIN_CITY_SIMILARITY, POSTCODE_LENGTH, Commune, Gazetteer, completes
from land.addresses.normalise import STREET_TYPE_WORDS, canonical_city
from land.addresses.spellings import city_similarity

MAX_SPANS = 8
"""Places by their name in one label."""
MAX_MISSPELLED_WORDS = 4
"""Words of a misspelled commune name."""
MAX_COMPARED_NAMES = 24
"""Communes of a postcode whose names are compared with all parts of a label."""
_LOCATIONS = frozenset(("a", "au", "aux", "de", "du", "sur", "dans"))
"""Words that connect a street and a place."""


@dataclass(frozen=True)
class LabelParts:
    """The words of the street line, the postcode, and the canonical city name."""

    street: Sequence[str]
    postcode: str
    city: str
    is_city_short: bool = False
    """The city is only the start of a name."""
    ignored: int = 0
    """Words that are in none of these parts."""
    is_end_ignored: bool = False
    """They are after the postcode and a city."""


@dataclass(frozen=True)
class _Span:
    """A part of the words that names a place."""

    start: int
    end: int
    city: str
    is_short: bool = False

    def rest(self, words: Sequence[str]) -> list[str]:
        start = self.start
        is_at_edge = start == 1 or self.end == len(words)
        if 0 < start < len(words) and is_at_edge and words[start - 1] in _LOCATIONS:
            start -= 1  # "… à Paris", "À Paris, …"
        return [*words[:start], *words[self.end :]]


def split_label(words: Sequence[str], has_place: bool, gazetteer: Gazetteer) -> Iterator[LabelParts]:
    """Each way to split a label at a postcode or at a city that the gazetteer has, the most literal first."""
    figures = [
        index
        for index in reversed(range(len(words)))
        if len(words[index]) == POSTCODE_LENGTH and words[index].isdigit()
    ]
    postcodes = [index for index in figures if gazetteer.with_postcode(words[index])]
    if len(words) > 1 or not has_place:
        for index in postcodes or figures:
            yield from _at_postcode(words, index, gazetteer)
    if postcodes:
        return
    cities = _Cities(words, gazetteer)
    if figures and not has_place:  # a figure like a postcode is no house number, but may be part of a name
        for span in cities.named():
            if any(span.start <= index < span.end for index in figures):
                yield LabelParts(span.rest(words), "", span.city)
        return
    yield from _at_city(words, cities)
    if has_place:
        yield LabelParts(words, "", "")
    yield from _at_unclear_city(words, cities, is_alone=not (has_place or figures))


def _at_postcode(words: Sequence[str], index: int, gazetteer: Gazetteer) -> Iterator[LabelParts]:
    """Splits at a postcode, with the city after it, then anywhere, then without a city."""
    before, after, postcode = words[:index], words[index + 1 :], words[index]
    city = canonical_city(" ".join(after))
    if before or not after:
        yield LabelParts(before, postcode, city)
    if before and any(postcode in commune.postcodes for commune in gazetteer.named(city)):
        return  # the place is clear
    other_words = [*before, *after]
    if not other_words:
        return
    cities, communes = _Cities(other_words, gazetteer, beside=index), gazetteer.with_postcode(postcode)
    for span in cities.named():
        if span.start == index and before and span.end < len(other_words):
            yield LabelParts(before, postcode, span.city, ignored=len(other_words) - span.end, is_end_ignored=True)
        yield LabelParts(span.rest(other_words), postcode, span.city)
    if near := cities.most_similar(communes):
        yield LabelParts(near.rest(other_words), postcode, near.city)
    elif not communes:
        for span in cities.unclear(is_alone=True):
            yield LabelParts(span.rest(other_words), postcode, span.city, span.is_short)
    yield LabelParts(other_words, postcode, "")
    if before and after:
        yield LabelParts(before, postcode, "", ignored=len(after))


def _at_city(words: Sequence[str], cities: "_Cities") -> Iterator[LabelParts]:
    for span in cities.named():
        yield from _with_short_postcode(words, span, cities.gazetteer.named(span.city))
        yield LabelParts(span.rest(words), "", span.city)


def _at_unclear_city(words: Sequence[str], cities: "_Cities", *, is_alone: bool) -> Iterator[LabelParts]:
    """Splits at a shortened or a misspelt name, then at a postcode with a digit too few."""
    for span in cities.unclear(is_alone=is_alone):
        find = cities.gazetteer.shortened if span.is_short else cities.gazetteer.similar_to
        yield from _with_short_postcode(words, span, find(span.city))
        yield LabelParts(span.rest(words), "", span.city, span.is_short)
    for index in reversed(range(len(words))):
        figure = words[index]
        if len(figure) == POSTCODE_LENGTH - 1 and figure.isdigit() and index and cities.gazetteer.with_postcode(figure):
            yield LabelParts(words[:index], figure, canonical_city(" ".join(words[index + 1 :])))


def _with_short_postcode(words: Sequence[str], span: _Span, communes: Sequence[Commune]) -> Iterator[LabelParts]:
    """Splits also at a figure beside the city that lacks digits of a postcode of these communes."""
    for index in (span.start - 1, span.end):
        if 0 <= index < len(words) and words[index].isdigit():
            figure = words[index]
            if any(completes(figure, postcode) for commune in communes for postcode in commune.postcodes):
                start, end = min(index, span.start), max(index + 1, span.end)
                yield LabelParts(_Span(start, end, "").rest(words), figure, span.city, span.is_short)


class _Cities:
    """The parts of a label that name communes."""

    def __init__(self, words: Sequence[str], gazetteer: Gazetteer, beside: int | None = None) -> None:
        """`beside` is the place of the postcode, which is not among the words."""
        self.gazetteer = gazetteer
        self._words = [*map(canonical_city, words)] if len(words) > 1 else list(words)
        self._words = ["sur" if word == "s" else word for word in self._words]
        self._beside = beside
        self._is_at_end = False

    def named(self) -> list[_Span]:
        """Exact names: beside the postcode, then at the end, at the start and inside, the longest first."""
        size = len(self._words)
        spans = [
            _Span(start, end, city)
            for start in range(size)
            for end in range(start + 1, min(size, start + MAX_NAME_WORDS) + 1)
            if self.gazetteer.named(city := " ".join(self._words[start:end])) and not self._is_type(start, end)
        ]
        spans.sort(key=self._order)
        self._is_at_end = any(span.end == size for span in spans)
        return spans[:MAX_SPANS]

    def _is_type(self, start: int, end: int) -> bool:
        """Whether it is the type of the street after it, as in "rue Lepic": a commune is called Rue."""
        if end - start > 1 or self._words[start] not in STREET_TYPE_WORDS or self._beside in (start, end):
            return False
        return end < len(self._words) and not self._words[end].isdigit()

    def _order(self, span: _Span) -> tuple[bool, bool, bool, int, int]:
        is_beside = self._beside in (span.start, span.end)
        return not is_beside, span.end != len(self._words), span.start != 0, span.start - span.end, span.start

    def unclear(self, *, is_alone: bool) -> Iterator[_Span]:
        """Shortened and misspelt names at the end, then at the start; misspelt ones only if no name is at the end."""
        size = len(self._words)
        ends = [(size - count, size) for count in range(min(size - 1, MAX_MISSPELLED_WORDS), 0, -1)]
        starts = [(0, count) for count in range(min(size - 1, MAX_MISSPELLED_WORDS), 0, -1)]
        beside = self._beside or 0
        around = [(beside - count, beside) for count in range(min(beside, MAX_MISSPELLED_WORDS), 0, -1)]
        spans = [_Span(start, end, " ".join(self._words[start:end])) for start, end in (*ends, *around, *starts)]
        spans = [span for span in dict.fromkeys(spans) if not self._ends_with_type(span)]
        short = (replace(span, is_short=True) for span in spans if self.gazetteer.shortened(span.city))
        yield from islice(short, MAX_SPANS)
        if is_alone and not self._is_at_end:
            yield from islice((span for span in spans if self.gazetteer.similar_to(span.city)), MAX_SPANS)

    def _ends_with_type(self, span: _Span) -> bool:
        """Whether its last word is the type of the street after it, as in "Paris, rue Lepic"."""
        return span.end < len(self._words) and self._words[span.end - 1] in STREET_TYPE_WORDS

    def most_similar(self, communes: Sequence[Commune]) -> _Span | None:
        """The part most similar to a name of these communes, also a short name."""
        best, least = None, MIN_CITY_SIMILARITY
        names = {name for commune in communes[:MAX_COMPARED_NAMES] for name in commune.search_names}
        for start in range(len(self._words) if names else 0):
            for end in range(start + 1, min(len(self._words), start + MAX_MISSPELLED_WORDS) + 1):
                city = " ".join(self._words[start:end])
                similarity = city_similarity(city, names)
                if similarity >= least and (best is None or similarity > least):
                    best, least = _Span(start, end, city), similarity
        return best
