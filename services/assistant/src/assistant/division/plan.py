"""A plan is a set of lots before they are measured. Layouts draw plans in a frame; this module makes them exact."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
import shapely
from shapely import MultiLineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.access import MAX_STRIPS, add_access_strips, rights_of_way
from assistant.division.frame import Frame, swapped
from assistant.division.proposal import Assumptions, Turning
from assistant.division.shapes import GRID_M, intersection, union
from assistant.division.slices import AreaProfile, Interval, Undrawable, demand, merge, place_cuts, polygons, slice_at

_MAX_CHANGE_M2 = 0.01
"""Noding may change the area of a lot by so much, and lots may overlap by so much."""
_MAX_UNCOVERED_M2 = 0.2
TINY_EDGE_M = 0.02
_MIN_CORNERS = 3
_TOLERANCE_M = 0.05
_EXACT = 0.005
"""Lots with access strips are cut again until their areas differ by less, as a share,"""
_GAIN = 0.7
"""or until cutting again leaves more than this share of the difference."""
TIGHT_GAP_M = 0.5
"""Distance between a cut and a building if the assumed setback leaves no place for a cut."""

Corner = tuple[float, ...]


@dataclass(frozen=True)
class Targets:
    """The areas to draw in m², which add up to the unit: `others` in their order, and the plot of the house, if its
    area is stated.
    """

    lot_shares: tuple[float, ...]
    house_m2: float | None = None
    depths: Mapping[float, int] = field(default_factory=dict)
    """By area: 0 for lots that are wished along the way, 2 for those at the back."""

    @property
    def count(self) -> int:
        return len(self.lot_shares) + (self.house_m2 is not None)

    def orders(self, profile: AreaProfile, house: Interval | None) -> Iterator[list[float]]:
        """The areas in the orders to try along the x axis, with the house's plot where the house stands."""
        orders = [list(self.lot_shares)]
        if self.lot_shares[0] != self.lot_shares[-1]:
            orders.append(orders[0][::-1])
        if self.depths:
            orders.insert(0, sorted(self.lot_shares, key=lambda share: self.depths.get(share, 1)))
        for order in orders:
            if self.house_m2 is None or house is None:
                yield order if self.house_m2 is None else [*order, self.house_m2]
                continue
            low, high = profile.before(house[0]), profile.before(house[1])
            starts = [0.0, *accumulate(order)]
            gaps = [max(0.0, start - low) + max(0.0, high - start - self.house_m2) for start in starts]
            place = gaps.index(min(gaps))
            yield [*order[:place], self.house_m2, *order[place:]]


@dataclass
class Plan:
    """Lots, their access strips and rights of way by lot, and the way that serves several of them."""

    lots: list[Polygon]
    strips: dict[int, Polygon] = field(default_factory=dict)
    rights: dict[int, Polygon] = field(default_factory=dict)
    """The ground of other lots over which a lot reaches the way."""
    way: Polygon | None = None
    way_length_m: float = 0.0
    turning: Turning = "hammerhead"

    @property
    def pieces(self) -> list[Polygon]:
        return self.lots if self.way is None else [*self.lots, self.way]

    def moved(self, frame: Frame) -> "Plan":
        """The plan in metres of the projection."""
        return replace(
            self,
            lots=[frame.from_frame(lot) for lot in self.lots],
            strips={index: frame.from_frame(strip) for index, strip in self.strips.items()},
            rights={index: frame.from_frame(ground) for index, ground in self.rights.items()},
            way=None if self.way is None else frame.from_frame(self.way),
        )

    def after(self, lot: Polygon) -> "Plan":
        """The plan with another lot as its first one."""
        strips = {index + 1: strip for index, strip in self.strips.items()}
        rights = {index + 1: ground for index, ground in self.rights.items()}
        return replace(self, lots=[lot, *self.lots], strips=strips, rights=rights)


