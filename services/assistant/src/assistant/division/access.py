"""Leads lots that lie away from the public way to it, by a strip along the boundary of the unit."""

from itertools import combinations

import shapely
from shapely import MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.shapes import common, joined, mitred, without

TOUCH_M = 0.25
"""The frontage is an estimate that is rounded to centimetres: what is this close to it touches it."""
NO_FRONTAGE_M = 1.0
"""A lot that meets the way by less than this has no frontage."""
SLACK = 0.9
"""Share of the strip's width by which its ends must meet the way and the lot, since boundaries run askew."""
_SPECK_M2 = 0.01
_SPECK_M = 0.01


def frontages_of(lots: list[Polygon], frontage: MultiLineString) -> list[float]:
    """Metres of the frontage that each lot has; where two lots meet on it, each counts half of what both are near."""
    near = [lot.buffer(TOUCH_M, quad_segs=2) for lot in lots]
    lengths = [frontage.intersection(area).length for area in near]
    for i, j in combinations(range(len(lots)), 2):
        both = near[i].intersection(near[j])
        if not both.is_empty:
            shared = frontage.intersection(both).length / 2
            lengths[i] -= shared
            lengths[j] -= shared
    return [max(0.0, length) for length in lengths]


def lead_to_way(
    lots: list[Polygon], frontage: MultiLineString, buildings: list[Polygon], width_m: float, setback_m: float
) -> tuple[list[Polygon], dict[int, Polygon]]:
    """The lots with a strip cut out of the others for each that lacks a frontage, and those strips by lot.

    A lot for which no strip can be drawn without crossing a building or breaking another lot stays as it is.
    """
    result, strips = list(lots), dict[int, Polygon]()
    if frontage.is_empty:
        return result, strips
    reach = frontage.buffer(TOUCH_M, quad_segs=2)
    fronts = frontages_of(lots, frontage)
    lacking = [i for i, front in enumerate(fronts) if front < NO_FRONTAGE_M]
    obstacles = joined(buildings)
    for index in sorted(lacking, key=lambda i: (-round(lots[i].distance(frontage), 3), i)):
        candidates = _candidates(result, index, strips, reach, width_m)
        for strip in sorted(candidates, key=lambda strip: _cost(strip, obstacles, setback_m)):
            if common(strip, obstacles).area > _SPECK_M2:
                continue
            cut = _take_out(result, index, strip)
            if cut is None or _deprives(frontages_of(cut, frontage), fronts, index, width_m):
                continue
            result, strips[index] = cut, strip
            fronts = frontages_of(result, frontage)
            break
    return result, strips


def _cost(strip: Polygon, obstacles: BaseGeometry, setback_m: float) -> tuple[bool, float, tuple[float, ...]]:
    """Strips that keep their distance from buildings come first, then the smaller ones."""
    return strip.distance(obstacles) < setback_m - TOUCH_M, round(strip.area, 1), strip.bounds


def _deprives(after: list[float], before: list[float], index: int, width_m: float) -> bool:
    """Whether another lot than the one at `index` is left with too little of the frontage that it had."""
    return any(a < min(b, width_m) - TOUCH_M for i, (a, b) in enumerate(zip(after, before, strict=True)) if i != index)


def _candidates(
    lots: list[Polygon], index: int, strips: dict[int, Polygon], reach: BaseGeometry, width_m: float
) -> list[Polygon]:
    """Strips from the way to the lot along either side of the ground that is no strip yet."""
    lot = lots[index]
    others = without(joined([other for i, other in enumerate(lots) if i != index]), joined(list(strips.values())))
    sides = shapely.line_merge(others.boundary.difference(reach).difference(lot.buffer(1e-3, quad_segs=1)))
    found = []
    for side in shapely.get_parts(sides):
        if side.geom_type != "LineString" or side.distance(reach) > TOUCH_M or side.distance(lot) > TOUCH_M:
            continue
        band = mitred(side.simplify(_SPECK_M), width_m, "square")
        for piece in shapely.get_parts(common(band, others)):
            if isinstance(piece, Polygon) and not piece.interiors and _joins(piece, lot, reach, width_m):
                found.append(piece)
    return found


def _joins(strip: Polygon, lot: Polygon, reach: BaseGeometry, width_m: float) -> bool:
    """Whether the strip meets both the lot and the way by about its whole width."""
    to_lot = strip.boundary.intersection(lot.buffer(1e-3, quad_segs=1)).length
    to_way = strip.boundary.intersection(reach).length
    return bool(to_lot >= width_m * SLACK and to_way >= width_m * SLACK)


def _take_out(lots: list[Polygon], index: int, strip: Polygon) -> list[Polygon] | None:
    """The lots once the strip belongs to the one at `index`; None where another would not stay one polygon."""
    result = []
    for i, lot in enumerate(lots):
        shape = joined([lot, strip]) if i == index else without(lot, strip)
        parts = [part for part in shapely.get_parts(shape) if part.area > _SPECK_M2]
        if len(parts) != 1 or not isinstance(parts[0], Polygon):
            return None
        result.append(parts[0])
    return result
