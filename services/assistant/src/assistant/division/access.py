"""Gives lots without frontage on the public way an access strip of their own, or a right of way over other lots."""

import math
from itertools import combinations

import shapely
from shapely import MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.shapes import buffer, clipped, difference, intersection, union

TOUCH_M = 0.25
"""A shape within this distance touches the frontage, which is an estimate rounded to centimetres."""
NO_FRONTAGE_M = 1.0
"""A lot with less than this on the way has no frontage."""
MINIMUM_CONTACT_RATIO = 0.9
"""Share of its width by which a strip must touch the way and the lot. Below 1, since boundaries are oblique."""
CLEAR_TOLERANCE_M = 0.1
"""A strip or a way may be narrower by so much. Outlines of the cadastral plan are not more exact."""
LEAST_WIDTH_M = 3.0
"""The least width of a right of way: that of a fire engine (arrêté du 31 janvier 1986, art. 4)."""
MAX_STRIPS = 2
"""More access strips side by side would be a way."""
_SPECK_M2 = 0.01
_SPECK_M = 0.01


def frontages_of(lots: list[Polygon], frontage: MultiLineString) -> list[float]:
    """Length of each lot's frontage in metres. Two lots share equally what lies within TOUCH_M of both."""
    near = shapely.buffer(lots, TOUCH_M, quad_segs=2)
    fronts = shapely.intersection(frontage, near)
    lengths: list[float] = shapely.length(fronts).tolist()
    for i, j in combinations(range(len(lots)), 2):
        shared = fronts[i].intersection(near[j]).length / 2
        lengths[i] -= shared
        lengths[j] -= shared
    return [max(0.0, length) for length in lengths]


def add_access_strips(
    lots: list[Polygon],
    frontage: MultiLineString,
    obstacles: BaseGeometry,
    width_m: float,
    setback_m: float,
    most: int = MAX_STRIPS,
) -> tuple[list[Polygon], dict[int, Polygon]]:
    """Cuts an access strip out of the other lots for the nearest lots without frontage. Returns the lots and the strips
    by lot.

    A lot stays unchanged if every strip would cross an obstacle or split another lot, or if there are `most` strips.
    """
    result, strips = list(lots), dict[int, Polygon]()
    if frontage.is_empty:
        return result, strips
    fronts = frontages_of(lots, frontage)
    landlocked = [i for i, front in enumerate(fronts) if front < NO_FRONTAGE_M]
    if not landlocked:
        return result, strips
    reach = frontage.buffer(TOUCH_M, quad_segs=2)
    for index in sorted(landlocked, key=lambda i: (-round(lots[i].distance(frontage), 3), i)):
        if len(strips) == most:
            break
        candidates = _candidates(result, index, strips, reach, width_m)
        for strip in sorted(candidates, key=lambda strip: _cost(strip, obstacles, setback_m)):
            if strip.intersects(obstacles) and intersection(strip, obstacles).area > _SPECK_M2:
                continue
            cut = _with_strip(result, index, strip)
            if cut is None or not _reaches_core(cut[index], reach, width_m):
                continue
            after = frontages_of(cut, frontage)
            if _takes_frontage(after, fronts, index, width_m):
                continue
            result, strips[index], fronts = cut, strip, after
            break
    return result, strips


def rights_of_way(
    lots: list[Polygon],
    strips: dict[int, Polygon],
    frontage: MultiLineString,
    obstacles: BaseGeometry,
    width_m: float,
    setback_m: float,
) -> dict[int, Polygon]:
    """The ground of other lots over which each lot that has no frontage can reach the way, by lot. It stays theirs, so
    several lots may use it, as the narrow part of a flag. Where there is no room for `width_m`, it has LEAST_WIDTH_M.
    """
    result = dict[int, Polygon]()
    if frontage.is_empty:
        return result
    fronts = frontages_of(lots, frontage)
    landlocked = [index for index, front in enumerate(fronts) if front < NO_FRONTAGE_M and index not in strips]
    reach = frontage.buffer(TOUCH_M, quad_segs=2)
    for index in landlocked:
        for width in (width_m, LEAST_WIDTH_M):
            grounds = [
                ground
                for ground in _candidates(lots, index, {}, reach, width)
                if (not ground.intersects(obstacles) or intersection(ground, obstacles).area <= _SPECK_M2)
                and _reaches_core(union([lots[index], ground]), reach, width)
            ]
            if grounds:
                result[index] = min(grounds, key=lambda ground: _cost(ground, obstacles, setback_m))
                break
    return result


