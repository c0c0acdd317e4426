"""Reads the area of a search from GeoJSON or from a bounding box. Each fault has a JSON pointer."""

import json
from collections.abc import Iterable, Iterator, Sequence
from math import cos, radians
from typing import Any

import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from land.answers.refusals import invalid
from land.answers.texts import REFUSALS
from servicekit.errors import InvalidPayload

MAX_POSITIONS = 1_000
MAX_KM2 = 50.0
"""The bounding boxes of a search have together at most this area: it bounds the parcels among which it looks."""
_KM_OF_DEGREE = 111.2
_MIN_RING = 4
_DIMENSIONS = (2, 3)


def polygons(geojson: bytes, pointer: str = "/geometry") -> BaseGeometry:
    """A valid Polygon or MultiPolygon within the limits. Raises InvalidPayload."""
    document = json.loads(geojson)
    coordinates, at = document["coordinates"], f"{pointer}/coordinates"
    parts = [(at, coordinates)] if document["type"] == "Polygon" else list(_items(coordinates, at))
    rings = (ring for pointer, part in parts for ring in _items(part, pointer))
    if sum(1 for pointer, ring in rings for _ in _items(ring, pointer)) > MAX_POSITIONS:
        raise invalid(at, "too_many", REFUSALS["too_many_positions"].format(limit=MAX_POSITIONS))
    if not parts:
        raise invalid(at, "wrong_type", REFUSALS["polygon_form"])
    polygons = [_polygon(part, part_pointer) for part_pointer, part in parts]
    shape = polygons[0] if len(polygons) == 1 else MultiPolygon(polygons)
    if not shape.is_valid:  # its parts are
        raise _crossing(at, shape)
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
        raise invalid(pointer, "out_of_range", REFUSALS["bbox_order"])
    return shapely.box(west, south, east, north)


def check_size(boxes: Iterable[Sequence[float]], pointer: str) -> None:
    """Raises InvalidPayload if the boxes, in degrees, have more than MAX_KM2 together."""
    km2 = size_km2(boxes)
    if km2 > MAX_KM2:
        detail = REFUSALS["area_too_large"].format(km2=f"{km2:.0f}", limit=f"{MAX_KM2:.0f}")
        raise invalid(pointer, "too_large", detail)


def size_km2(boxes: Iterable[Sequence[float]]) -> float:
    return sum(
        (east - west) * (north - south) * _KM_OF_DEGREE**2 * cos(radians((south + north) / 2))
        for west, south, east, north in boxes
    )


def _polygon(rings: Any, at: str) -> Polygon:
    read = [_ring(ring, pointer) for pointer, ring in _items(rings, at)]
    if not read:
        raise invalid(at, "wrong_type", REFUSALS["polygon_form"])
    polygon = Polygon(read[0], read[1:])
    if not polygon.is_valid:
        raise _crossing(at, polygon)
    return polygon


def _ring(positions: Any, at: str) -> list[tuple[float, float]]:
    read = []
    for pointer, position in _items(positions, at):
        if not isinstance(position, list) or len(position) not in _DIMENSIONS or not all(map(_is_number, position)):
            raise invalid(pointer, "wrong_type", REFUSALS["polygon_form"])
        lon, lat = position[:2]
        if not (-180 <= lon <= 180 and -90 <= lat <= 90):  # noqa: PLR2004 (degrees)
            raise invalid(pointer, "out_of_range", REFUSALS["degrees_out_of_range"])
        read.append((float(lon), float(lat)))
    if len(read) < _MIN_RING:
        raise invalid(at, "too_short", REFUSALS["ring_short"].format(least=_MIN_RING))
    if read[0] != read[-1]:
        raise invalid(at, "not_closed", REFUSALS["ring_open"])
    return read


def _items(values: Any, at: str) -> Iterator[tuple[str, Any]]:
    """The items of a list with their pointers. Raises InvalidPayload if it is none."""
    if not isinstance(values, list):
        raise invalid(at, "wrong_type", REFUSALS["polygon_form"])
    return ((f"{at}/{index}", value) for index, value in enumerate(values))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _crossing(pointer: str, shape: BaseGeometry) -> InvalidPayload:
    reason = shapely.is_valid_reason(shape)
    return invalid(pointer, "invalid_geometry", REFUSALS["outline_not_valid"].format(reason=reason))
