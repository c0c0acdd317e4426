"""What differs between the facts of a partition before and after a load."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from itertools import zip_longest

import orjson

from land.datasets.facts import Fact, FactKind
from land.store.events import FactChange

ParcelsOn = Callable[[Collection[bytes]], set[str]]
"""The ids of the parcels on these geometries."""


_Group = tuple[FactKind, str, bytes]
"""The kind, the key and the value of facts, which may be about several places and geometries."""


def changes_of(before: Iterable[Fact], after: Iterable[Fact], parcels_on: ParcelsOn) -> list[FactChange]:
    """The changes, in order of kind and values. Geometries alone are no facts: if an outline changes, the fact changes
    only at parcels that it newly meets or no longer meets.
    """
    old, new = _groups(before), _groups(after)
    gone: defaultdict[tuple[FactKind, str, str], list[bytes]] = defaultdict(list)
    added: defaultdict[tuple[FactKind, str, str], list[bytes]] = defaultdict(list)
    for group in sorted(old.keys() | new.keys()):
        kind, key, value = group
        if old.get(group) == new.get(group):
            continue
        old_places, new_places = (_places(groups.get(group, ()), parcels_on) for groups in (old, new))
        for place in old_places - new_places:
            gone[kind, key, place].append(value)
        for place in new_places - old_places:
            added[kind, key, place].append(value)
    places: defaultdict[tuple[FactKind, bytes | None, bytes | None], list[str]] = defaultdict(list)
    for at in sorted(gone.keys() | added.keys()):
        for old_value, new_value in zip_longest(gone.get(at, ()), added.get(at, ())):
            places[at[0], old_value, new_value].append(at[2])
    return [FactChange(*change, changed_places) for change, changed_places in places.items()]


def _groups(facts: Iterable[Fact]) -> dict[_Group, set[str | bytes]]:
    groups: defaultdict[_Group, set[str | bytes]] = defaultdict(set)
    for fact in facts:
        value = orjson.dumps(fact.value, option=orjson.OPT_SORT_KEYS)
        groups[fact.kind, fact.key, value].add(fact.geometry or fact.place)
    return groups


def _places(places: Iterable[str | bytes], parcels_on: ParcelsOn) -> set[str]:
    named, geometries = set(), []
    for place in places:
        if isinstance(place, str):
            named.add(place)
        else:
            geometries.append(place)
    return named | parcels_on(geometries) if geometries else named
