"""Leads lots that lie away from the public way to it, by a strip along the boundary of the unit."""

import shapely
from shapely import MultiLineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.shapes import mitred

TOUCH_M = 0.25
"""The frontage is an estimate that is rounded to centimetres: what is this close to it touches it."""
NO_FRONTAGE_M = 1.0
"""A lot that meets the way by less than this has no frontage."""
_SLACK = 0.9
"""Share of the strip's width by which its ends must meet the way and the lot, since boundaries run askew."""
_SPECK_M2 = 0.01
_SPECK_M = 0.01


def frontages_of(lots: list[Polygon], frontage: MultiLineString) -> list[float]:
    """Metres of the frontage that each lot has; where two lots meet on it, each counts half of what both are near."""
    near = [frontage.intersection(lot.buffer(TOUCH_M, quad_segs=2)) for lot in lots]
    shared = [
        sum(one.intersection(other).length for j, other in enumerate(near) if j != i) for i, one in enumerate(near)
    ]
    return [max(0.0, line.length - both / 2) for line, both in zip(near, shared, strict=True)]


def lead_to_way(
    lots: list[Polygon], frontage: MultiLineString, buildings: list[Polygon], width_m: float
) -> tuple[list[Polygon], dict[int, Polygon]]:
    """The lots with a strip cut out of the others for each that lacks a frontage, and those strips by lot.

    A lot for which no strip can be drawn without crossing a building or breaking another lot stays as it is.
    """
    result, strips = list(lots), dict[int, Polygon]()
    if frontage.is_empty:
        return result, strips
    reach = frontage.buffer(TOUCH_M, quad_segs=2)
    lacking = [i for i, front in enumerate(frontages_of(lots, frontage)) if front < NO_FRONTAGE_M]
    obstacles = shapely.union_all(buildings) if buildings else MultiPolygon()
    for index in sorted(lacking, key=lambda i: (-lots[i].distance(frontage), i)):
        for strip in _candidates(result, index, reach, width_m):
            if strip.intersection(obstacles).area > _SPECK_M2:
                continue
            cut = _take_out(result, index, strip)
            if cut is not None:
                result, strips[index] = cut, strip
                break
    return result, strips


def _candidates(lots: list[Polygon], index: int, reach: BaseGeometry, width_m: float) -> list[Polygon]:
    """Strips from the way to the lot along either side, the smallest first."""
    lot = lots[index]
    others = shapely.union_all([other for i, other in enumerate(lots) if i != index])
    sides = shapely.line_merge(others.boundary.difference(reach).difference(lot.buffer(1e-3, quad_segs=1)))
    strips = []
    for side in shapely.get_parts(sides):
        if side.geom_type != "LineString" or side.distance(reach) > TOUCH_M or side.distance(lot) > TOUCH_M:
            continue
        band = mitred(side.simplify(_SPECK_M), width_m, "square")
        for piece in shapely.get_parts(band.intersection(others)):
            if isinstance(piece, Polygon) and not piece.interiors and _joins(piece, lot, reach, width_m):
                strips.append(piece)
    return sorted(strips, key=lambda strip: (round(strip.area, 3), strip.bounds))


def _joins(strip: Polygon, lot: Polygon, reach: BaseGeometry, width_m: float) -> bool:
    """Whether the strip meets both the lot and the way by about its whole width."""
    to_lot = strip.boundary.intersection(lot.buffer(1e-3, quad_segs=1)).length
    to_way = strip.boundary.intersection(reach).length
    return bool(to_lot >= width_m * _SLACK and to_way >= width_m * _SLACK)


def _take_out(lots: list[Polygon], index: int, strip: Polygon) -> list[Polygon] | None:
    """The lots once the strip belongs to the one at `index`; None where another would not stay one polygon."""
    result = []
    for i, lot in enumerate(lots):
        shape = shapely.union(lot, strip) if i == index else shapely.difference(lot, strip)
        parts = [part for part in shapely.get_parts(shape) if part.area > _SPECK_M2]
        if len(parts) != 1 or not isinstance(parts[0], Polygon):
            return None
        result.append(parts[0])
    return result
