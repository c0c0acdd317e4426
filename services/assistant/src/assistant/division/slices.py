"""Cuts a polygon into slices by parallel lines. In the rotated frame the lines are parallel to y, so a cut is an x."""

import math
from bisect import bisect_right
from itertools import pairwise, product

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from assistant.division.shapes import clipped, intersection, union

_SPECK_M2 = 1e-6
_MAX_CHOICES = 5
"""The most cuts that try both ends of a blocked interval; each doubles the time."""
Interval = tuple[float, float]


class Undrawable(Exception):
    """A layout cannot draw the lots. The argument is the code of the reason."""


def demand(reason: str, condition: object) -> None:
    """Raises Undrawable with the reason if the condition is not met."""
    if not condition:
        raise Undrawable(reason)


class AreaProfile:
    """The area of a shape left of a vertical line. By Green's theorem it is the integral of min(x, cut) dy around the
    rings, if their inside is on the left. Between two corners it is a quadratic function of the cut.
    """

    def __init__(self, polygon: Polygon | MultiPolygon) -> None:
        rings = shapely.get_rings(shapely.get_parts(shapely.orient_polygons(polygon)))
        points, ring = shapely.get_coordinates(rings, return_index=True)
        is_edge = ring[1:] == ring[:-1]
        x, rise = points[:, 0], (points[1:, 1] - points[:-1, 1])[is_edge]
        low, high = np.minimum(x[:-1], x[1:])[is_edge], np.maximum(x[:-1], x[1:])[is_edge]
        corners = np.array(sorted(set(x.tolist())))
        cuts = np.concatenate((corners, (corners[1:] + corners[:-1]) / 2))[:, None]
        width = np.where(high > low, high - low, 1.0)
        mean = np.where(low >= cuts, cuts, (low + high) / 2 - np.maximum(high - cuts, 0) ** 2 / 2 / width)
        areas = (mean * rise).sum(axis=1)
        at, middle = areas[: len(corners)], areas[len(corners) :]
        self._corners: list[float] = corners.tolist()
        self._areas: list[float] = at.tolist()
        self._slopes: list[float] = (4 * middle - 3 * at[:-1] - at[1:]).tolist()
        self._bends: list[float] = (2 * (at[:-1] + at[1:]) - 4 * middle).tolist()
        self.total: float = polygon.area
        self.left: float = self._corners[0]
        self.right: float = self._corners[-1]

    def before(self, cut: float) -> float:
        """The area where x < cut."""
        if cut <= self.left:
            return 0.0
        if cut >= self.right:
            return self.total
        i = bisect_right(self._corners, cut) - 1
        share = (cut - self._corners[i]) / (self._corners[i + 1] - self._corners[i])
        return self._areas[i] + share * (self._slopes[i] + share * self._bends[i])

    def cut_at(self, area_m2: float) -> float:
        """The cut with this area to its left."""
        if area_m2 <= 0:
            return self.left
        if area_m2 >= self.total:
            return self.right
        i = min(max(bisect_right(self._areas, area_m2), 1), len(self._slopes)) - 1
        slope, lacking = self._slopes[i], area_m2 - self._areas[i]
        root = math.sqrt(max(0.0, slope**2 + 4 * self._bends[i] * lacking))
        share = min(1.0, 2 * lacking / (slope + root)) if slope + root > 0 else 0.0
        return self._corners[i] + share * (self._corners[i + 1] - self._corners[i])


def merge(intervals: list[Interval]) -> list[Interval]:
    """The union of the intervals as sorted intervals that do not overlap."""
    merged: list[Interval] = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def place_cuts(profile: AreaProfile, shares: list[float], blocked: list[Interval]) -> list[float]:
    """Places cuts, in ascending order, close to these cumulative areas and outside the blocked intervals.

    A cut inside a blocked interval moves to one of its ends; the other cuts then share the remaining area in
    proportion. Returns the choice of ends with the areas nearest to those wanted. Raises Undrawable if there is none.
    """
    wanted_cuts = [profile.cut_at(share) for share in shares]
    choices = [_ends(profile, cut, blocked) for cut in wanted_cuts]
    free = [i for i, ends in enumerate(choices) if len(ends) > 1]
    for i in free[_MAX_CHOICES:]:
        choices[i] = [min(choices[i], key=lambda end, i=i: abs(end - wanted_cuts[i]))]  # type: ignore[misc]
    sizes = [after - before for before, after in pairwise([0.0, *shares, profile.total])]
    best: tuple[float, list[float]] | None = None
    for chosen in product(*choices):
        cuts = _redistribute(profile, list(chosen), wanted_cuts, shares, blocked)
        areas = [after - before for before, after in pairwise([0.0, *map(profile.before, cuts), profile.total])]
        if min(areas) <= 0:
            continue
        ratios = [area / max(size, _SPECK_M2) for area, size in zip(areas, sizes, strict=True)]
        unevenness = max(ratios) / min(ratios)
        if best is None or unevenness < best[0] - 1e-9:
            best = (unevenness, cuts)
    return _around(profile, sizes, blocked) if best is None else best[1]


