"""GeoJSON polygons to WKB, a batch at a time: packed by hand, checked by GEOS, repaired only where they must be."""

import struct
from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

POLYGON, MULTI_POLYGON = 3, 6
_HEAD = struct.Struct("<BII")
_COUNT = struct.Struct("<I")
WORLD = (-180.0, -90.0, 180.0, 90.0)
LITTLE_ENDIAN = 1


class Shape(NamedTuple):
    """A geometry as the store takes it, or why there is none."""

    wkb: bytes | None
    """Little-endian, two dimensions, valid, Polygon or MultiPolygon; None where nothing polygonal is left."""
    is_repaired: bool = False
    error: str | None = None


def read_shapes(geometries: Sequence[Any]) -> list[Shape]:
    """One shape per GeoJSON geometry, in order. None is a shape without WKB."""
    packed = [None if geometry is None else _packed(geometry) for geometry in geometries]
    shapes = shapely.from_wkb(np.array(packed, dtype=object), on_invalid="ignore")
    west, south, east, north = shapely.bounds(shapes).T
    is_inside = (west >= WORLD[0]) & (south >= WORLD[1]) & (east <= WORLD[2]) & (north <= WORLD[3])
    is_plain: list[bool] = np.asarray(shapely.is_valid(shapes) & ~shapely.is_empty(shapes) & is_inside).tolist()
    return [
        Shape(wkb) if wkb is not None and plain else _read_carefully(geometry)
        for geometry, wkb, plain in zip(geometries, packed, is_plain, strict=True)
    ]


def is_in_world(geometry: BaseGeometry) -> bool:
    """Whether its coordinates can be longitude and latitude; an empty one's cannot."""
    west, south, east, north = geometry.bounds
    return bool(WORLD[0] <= west and WORLD[1] <= south and east <= WORLD[2] and north <= WORLD[3])


def _packed(geometry: Any) -> bytes | None:
    """The WKB of a plain two-dimensional Polygon or MultiPolygon; None where it is anything else."""
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
    parts = [_HEAD.pack(1, POLYGON, len(rings))]
    for ring in rings:
        count = len(ring)
        parts.append(_COUNT.pack(count))
        parts.append(struct.pack(f"<{2 * count}d", *chain.from_iterable(ring)))
    return b"".join(parts)


def _read_carefully(geometry: Any) -> Shape:
    """A geometry that is not plain and valid: absent, repaired, or refused with the reason."""
    if geometry is None:
        return Shape(None)
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        return Shape(None, error=f"geometry: {str(kind)[:30]} is neither Polygon nor MultiPolygon")
    try:
        coordinates = geometry["coordinates"]
        published = _build(coordinates) if kind == "Polygon" else MultiPolygon([_build(part) for part in coordinates])
    except (KeyError, TypeError, ValueError, IndexError, shapely.errors.GEOSException):
        return Shape(None, error="geometry: coordinates cannot be read")
    if published.is_empty:
        return Shape(None)
    if not is_in_world(published):
        return Shape(None, error="geometry: coordinates are no longitude and latitude")
    if published.is_valid:
        return Shape(_wkb(published))
    kept = _repaired(published)
    return Shape(_wkb(kept) if kept is not None else None, is_repaired=True)


def _build(rings: Any) -> Polygon:
    # Rings that are left open are closed, and heights are dropped.
    shell, *holes = [[(float(position[0]), float(position[1])) for position in ring] for ring in rings]
    return Polygon(shell, holes)


def _repaired(geometry: BaseGeometry) -> BaseGeometry | None:
    """What is ground of an invalid geometry. GEOS's own repair leaves some that cross themselves twice invalid."""
    kept = _polygonal(shapely.make_valid(geometry, method="structure", keep_collapsed=False))
    if kept is not None and not kept.is_valid:
        kept = _polygonal(shapely.make_valid(geometry, method="linework"))
    return kept if kept is None or kept.is_valid else _polygonal(shapely.buffer(kept, 0))


def _polygonal(geometry: BaseGeometry) -> BaseGeometry | None:
    parts = [
        part for part in shapely.get_parts(geometry, return_index=False) if isinstance(part, Polygon) and part.area > 0
    ]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def _wkb(geometry: BaseGeometry) -> bytes:
    return shapely.to_wkb(geometry, output_dimension=2, byte_order=LITTLE_ENDIAN)


class Drawing(NamedTuple):
    """A geometry of any dimension as the store takes it."""

    kind: Literal["surface", "line", "point"]
    wkb: bytes
    """Little-endian, two dimensions, valid; of one kind only."""
    is_repaired: bool = False


def drawn(geometry: BaseGeometry) -> Drawing:
    """A geometry that is not empty, in longitude and latitude. Raises ValueError where it is of mixed kinds, or where
    nothing of its kind is left after a repair.
    """
    match geometry.geom_type:
        case "Polygon" | "MultiPolygon":
            if geometry.is_valid:
                return Drawing("surface", _wkb(geometry))
            kept = _repaired(geometry)
            if kept is None:
                raise ValueError("geometry: nothing is left of it after repair")
            return Drawing("surface", _wkb(kept), is_repaired=True)
        case "LineString" | "MultiLineString":
            if geometry.length == 0:
                raise ValueError("geometry: a line without length")
            return Drawing("line", _wkb(geometry))
        case "Point" | "MultiPoint":
            return Drawing("point", _wkb(geometry))
        case other:
            raise ValueError(f"geometry: {other} is neither surface, line nor point")
