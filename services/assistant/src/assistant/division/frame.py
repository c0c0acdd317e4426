"""Directions on a site, and frames that are rotated to them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import shapely
from shapely import LineString, MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

_NEAR_RAD = math.radians(15)
_ALIKE_RAD, _OBLIQUE_RAD = math.radians(12), math.radians(4)
_CORNER_RAD = math.radians(35)
G = TypeVar("G", bound=BaseGeometry)


@dataclass(frozen=True)
class Frame:
    """A rotated and translated frame. A cut across its x axis is parallel to y."""

    angle: float
    origin: tuple[float, float]

    def to_frame(self, shape: G) -> G:
        c, s = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[c, -s], [s, c]])
        moved: G = shapely.transform(shape, lambda points: (points - self.origin) @ turn)
        return moved

    def from_frame(self, shape: G) -> G:
        c, s = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[c, s], [-s, c]])
        moved: G = shapely.transform(shape, lambda points: points @ turn + self.origin)
        return moved


def swapped(shape: G) -> G:
    """The shape with x and y exchanged, for cuts across the other axis."""
    turned: G = shapely.transform(shape, lambda points: points[:, ::-1])
    return turned


def street_angles(frontage: MultiLineString) -> list[tuple[float, float]]:
    """The directions of the frontage in [0, π), each with its length in metres; the longest first."""
    return sorted(((angle, length) for angle, length, *_ in _streets(frontage)), key=lambda item: -round(item[1], 3))


def inward_angle(along: float, frontage: MultiLineString, unit: BaseGeometry) -> float:
    """The direction at right angles to the way, from the way into the unit."""
    inwards = along + math.pi / 2
    front, middle = frontage.centroid, unit.centroid
    if (middle.x - front.x) * math.cos(inwards) + (middle.y - front.y) * math.sin(inwards) < 0:
        inwards += math.pi
    return inwards


def entries(frontage: MultiLineString, unit: Polygon, least_m: float) -> list[tuple[float, float]]:
    """The directions into the unit at right angles to each street, with the frontage in metres; the longest first."""
    directions: list[tuple[float, float]] = []
    middle = np.array([unit.centroid.x, unit.centroid.y])
    for along, _, steps, starts in _streets(frontage):
        inwards = along + math.pi / 2
        is_ahead = (middle - starts - steps / 2) @ (math.cos(inwards), math.sin(inwards)) > 0
        for turn, chosen in ((0.0, is_ahead), (math.pi, ~is_ahead)):
            directions.append((inwards + turn, float(np.hypot(*steps[chosen].T).sum())))
    directions.sort(key=lambda direction: -round(direction[1], 3))
    return [(angle, length) for angle, length in directions if length >= least_m]


def longest_axis(unit: Polygon) -> float:
    corners = shapely.get_coordinates(shapely.oriented_envelope(unit))
    sides = np.diff(corners[:3], axis=0)
    longest = sides[int(np.argmax(np.round(np.hypot(sides[:, 0], sides[:, 1]), 6)))]
    return float(math.atan2(longest[1], longest[0]) % math.pi)


def side_turns(unit: Polygon) -> tuple[float, float]:
    """How far the sides with the smallest and the largest y turn from the x axis, in radians. The unit is in a frame
    whose x axis points inwards.
    """
    points = shapely.get_coordinates(unit.exterior)
    steps = np.diff(points, axis=0)
    angles = (np.arctan2(steps[:, 1], steps[:, 0]) + math.pi / 2) % math.pi - math.pi / 2
    middles, centre = (points[1:, 1] + points[:-1, 1]) / 2, unit.centroid.y
    is_side = np.abs(angles) < _CORNER_RAD
    turns = []
    for chosen in (middles < centre, middles >= centre):
        side_steps = steps[is_side & chosen]
        turns.append(0.0 if not len(side_steps) else _signed(_main_angle(side_steps)[0]))
    return turns[0], turns[1]


def along_sides(inwards: float, unit: Polygon) -> float:
    """The direction of the side boundaries, if both run alike into the unit and oblique to the way; else `inwards`.

    A lot between oblique sides is cut parallel to them, as a surveyor does, not at right angles to the way.
    """
    low, high = side_turns(Frame(inwards, (unit.centroid.x, unit.centroid.y)).to_frame(unit))
    is_alike = abs(low - high) <= _ALIKE_RAD and min(abs(low), abs(high)) > _OBLIQUE_RAD
    return inwards + (low + high) / 2 if is_alike else inwards


def straight_sides(boundary: BaseGeometry) -> list[LineString]:
    """The parts of a boundary between its corners. A slight bend is no corner."""
    lines = map(shapely.get_coordinates, shapely.get_parts(shapely.line_merge(boundary)))
    sides = []
    for points in lines:
        steps = np.diff(points, axis=0)
        turns = np.abs(np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))))
        ends = [0, *(np.flatnonzero(turns > _CORNER_RAD) + 1).tolist(), len(points) - 1]
        sides += [LineString(points[start : end + 1]) for start, end in pairwise(ends)]
    return sides


def angle_between(one: float, other: float) -> float:
    gap = abs(one - other) % math.pi
    return min(gap, math.pi - gap)


def _signed(angle: float) -> float:
    return angle - math.pi if angle > math.pi / 2 else angle


_Vectors = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def _streets(frontage: MultiLineString) -> Iterator[tuple[float, float, _Vectors, _Vectors]]:
    """The direction of each street and its length, with the steps along it and where these start."""
    lines = [shapely.get_coordinates(line) for line in frontage.geoms]
    steps, starts = np.concatenate([np.diff(line, axis=0) for line in lines]), np.concatenate([c[:-1] for c in lines])
    while len(steps):
        angle, length, members = _main_angle(steps)
        yield angle, length, steps[members], starts[members]
        steps, starts = steps[~members], starts[~members]


def _main_angle(
    steps: _Vectors,
) -> tuple[float, float, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """The direction, in [0, π), of most of the length, within 15°; this length, and which steps have it."""
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    angles = np.arctan2(steps[:, 1], steps[:, 0]) % math.pi
    gaps = np.abs(angles[:, None] - angles[None, :])
    near = np.minimum(gaps, math.pi - gaps) <= _NEAR_RAD
    heaviest = int(np.argmax(np.round(near @ lengths, 6)))
    members = near[heaviest]
    doubled = np.sum(lengths[members] * np.exp(2j * angles[members]))
    return float(np.angle(doubled) / 2 % math.pi), float(lengths[members].sum()), members
