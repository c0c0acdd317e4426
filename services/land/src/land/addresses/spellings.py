"""Names of communes as people write them: shortened, misspelt, with missing or added spaces."""

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from land.addresses.normalise import STREET_TYPE_WORDS
from land.addresses.words import STOP_WORDS
from land.datasets.grouping import grouped

MIN_FUZZY_LENGTH = 4
MAX_EDITS = ((13, 3), (7, 2), (MIN_FUZZY_LENGTH, 1))
"""The most edits from each length of a name without spaces on. Shorter names must be exact."""
MAX_NEAR_NAMES = 20
SHORT = 0.9
"""Similarity of a shortened name to the whole one, such as "aulnay" to "aulnay sous bois"."""
DISTRICT_ALONE = 0.87
"""Similarity of an arrondissement's number to its whole name: other cities may have one with this number."""
OTHER_NUMBER = 0.5
"""The similarity of a name with the number of another arrondissement."""
_MIN_SHORT_LENGTH = 4
_LINKS = STOP_WORDS | {"les", "lez", "pres"}
_ARTICLES = frozenset(("le", "la", "les", "l"))
_VAGUE = STREET_TYPE_WORDS | {"saint", "sainte", "saints", "notre", "mont", "grand", "grande", "petit", "petite"}
"""Words that are no name without the words after them."""


@lru_cache(maxsize=4_096)
def short_names(name: str) -> tuple[str, ...]:
    """The first words of a canonical name that can stand for it, and the name without its article."""
    return tuple(_short_names(name))


def _short_names(name: str) -> Iterator[str]:
    words = name.split()
    start = 1 if len(words) > 1 and words[0] in _ARTICLES else 0
    for first in {0, start}:
        for end in range(first + 1, len(words) + (first > 0)):
            part = words[first:end]
            is_name = any(len(word) >= _MIN_SHORT_LENGTH and word not in _VAGUE for word in part)
            if is_name and part[-1] not in _LINKS and part[-1] not in _VAGUE:
                yield " ".join(part)


def city_similarity(city: str, names: Collection[str]) -> float:
    """The similarity of a canonical name to the most similar of a commune's names, 0 to 1."""
    if city in names:
        return DISTRICT_ALONE if city[:1].isdigit() else 1.0
    return max(_similarity(city, name) for name in names)


def _similarity(city: str, name: str) -> float:
    similarity = float(fuzz.ratio(city.replace(" ", ""), name.replace(" ", ""))) / 100
    if len(name) > len(city):
        similarity = max(similarity, *(SHORT * fuzz.ratio(city, short) / 100 for short in short_names(name)), 0.0)
    if (number := _digits(city)) and number != _digits(name):
        return min(similarity, OTHER_NUMBER)
    return min(similarity, 0.99)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text)).lstrip("0")


class Spellings:
    """Finds names by other spellings. Immutable."""

    def __init__(self, names: Iterable[str]) -> None:
        names = list(names)
        self._by_short = grouped((short, name) for name in names for short in _short_names(name))
        self._by_joined = grouped((name.replace(" ", ""), name) for name in names)
        self._near = grouped(
            ((is_last, letter, len(joined)), joined)
            for joined in self._by_joined
            for is_last, letter in ((False, joined[:1]), (True, joined[-1:]))
        )

    def shortened(self, name: str) -> list[str]:
        """The names that this one is the start of."""
        return self._by_short.get(name, [])

    def misspelt(self, name: str) -> list[str]:
        """The names at the smallest edit distance, which depends on the length. Their first or last letter is right:
        only names with one of them are compared.
        """
        typed = name.replace(" ", "")
        edits = next((edits for length, edits in MAX_EDITS if len(typed) >= length), 0)
        if not edits or not typed.isascii():
            return []
        distances: dict[str, float] = {}
        for length in range(len(typed) - edits, len(typed) + edits + 1):
            for is_last, letter in ((False, typed[0]), (True, typed[-1])):
                alike = process.extract(
                    typed,
                    self._near.get((is_last, letter, length), ()),
                    scorer=OSA.distance,
                    score_cutoff=edits,
                    limit=MAX_NEAR_NAMES,
                )
                distances |= {joined: distance for joined, distance, _ in alike}
        least = min(distances.values(), default=0)
        return [name for joined, edits in distances.items() if edits == least for name in self._by_joined[joined]]
