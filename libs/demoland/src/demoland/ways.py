"""Roads, a path and a brook, as segments of BD TOPO."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from demoland.geometry import Point, behind_front
from demoland.model import Parcel

_AXIS_M = -3.0
"""The axis lies so far before the front of a lot."""
_BEYOND = 1.0
"""A segment is longer than its front by this share of it at both ends, to pass the corner of its block."""


@dataclass(frozen=True)
class Way:
    start: Point
    end: Point
    nature: str = "Route à 1 chaussée"
    """Empty for a brook."""
    width_m: float = 6.0


QUARTER_WAYS = (
    Way((-275, 100), (10, 100), width_m=10.0),
    Way((-98, 100), (-98, 150)),
    Way((-275, 26), (10, 26)),
    Way((-267, -110), (-267, 170), "Route empierrée", 5.0),
    Way((-267, -53), (-140, -53)),
    Way((-480, 174), (-267, 174), "Chemin", 3.0),
    Way((-376, 178), (-376, 250), ""),
)


def town_ways(parcels: Iterable[Parcel], nature: str = "Route à 1 chaussée") -> Iterator[Way]:
    """A segment before each parcel, whose first side is its front."""
    for parcel in parcels:
        outline = parcel.polygons[0][0]
        start, end = (behind_front((outline[0], outline[1]), share, _AXIS_M) for share in (-_BEYOND, 1 + _BEYOND))
        yield Way(start, end, nature)
