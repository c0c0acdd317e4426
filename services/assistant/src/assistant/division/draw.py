"""Draws proposals with cuts at right angles to the way, parallel to it, or across the longest side of the unit."""

import contextlib
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
import shapely
from shapely import MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.access import add_access_strips
from assistant.division.measure import holds_circle, keeps_buildings_whole, measure
from assistant.division.proposal import Assumptions, Division, Lot, Method, Proposal, Site
from assistant.division.shapes import GRID_M, buffer, intersection, union
from assistant.division.slices import AreaProfile, Interval, merge, place_cuts, slice_at

MAX_PROPOSALS = 3
_GAP_M = 0.1
"""Gaps up to this width are closed: adjacent parcels may be centimetres apart in the cadastral plan."""
_GAP_RATIO = 0.01
"""Maximum share of the unit in such gaps."""
_SAME_DIRECTION_RAD = math.radians(5)
_TIGHT_SETBACK_M = 0.5
"""Distance between a cut and a building if the assumed setback leaves no place for a cut."""
_NEIGHBOUR_M2 = 5.0
"""A building with less than this, and less than half of it, on the unit belongs to a neighbour."""
_MAX_NODING_CHANGE_M2 = 0.01
TINY_EDGE_M = 0.02
_MIN_CORNERS = 3

Corner = tuple[float, ...]

G = TypeVar("G", bound=BaseGeometry)


@dataclass(frozen=True)
class _Frame:
    """A rotated and translated frame in which the cuts of one method are parallel to y."""

    angle: float
    origin: tuple[float, float]

    def to_frame(self, shape: G) -> G:
        c, s = math.cos(self.angle), math.sin(self.angle)
        x, y = self.origin
        turn = np.array([[c, -s], [s, c]])
        moved: G = shapely.transform(shape, lambda points: (points - (x, y)) @ turn)
        return moved

    def from_frame(self, shape: G) -> G:
        c, s = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[c, s], [-s, c]])
        moved: G = shapely.transform(shape, lambda points: points @ turn + self.origin)
        return moved


class _Undrawable(Exception):
    """One method cannot draw the lots. The argument is the code of the reason."""


def draw(site: Site | None, lot_count: int, assumptions: Assumptions = Assumptions()) -> Division:  # noqa: B008
    """Draws at most three proposals of `lot_count` lots, best first. Deterministic."""
    empty = partial(Division, lot_count, (), assumptions=assumptions)
    if site is None or site.unit.is_empty:
        return empty("no_geometry")
    unit = _single_polygon(site.unit)
    if unit is None:
        return empty("several_pieces")
    if unit.area / lot_count < assumptions.minimum_lot_m2:
        return empty("too_small")
    site = replace(site, unit=unit, buildings=tuple(_standing_on(unit, site.buildings)))
    drawn: list[Proposal] = []
    reasons: list[str] = []
    for method, angle in _directions(unit, site.frontage):
        try:
            drawn.append(_draw_along(method, angle, unit, site, lot_count, assumptions))
        except _Undrawable as failure:
            reasons.append(str(failure))
    if not drawn:
        order = ("built_over", "too_narrow", "too_small", "no_valid_cut")
        return empty(min(reasons, key=order.index))
    reaching = [p for p in drawn if all(lot.access != "landlocked" for lot in p.lots)]
    ranked = sorted(reaching or drawn, key=lambda proposal: (proposal.violation_count, -round(proposal.score, 6)))
    proposals = tuple(replace(p, rank=rank) for rank, p in enumerate(ranked[:MAX_PROPOSALS], 1))
    return Division(lot_count, proposals, None, assumptions, is_bare=not site.buildings)


def _single_polygon(unit: BaseGeometry) -> Polygon | None:
    if not isinstance(unit, Polygon):
        closed = buffer(buffer(unit, _GAP_M), -_GAP_M)
        if (
            not isinstance(closed, Polygon)
            or shapely.symmetric_difference(closed, unit, grid_size=GRID_M).area > unit.area * _GAP_RATIO
        ):
            return None
        unit = closed
    return unit if unit.is_valid else None


