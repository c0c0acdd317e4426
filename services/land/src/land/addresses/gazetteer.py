"""The communes whose addresses are known, by code, postcode and name: held in memory, 35,000 of them at most."""

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from land.addresses.normalise import canonical_city, split_arrondissement

MAX_NAME_WORDS = 8
"""The longest French commune names have as many words, hyphens counted as spaces."""
MIN_LIKE_LENGTH = 5
LONG_NAME_LENGTH = 10
MAX_LIKE_NAMES = 20
"""A misspelled name that may be more communes' says too little; Paris has as many arrondissements."""
LIKE_CITY = 0.75
"""Likeness from which a misspelled name is taken for that of a commune which something else speaks for too."""


@dataclass(frozen=True)
class Commune:
    code: str
    name: str
    postcodes: tuple[str, ...]
    former_names: tuple[str, ...]
    """Communes that it absorbed."""
    lon: float | None
    lat: float | None
    address_count: int = 0
    search_names: tuple[str, ...] = field(default=())
    """Canonical forms of its names; for an arrondissement also the city's, and the city's with its number."""


def make_commune(
    code: str,
    name: str,
    postcodes: Iterable[str],
    former_names: Iterable[str],
    lon: float | None,
    lat: float | None,
    address_count: int = 0,
) -> Commune:
    former = tuple(former_names)
    names = {canonical_city(n): None for n in (name, *former)}
    city, arrondissement = split_arrondissement(canonical_city(name))
    if arrondissement is not None:
        ordinal = "er" if arrondissement == 1 else "e"
        names |= {city: None, f"{city} {arrondissement}": None, f"{city} {arrondissement}{ordinal}": None}
        names |= {f"{city} {arrondissement}eme": None, f"{city} {arrondissement:02}": None}
    return Commune(code, name, tuple(postcodes), former, lon, lat, address_count, tuple(names))


def with_former_names(commune: Commune, names: Iterable[str]) -> Commune:
    """The commune, known by these names too."""
    others = dict.fromkeys((*commune.search_names, *map(canonical_city, names)))
    return replace(commune, search_names=tuple(others)) if len(others) > len(commune.search_names) else commune


def city_likeness(city: str, names: Collection[str]) -> float:
    """How like a city's canonical name is to the nearest of a commune's, 0 to 1."""
    return 1.0 if city in names else max(float(fuzz.ratio(city, name)) for name in names) / 100


class Gazetteer:
    """Immutable; another takes its place when communes were loaded."""

    def __init__(self, communes: Iterable[Commune], today: Callable[[str], Sequence[str]] = lambda code: ()) -> None:
        """`today` leads from a code, also a former one, to those that stand for it now."""
        self._today = today
        self.by_code = {commune.code: commune for commune in communes}
        self._by_postcode: dict[str, tuple[Commune, ...]] = {}
        self._by_name: dict[str, tuple[Commune, ...]] = {}
        for commune in self.by_code.values():
            _add(commune, self._by_postcode, commune.postcodes)
            _add(commune, self._by_name, commune.search_names)
        self._names_of_length = _by_length(self._by_name)

    def changed(self, codes: Collection[str], communes: Sequence[Commune]) -> "Gazetteer":
        """The gazetteer with these communes in the place of those that have the codes.

        A country is loaded commune by commune, and each load changes the gazetteer under the requests that go on:
        dictionaries are copied, which takes little, and indexed anew only where names change.
        """
        after = copy(self)
        after.by_code = dict(self.by_code)
        after._by_postcode, after._by_name = dict(self._by_postcode), dict(self._by_name)
        for before in filter(None, (after.by_code.pop(code, None) for code in codes)):
            _remove(before, after._by_postcode, before.postcodes)
            _remove(before, after._by_name, before.search_names)
        for commune in communes:
            after.by_code[commune.code] = commune
            _add(commune, after._by_postcode, commune.postcodes)
            _add(commune, after._by_name, commune.search_names)
        if after._by_name.keys() != self._by_name.keys():
            after._names_of_length = _by_length(after._by_name)
        return after

    def present_code(self, code: str) -> str:
        """The code of today for that of a commune that went into one other; any other code as it is."""
        if code in self.by_code:
            return code
        return next(iter(present)) if len(present := set(self._today(code))) == 1 else code

    def with_postcode(self, postcode: str) -> Sequence[Commune]:
        return self._by_postcode.get(postcode, ())

    def named(self, canonical_name: str) -> Sequence[Commune]:
        return self._by_name.get(canonical_name, ())

    def named_like(self, canonical_name: str) -> list[Commune]:
        """Communes whose name is one slip away, two where it is long; none for a short one, which most slips make
        another.
        """
        length = len(canonical_name)
        if length < MIN_LIKE_LENGTH:
            return []
        slips = 1 if length < LONG_NAME_LENGTH else 2
        names = [
            name
            for near in range(length - slips, length + slips + 1)
            for name, _, _ in process.extract(
                canonical_name,
                self._names_of_length.get(near, ()),
                scorer=OSA.distance,
                score_cutoff=slips,
                limit=MAX_LIKE_NAMES,
            )
        ]
        found = {commune.code: commune for name in names for commune in self._by_name[name]}
        return list(found.values()) if len(found) <= MAX_LIKE_NAMES else []


def _by_length(names: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for name in names:
        found.setdefault(len(name), []).append(name)
    return found


def _add(commune: Commune, index: dict[str, tuple[Commune, ...]], keys: Iterable[str]) -> None:
    for key in dict.fromkeys(keys):
        index[key] = (*index.get(key, ()), commune)


def _remove(commune: Commune, index: dict[str, tuple[Commune, ...]], keys: Iterable[str]) -> None:
    for key in dict.fromkeys(keys):
        left = tuple(each for each in index[key] if each.code != commune.code)
        if left:
            index[key] = left
        else:
            del index[key]
