"""The drawing board of the demo: a plane in metres that becomes longitudes and latitudes, plots, doors, their ids."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

Point = tuple[float, float]
Ring = list[Point]
"""Open: its first point is not repeated. Metres."""

ORIGIN = (2.0, 47.0)
"""Open country in the middle of the mainland, where Lambert-93 holds."""
METRES_PER_DEGREE = (76_056.0, 111_171.0)
"""Of longitude and latitude at 47° north, GRS80."""
DECIMALS = 7
DEPARTMENT = "00"


@dataclass(frozen=True)
class Commune:
    code: str
    name: str
    postcode: str
    origin: Point = (0.0, 0.0)
    """Where its own (0, 0) lies on the board."""

    def to_degrees(self, point: Point) -> list[float]:
        return [
            round(ORIGIN[axis] + (self.origin[axis] + point[axis]) / METRES_PER_DEGREE[axis], DECIMALS)
            for axis in (0, 1)
        ]


@dataclass(frozen=True)
class Plot:
    """A parcel as the cadastre will publish it."""

    parcel_id: str
    parts: tuple[tuple[Ring, ...], ...]
    """Polygons of rings; none for a null geometry."""
    contenance: int | None
    arpente: bool = False
    created: str = "2009-03-12"
    updated: str = "2019-07-02"


@dataclass(frozen=True)
class Street:
    code: str
    """The second part of its id."""
    name: str
    locality: str = ""


@dataclass(frozen=True)
class Door:
    """An address."""

    street: Street
    number: int
    point: Point
    suffix: str = ""
    parcel_ids: tuple[str, ...] = ()
    position: str = "entrée"
    is_certified: bool = True
    old_commune: tuple[str, str] = ("", "")
    """Code and name."""


@dataclass
class Ground:
    """What stands on a piece of the board, in order."""

    plots: list[Plot] = field(default_factory=list)
    doors: list[Door] = field(default_factory=list)


def parcel_id(commune_code: str, section: str, number: int, prefix: str = "000") -> str:
    return f"{commune_code}{prefix}{section:0>2}{number:04}"


def label(door: Door, commune: Commune) -> str:
    """The address in one line, as people write it."""
    number = f"{door.number} {door.suffix}" if door.suffix else str(door.number)
    return f"{number} {door.street.name} {commune.postcode} {commune.name}"


def area_m2(ring: Ring) -> float:
    """Of a simple ring, whatever its direction."""
    twice = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True))
    return abs(twice) / 2


def rectangle(west: float, south: float, east: float, north: float) -> Ring:
    return [(west, south), (east, south), (east, north), (west, north)]


def weld(plots: Sequence[Plot]) -> list[Plot]:
    """The same plots, with every corner that touches another plot's straight edge added to that edge.

    For edges along the axes: neighbours then share their borders point by point, as parcels of the cadastre do.
    """
    corners = sorted({point for plot in plots for part in plot.parts for ring in part for point in ring})
    return [
        replace(plot, parts=tuple(tuple(_welded(ring, corners) for ring in part) for part in plot.parts))
        for plot in plots
    ]


def _welded(ring: Ring, corners: Sequence[Point]) -> Ring:
    welded: Ring = []
    for start, end in zip(ring, [*ring[1:], ring[0]], strict=True):
        between = [point for point in corners if point not in (start, end) and _is_on(point, start, end)]
        between.sort(key=lambda point: abs(point[0] - start[0]) + abs(point[1] - start[1]))
        welded += [start, *between]
    return welded


def _is_on(point: Point, start: Point, end: Point) -> bool:
    axis = 0 if start[0] == end[0] else 1
    other = 1 - axis
    low, high = sorted((start[other], end[other]))
    return start[axis] == end[axis] == point[axis] and low < point[other] < high


@lru_cache(maxsize=8192)
def upper_ascii(text: str) -> str:
    """As nom_afnor has it: capitals without accents or signs."""
    plain = unicodedata.normalize("NFKD", text.replace("Œ", "OE").replace("œ", "oe"))
    kept = "".join(
        sign if sign.isalnum() and sign.isascii() else " " for sign in plain if not unicodedata.combining(sign)
    )
    return " ".join(kept.upper().split())
