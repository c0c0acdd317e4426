"""Cuts lots of wished areas out of the ground along the way. What is left lies beside and behind them, in one piece."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, chain, pairwise, product

import shapely
from shapely import MultiLineString, MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from assistant.division.access import MAX_STRIPS, TOUCH_M
from assistant.division.frame import swapped
from assistant.division.measure import houses_of
from assistant.division.plan import Plan, View
from assistant.division.shapes import clipped, difference, union
from assistant.division.slices import AreaProfile, Undrawable, demand, polygons, slice_at

_DEPTHS = (1.2, 2.0)
"""The depths to try, over the mean width of a lot."""
_SHALLOW = 0.8
"""At the back, buildings may leave less depth."""
_MAX_STARTS = 8
_SPECK_M2 = 0.01
_MUCH = 0.3
"""The share of closed ground from which on a row is tried last."""
_Anchor = tuple[float, int]
"""Where a row of lots begins on the y axis, and the direction in which it runs: 1 or -1."""


def detached_lots(
    view: View, areas: Sequence[float], closed: Sequence[Polygon], *, is_behind: bool | None = None
) -> Iterator[Plan]:
    """The best row of lots of these areas, and the rest of the unit as the last lot. x points inwards from the way.
    With a house in the view, the first lot contains it. A single lot may also lie behind closed ground on the way. If
    lots have wished places, all rows, drawn as they are taken, with those along the back of the unit: first, if a place
    `is_behind`. Raises Undrawable.
    """
    along = (
        Plan(row)
        for ratio in _DEPTHS
        for anchor in _anchors(view, closed)
        if (row := _row(view, areas, (sum(areas) / len(areas) * ratio) ** 0.5, anchor)) is not None
        and _has_its_houses(view, row)
    )
    lines: list[float | None] = [] if is_behind is None else [None]
    if len(areas) == 1 and view.house is None and view.frontage is not None:
        lines += [ground.bounds[2] for ground in closed if ground.distance(view.frontage) <= TOUCH_M]
    behind = (plan for line in lines for plan in _set_back(view, areas, line))
    if is_behind is not None:
        yield from chain(behind, along) if is_behind else chain(along, behind)
        return
    plans = [*along, *behind]
    demand("no_valid_cut", plans)
    closed_ground = shapely.union_all(list(closed))
    yield min(plans, key=lambda plan: _fault(view, plan, closed_ground))


def _set_back(view: View, areas: Sequence[float], line: float | None) -> Iterator[Plan]:
    """Rows of lots of these areas behind a line across the unit, at both ends of it: with access strips, then with
    rights of way, since a long strip takes much of a lot. Without a line, rows along the back, first along all of it.
    """
    profile = view.profile
    width = profile.total / (profile.right - profile.left)

    def cut(ratio: float, order: int, sizes: list[float]) -> list[Polygon]:
        row = sizes[:-1]
        demand("no_valid_cut", min(row) > view.assumptions.minimum_lot_m2)  # else the strips take more than is left
        band = width * (sum(row) / len(row) * ratio) ** 0.5 or sum(row)
        row += [band - sum(row)] if ratio else []
        ahead = profile.total - band if line is None else profile.before(line)
        demand("no_valid_cut", row[-1] > 0 and 0 < ahead <= profile.total - band)
        marks = [profile.cut_at(ahead), *([] if line is None else [profile.cut_at(ahead + band)])]
        parts = slice_at(view.unit, marks)
        lots = view.cut_across(parts[1], row[::order], view.gaps[0])[::order][: len(areas)]
        rest = polygons(difference(view.unit, union(lots)))
        demand("no_valid_cut", len(rest) == 1)
        return [*lots, *rest]

    shapes = [(0.0, 1)] if line is None else []
    shapes += product((_SHALLOW, *_DEPTHS), (1, -1))
    settled = set()
    for most, shape in product((MAX_STRIPS, 0), shapes):
        if shape in settled:
            continue
        with suppress(Undrawable):
            plan = view.with_strips(partial(cut, *shape), [*areas, profile.total - sum(areas)], most)
            is_apart = plan.strips or plan.rights or line is None
            if is_apart and not (most and plan.rights) and _has_its_houses(view, plan.lots):
                yield plan
            if plan.strips or plan.rights:
                continue
        settled.add(shape)


def _anchors(view: View, closed: Sequence[Polygon]) -> list[_Anchor]:
    """Both ends of the frontage, and the sides of buildings and of closed ground."""
    gap, front = view.assumptions.setback_m, view.frontage
    if front is None or front.is_empty:
        return []
    anchors = [(front.bounds[1], 1), (front.bounds[3], -1)]
    if view.house is not None:
        return [*anchors, (view.house.bounds[1] - gap, 1), (view.house.bounds[3] + gap, -1)]
    for shape, away in (*((building, gap) for building in view.buildings), *((ground, 0.0) for ground in closed)):
        anchors += [(shape.bounds[3] + away, 1), (shape.bounds[1] - away, -1)]
    return anchors[:_MAX_STARTS]


def _row(view: View, areas: Sequence[float], depth: float, anchor: _Anchor) -> list[Polygon] | None:
    """The lots and the rest; None if they cannot be cut in one piece each, with frontage."""
    start, sign = anchor
    stop = start + sign * sum(areas) / depth
    front = _between(view.frontage, start, stop)
    if front.is_empty:
        return None
    end = front.centroid.x + depth
    if view.house is not None:
        end = max(end, view.house.bounds[2] + view.assumptions.setback_m)
    west, south, east, north = view.unit.bounds
    low, high = (start, north + 1) if sign > 0 else (south - 1, start)
    beyond = polygons(clipped(view.unit, box(west - 1, low, east + 1, high)))
    if sum(part.area for part in beyond) < sum(areas):
        return None
    end = max(end, AreaProfile(MultiPolygon(beyond)).cut_at(sum(areas)))  # deeper, if there is less width
    if east - end < view.assumptions.minimum_width_m:
        return None  # the lots take the whole depth: that is a plain cut
    near = polygons(clipped(view.unit, box(west - 1, south - 1, end, north + 1)))
    profile = AreaProfile(swapped(MultiPolygon(near)))
    before = profile.before(start)
    marks = [before + sign * area for area in accumulate(areas, initial=0.0)]
    if not -_SPECK_M2 <= marks[-1] <= profile.total + _SPECK_M2:
        return None
    cuts = [profile.cut_at(mark) for mark in marks]
    lots = []
    for one, other in pairwise(cuts):
        low, high = min(one, other), max(one, other)
        low, high = (south - 1 if low <= profile.left else low), (north + 1 if high >= profile.right else high)
        parts = polygons(clipped(view.unit, box(west - 1, low, end, high)))
        if len(parts) != 1 or _between(view.frontage, low, high).length < view.assumptions.access_strip_m:
            return None
        lots += parts
    rest = polygons(difference(view.unit, shapely.union_all(lots)))
    outside = view.frontage.length - _between(view.frontage, min(cuts), max(cuts)).length if view.frontage else 0.0
    if len(rest) != 1 or outside < view.assumptions.access_strip_m:
        return None
    return [*lots, *rest]


def _between(frontage: MultiLineString | None, one: float, other: float) -> BaseGeometry:
    """The part of the frontage between two y."""
    if frontage is None:
        return MultiLineString()
    west, _, east, _ = frontage.bounds
    return frontage.intersection(box(west - 1, min(one, other), east + 1, max(one, other)))


def _has_its_houses(view: View, lots: list[Polygon]) -> bool:
    """Whether the houses are on the lot that keeps them: the first one if it is that of the house, else the rest."""
    home = lots[-1] if view.house is None else lots[0]
    houses = houses_of(view.buildings) if view.house is None else [view.house]
    return all(home.contains(house) for house in houses)


def _fault(view: View, plan: Plan, closed_ground: BaseGeometry) -> tuple[bool, bool, float]:
    """Sort key: rows on ground open to building first, then those with room around buildings, then compact ones."""
    strips = shapely.union_all(list(plan.strips.values()))
    lots = [lot.difference(strips) for lot in plan.lots]
    row, rest = lots[:-1], lots[-1]
    inner = rest.boundary.intersection(shapely.union_all([lot.boundary for lot in row]).buffer(1e-3))
    is_close = any(inner.distance(building) < view.assumptions.setback_m - 0.05 for building in view.buildings)
    compactness = sum(4 * math.pi * lot.area / lot.length**2 for lot in lots) / len(lots)
    closed_share = sum(lot.intersection(closed_ground).area for lot in row) / sum(lot.area for lot in row)
    return closed_share > _MUCH, is_close, closed_share - compactness
