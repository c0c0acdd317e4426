"""Cuts a polygon into slices by parallel lines. The frame is turned so that the lines run along y: a cut is an x."""

from itertools import pairwise, product

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon, box
from shapely.geometry.base import BaseGeometry

from assistant.division.shapes import common, joined

_BISECTIONS = 40
_SPECK_M2 = 1e-6
Interval = tuple[float, float]


class AreaProfile:
    """The area of a polygon left of a vertical line, exact: by Green's theorem it is the integral of min(x, cut) dy
    around the rings, counter-clockwise.
    """

    def __init__(self, polygon: Polygon) -> None:
        rings = [polygon.exterior, *polygon.interiors]
        oriented = [_ring(ring.coords, clockwise=index > 0) for index, ring in enumerate(rings)]
        edges = np.concatenate([np.hstack((ring[:-1], ring[1:])) for ring in oriented])
        self._x0, self._y0, self._x1, self._y1 = edges.T
        self.total = polygon.area
        self.left, self.right = float(self._x0.min()), float(self._x0.max())

    def before(self, cut: float) -> float:
        """The area where x < cut."""
        low, high = np.minimum(self._x0, self._x1), np.maximum(self._x0, self._x1)
        mean = (low + high) / 2
        crossing = (low < cut) & (high > cut)
        share = np.divide(cut - low, high - low, out=np.zeros_like(low), where=crossing)
        crossed = share * (low + cut) / 2 + (1 - share) * cut
        clipped = np.where(crossing, crossed, np.where(low >= cut, cut, mean))
        return float(np.sum(clipped * (self._y1 - self._y0)))

    def cut_at(self, area_m2: float) -> float:
        """The cut that leaves this area before it, by bisection on its place."""
        low, high = self.left, self.right
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            if self.before(middle) < area_m2:
                low = middle
            else:
                high = middle
        return (low + high) / 2


def _ring(coordinates: object, *, clockwise: bool) -> NDArray[np.float64]:
    points = np.asarray(coordinates, dtype=np.float64)[:, :2]
    doubled = float(np.sum(points[:-1, 0] * points[1:, 1] - points[1:, 0] * points[:-1, 1]))
    return points[::-1] if (doubled < 0) != clockwise else points


def merge(intervals: list[Interval]) -> list[Interval]:
    """The same ground in intervals that do not overlap, in order."""
    merged: list[Interval] = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def place_cuts(profile: AreaProfile, shares: list[float], blocked: list[Interval]) -> list[float] | None:
    """Cuts in ascending order that leave about these cumulative areas before them and stay out of what is blocked.

    A cut that would fall into a blocked interval moves to one of its ends; the others share what is left evenly. Of all
    choices of ends the one with the most even areas is taken. None where there is no choice.
    """
    wanted = [profile.cut_at(share) for share in shares]
    choices = [_ends(profile, cut, blocked) for cut in wanted]
    best: tuple[float, list[float]] | None = None
    for chosen in product(*choices):
        cuts = _share_out(profile, list(chosen), wanted, blocked)
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


def _share_out(profile: AreaProfile, cuts: list[float], wanted: list[float], blocked: list[Interval]) -> list[float]:
    """Moves the cuts that were free to where they share evenly the ground between those that had to move."""
    fixed = [i for i, (cut, wish) in enumerate(zip(cuts, wanted, strict=True)) if cut != wish]
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
    """The slices between the cuts, in order, each one polygon; together they are the whole.

    Where a concave outline breaks a slice in two, the lesser part goes to a neighbour that it touches; None where
    there is no such neighbour.
    """
    west, south, east, north = polygon.bounds
    marks = [west - 1, *cuts, east + 1]
    slices: list[Polygon] = []
    loose: list[Polygon] = []
    for left, right in pairwise(marks):
        parts = sorted(_polygons(common(polygon, box(left, south - 1, right, north + 1))), key=lambda p: -p.area)
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
    """Joins a part to the slice with which it shares the longest line."""
    shared = [common(part, other).length for other in slices]
    for index in sorted(range(len(slices)), key=lambda i: -shared[i]):
        if shared[index] <= 0:
            return False
        whole = joined([slices[index], part])
        if isinstance(whole, Polygon):
            slices[index] = whole
            return True
    return False


def _polygons(shape: BaseGeometry) -> list[Polygon]:
    return [part for part in shapely.get_parts(shape) if isinstance(part, Polygon) and part.area > _SPECK_M2]