def width_of(ground: Polygon) -> float:
    """The width of the rectangle that has the area and the perimeter of a long piece of ground."""
    half_m = ground.length / 2
    return (half_m - math.sqrt(max(0.0, half_m**2 - 4 * ground.area))) / 2


def widest_m(unit: Polygon) -> float:
    """The diameter of the largest circle on the land."""
    return 2 * shapely.maximum_inscribed_circle(unit, tolerance=CLEAR_TOLERANCE_M).length


def _cost(strip: Polygon, obstacles: BaseGeometry, setback_m: float) -> tuple[bool, float, tuple[float, ...]]:
    """Sort key: strips that respect the setback first, then by area."""
    return strip.distance(obstacles) < setback_m - TOUCH_M, round(strip.area, 1), strip.bounds


def _takes_frontage(after: list[float], before: list[float], index: int, width_m: float) -> bool:
    """Whether a lot other than `index` loses too much of its frontage."""
    return any(a < min(b, width_m) - TOUCH_M for i, (a, b) in enumerate(zip(after, before, strict=True)) if i != index)


def _candidates(
    lots: list[Polygon], index: int, strips: dict[int, Polygon], reach: BaseGeometry, width_m: float
) -> list[Polygon]:
    """Possible strips from the way to the lot, along both sides of the other lots without their strips."""
    lot = lots[index]
    contact = lot.buffer(1e-3, quad_segs=1)
    other_lots = union([other for i, other in enumerate(lots) if i != index])
    if strips:
        other_lots = difference(other_lots, union(list(strips.values())))
    sides = shapely.line_merge(other_lots.boundary.difference(reach).difference(contact))
    access_strips: list[Polygon] = []
    for side in shapely.get_parts(sides):
        if side.geom_type != "LineString" or side.distance(reach) > TOUCH_M or side.distance(lot) > TOUCH_M:
            continue
        band = buffer(side.simplify(_SPECK_M), width_m, "square")
        pieces = [piece for piece in shapely.get_parts(clipped(band, other_lots)) if isinstance(piece, Polygon)]
        access_strips += [p for p in pieces if not p.interiors and _connects(p, contact, reach, width_m)]
    return access_strips


def _connects(strip: Polygon, contact: BaseGeometry, reach: BaseGeometry, width_m: float) -> bool:
    """Whether the strip touches both the lot and the way with about its whole width."""
    edge, minimum = strip.boundary, width_m * MINIMUM_CONTACT_RATIO
    return all(edge.intersection(place).length >= minimum for place in (contact, reach))


def _reaches_core(lot: BaseGeometry, reach: BaseGeometry, width_m: float) -> bool:
    """Whether a disc of the strip's width, less a tolerance, rolls from the way into the largest part of the lot."""
    radius = (width_m - CLEAR_TOLERANCE_M) / 2
    centres = shapely.get_parts(lot.buffer(-radius))
    return len(centres) > 0 and max(centres, key=shapely.area).distance(reach) <= radius + CLEAR_TOLERANCE_M


def _with_strip(lots: list[Polygon], index: int, strip: Polygon) -> list[Polygon] | None:
    """The lots after the strip moved to lot `index`; None if another lot would be split."""
    result = []
    for i, lot in enumerate(lots):
        shape = union([lot, strip]) if i == index else difference(lot, strip)
        parts = [part for part in shapely.get_parts(shape) if part.area > _SPECK_M2]
        if len(parts) != 1 or not isinstance(parts[0], Polygon):
            return None
        result.append(parts[0])
    return result
