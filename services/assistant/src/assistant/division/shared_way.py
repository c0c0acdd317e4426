"""Layouts with a way that serves several lots and ends in a turning area.

The x axis points inwards, along the way. A way in the middle has lots on both sides; a way along a side boundary has
lots on one side. The land behind its end belongs to the last lots. On wide land it branches like a T between a row of
lots on the street and one behind.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import shapely
from shapely import MultiLineString, MultiPolygon, Point, Polygon, box
from shapely.geometry.base import BaseGeometry

from assistant.division.access import CLEAR_TOLERANCE_M
from assistant.division.frame import swapped
from assistant.division.plan import TIGHT_GAP_M, Plan, Targets, View, plans_of
from assistant.division.proposal import Turning
from assistant.division.shapes import buffer, clipped, difference, union
from assistant.division.slices import AreaProfile, Undrawable, demand, merge, place_cuts, polygons, slice_at

MINIMUM_LOTS = 3
BRANCHED_LOTS = 6
"""A way branches for so many lots or more."""
MAX_SHARE = 0.25
"""A way that takes a larger share of the land is not drawn."""
_MIN_ARM_M = 4.0
_BESIDE_ARM_M = 6.0
"""The arm of a hammerhead leaves so much land between its end and the boundary, if it can."""
_LONG_WAY_M = 60.0
"""A longer way ends in a circle, if there is room, and a shorter one of two rear lots needs no turning area. A usual
figure of fire services for dead ends.
"""
_LEVEL_M = 6.0
"""If the last cuts on both sides are nearer to each other, they become one line."""
_SPECK_M2 = 0.05
_UNCLEAR_RATIO = 0.05
"""Corners that a disc does not reach, at the street above all, take at most this share of a way."""
_WIDENING = 1.3
"""Maximum area of a way along a boundary that is not straight, over that of a straight way."""
_ROUNDS = 4
"""So often the depth of a row is corrected by the way beside it."""


@dataclass(frozen=True)
class _Bank:
    """The land on one side of the way."""

    beside: MultiPolygon
    """The land without the strip of the way."""
    sign: int
    """1 if its y is greater than that of the way."""
    sizes: list[float]


def middle_way(view: View, targets: Targets) -> Iterator[Plan]:
    """A way between two rows of lots. Raises Undrawable."""
    width, count = view.assumptions.shared_way_m, targets.count
    shared_out = view.open_ground if view.leeway == math.inf else None  # else the areas are to be even
    across = AreaProfile(swapped(shared_out or view.unit))
    low, high = _opening(view, width)

    def draw(gap: float, _: list[float]) -> Plan:
        blocked = merge([(b.bounds[1] - gap - width / 2, b.bounds[3] + gap + width / 2) for b in view.buildings])
        cuts = place_cuts(across, [across.total * (count // 2) / count], blocked)
        middle = min(max(cuts[0], low), high)
        first = min(max(round(across.before(middle) / across.total * count), 1), count - 1)
        edges = middle - width / 2, middle + width / 2
        west, south, east, north = view.unit.bounds
        windows = box(west - 1, south - 1, east + 1, edges[0]), box(west - 1, edges[1], east + 1, north + 1)
        lands = [_land(view.unit, window) for window in windows]
        banks = [
            _Bank(land, sign, view.leaning([1.0] * number, land))
            for land, sign, number in zip(lands, (-1, 1), (first, count - first), strict=True)
        ]
        with suppress(Undrawable):
            return _end_way(view, banks, edges, gap)
        return _end_way(view, banks, edges, gap, min)

    yield from islice(plans_of(view, targets, draw), 1)


def side_way(view: View, targets: Targets, sign: int) -> Iterator[Plan]:
    """A way along the boundary with the smallest y (`sign` 1: the lots have a greater y) or the greatest. Raises
    Undrawable.
    """
    width = view.assumptions.shared_way_m
    west, south, east, north = view.unit.bounds
    ring = shapely.get_coordinates(view.unit.exterior)
    middle = view.unit.centroid.y
    inner = ring[(ring[:, 0] > west + width) & (ring[:, 0] < east - width) & ((ring[:, 1] < middle) == (sign > 0))]
    edge = sign * max([sign * (south if sign > 0 else north), *(sign * inner[:, 1])])
    sides = (south - 1, edge + width) if sign > 0 else (edge - width, north + 1)
    window = box(west - 1, sides[1], east + 1, north + 1) if sign > 0 else box(west - 1, south - 1, east + 1, sides[0])
    beside = _land(view.unit, window)

    def draw(gap: float, sizes: list[float]) -> Plan:
        plan = _end_way(view, [_Bank(beside, sign, view.leaning(sizes, beside))], sides, gap)
        free = [index for index, size in enumerate(sizes) if size == targets.lot_shares[-1]]
        net = sizes
        for _ in range(_ROUNDS if 0 < len(free) < len(sizes) else 0):  # the way takes no land from wished lots
            total = sum(lot.area for lot in plan.lots)
            scale = total / sum(net)
            net = [size + one * scale - lot.area for size, one, lot in zip(sizes, net, plan.lots, strict=True)]
            left = (total - sum(net) + sum(net[index] for index in free)) / len(free)
            net = [left if index in free else size for index, size in enumerate(net)]
            plan = _end_way(view, [_Bank(beside, sign, net)], sides, gap)
        return plan

    yield from islice(plans_of(view, targets, draw), 1)


def branched_way(view: View, targets: Targets) -> Iterator[Plan]:
    """A way that branches, along the street, into arms between a row of lots on the street and one behind. Raises
    Undrawable.
    """
    width, count, near = view.assumptions.shared_way_m, targets.count, targets.count // 2
    west, south, east, north = view.unit.bounds
    low, high = _opening(view, width)
    across = AreaProfile(swapped(view.unit))
    middle = min(max(across.cut_at(across.total / 2), low), high)
    lot_m2, arm = across.total / (count - near), view.assumptions.turning_arm_m
    start = max(south, min(across.cut_at(lot_m2) - arm, middle - width / 2))  # the arms reach the last lots
    stop = min(north, max(across.cut_at(across.total - lot_m2) + arm, middle + width / 2))
    depth = west
    for _ in range(_ROUNDS):
        stem_m2 = width * (depth - west)
        depth = view.profile.cut_at((across.total - stem_m2 - width * (stop - start)) * near / count + stem_m2)
    bars = box(west - 1, middle - width / 2, depth, middle + width / 2), box(depth, start, depth + width, stop)
    way = _whole(clipped(view.unit, union(bars)))
    demand("built_over", all(building.distance(way) >= TIGHT_GAP_M for building in view.buildings))
    demand("too_narrow", way.area <= view.unit.area * MAX_SHARE)
    demand("too_narrow", _opens(way, view.frontage, width) and _is_clear(way, width))
    windows = (
        (box(west - 1, south - 1, depth, middle), near // 2),
        (box(west - 1, middle, depth, north + 1), near - near // 2),
        (box(depth, south - 1, east + 1, north + 1), count - near),
    )
    lots: list[Polygon] = []
    for window, number in windows:
        land = _whole(difference(clipped(view.unit, window), way))
        lots += view.cut_across(land, [1.0] * number, view.gaps[0])
    yield Plan(lots, way=way, way_length_m=depth + width - west)


def _opening(view: View, width: float) -> tuple[float, float]:
    """The places where the middle of the way may be, so that it opens on the street."""
    spans = merge([(y[1] - 0.05, y[3] + 0.05) for y in shapely.bounds(shapely.get_parts(view.frontage)).tolist()])
    low, high = max(spans, key=lambda span: span[1] - span[0])
    demand("too_narrow", high - low >= width)
    return low + width / 2, high - width / 2


def _end_way(
    view: View, banks: list[_Bank], edges: tuple[float, float], gap: float, last: Callable[..., float] = max
) -> Plan:
    """Finds where the way ends, then cuts each bank and draws the turning area. It ends where the last lots of the
    longer bank have their areas or, with `min`, of the shorter one: then they are larger. Raises Undrawable.
    """
    figures = view.assumptions
    width = figures.shared_way_m
    south, north = edges
    west, _, east, _ = view.unit.bounds
    strip = _land(view.unit, box(west - 1, south, east + 1, north))
    demand("too_narrow", not strip.is_empty and all(b.beside.area >= figures.minimum_lot_m2 for b in banks))
    count = sum(len(bank.sizes) for bank in banks)
    for longest in (0.0, figures.turning_arm_m) if count <= MINIMUM_LOTS else (figures.turning_arm_m,):
        arms = [_arm(bank, longest) for bank in banks]
        ends, end = _ends(view, banks, strip, [arm * width for arm in arms], gap, last)
        length = end - strip.bounds[0]
        if length <= _LONG_WAY_M:
            break
    demand("no_valid_cut", length >= 2 * width and end <= east - figures.minimum_width_m)
    head: list[Polygon] = [
        _bar(bank, arm, end - width, end, edges)
        for bank, arm, way_end in zip(banks, arms, ends, strict=True)
        if arm and way_end == end
    ]
    turning: Turning = "hammerhead" if head else "none"
    disc = Point(end, (south + north) / 2).buffer(figures.turning_radius_m, quad_segs=4)
    has_room = len(banks) > 1 and all(_depth(b) >= figures.turning_radius_m + _BESIDE_ARM_M for b in banks)
    if length > _LONG_WAY_M and has_room and difference(disc, view.unit).area <= _SPECK_M2:
        turning, head = "circle", [disc]
    way = union([clipped(view.unit, box(west - 1, south, end, north)), *head])
    way = _whole(clipped(way, view.unit))
    straight = width * length + sum(part.area for part in head)
    demand("too_narrow", way.area <= min(view.unit.area * MAX_SHARE, straight * _WIDENING))
    demand("built_over", all(building.distance(way) >= TIGHT_GAP_M for building in view.buildings))
    demand("no_valid_cut", _opens(way, view.frontage, width))
    demand("too_narrow", _is_clear(way, width))
    remainder = _whole(difference(view.unit, way))
    return Plan(_lots(view, remainder, banks, ends, edges, gap), way=way, way_length_m=length, turning=turning)


def _ends(
    view: View, banks: list[_Bank], strip: MultiPolygon, heads_m2: list[float], gap: float, last: Callable[..., float]
) -> tuple[list[float], float]:
    """The x behind which the last lot of each bank lies, and the end of the way, clear of houses."""
    profile, share = AreaProfile(strip), 1 / len(banks)
    ends = [
        _end(AreaProfile(bank.beside), profile, share, bank.sizes, head_m2)
        for bank, head_m2 in zip(banks, heads_m2, strict=True)
    ]
    end = last(ends)
    if len(ends) > 1 and max(ends) - min(ends) < _LEVEL_M:
        end = sum(ends) / 2
        ends = [end, end]
    ends = [min(position, end) for position in ends]
    width, least = view.assumptions.shared_way_m, view.assumptions.minimum_width_m
    near = [b for b in view.buildings if strip.distance(b) < gap + width]
    for start, stop in merge([(b.bounds[0] - gap, b.bounds[2] + gap) for b in near]):
        if start < end < stop:
            clear = stop if stop <= view.unit.bounds[2] - least else start
            ends = [clear if position == end else position for position in ends]
            end = clear
    return ends, end


def _end(profile: AreaProfile, strip: AreaProfile, share: float, sizes: list[float], head_m2: float) -> float:
    """The x behind which the last lot lies, with its share of the strip behind the way."""
    if len(sizes) == 1:
        return profile.left
    part = sizes[-1] / sum(sizes)
    low, high = profile.left, profile.right
    for _ in range(40):
        middle = (low + high) / 2
        behind = profile.total - profile.before(middle) + share * (strip.total - strip.before(middle))
        lots = profile.total - head_m2 + share * (strip.total - strip.before(middle))
        low, high = (middle, high) if behind > part * lots else (low, middle)
    return (low + high) / 2


def _depth(bank: _Bank) -> float:
    """Mean depth of the bank, from the way to the far boundary."""
    west, _, east, _ = bank.beside.bounds
    return bank.beside.area / (east - west)


def _arm(bank: _Bank, longest: float) -> float:
    """Length of the hammerhead's arm on this bank."""
    return 0.0 if len(bank.sizes) == 1 or not longest else min(longest, max(_depth(bank) - _BESIDE_ARM_M, _MIN_ARM_M))


