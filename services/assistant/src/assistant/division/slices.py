"""Cuts a polygon into slices by parallel lines. In the rotated frame the lines are parallel to y, so a cut is an x."""

import math
from itertools import pairwise, product

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon, box
from shapely.geometry.base import BaseGeometry

from assistant.division.shapes import intersection, union

_BISECTIONS = 40
_STEPS = 12
"""Steps towards an approximate cut. Most end earlier."""
_NEAR_M = 1e-9
"""How close the approximate cut should be to the exact one."""
_SPECK_M2 = 1e-6
Interval = tuple[float, float]


class AreaProfile:
    """The exact area of a polygon left of a vertical line. By Green's theorem it is the integral of min(x, cut) dy
    around the counter-clockwise rings.
    """

    def __init__(self, polygon: Polygon) -> None:
        rings = [polygon.exterior, *polygon.interiors]
        oriented = [_ring(ring.coords, clockwise=index > 0) for index, ring in enumerate(rings)]
        edges = np.concatenate([np.hstack((ring[:-1], ring[1:])) for ring in oriented])
        x0, y0, x1, y1 = edges.T
        self._low, self._high, self._rise = np.minimum(x0, x1), np.maximum(x0, x1), y1 - y0
        self._mean = (self._low + self._high) / 2
        self._width = np.where(self._high > self._low, self._high - self._low, 1.0)
        self._cuts: dict[float, float] = {}
        self.total = polygon.area
        self.left, self.right = float(x0.min()), float(x0.max())

    def before(self, cut: float) -> float:
        """The area where x < cut."""
        low = self._low
        share = (cut - low) / self._width
        crossed = share * (low + cut) / 2 + (1 - share) * cut
        clipped = np.where((low < cut) & (self._high > cut), crossed, np.where(low >= cut, cut, self._mean))
        return float((clipped * self._rise).sum())

    def cut_at(self, area_m2: float) -> float:
        """The cut with this area to its left."""
        if area_m2 not in self._cuts:
            self._cuts[area_m2] = self._bisect(area_m2)
        return self._cuts[area_m2]

    def _bisect(self, area_m2: float) -> float:
        """By bisection. Only cuts near the result need their area: the others are known to be before or after it."""
        low, high = self.left, self.right
        before, after = self._bracket(area_m2)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            if middle <= before or (middle < after and self.before(middle) < area_m2):
                low = middle
            else:
                high = middle
        return (low + high) / 2

    def _bracket(self, area_m2: float) -> tuple[float, float]:
        """Two cuts close to the one with this area to its left, which is between them."""
        low, high, lacking, beyond = self.left, self.right, area_m2, self.total - area_m2
        if lacking <= 0 or beyond <= 0:
            return -math.inf, math.inf
        cut, side = low, 0.0
        for _ in range(_STEPS):  # regula falsi, with Illinois' change for an end that stays
            last, cut = cut, low + (high - low) * lacking / (lacking + beyond)
            error = self.before(cut) - area_m2
            if error < 0:
                low, lacking, beyond = cut, -error, beyond / 2 if side < 0 else beyond
            else:
                high, beyond, lacking = cut, error, lacking / 2 if side > 0 else lacking
            side = error
            if abs(cut - last) < _NEAR_M or lacking + beyond == 0:
                break
        before, after = cut - _NEAR_M, cut + _NEAR_M
        is_between = self.before(before) < area_m2 <= self.before(after)
        return (before, after) if is_between else (-math.inf, math.inf)


def _ring(coordinates: object, *, clockwise: bool) -> NDArray[np.float64]:
    points = np.asarray(coordinates, dtype=np.float64)[:, :2]
    doubled = float(np.sum(points[:-1, 0] * points[1:, 1] - points[1:, 0] * points[:-1, 1]))
    return points[::-1] if (doubled < 0) != clockwise else points


def merge(intervals: list[Interval]) -> list[Interval]:
    """The union of the intervals as sorted intervals that do not overlap."""
    merged: list[Interval] = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def place_cuts(profile: AreaProfile, shares: list[float], blocked: list[Interval]) -> list[float] | None:
    """Places cuts, in ascending order, close to these cumulative areas and outside the blocked intervals.

    A cut inside a blocked interval moves to one of its ends; the other cuts then share the remaining area evenly.
    Returns the choice of ends with the most even areas, or None if no choice is possible.
    """
    wanted = [profile.cut_at(share) for share in shares]
    choices = [_ends(profile, cut, blocked) for cut in wanted]
    best: tuple[float, list[float]] | None = None
    for chosen in product(*choices):
        cuts = _redistribute(profile, list(chosen), wanted, blocked)
        areas = [after - before for before, after in pairwise([0.0, *map(profile.before, cuts), profile.total])]
        if min(areas) <= 0:
            continue
        unevenness = max(areas) / min(areas)
        if best is None or unevenness < best[0] - 1e-9:
            best = (unevenness, cuts)
    return None if best is None else best[1]


def _ends(profile: AreaProfile, cut: float, blocked: list[Interval]) -> list[float]:
    for low, high in blocked:
        if low < cut < high:
            return [end for end in (low, high) if profile.left < end < profile.right]
    return [cut]


def _redistribute(profile: AreaProfile, cuts: list[float], wanted: list[float], blocked: list[Interval]) -> list[float]:
    """Moves the free cuts so that they divide evenly the area between the cuts that had to move."""
    fixed = [i for i, (cut, target) in enumerate(zip(cuts, wanted, strict=True)) if cut != target]
    if not fixed:
        return cuts
    placed = list(cuts)
    marks = [(-1, 0.0), *((i, profile.before(cuts[i])) for i in fixed), (len(cuts), profile.total)]
    for (first, area_before), (last, area_after) in pairwise(marks):
        for i in range(first + 1, last):
            share = area_before + (area_after - area_before) * (i - first) / (last - first)
            moved = profile.cut_at(share)
            ends = _ends(profile, moved, blocked)
            placed[i] = min(ends, key=lambda end, moved=moved: abs(end - moved)) if ends else moved  # type: ignore[misc]
    return placed


def slice_at(polygon: Polygon, cuts: list[float]) -> list[Polygon] | None:
    """The slices between the cuts, in order. Each is one polygon, and together they cover the whole polygon.

    If a concave outline splits a slice, the smaller parts go to adjacent slices. Returns None if none is adjacent.
    """
    west, south, east, north = polygon.bounds
    marks = [west - 1, *cuts, east + 1]
    slices: list[Polygon] = []
    loose: list[Polygon] = []
    for left, right in pairwise(marks):
        parts = sorted(_polygons(intersection(polygon, box(left, south - 1, right, north + 1))), key=lambda p: -p.area)
        if not parts:
            return None
        slices.append(parts[0])
        loose.extend(parts[1:])
    while loose:
        attached = [part for part in loose if _attach(part, slices)]
        if not attached:
            return None
        loose = [part for part in loose if part not in attached]
    return slices


def _attach(part: Polygon, slices: list[Polygon]) -> bool:
    """Adds a part to the slice with the longest shared line. Returns whether it was added."""
    shared = [intersection(part, other).length for other in slices]
    for index in sorted(range(len(slices)), key=lambda i: -shared[i]):
        if shared[index] <= 0:
            return False
        whole = union([slices[index], part])
        if isinstance(whole, Polygon):
            slices[index] = whole
            return True
    return False


def _polygons(shape: BaseGeometry) -> list[Polygon]:
    return [part for part in shapely.get_parts(shape) if isinstance(part, Polygon) and part.area > _SPECK_M2]