def _around(profile: AreaProfile, sizes: list[float], blocked: list[Interval]) -> list[float]:
    """Cuts for even areas on both sides of the blocked interval with the largest area, which is one slice. Raises
    Undrawable if the areas wanted are not even, or a cut is blocked.
    """
    demand("built_over", blocked and max(sizes) <= min(sizes) * (1 + _SPECK_M2))
    low, high = max(blocked, key=lambda interval: profile.before(interval[1]) - profile.before(interval[0]))
    ahead, behind, other_cuts = profile.before(low), profile.total - profile.before(high), len(sizes) - 1
    first = round(other_cuts * ahead / (ahead + behind)) if ahead + behind > 0 else 0
    cuts = [profile.cut_at(ahead * k / first) for k in range(1, first + 1)]
    cuts += [
        profile.cut_at(profile.total - behind * k / (other_cuts - first)) for k in range(other_cuts - first, 0, -1)
    ]
    is_free = all(not start + _SPECK_M2 < cut < stop - _SPECK_M2 for cut in cuts for start, stop in blocked)
    demand("built_over", is_free)
    return cuts


def _ends(profile: AreaProfile, cut: float, blocked: list[Interval]) -> list[float]:
    for low, high in blocked:
        if low < cut < high:
            return [end for end in (low, high) if profile.left < end < profile.right]
    return [cut]


def _redistribute(
    profile: AreaProfile, cuts: list[float], wanted_cuts: list[float], shares: list[float], blocked: list[Interval]
) -> list[float]:
    """Moves the free cuts so that they divide in proportion the area between the cuts that had to move."""
    fixed = [i for i, (cut, target) in enumerate(zip(cuts, wanted_cuts, strict=True)) if cut != target]
    if not fixed:
        return cuts
    placed_cuts = list(cuts)
    marks = [(-1, 0.0, 0.0), *((i, profile.before(cuts[i]), shares[i]) for i in fixed)]
    marks.append((len(cuts), profile.total, profile.total))
    for (first, area_before, share_before), (last, area_after, share_after) in pairwise(marks):
        for i in range(first + 1, last):
            part = (shares[i] - share_before) / max(share_after - share_before, _SPECK_M2)
            moved = profile.cut_at(area_before + (area_after - area_before) * part)
            ends = _ends(profile, moved, blocked)
            placed_cuts[i] = min(ends, key=lambda end, moved=moved: abs(end - moved)) if ends else moved  # type: ignore[misc]
    return placed_cuts


def slice_at(polygon: Polygon, cuts: list[float]) -> list[Polygon]:
    """The slices between the cuts, in order. Each is one polygon, and together they cover the whole polygon.

    If a concave outline splits a slice, the smaller parts go to adjacent slices. Raises Undrawable if none is adjacent.
    """
    west, south, east, north = polygon.bounds
    marks = [west - 1, *cuts, east + 1]
    slices: list[Polygon] = []
    loose: list[Polygon] = []
    for low, right in pairwise(marks):
        parts = polygons(clipped(polygon, box(low, south - 1, right, north + 1)))
        parts.sort(key=lambda part: -part.area)
        demand("no_valid_cut", parts)
        slices.append(parts[0])
        loose.extend(parts[1:])
    while loose:
        attached = [part for part in loose if _attach(part, slices)]
        demand("no_valid_cut", attached)
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


def polygons(shape: BaseGeometry) -> list[Polygon]:
    return [part for part in shapely.get_parts(shape) if isinstance(part, Polygon) and part.area > _SPECK_M2]
