"""Names that are nobody's: fictional communes, and streets whose names share words as real ones do."""

from collections.abc import Iterator, Sequence
from random import Random

from demoland.vocabularies import COUNTRY, Vocabulary

FIRST_COMMUNE = "Exempleville-sur-Fiction"

_MOST_COMMON_SHARE, _LEAST_COMMON_SHARE = 0.4, 0.1
"""Of communes that have the first and the last of the common names."""
_OWN_NAMES = 6
_PEOPLE_SHARE = 0.5
"""Of the other streets."""
_REGIONAL_SHARE = 0.6
"""Of the words that are drawn; the others are the country's."""
_SAME_WORDS_SHARE = 0.3
"""Of the words drawn again for another street, so many are taken. In Paris 15 % of streets share theirs with one of
another kind.
"""
_MAX_DRAWN = 100_000
"""Several times what the largest commune has of streets."""
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
    few of the region's own, then people and things, some of which many streets are named after. Two streets of a
    commune that differ in their kind alone are as rare as in Paris.
    """
    last = len(vocabulary.common) - 1
    step = (_MOST_COMMON_SHARE - _LEAST_COMMON_SHARE) / last
    familiar = [
        name for place, name in enumerate(vocabulary.common) if random.random() < _MOST_COMMON_SHARE - place * step
    ]
    familiar += random.sample(vocabulary.own, _OWN_NAMES)
    random.shuffle(familiar)
    seen = dict.fromkeys(familiar)
    yield from seen
    taken: set[str] = set()
    for _ in range(_MAX_DRAWN):
        words = _drawn_words(vocabulary if random.random() < _REGIONAL_SHARE else COUNTRY, random)
        name = f"{random.choice(vocabulary.kinds)} {words}"
        if name not in seen and (words not in taken or random.random() < _SAME_WORDS_SHARE):
            seen[name] = None
            taken.add(words)
            yield name
    yield from (name for name in street_names(vocabulary, random, ()) if name not in seen)


def _drawn_words(vocabulary: Vocabulary, random: Random) -> str:
    if random.random() < _PEOPLE_SHARE:
        return f"{_favoured(vocabulary.given, random)} {_favoured(vocabulary.family, random)}"
    return _favoured(vocabulary.things, random)


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