def _standing_on(unit: Polygon, buildings: tuple[Polygon, ...]) -> Iterator[Polygon]:
    """The parts of buildings on the unit, without a neighbour's wall that overlaps a little."""
    for building in buildings:
        inside = intersection(building, unit)
        if inside.area >= _NEIGHBOUR_M2 or inside.area > building.area / 2:
            yield from (part for part in shapely.get_parts(inside) if isinstance(part, Polygon))


def _directions(unit: Polygon, frontage: MultiLineString | None) -> list[tuple[Method, float]]:
    """The methods, each with the angle of the axis along which its cuts are placed."""
    directions: list[tuple[Method, float]] = []
    if frontage is not None and not frontage.is_empty:
        along = _main_angle(frontage)
        inwards = along + math.pi / 2
        front, middle = frontage.centroid, unit.centroid
        if (middle.x - front.x) * math.cos(inwards) + (middle.y - front.y) * math.sin(inwards) < 0:
            inwards += math.pi
        directions = [("perpendicular_cut", along), ("parallel_cut", inwards)]
    longest = _longest_axis(unit)
    if all(_angle_between(longest, angle) > _SAME_DIRECTION_RAD for _, angle in directions):
        directions.append(("envelope_cut", longest))
    return directions


def _main_angle(lines: MultiLineString) -> float:
    """The direction, in [0, π), of most of the length, within 15°."""
    steps = np.concatenate([np.diff(shapely.get_coordinates(line), axis=0) for line in lines.geoms])
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    angles = np.arctan2(steps[:, 1], steps[:, 0]) % math.pi
    gaps = np.abs(angles[:, None] - angles[None, :])
    near = np.minimum(gaps, math.pi - gaps) <= math.radians(15)
    heaviest = int(np.argmax(np.round(near @ lengths, 6)))
    members = near[heaviest]
    doubled = np.sum(lengths[members] * np.exp(2j * angles[members]))
    return float(np.angle(doubled) / 2 % math.pi)


def _longest_axis(unit: Polygon) -> float:
    corners = shapely.get_coordinates(shapely.oriented_envelope(unit))
    sides = np.diff(corners[:3], axis=0)
    longest = sides[int(np.argmax(np.round(np.hypot(sides[:, 0], sides[:, 1]), 6)))]
    return float(math.atan2(longest[1], longest[0]) % math.pi)


def _angle_between(one: float, other: float) -> float:
    gap = abs(one - other) % math.pi
    return min(gap, math.pi - gap)


def _draw_along(
    method: Method, angle: float, unit: Polygon, site: Site, lot_count: int, assumptions: Assumptions
) -> Proposal:
    frame = _Frame(angle, (unit.centroid.x, unit.centroid.y))
    turned = frame.to_frame(unit)
    frontage = None if site.frontage is None else frame.to_frame(site.frontage)
    buildings = [frame.to_frame(building) for building in site.buildings]
    profile = AreaProfile(turned)
    last: _Undrawable | None = None
    for setback in (assumptions.setback_m, _TIGHT_SETBACK_M) if buildings else (assumptions.setback_m,):
        blocked = merge([(b.bounds[0] - setback, b.bounds[2] + setback) for b in buildings])
        try:
            lots = _lay_out(turned, profile, frontage, buildings, blocked, lot_count, assumptions)
        except _Undrawable as failure:
            last = failure
            continue
        placed = tuple(replace(lot, shape=frame.from_frame(lot.shape)) for lot in lots)
        return Proposal(0, method, placed, _score(placed))
    raise last or _Undrawable("no_valid_cut")


def _lay_out(
    unit: Polygon,
    profile: AreaProfile,
    frontage: MultiLineString | None,
    buildings: list[Polygon],
    blocked: list[Interval],
    lot_count: int,
    assumptions: Assumptions,
) -> tuple[Lot, ...]:
    """Places the cuts, adds access strips, and moves the cuts to compensate for their area. Raises _Undrawable."""
    even = [unit.area * k / lot_count for k in range(1, lot_count)]
    lots, strips = _cut(unit, profile, even, blocked, frontage, buildings, assumptions)
    if strips:
        taken = [strips[i].area if i in strips else 0.0 for i in range(lot_count)]
        given = sum(taken)
        shifted = [share + given - sum(taken[: k + 1]) for k, share in enumerate(even)]
        with contextlib.suppress(_Undrawable):
            lots, strips = _cut(unit, profile, shifted, blocked, frontage, buildings, assumptions)
    return measure(_without_tiny_edges(_noded(lots)), strips, frontage, buildings, assumptions)