@dataclass(frozen=True)
class View:
    """The site in a rotated frame."""

    frame: Frame
    unit: Polygon
    frontage: MultiLineString | None
    buildings: list[Polygon]
    house: Polygon | None
    """The house that has a plot of its own, among the buildings."""
    assumptions: Assumptions
    open_ground: MultiPolygon | None = None
    """What the lots share out, if that is not the whole unit: the ground without closed surfaces."""
    leeway: float = 0.0
    """How far areas may differ from those asked for, as a share, for the open ground to be even."""

    @cached_property
    def obstacles(self) -> BaseGeometry:
        return union(self.buildings)

    @cached_property
    def profile(self) -> AreaProfile:
        return AreaProfile(self.unit)

    def leaning(self, sizes: list[float], land: MultiPolygon | None = None) -> list[float]:
        """The areas of slices of the unit, or of a part of it, that share out its open ground, as far as the leeway
        allows.
        """
        if self.open_ground is None:
            return sizes
        open_land = self.open_ground if land is None else MultiPolygon(polygons(intersection(self.open_ground, land)))
        if open_land.is_empty:
            return sizes
        profile, ground = self.profile if land is None else AreaProfile(land), AreaProfile(open_land)
        sizes = [size * profile.total / sum(sizes) for size in sizes]
        scale = ground.total / profile.total
        marks = [profile.before(ground.cut_at(mark * scale)) for mark in accumulate(sizes[:-1])]
        areas = [after - before for before, after in pairwise([0.0, *marks, profile.total])]
        farthest = max(abs(area / size - 1) for area, size in zip(areas, sizes, strict=True))
        step = 1.0 if farthest <= self.leeway else self.leeway / farthest
        return [size + step * (area - size) for area, size in zip(areas, sizes, strict=True)]

    @property
    def gaps(self) -> tuple[float, ...]:
        """The distances between cuts and buildings to try."""
        gaps = [Assumptions.setback_m] if self.assumptions.setback_m > Assumptions.setback_m else []
        return (self.assumptions.setback_m, *gaps, TIGHT_GAP_M) if self.buildings else (self.assumptions.setback_m,)

    def house_interval(self, gap_m: float) -> Interval | None:
        return None if self.house is None else (self.house.bounds[0] - gap_m, self.house.bounds[2] + gap_m)

    def cut(
        self, shape: Polygon, sizes: list[float], gap_m: float, profile: AreaProfile | None = None
    ) -> list[Polygon]:
        """Cuts the shape across x into parts in proportion to `sizes`. Raises Undrawable."""
        if len(sizes) == 1:
            return [shape]
        profile = profile or AreaProfile(shape)
        scale = profile.total / sum(sizes)
        shares = [share * scale for share in accumulate(sizes[:-1])]
        near = self.buildings if shape is self.unit else [b for b in self.buildings if b.intersects(shape)]
        cuts = place_cuts(profile, shares, merge([(b.bounds[0] - gap_m, b.bounds[2] + gap_m) for b in near]))
        narrowest = min(after - before for before, after in pairwise([profile.left, *cuts, profile.right]))
        if narrowest < self.assumptions.minimum_width_m - _TOLERANCE_M:
            is_narrow = (profile.right - profile.left) / len(sizes) < self.assumptions.minimum_width_m
            raise Undrawable("built_over" if near and not is_narrow else "too_narrow")
        return slice_at(shape, cuts)

    def cut_across(self, shape: Polygon, sizes: list[float], gap_m: float) -> list[Polygon]:
        """Cuts like `cut`, across y."""
        if len(sizes) == 1:
            return [shape]
        turned = replace(self, buildings=[swapped(building) for building in self.buildings])
        return [swapped(part) for part in turned.cut(swapped(shape), sizes, gap_m)]

    def with_strips(
        self, cut: Callable[[list[float]], list[Polygon]], sizes: list[float], most: int = MAX_STRIPS
    ) -> Plan:
        """Cuts lots and adds access strips, then moves the cuts to compensate for their area. Raises Undrawable."""
        parts = cut(sizes)
        if self.frontage is None:
            return Plan(parts)
        width, setback = self.assumptions.access_strip_m, self.assumptions.setback_m
        lots, strips = add_access_strips(parts, self.frontage, self.obstacles, width, setback, most)
        targets, fault = sizes, math.inf
        with suppress(Undrawable):
            drawn, ways = lots, strips
            while ways and (smaller := _farthest(drawn, targets)) < fault * _GAIN:
                lots, strips, fault = drawn, ways, smaller
                if fault < _EXACT:
                    break
                sizes = [size + target - lot.area for size, target, lot in zip(sizes, targets, lots, strict=True)]
                drawn, ways = add_access_strips(cut(sizes), self.frontage, self.obstacles, width, setback, most)
        return Plan(lots, strips, rights_of_way(lots, strips, self.frontage, self.obstacles, width, setback))


