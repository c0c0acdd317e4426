"""The communes whose addresses are known, by code, postcode and name: held in memory, 35,000 of them at most."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from land.addresses.normalise import canonical_city, split_arrondissement

MAX_NAME_WORDS = 8
"""The longest French commune names have as many words, hyphens counted as spaces."""


@dataclass(frozen=True)
class Commune:
    code: str
    name: str
    postcodes: tuple[str, ...]
    former_names: tuple[str, ...]
    """Communes that it absorbed."""
    lon: float | None
    lat: float | None
    search_names: tuple[str, ...] = field(default=())
    """Canonical forms of its names; for an arrondissement also the city's, and the city's with its number."""


def make_commune(
    code: str, name: str, postcodes: Iterable[str], former_names: Iterable[str], lon: float | None, lat: float | None
) -> Commune:
    former = tuple(former_names)
    names = {canonical_city(n): None for n in (name, *former)}
    city, arrondissement = split_arrondissement(canonical_city(name))
    if arrondissement is not None:
        ordinal = "er" if arrondissement == 1 else "e"
        names |= {city: None, f"{city} {arrondissement}": None, f"{city} {arrondissement}{ordinal}": None}
        names |= {f"{city} {arrondissement}eme": None, f"{city} {arrondissement:02}": None}
    return Commune(code, name, tuple(postcodes), former, lon, lat, tuple(names))


class Gazetteer:
    """Immutable; made anew from the store when communes were loaded."""

    def __init__(self, communes: Iterable[Commune]) -> None:
        self.by_code = {commune.code: commune for commune in communes}
        self._by_postcode: dict[str, list[Commune]] = {}
        self._by_name: dict[str, list[Commune]] = {}
        for commune in self.by_code.values():
            for postcode in commune.postcodes:
                self._by_postcode.setdefault(postcode, []).append(commune)
            for name in commune.search_names:
                self._by_name.setdefault(name, []).append(commune)

    def with_postcode(self, postcode: str) -> list[Commune]:
        return self._by_postcode.get(postcode, [])

    def named(self, canonical_name: str) -> list[Commune]:
        return self._by_name.get(canonical_name, [])