def _cut(
    unit: Polygon,
    profile: AreaProfile,
    shares: list[float],
    blocked: list[Interval],
    frontage: MultiLineString | None,
    buildings: list[Polygon],
    assumptions: Assumptions,
) -> tuple[list[Polygon], dict[int, Polygon]]:
    cuts = place_cuts(profile, shares, blocked)
    if cuts is None:
        raise _Undrawable("built_over")
    lots = slice_at(unit, cuts)
    if lots is None:
        raise _Undrawable("no_valid_cut")
    strips: dict[int, Polygon] = {}
    if frontage is not None:
        lots, strips = add_access_strips(lots, frontage, buildings, assumptions.access_strip_m, assumptions.setback_m)
    if not keeps_buildings_whole(lots, buildings):
        raise _Undrawable("built_over")
    if min(lot.area for lot in lots) < assumptions.minimum_lot_m2:
        raise _Undrawable("built_over" if blocked else "too_small")
    if not all(holds_circle(lot, assumptions.minimum_width_m) for lot in lots):
        raise _Undrawable("too_narrow")
    return lots, strips


def _noded(lots: list[Polygon]) -> list[Polygon]:
    """Adds each corner of a lot to the edges of its neighbours. Then rounding coordinates opens no gap between lots."""
    network = union([lot.boundary for lot in lots])
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(network)))
    inner = [lot.representative_point() for lot in lots]
    noded = [face for point in inner for face in faces if isinstance(face, Polygon) and face.contains(point)]
    changed = sum(abs(face.area - lot.area) for face, lot in zip(noded, lots, strict=False))
    if len(noded) != len(lots) or changed > _MAX_NODING_CHANGE_M2:
        raise _Undrawable("no_valid_cut")
    return noded


def _without_tiny_edges(lots: list[Polygon]) -> list[Polygon]:
    """Removes unshared corners within TINY_EDGE_M of the next one. Rounding to a centimetre could reverse such an edge,
    and bend the next edge away from the neighbour's.
    """
    edges = [np.diff(shapely.get_coordinates(lot.exterior), axis=0) for lot in lots]
    if all((np.hypot(*edge.T) >= TINY_EDGE_M).all() for edge in edges):
        return lots
    sharing = Counter(corner for lot in lots for corner in set(lot.exterior.coords))
    rings = [_remove_tiny_edges(list(lot.exterior.coords[:-1]), sharing) for lot in lots]
    cleaned = [Polygon(ring, list(lot.interiors)) for ring, lot in zip(rings, lots, strict=True)]
    if not all(lot.is_valid for lot in cleaned):
        raise _Undrawable("no_valid_cut")
    return cleaned


def _remove_tiny_edges(corners: list[Corner], sharing: Counter[Corner]) -> list[Corner]:
    index = 0
    while index < len(corners) and len(corners) > _MIN_CORNERS:
        here, after = corners[index], corners[(index + 1) % len(corners)]
        own = [corner for corner in (here, after) if sharing[corner] == 1]
        if own and math.dist(here, after) < TINY_EDGE_M:
            corners.remove(own[0])
        else:
            index += 1
    return corners


def _score(lots: tuple[Lot, ...]) -> float:
    """From 0 to 1. Even areas, compact lots and buildable area raise it; access strips and violations lower it."""
    areas = [lot.area_m2 for lot in lots]
    evenness = min(areas) / max(areas)
    compactness = sum(lot.compactness for lot in lots) / len(lots)
    buildable = min(lot.buildable_area_m2 / lot.area_m2 for lot in lots)
    strips = sum(lot.strip_m2 for lot in lots) / sum(areas)
    violations = sum(len(lot.violations) for lot in lots)
    return max(0.0, 0.4 * evenness + 0.3 * compactness + 0.3 * buildable - 0.5 * strips - 0.1 * violations)
