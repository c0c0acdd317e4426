"""Plane geometry in metres: points, rings, and the borders that neighbouring parcels share."""

from collections.abc import Sequence
from math import hypot

Point = tuple[float, float]
Ring = list[Point]
"""Open: the first point is not repeated at the end."""
Polygon = tuple[Ring, ...]
"""The outline, then its holes."""


def rectangle(west: float, south: float, east: float, north: float) -> Ring:
    return [(west, south), (east, south), (east, north), (west, north)]


def area_m2(ring: Ring) -> float:
    """The area of a simple ring, clockwise or not."""
    twice = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True))
    return abs(twice) / 2


def behind_front(front: tuple[Point, Point], share: float, distance_m: float) -> Point:
    """The point at this share of a front and at this distance to its left: negative is to its right."""
    (x1, y1), (x2, y2) = front
    length = hypot(x2 - x1, y2 - y1)
    return (
        x1 + (x2 - x1) * share + (y1 - y2) / length * distance_m,
        y1 + (y2 - y1) * share + (x2 - x1) / length * distance_m,
    )


def share_corners(polygons: Sequence[Polygon]) -> list[Polygon]:
    """Returns the polygons. Each corner that lies on another polygon's edge is added to that edge.

    Neighbours then share their borders point by point, as parcels of the cadastre do. Works for edges along the axes.
    """
    corners = sorted({point for polygon in polygons for ring in polygon for point in ring})
    return [tuple(_with_corners(ring, corners) for ring in polygon) for polygon in polygons]


def _with_corners(ring: Ring, corners: Sequence[Point]) -> Ring:
    points: Ring = []
    for start, end in zip(ring, [*ring[1:], ring[0]], strict=True):
        between = [corner for corner in corners if corner not in (start, end) and _is_on_edge(corner, start, end)]
        between.sort(key=lambda corner: abs(corner[0] - start[0]) + abs(corner[1] - start[1]))
        points += [start, *between]
    return points


def _is_on_edge(point: Point, start: Point, end: Point) -> bool:
    axis = 0 if start[0] == end[0] else 1
    low, high = sorted((start[1 - axis], end[1 - axis]))
    return start[axis] == end[axis] == point[axis] and low < point[1 - axis] < high
