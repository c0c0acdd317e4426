"""Street names from a vocabulary: those of a region share words as real ones do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Any

from demoland.town import WORDS

_STRIDE = 7_919
"""A prime that divides no count of combinations: its multiples go through all of them in a mixed order."""
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


@dataclass(frozen=True)
class Vocabulary:
    kinds: tuple[str, ...]
    """Kinds of streets. A frequent kind is listed several times."""
    first_names: tuple[str, ...]
    family: tuple[str, ...]
    things: tuple[str, ...]
    """What follows a kind, with its article."""
    regional: tuple[str, ...]
    """Whole street names."""


def words(value: Any) -> tuple[str, ...]:
    """A list of a TOML file: text with commas, a table of combinations, or a sequence of these."""
    match value:
        case str():
            return tuple(value.replace(",\n", ", ").split(", "))
        case {"words": text}:
            return words(text)
        case {"starts": starts, "ends": ends} if list(value) == ["starts", "ends"]:
            return tuple(start + end for start in words(starts) for end in words(ends))
        case {"ends": ends, "starts": starts}:
            return tuple(start + end for end in words(ends) for start in words(starts))
        case list():
            return tuple(chain.from_iterable(map(words, value)))
    raise ValueError(f"not a word list: {value!r}")


VOCABULARY = Vocabulary(**{name: tuple(listed) for name, listed in WORDS.items()})
"""That of the demo."""


def street_names(vocabulary: Vocabulary, random: Random, first: Sequence[str]) -> Iterator[str]:
    """Different street names without end: those of `first`, then all combinations of kinds and words.

    When all combinations are used, they come again with the numbers II, III …
    """
    yield from first
    kinds = tuple(dict.fromkeys(vocabulary.kinds))
    first_names, family, things = vocabulary.first_names, vocabulary.family, vocabulary.things
    people = len(first_names) * len(family)
    count = len(kinds) * (people + len(things))
    start = random.randrange(count)
    for turn in range(count * 1000):
        kind, place = divmod((start + turn * _STRIDE) % count, people + len(things))
        if place < people:
            name = f"{first_names[place % len(first_names)]} {family[place // len(first_names)]}"
        else:
            name = things[place - people]
        repetition = turn // count
        yield f"{kinds[kind]} {name}" + (f" {_roman(repetition + 1)}" if repetition else "")


def _roman(number: int) -> str:
    text = ""
    for value, sign in _ROMAN:
        times, number = divmod(number, value)
        text += sign * times
    return text