def _bar(bank: _Bank, arm: float, start: float, stop: float, edges: tuple[float, float]) -> Polygon:
    south, north = edges
    return box(start, south - arm, stop, south + 0.5) if bank.sign < 0 else box(start, north - 0.5, stop, north + arm)


def _opens(way: Polygon, frontage: MultiLineString | None, width: float) -> bool:
    return frontage is not None and frontage.intersection(way.buffer(0.25)).length >= width * 0.9


def _is_clear(way: Polygon, width: float) -> bool:
    """Whether a disc of the width of the way reaches all of it, turning area included."""
    radius = (width - CLEAR_TOLERANCE_M) / 2
    centres = buffer(way, -radius)
    return isinstance(centres, Polygon) and way.area - buffer(centres, radius).area <= _UNCLEAR_RATIO * way.area


def _lots(
    view: View, remainder: Polygon, banks: list[_Bank], ends: list[float], edges: tuple[float, float], gap: float
) -> list[Polygon]:
    """The land without the way, cut bank by bank. Raises Undrawable."""
    lands = [remainder]
    if len(banks) > 1:
        lands = [swapped(half) for half in slice_at(swapped(remainder), [(edges[0] + edges[1]) / 2])]
    lots: list[Polygon] = []
    for land, bank, end in zip(lands, banks, ends, strict=True):
        if len(bank.sizes) == 1:
            lots.append(land)
            continue
        near, last = slice_at(land, [end])
        lots += [*view.cut(near, bank.sizes[:-1], gap), last]
    return lots


def _land(unit: Polygon, window: Polygon) -> MultiPolygon:
    return MultiPolygon(polygons(clipped(unit, window)))


def _whole(shape: BaseGeometry) -> Polygon:
    """The only polygon of a shape. Raises Undrawable if there are several."""
    parts = sorted(polygons(shape), key=lambda part: -part.area)
    demand("no_valid_cut", parts and sum(part.area for part in parts[1:]) <= _SPECK_M2)
    return parts[0]
