"""Communes by the first letters of their names and by nearness, in memory."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from math import cos, hypot, radians
from typing import Any, NamedTuple

import numpy as np

from land.addresses.gazetteer import Commune

KM_PER_DEGREE = 111.2
MAX_CACHED = 5_000
"""Short starts of names whose communes are cached."""
MAX_REPLACED = 1_000
"""If more communes changed, all of them are indexed again."""
_ARTICLES = ("le ", "la ", "les ", "l ")
_Numbers = np.ndarray[Any, np.dtype[np.float64]]


class Point(NamedTuple):
    lat: float
    lon: float

    def km_to(self, lat: float | None, lon: float | None) -> float:
        """About the distance; infinite to an unknown place."""
        if lat is None or lon is None:
            return float("inf")
        east = (lon - self.lon) * cos(radians(self.lat))
        return KM_PER_DEGREE * hypot(lat - self.lat, east)


class PlaceIndex:
    """Immutable, except that it caches results."""

    def __init__(self, communes: Mapping[str, Commune]) -> None:
        self.by_code = communes
        self._names = sorted(entry for commune in communes.values() for entry in _entries(commune))
        self._codes = list(communes)
        self._cached: dict[tuple[str, int], list[tuple[Commune, float]]] = {}
        self._places: _Numbers = np.array([_place(commune) for commune in communes.values()]).reshape(-1, 2)

    def updated(self, communes: Mapping[str, Commune]) -> "PlaceIndex":
        """The index of these communes. It is this one if nothing changed, and a changed copy if little did: an import
        of the country changes the communes one by one, while requests run.
        """
        before = self.by_code
        changed = [code for code, commune in communes.items() if before.get(code) is not commune]
        if len(changed) > MAX_REPLACED or not before.keys() <= communes.keys():
            return PlaceIndex(communes)
        if not changed:
            return self
        after = PlaceIndex({})
        after.by_code, after._names, after._codes = communes, list(self._names), list(self._codes)
        after._places = self._places.copy()
        rows = {code: row for row, code in enumerate(after._codes)}
        for code in changed:
            for entry in _entries(before[code]) if code in before else ():
                del after._names[bisect_left(after._names, entry)]
            for entry in _entries(communes[code]):
                insort(after._names, entry)
            if code in rows:
                after._places[rows[code]] = _place(communes[code])
            else:
                after._codes.append(code)
                after._places = np.vstack([after._places, _place(communes[code])])
        return after

    def starting_with(self, start: str, most: int) -> list[tuple[Commune, float]]:
        """The communes with the most addresses whose name starts with this canonical text, each with the part of the
        name that the text is.
        """
        if (start, most) in self._cached:
            return self._cached[start, most]
        typed_parts: dict[str, float] = {}
        at = bisect_left(self._names, (start, ""))
        while at < len(self._names) and self._names[at][0].startswith(start):
            name, code = self._names[at]
            typed_parts[code] = max(typed_parts.get(code, 0.0), len(start) / len(name))
            at += 1
        best = nlargest(most, typed_parts, key=lambda code: (self.by_code[code].address_count, typed_parts[code], code))
        named = [(self.by_code[code], typed_parts[code]) for code in best]
        if len(typed_parts) > most and len(self._cached) < MAX_CACHED:  # a short start has thousands
            self._cached[start, most] = named
        return named

    def has_start(self, start: str) -> bool:
        """Whether the name of a commune starts with this canonical text."""
        at = bisect_left(self._names, (start, ""))
        return at < len(self._names) and self._names[at][0].startswith(start)

    def nearest(self, point: Point, most: int, within_km: float) -> Sequence[Commune]:
        """The communes whose centres are nearest."""
        if not self._codes:
            return ()
        north, east = (self._places - (point.lat, point.lon)).T
        km = KM_PER_DEGREE * np.hypot(north, east * cos(radians(point.lat)))
        km[np.isnan(km)] = np.inf
        order = np.argsort(km)[:most] if len(km) <= most else np.argpartition(km, most)[:most]
        ordered = sorted((float(km[row]), self._codes[row]) for row in order)
        return [self.by_code[code] for distance, code in ordered if distance <= within_km]


def _entries(commune: Commune) -> Iterator[tuple[str, str]]:
    """The canonical names, and each without its article."""
    for name in commune.search_names:
        if name:
            yield name, commune.code
        article = next((prefix for prefix in _ARTICLES if name.startswith(prefix)), "")
        if article and name != article.strip():
            yield name[len(article) :], commune.code


def _place(commune: Commune) -> tuple[float, float]:
    missing = float("nan")
    return (
        missing if commune.lat is None else commune.lat,
        missing if commune.lon is None else commune.lon,
    )
