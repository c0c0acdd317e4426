"""Places of the texts in a lot: its number and area inside it, the length of each side along the side."""

from math import atan2, degrees, hypot
from typing import NamedTuple

import shapely
from shapely import LineString, Point
from shapely.geometry.base import BaseGeometry

from assistant.drawing.layers import polygons_of

_LABEL_TOLERANCE_M = 0.1
_UPRIGHT = 89.0
"""Texts are turned by -89 to 91 degrees, so that all upright ones are read from the right."""
_CENTRED_SHARE = 0.75


class Place(NamedTuple):
    at: tuple[float, float]
    degrees: float
    room: float
    """How wide a text may be here, in metres."""


def label_place(outline: BaseGeometry, buildings: list[BaseGeometry]) -> Place | None:
    """The middle of the greatest circle in the outline, clear of buildings if they leave half of its width."""
    whole, inside = _circle(outline), [building for building in buildings if outline.intersects(building)]
    if whole is None or not inside:
        return whole
    clear = _circle(outline.difference(shapely.union_all(inside)))
    return clear if clear is not None and clear.room * 2 >= whole.room else whole


def side_place(line: BaseGeometry, inside: BaseGeometry, offset: float) -> Place | None:
    """The middle of a side, moved into the lot. The text can be read from below or from the right."""
    parts = [part for part in shapely.get_parts(line) if isinstance(part, LineString) and part.length > 0]
    if not parts:
        return None
    longest = max(parts, key=lambda part: part.length)
    middle = longest.interpolate(0.5, normalized=True)
    before, after = (longest.interpolate(share, normalized=True) for share in (0.45, 0.55))
    dx, dy = after.x - before.x, after.y - before.y
    length = hypot(dx, dy)
    if not length:
        return None
    nx, ny = -dy / length * offset, dx / length * offset
    at = min(
        ((middle.x + nx, middle.y + ny), (middle.x - nx, middle.y - ny)),
        key=lambda point: shapely.distance(inside, Point(point)),
    )
    return Place(at, (degrees(atan2(dy, dx)) + _UPRIGHT) % 180.0 - _UPRIGHT, longest.length)


def identity(line: BaseGeometry) -> tuple[tuple[float, float], ...]:
    """Returns the same value for a side of two neighbours, whose ends may be in another order."""
    return tuple(sorted((x, y) for x, y in shapely.get_coordinates(line)[[0, -1]].round(2).tolist()))


def _circle(shape: BaseGeometry) -> Place | None:
    """Returns the centroid if there is nearly as much room as in the greatest circle."""
    polygons = polygons_of(shape)
    if not polygons:
        return None
    polygon = max(polygons, key=lambda candidate: candidate.area)
    radius = shapely.maximum_inscribed_circle(polygon, tolerance=_LABEL_TOLERANCE_M)
    room, centroid = float(radius.length), polygon.centroid
    if polygon.contains(centroid) and polygon.boundary.distance(centroid) >= _CENTRED_SHARE * room:
        return Place((centroid.x, centroid.y), 0.0, 2.0 * room)
    x, y = shapely.get_coordinates(radius)[0].tolist()
    return Place((x, y), 0.0, 2.0 * room)