def _farthest(lots: list[Polygon], targets: list[float]) -> float:
    """How far the area of a lot is from its target, as a share of it, at most."""
    return max(abs(lot.area / target - 1) for lot, target in zip(lots, targets, strict=True))


def plans_of(view: View, targets: Targets, draw: Callable[[float, list[float]], Plan]) -> Iterator[Plan]:
    """The plans of the orders of areas to try, at the first gap that can be drawn. Raises Undrawable if none can."""
    reason, is_drawn = Undrawable("no_valid_cut"), False
    for gap in view.gaps:
        for sizes in targets.orders(view.profile, view.house_interval(gap)):
            try:
                yield draw(gap, sizes)
            except Undrawable as failure:
                reason = failure
            else:
                is_drawn = True
        if is_drawn:
            return
    raise reason


def tidied(plan: Plan, unit: Polygon) -> Plan:
    """The plan with shared corners, without tiny edges. Raises Undrawable if the pieces do not make the unit."""
    pieces = _without_tiny_edges(_noded(plan.pieces))
    demand("no_valid_cut", abs(sum(piece.area for piece in pieces) - unit.area) <= _MAX_UNCOVERED_M2)
    return replace(plan, lots=pieces[: len(plan.lots)], way=None if plan.way is None else pieces[-1])


def _noded(pieces: list[Polygon]) -> list[Polygon]:
    """Adds each corner of a piece to the edges of its neighbours. Then rounding coordinates opens no gap."""
    corners = shapely.multipoints(shapely.get_coordinates(pieces))
    lines: list[BaseGeometry] = shapely.snap([piece.boundary for piece in pieces], corners, 5 * GRID_M).tolist()
    network = union(lines)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(network)))
    inner = [piece.representative_point() for piece in pieces]
    noded = [face for point in inner for face in faces if isinstance(face, Polygon) and face.contains(point)]
    changed = sum(abs(face.area - piece.area) for face, piece in zip(noded, pieces, strict=False))
    bends_m2 = GRID_M * sum(piece.length for piece in pieces) / 2  # a long edge that bends a little sweeps much
    most_m2 = max(_MAX_CHANGE_M2 * max(1, len(pieces) / 2), bends_m2)
    demand("no_valid_cut", len(noded) == len(pieces) and changed <= most_m2)
    return noded


def _without_tiny_edges(pieces: list[Polygon]) -> list[Polygon]:
    """Removes unshared corners within TINY_EDGE_M of the next one. Rounding to a centimetre could reverse such an edge,
    and bend the next edge away from the neighbour's.
    """
    edges = [np.diff(shapely.get_coordinates(piece.exterior), axis=0) for piece in pieces]
    if all((np.hypot(*edge.T) >= TINY_EDGE_M).all() for edge in edges):
        return pieces
    sharing = Counter(corner for piece in pieces for corner in set(piece.exterior.coords))
    rings = [_remove_tiny_edges(list(piece.exterior.coords[:-1]), sharing) for piece in pieces]
    cleaned = [Polygon(ring, list(piece.interiors)) for ring, piece in zip(rings, pieces, strict=True)]
    demand("no_valid_cut", all(piece.is_valid for piece in cleaned))
    overlap_m2 = sum(piece.area for piece in cleaned) - shapely.union_all(cleaned).area
    demand("no_valid_cut", overlap_m2 <= _MAX_CHANGE_M2)
    return cleaned


def _remove_tiny_edges(corners: list[Corner], sharing: Counter[Corner]) -> list[Corner]:
    index = 0
    while index < len(corners) and len(corners) > _MIN_CORNERS:
        corner, after = corners[index], corners[(index + 1) % len(corners)]
        lot_corners = [corner for corner in (corner, after) if sharing[corner] == 1]
        if lot_corners and math.dist(corner, after) < TINY_EDGE_M:
            corners.remove(lot_corners[0])
        else:
            index += 1
    return corners
