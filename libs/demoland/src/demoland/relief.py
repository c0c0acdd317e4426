"""Altitudes at points in the parcels: gentle ground that rises to the north, steep behind the old quarter, flat in the
hamlet."""

from collections.abc import Iterable, Iterator

from demoland.geometry import Point
from demoland.model import Commune, Parcel

FLAT_SOUTH_OF_M, STEEP_NORTH_OF_M, STEEP_SOUTH_OF_M = -50.0, 150.0, 260.0
_LOWEST_M, _SLOPE, _STEEP_SLOPE, _EASTWARD_SLOPE = 158.4, 0.03, 0.18, 0.004
_SHARES = (0.0, 0.45, 0.85)
"""Shares of the way from a parcel's middle to a corner."""


def altitude_m(point: Point) -> float:
    east, north = point
    rise = max(0.0, north - FLAT_SOUTH_OF_M) * _SLOPE
    steep = (min(north, STEEP_SOUTH_OF_M) - STEEP_NORTH_OF_M) * _STEEP_SLOPE if east < 0 else 0.0
    return round(_LOWEST_M + rise + max(0.0, steep) + (east * _EASTWARD_SLOPE if north > FLAT_SOUTH_OF_M else 0.0), 2)


def rows(commune: Commune, parcels: Iterable[Parcel]) -> Iterator[list[object]]:
    """Points of each polygon : its middle, and two between it and each corner."""
    for parcel in parcels:
        for outline, *_ in parcel.polygons:
            middle = tuple(sum(axis) / len(outline) for axis in zip(*outline, strict=True))
            points = [
                (middle[0] + (x - middle[0]) * share, middle[1] + (y - middle[1]) * share)
                for share in _SHARES
                for x, y in (outline if share else outline[:1])
            ]
            for point in points:
                yield [parcel.parcel_id, *commune.to_degrees(point), altitude_m(point)]
