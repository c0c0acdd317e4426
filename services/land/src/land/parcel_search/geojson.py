"""Reads the area of a search from GeoJSON or from a bounding box. Each fault has a JSON pointer."""

import json
from collections.abc import Iterable, Iterator, Sequence
from math import cos, radians
from typing import Any

import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from servicekit.errors import InvalidPayload, Violation
from servicekit.languages import Text

MAX_POSITIONS = 1_000
MAX_KM2 = 50.0
"""The bounding boxes of a search have together at most this area: it bounds the parcels among which it looks."""
_KM_OF_DEGREE = 111.2
_MIN_RING = 4
_DIMENSIONS = (2, 3)
_TYPE = Text(
    "un polygone est une liste d’anneaux, un anneau une liste de positions, une position [longitude, latitude]",
    "a polygon is a list of rings, a ring a list of positions, a position [longitude, latitude]",
)
_POSITIONS = Text(f"{MAX_POSITIONS} positions au plus", f"at most {MAX_POSITIONS} positions")
_SHORT = Text(f"un anneau a au moins {_MIN_RING} positions", f"a ring has at least {_MIN_RING} positions")
_OPEN = Text("la dernière position d’un anneau est la première", "the last position of a ring is its first")
_RANGE = Text("degrés hors limites (longitude, puis latitude)", "degrees out of range (longitude, then latitude)")
_ORDER = Text(
    "bbox est ouest,sud,est,nord, en degrés ; ouest < est et sud < nord",
    "bbox is west,south,east,north in degrees; west < east and south < north",
)


def polygons(geojson: bytes, pointer: str = "/geometry") -> BaseGeometry:
    """A valid Polygon or MultiPolygon within the limits. Raises InvalidPayload."""
    document = json.loads(geojson)
    coordinates, at = document["coordinates"], f"{pointer}/coordinates"
    parts = [(at, coordinates)] if document["type"] == "Polygon" else list(_items(coordinates, at))
    rings = (ring for pointer, part in parts for ring in _items(part, pointer))
    if sum(1 for pointer, ring in rings for _ in _items(ring, pointer)) > MAX_POSITIONS:
        raise _refused(Violation(at, "too_many", _POSITIONS))
    if not parts:
        raise _refused(Violation(at, "wrong_type", _TYPE))
    polygons = [_polygon(part, part_pointer) for part_pointer, part in parts]
    shape = polygons[0] if len(polygons) == 1 else MultiPolygon(polygons)
    if not shape.is_valid:  # its parts are
        raise _refused(_crossing(at, shape))
    check_size([part.bounds for part in polygons], pointer)
    return shape


def box(west: float, south: float, east: float, north: float, pointer: str = "/bbox") -> BaseGeometry:
    """Raises InvalidPayload if it is empty, out of range or too large."""
    shape = box_of_any_size(west, south, east, north, pointer)
    check_size([(west, south, east, north)], pointer)
    return shape


def box_of_any_size(west: float, south: float, east: float, north: float, pointer: str = "/bbox") -> BaseGeometry:
    """Raises InvalidPayload if it is empty or out of range."""
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):  # noqa: PLR2004 (degrees)
        raise _refused(Violation(pointer, "out_of_range", _ORDER))
    return shapely.box(west, south, east, north)


def check_size(boxes: Iterable[Sequence[float]], pointer: str) -> None:
    """Raises InvalidPayload if the boxes, in degrees, have more than MAX_KM2 together."""
    km2 = size_km2(boxes)
    if km2 > MAX_KM2:
        detail = Text(
            f"Les rectangles englobants de la zone ont {km2:.0f} km² ; {MAX_KM2:.0f} km² au plus.",
            f"The bounding boxes of the area have {km2:.0f} km²; at most {MAX_KM2:.0f} km².",
        )
        raise _refused(Violation(pointer, "too_large", detail))


def size_km2(boxes: Iterable[Sequence[float]]) -> float:
    return sum(map(_km2, boxes))


def _km2(bounds: Sequence[float]) -> float:
    west, south, east, north = bounds
    return (east - west) * (north - south) * _KM_OF_DEGREE**2 * cos(radians((south + north) / 2))


def _polygon(rings: Any, at: str) -> Polygon:
    read = [_ring(ring, pointer) for pointer, ring in _items(rings, at)]
    if not read:
        raise _refused(Violation(at, "wrong_type", _TYPE))
    polygon = Polygon(read[0], read[1:])
    if not polygon.is_valid:
        raise _refused(_crossing(at, polygon))
    return polygon


def _ring(positions: Any, at: str) -> list[tuple[float, float]]:
    read = []
    for pointer, position in _items(positions, at):
        if not isinstance(position, list) or len(position) not in _DIMENSIONS or not all(map(_is_number, position)):
            raise _refused(Violation(pointer, "wrong_type", _TYPE))
        lon, lat = position[:2]
        if not (-180 <= lon <= 180 and -90 <= lat <= 90):  # noqa: PLR2004 (degrees)
            raise _refused(Violation(pointer, "out_of_range", _RANGE))
        read.append((float(lon), float(lat)))
    if len(read) < _MIN_RING:
        raise _refused(Violation(at, "too_short", _SHORT))
    if read[0] != read[-1]:
        raise _refused(Violation(at, "not_closed", _OPEN))
    return read


def _items(values: Any, at: str) -> Iterator[tuple[str, Any]]:
    """The items of a list with their pointers. Raises InvalidPayload if it is none."""
    if not isinstance(values, list):
        raise _refused(Violation(at, "wrong_type", _TYPE))
    return ((f"{at}/{index}", value) for index, value in enumerate(values))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _crossing(pointer: str, shape: BaseGeometry) -> Violation:
    reason = shapely.is_valid_reason(shape)
    detail = Text(f"le contour n’est pas valide ({reason})", f"the outline is not valid ({reason})")
    return Violation(pointer, "invalid_geometry", detail)


def _refused(violation: Violation) -> InvalidPayload:
    return InvalidPayload(violation.detail, violations=[violation])
