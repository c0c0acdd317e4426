"""Names that are nobody's: fictional communes, and streets whose names share words as real ones do."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from random import Random

from land.demo.vocabularies import Vocabulary

FIRST_COMMUNE = "Exempleville-sur-Fiction"

_MOST_COMMON_SHARE, _LEAST_COMMON_SHARE = 0.4, 0.1
"""Of communes that have the first and the last of the common names."""
_OWN_NAMES = 6
_PEOPLE_SHARE = 0.5
"""Of the other streets."""
_ENDS_APART = 5
"""So that neighbours do not all end alike."""
_STRIDE = 7_919
"""A prime that divides no count of combinations: steps through all of them in a mixed order."""


def commune_name(order: int, vocabulary: Vocabulary) -> str:
    """The name of a region's n-th commune, from 1: all different as long as there are combinations.

    Raises ValueError past them.
    """
    starts, ends, qualifiers = vocabulary.commune_starts, vocabulary.commune_ends, vocabulary.commune_qualifiers
    rest, start = divmod(order - 1, len(starts))
    qualifier, end = divmod(rest, len(ends))
    if qualifier >= len(qualifiers):
        raise ValueError(f"communes: no name is left for number {order:,}")
    return f"{qualifiers[qualifier]}{starts[start]}{ends[(end + start * _ENDS_APART) % len(ends)]}"


def varied_names(vocabulary: Vocabulary, random: Random) -> Iterator[str]:
    """Street names without end and without repetition, as frequent as real ones are: many that most communes share, a
    few of the region's own, then people and things, some of which many streets are named after.
    """
    last = len(vocabulary.common) - 1
    step = (_MOST_COMMON_SHARE - _LEAST_COMMON_SHARE) / last
    familiar = [
        name for place, name in enumerate(vocabulary.common) if random.random() < _MOST_COMMON_SHARE - place * step
    ]
    familiar += random.sample(vocabulary.own, _OWN_NAMES)
    random.shuffle(familiar)
    seen: set[str] = set()
    combinations = len(vocabulary.kinds) * (len(vocabulary.given) * len(vocabulary.family) + len(vocabulary.things))
    for name in chain(familiar, islice(_drawn_names(vocabulary, random), combinations // 4)):
        if name not in seen:
            seen.add(name)
            yield name
    yield from (name for name in street_names(vocabulary, random, ()) if name not in seen)


def _drawn_names(vocabulary: Vocabulary, random: Random) -> Iterator[str]:
    while True:
        if random.random() < _PEOPLE_SHARE:
            words = f"{_favoured(vocabulary.given, random)} {_favoured(vocabulary.family, random)}"
        else:
            words = _favoured(vocabulary.things, random)
        yield f"{random.choice(vocabulary.kinds)} {words}"


def _favoured(words: Sequence[str], random: Random) -> str:
    """One of the words, the first ones more often."""
    return words[int(len(words) * random.random() ** 2)]


def street_names(vocabulary: Vocabulary, random: Random, first: Sequence[str]) -> Iterator[str]:
    """Street names without end and without repetition: those given first, then what kinds and words combine to."""
    yield from first
    kinds = tuple(dict.fromkeys(vocabulary.kinds))
    given, family, things = vocabulary.given, vocabulary.family, vocabulary.things
    people = len(given) * len(family)
    count = len(kinds) * (people + len(things))
    start = random.randrange(count)
    for turn in range(count * 1000):
        kind, rest = divmod((start + turn * _STRIDE) % count, people + len(things))
        if rest < people:
            last, name = divmod(rest, len(given))
            words = f"{given[name]} {family[last]}"
        else:
            words = things[rest - people]
        again = turn // count
        yield f"{kinds[kind]} {words}" + (f" {_roman(again + 1)}" if again else "")


def _roman(number: int) -> str:
    text = ""
    for value, sign in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
        (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        times, number = divmod(number, value)
        text += sign * times
    return text
