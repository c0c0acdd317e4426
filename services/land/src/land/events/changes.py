"""What differs between the facts of a partition before and after a load."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from itertools import zip_longest
from typing import NamedTuple, Self

import orjson

from land.datasets.facts import Fact, FactKind
from land.store.events import FactChange

ParcelsOn = Callable[[Collection[bytes]], set[str]]
"""The ids of the parcels on these geometries."""

_Values = defaultdict[tuple[FactKind, str, str], set[bytes]]
"""The values of facts by kind, key and place."""
_Drawn = defaultdict[tuple[FactKind, str, bytes], set[bytes]]
"""The geometries of facts by kind, key and value."""


class Grouped(NamedTuple):
    """The facts of a partition, without an object for each."""

    values: _Values
    """Of facts with a place."""
    drawn: _Drawn
    """Of facts with a geometry."""

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> Self:
        groups = cls(defaultdict(set), defaultdict(set))
        for fact in facts:
            value = orjson.dumps(fact.value, option=orjson.OPT_SORT_KEYS)
            if fact.geometry:
                groups.drawn[fact.kind, fact.key, value].add(fact.geometry)
            else:
                groups.values[fact.kind, fact.key, fact.place].add(value)
        return groups


def changes_of(before: Grouped, after: Grouped, parcels_on: ParcelsOn) -> list[FactChange]:
    """The changes, in order of kind and values. Geometries alone are no facts: if an outline changes, the fact changes
    only at parcels that it newly meets or no longer meets.
    """
    (old, old_drawn), (new, new_drawn) = before, after
    for drawn in old_drawn.keys() | new_drawn.keys():
        kind, key, value = drawn
        if old_drawn[drawn] == new_drawn[drawn]:
            continue
        for values, geometries in ((old, old_drawn[drawn]), (new, new_drawn[drawn])):
            for place in parcels_on(geometries) if geometries else ():
                values[kind, key, place].add(value)
    places: defaultdict[tuple[FactKind, bytes | None, bytes | None], list[str]] = defaultdict(list)
    for at in sorted(at for at in old.keys() | new.keys() if old[at] != new[at]):
        for old_value, new_value in zip_longest(sorted(old[at] - new[at]), sorted(new[at] - old[at])):
            places[at[0], old_value, new_value].append(at[2])
    return [FactChange(*change, changed_places) for change, changed_places in places.items()]
