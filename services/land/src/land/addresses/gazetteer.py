"""An index of communes by code, postcode and name, in memory; 35,000 communes for the whole country."""

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

from land.addresses.normalise import canonical_city, district_name, split_arrondissement
from land.addresses.spellings import Spellings
from land.datasets.partitions import arrondissements_of

MAX_NAME_WORDS = 8
"""The length of the longest French commune names, with hyphens counted as spaces."""
MAX_SIMILAR_COMMUNES = 20
"""A misspelled name that matches more communes is too ambiguous. Paris has 20 arrondissements."""
MAX_SHORTENED_COMMUNES = 40
POSTCODE_LENGTH = 5
_WRONG_LENGTHS = (POSTCODE_LENGTH - 1, POSTCODE_LENGTH + 1)
MIN_CITY_SIMILARITY = 0.75
"""The similarity of a misspelled name to a commune that the postcode or code also names."""


@dataclass(frozen=True)
class Commune:
    code: str
    name: str
    postcodes: tuple[str, ...]
    lon: float | None
    lat: float | None
    address_count: int = 0
    search_names: tuple[str, ...] = ()
    """Canonical forms of its names. An arrondissement also has the city's name, its number, and both."""


def make_commune(
    code: str,
    name: str,
    postcodes: Iterable[str],
    former_names: Iterable[str],
    lon: float | None,
    lat: float | None,
    address_count: int = 0,
) -> Commune:
    names = {canonical_city(n): None for n in (name, *former_names)}
    city, arrondissement = split_arrondissement(canonical_city(name))
    if arrondissement is not None:
        district = district_name(arrondissement)
        names |= {city: None, f"{city} {arrondissement}": None, f"{city} {district}": None, district: None}
        names |= {f"{city} {arrondissement}eme": None, f"{city} {arrondissement:02}": None}
    return Commune(code, name, tuple(postcodes), lon, lat, address_count, tuple(names))


class Gazetteer:
    """Immutable. A load of communes replaces it by a changed copy."""

    def __init__(
        self, communes: Iterable[Commune], current_codes: Callable[[str], Sequence[str]] = lambda code: ()
    ) -> None:
        """`current_codes` returns the present communes that replace a code."""
        self._current_codes = current_codes
        self.by_code = {commune.code: commune for commune in communes}
        self._by_postcode: dict[str, tuple[Commune, ...]] = {}
        self._by_name: dict[str, tuple[Commune, ...]] = {}
        for commune in self.by_code.values():
            _add(commune, self._by_postcode, commune.postcodes)
            _add(commune, self._by_name, commune.search_names)
        self._spellings: Spellings | None = None

    def replace(self, codes: Collection[str], communes: Sequence[Commune]) -> "Gazetteer":
        """A copy in which these communes replace those with the codes.

        An import of the country changes the gazetteer with each commune, while requests run. The copy shares what does
        not change: copying the dictionaries takes 9 ms, indexing all communes again takes much longer.
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
            after._spellings = None
        return after

    def present_codes(self, code: str) -> frozenset[str]:
        """The codes of its communes that a code means: itself, the arrondissements of Paris, Lyon or Marseille, or the
        communes that replaced a former one.
        """
        if code in self.by_code:
            return frozenset((code,))
        codes: set[str] = set()
        for current_code in (code, *self._current_codes(code)) if code else ():
            codes.update(arrondissements_of(current_code) or (current_code,))
        return frozenset(codes & self.by_code.keys())

    def city_of(self, code: str) -> Commune:
        """Paris, Lyon or Marseille, from those of their arrondissements that the gazetteer has."""
        parts = [self.by_code[part_code] for part_code in arrondissements_of(code) if part_code in self.by_code]
        points = [(part.lon, part.lat) for part in parts if part.lon is not None and part.lat is not None]
        lon, lat = (sum(axis) / len(points) for axis in zip(*points, strict=True)) if points else (None, None)
        name = split_arrondissement(canonical_city(parts[0].name))[0]
        postcodes = sorted({postcode for part in parts for postcode in part.postcodes})
        count = sum(part.address_count for part in parts)
        return Commune(code, name.capitalize(), tuple(postcodes), lon, lat, count, (name,))

    def is_postcode(self, figure: str) -> bool:
        """Whether a commune has this postcode. A figure of four digits is none: it may be a house number."""
        return figure in self._by_postcode

    def with_postcode(self, postcode: str) -> Sequence[Commune]:
        """Communes with the postcode. One with a digit too few or too many stands for each that it can be."""
        if len(postcode) not in _WRONG_LENGTHS:
            return self._by_postcode.get(postcode, ())
        near = {
            commune.code: commune
            for repaired_postcode in _repaired(postcode)
            for commune in self._by_postcode.get(repaired_postcode, ())
        }
        return list(near.values())

    def named(self, canonical_name: str) -> Sequence[Commune]:
        return self._by_name.get(canonical_name, ())

    def shortened(self, canonical_name: str) -> Sequence[Commune]:
        """Communes whose name starts with this one, "aulnay" for Aulnay-sous-Bois."""
        return self._of_names(self._spelled.shortened(canonical_name))[:MAX_SHORTENED_COMMUNES]

    def similar_to(self, canonical_name: str) -> Sequence[Commune]:
        """Communes with a misspelt name; empty for one that is too ambiguous."""
        communes = self._of_names(self._spelled.misspelt(canonical_name))
        return communes if len(communes) <= MAX_SIMILAR_COMMUNES else ()

    @property
    def _spelled(self) -> Spellings:
        """Made for the first name that is not exact."""
        if self._spellings is None:
            self._spellings = Spellings(self._by_name)
        return self._spellings

    def _of_names(self, names: Iterable[str]) -> list[Commune]:
        return list({commune.code: commune for name in names for commune in self._by_name[name]}.values())


def completes(figure: str, postcode: str) -> bool:
    """Whether a figure is the postcode with digits missing at the end, or with one missing or added anywhere."""
    return (
        postcode in _repaired(figure)
        if len(figure) in _WRONG_LENGTHS
        else len(figure) > 1 and postcode.startswith(figure)
    )


@lru_cache(maxsize=1_024)
def _repaired(figure: str) -> frozenset[str]:
    """The postcodes that a figure of four or six digits can be."""
    places = range(len(figure) + 1)
    return (
        frozenset(figure[:at] + figure[at + 1 :] for at in places[:-1])
        if len(figure) > POSTCODE_LENGTH
        else frozenset(figure[:at] + digit + figure[at:] for at in places for digit in "0123456789")
    )


def _add(commune: Commune, index: dict[str, tuple[Commune, ...]], keys: Iterable[str]) -> None:
    for key in dict.fromkeys(keys):
        index[key] = (*index.get(key, ()), commune)


def _remove(commune: Commune, index: dict[str, tuple[Commune, ...]], keys: Iterable[str]) -> None:
    for key in dict.fromkeys(keys):
        remaining = tuple(other for other in index[key] if other.code != commune.code)
        if remaining:
            index[key] = remaining
        else:
            del index[key]
