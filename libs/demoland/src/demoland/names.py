"""Names of fictional communes, and names of streets that share words as real ones do."""

from collections.abc import Iterator, Sequence
from random import Random

from demoland.vocabularies import COUNTRY, Vocabulary

_FIRST_COMMON_SHARE, _LAST_COMMON_SHARE = 0.4, 0.1
"""Communes that have the first and the last of the common names."""
_OWN_NAMES = 6
_PEOPLE_SHARE = 0.5
"""Share of the other streets."""
_REGIONAL_SHARE = 0.6
"""Words drawn from the region's vocabulary. The others are the country's."""
_REPEATED_SHARE = 0.3
"""How often words that another street has are taken again. In Paris, 15 % of streets share their words with a street of
another kind."""
_MAX_DRAWS = 100_000
"""Several times the number of streets of the largest commune."""
_END_STEP = 5
"""Neighbouring communes have ends that lie this far apart in the list."""
_STRIDE = 7_919
"""A prime that divides no count of combinations: its multiples go through all of them in a mixed order."""
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def commune_name(order: int, vocabulary: Vocabulary) -> str:
    """The name of a region's n-th commune, from 1. All names are different.

    Raises ValueError after the last combination.
    """
    starts, ends, qualifiers = vocabulary.commune_starts, vocabulary.commune_ends, vocabulary.commune_qualifiers
    order_of_ends, start = divmod(order - 1, len(starts))
    qualifier, end = divmod(order_of_ends, len(ends))
    if qualifier >= len(qualifiers):
        raise ValueError(f"communes: no name is left for number {order:,}")
    return f"{qualifiers[qualifier]}{starts[start]}{ends[(end + start * _END_STEP) % len(ends)]}"


def realistic_street_names(vocabulary: Vocabulary, random: Random) -> Iterator[str]:
    """Different street names without end, with words that are as frequent as in real ones.

    First come names that most communes share and a few of the region's own. Then come people and things, some of them
    often. Two streets of a commune rarely differ in their kind alone, as in Paris.
    """
    step = (_FIRST_COMMON_SHARE - _LAST_COMMON_SHARE) / (len(vocabulary.common) - 1)
    familiar = [
        name for order, name in enumerate(vocabulary.common) if random.random() < _FIRST_COMMON_SHARE - order * step
    ]
    familiar += random.sample(vocabulary.regional, _OWN_NAMES)
    random.shuffle(familiar)
    names = dict.fromkeys(familiar)
    yield from names
    taken: set[str] = set()
    for _ in range(_MAX_DRAWS):
        words = _drawn_words(vocabulary if random.random() < _REGIONAL_SHARE else COUNTRY, random)
        name = f"{random.choice(vocabulary.kinds)} {words}"
        if name not in names and (words not in taken or random.random() < _REPEATED_SHARE):
            names[name] = None
            taken.add(words)
            yield name
    yield from (name for name in street_names(vocabulary, random, ()) if name not in names)


def _drawn_words(vocabulary: Vocabulary, random: Random) -> str:
    if random.random() < _PEOPLE_SHARE:
        return f"{_drawn(vocabulary.first_names, random)} {_drawn(vocabulary.family, random)}"
    return _drawn(vocabulary.things, random)


def _drawn(words: Sequence[str], random: Random) -> str:
    """One of the words. The first ones are more frequent."""
    return words[int(len(words) * random.random() ** 2)]


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
            words = f"{first_names[place % len(first_names)]} {family[place // len(first_names)]}"
        else:
            words = things[place - people]
        repetition = turn // count
        yield f"{kinds[kind]} {words}" + (f" {_roman(repetition + 1)}" if repetition else "")


def _roman(number: int) -> str:
    text = ""
    for value, sign in _ROMAN:
        times, number = divmod(number, value)
        text += sign * times
    return text
