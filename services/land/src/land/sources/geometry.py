"""Publishers' geometries to valid WKB.

GeoJSON polygons are packed by hand and checked by GEOS in batches, since files have millions of them.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from land.sources.values import given

POLYGON, MULTI_POLYGON = 3, 6
_HEAD = struct.Struct("<BII")
WORLD = (-180.0, -90.0, 180.0, 90.0)
LITTLE_ENDIAN = 1


class ParsedPolygon(NamedTuple):
    wkb: bytes | None
    """A valid Polygon or MultiPolygon, two-dimensional and little-endian; None if nothing polygonal is left."""
    is_repaired: bool = False
    error: str | None = None
    """Why the geometry cannot be read."""


def parse_polygons(geometries: Sequence[Any]) -> list[ParsedPolygon]:
    """One polygon per GeoJSON geometry, in order; without WKB for None."""
    packed = [None if geometry is None else _packed(geometry) for geometry in geometries]
    polygons = shapely.from_wkb(np.array(packed, dtype=object), on_invalid="ignore")
    west, south, east, north = shapely.bounds(polygons).T
    is_inside = (west >= WORLD[0]) & (south >= WORLD[1]) & (east <= WORLD[2]) & (north <= WORLD[3])
    is_plain: list[bool] = np.asarray(shapely.is_valid(polygons) & ~shapely.is_empty(polygons) & is_inside).tolist()
    return [
        ParsedPolygon(wkb) if wkb is not None and plain else _parse_unusual(geometry)
        for geometry, wkb, plain in zip(geometries, packed, is_plain, strict=True)
    ]


def is_in_world(geometry: BaseGeometry) -> bool:
    """Whether its coordinates can be longitude and latitude. False if it is empty."""
    west, south, east, north = geometry.bounds
    return bool(WORLD[0] <= west and WORLD[1] <= south and east <= WORLD[2] and north <= WORLD[3])


def _packed(geometry: Any) -> bytes | None:
    """The WKB of a two-dimensional Polygon or MultiPolygon; None for anything else."""
    try:
        coordinates = geometry["coordinates"]
        match geometry["type"]:
            case "Polygon":
                return _polygon(coordinates)
            case "MultiPolygon":
                return _HEAD.pack(1, MULTI_POLYGON, len(coordinates)) + b"".join(map(_polygon, coordinates))
    except (KeyError, TypeError, struct.error):
        return None
    return None


def _polygon(rings: Any) -> bytes:
    return _HEAD.pack(1, POLYGON, len(rings)) + b"".join(map(_ring, rings))


def _ring(positions: Any) -> bytes:
    numbers = [*chain.from_iterable(positions)]
    count = len(positions)
    if len(numbers) != 2 * count:
        raise TypeError("not two-dimensional")
    return _numbers_format(len(numbers)).pack(count, *numbers)


_numbers_format = lru_cache(maxsize=1_000)(lambda count: struct.Struct(f"<I{count}d"))


def _parse_unusual(geometry: Any) -> ParsedPolygon:
    """Parses a geometry that is absent, invalid, three-dimensional or of another type."""
    if geometry is None:
        return ParsedPolygon(None)
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        return ParsedPolygon(None, error=f"geometry: {str(kind)[:30]} is neither Polygon nor MultiPolygon")
    try:
        coordinates = geometry["coordinates"]
        published = _build(coordinates) if kind == "Polygon" else MultiPolygon([_build(part) for part in coordinates])
    except (KeyError, TypeError, ValueError, IndexError, shapely.errors.GEOSException):
        return ParsedPolygon(None, error="geometry: coordinates cannot be read")
    if published.is_empty:
        return ParsedPolygon(None)
    if not is_in_world(published):
        return ParsedPolygon(None, error="geometry: coordinates are no longitude and latitude")
    if published.is_valid:
        return ParsedPolygon(_wkb(published))
    polygons = _repaired(published)
    return ParsedPolygon(_wkb(polygons) if polygons is not None else None, is_repaired=True)


def _build(rings: Any) -> Polygon:
    # Shapely closes open rings; heights are dropped.
    shell, *holes = [[(float(position[0]), float(position[1])) for position in ring] for ring in rings]
    return Polygon(shell, holes)


def _repaired(geometry: BaseGeometry) -> BaseGeometry | None:
    """The polygons of a repaired geometry. GEOS's first method leaves some that cross themselves twice invalid."""
    with np.errstate(all="ignore"):  # GEOS divides by zero for corners some 1e-261 degrees apart
        polygons = _polygonal(shapely.make_valid(geometry, method="structure", keep_collapsed=False))
        if polygons is not None and not polygons.is_valid:
            polygons = _polygonal(shapely.make_valid(geometry, method="linework"))
        return polygons if polygons is None or polygons.is_valid else _polygonal(shapely.buffer(polygons, 0))


def _polygonal(geometry: BaseGeometry) -> BaseGeometry | None:
    parts = [
        part for part in shapely.get_parts(geometry, return_index=False) if isinstance(part, Polygon) and part.area > 0
    ]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def _wkb(geometry: BaseGeometry) -> bytes:
    return shapely.to_wkb(geometry, output_dimension=2, byte_order=LITTLE_ENDIAN)


class ValidGeometry(NamedTuple):
    kind: Literal["surface", "line", "point"]
    wkb: bytes
    """Valid, two-dimensional and little-endian."""
    is_repaired: bool = False


def make_valid(geometry: BaseGeometry) -> ValidGeometry:
    """Repairs a geometry in longitude and latitude that is not empty.

    Raises ValueError if it mixes kinds, or if nothing of its kind is left after the repair.
    """
    match geometry.geom_type:
        case "Polygon" | "MultiPolygon":
            if geometry.is_valid:
                return ValidGeometry("surface", _wkb(geometry))
            polygons = given(_repaired(geometry), "geometry: nothing is left of it after repair")
            return ValidGeometry("surface", _wkb(polygons), is_repaired=True)
        case "LineString" | "MultiLineString":
            if geometry.length == 0:
                raise ValueError("geometry: a line without length")
            return ValidGeometry("line", _wkb(geometry))
        case "Point" | "MultiPoint":
            return ValidGeometry("point", _wkb(geometry))
        case other:
            raise ValueError(f"geometry: {other} is neither surface, line nor point")
