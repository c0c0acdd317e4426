"""Finds a rectangle for a house on ground where a building may stand."""

import math
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon, box
from shapely.geometry.base import BaseGeometry

TOLERANCE_M = 0.01
"""Each side of the rectangle may be shorter by so much."""
_ANGLES = tuple(math.radians(degrees) for degrees in range(0, 90, 15))
_MAX_EDGES = 3
_SAME_DIRECTION_RAD = 0.03
_SPECK_M2 = 1e-5
"""A house with so little room to move does not fit. Within its tolerance it has ten times as much."""
_SHARE_STEP = 0.04
"""The largest house is found within this share of the assumed one."""

_Edges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The first and the last points of all edges."""


def house_on(ground: BaseGeometry, sides_m: tuple[float, float]) -> Polygon | None:
    """A rectangle with these sides inside the ground; None if no direction that is tried has room for one.

    Tried are the directions of the longest edges, and one every 15 degrees.
    """
    width, depth = (side - TOLERANCE_M for side in sorted(sides_m))
    if ground.area < width * depth:
        return None
    centre = ground.representative_point()
    reach = math.hypot(width, depth) / 2
    if centre.distance(ground.boundary) > reach:  # it fits in any direction
        return box(centre.x - width / 2, centre.y - depth / 2, centre.x + width / 2, centre.y + depth / 2)
    if ground.buffer(-width / 2 + TOLERANCE_M).is_empty:
        return None
    edges = _edges(ground)
    return _turned_house(ground, edges, width, depth, [*_angles_of(edges), *_ANGLES])


def largest_share(ground: BaseGeometry, sides_m: tuple[float, float]) -> float:
    """The size of the largest house of these proportions along a long edge of the ground, as a share of these sides. A
    house of the diagonal of the largest circle fits in any direction, and none is wider than the circle.
    """
    if ground.is_empty:
        return 0.0
    [circle] = shapely.maximum_inscribed_circle([ground], tolerance=TOLERANCE_M)
    radius: float = circle.length
    low, high = 2 * radius / math.hypot(*sides_m), (2 * radius - TOLERANCE_M) / min(sides_m)
    edges = _edges(ground)
    share, angles = high, _angles_of(edges)  # in a band the first try fits
    while high - low > _SHARE_STEP:
        fits = _turned_house(ground, edges, min(sides_m) * share, max(sides_m) * share, angles) is not None
        low, high = (share, high) if fits else (low, share)
        share = (low + high) / 2
    return min(low, 1.0)


def _turned_house(
    ground: BaseGeometry, edges: _Edges, width: float, depth: float, angles: Sequence[float]
) -> Polygon | None:
    """The first rectangle that fits with one of its sides in one of these directions."""
    turns = (0.0,) if width == depth else (0.0, math.pi / 2)
    houses = (_house_along(ground, edges, angle + turn, width, depth) for angle in angles for turn in turns)
    return next((house for house in houses if house is not None), None)


def _angles_of(edges: _Edges) -> list[float]:
    """The directions of the longest edges, from 0 to a right angle."""
    starts, ends = edges
    vectors = ends - starts
    angles: list[float] = []
    for east, north in vectors[np.argsort(-np.hypot(*vectors.T))]:
        angle = math.atan2(north, east) % (math.pi / 2)
        if all(abs(angle - other) > _SAME_DIRECTION_RAD for other in angles):
            angles.append(angle)
        if len(angles) == _MAX_EDGES:
            break
    return angles


def _edges(ground: BaseGeometry) -> _Edges:
    rings = shapely.get_rings(shapely.get_parts(ground))
    points = [shapely.get_coordinates(ring) for ring in rings]
    return np.concatenate([ring[:-1] for ring in points]), np.concatenate([ring[1:] for ring in points])


def _house_along(ground: BaseGeometry, edges: _Edges, angle: float, width: float, depth: float) -> Polygon | None:
    """A rectangle whose width has this direction. A corner of it may be at each place from which it meets no edge."""
    along = np.array([math.cos(angle), math.sin(angle)])
    across = np.array([-along[1], along[0]])
    corners = np.array([np.zeros(2), along * width, along * width + across * depth, across * depth])
    moved = shapely.transform([ground] * 4, lambda points: points - np.repeat(corners, len(points) // 4, axis=0))
    free = shapely.intersection_all(moved)  # from there all corners are on the ground, if it is convex the house too
    if free.area > _SPECK_M2 and ground.convex_hull.area > ground.area + _SPECK_M2:
        starts, ends = edges
        meeting = np.concatenate([starts[:, None] - corners, ends[:, None] - corners], axis=1)
        free = ground.difference(shapely.union_all(shapely.convex_hull(shapely.multipoints(meeting))))
    places = max(shapely.get_parts(free), key=shapely.area, default=Polygon())
    if places.area < _SPECK_M2:  # rounding, along an edge that the house would touch from outside
        return None
    return Polygon(corners + shapely.get_coordinates(places.representative_point()))
