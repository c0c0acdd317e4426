"""Draws proposals of lots by several methods."""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain

import shapely
from shapely import MultiLineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division import layouts, shared_way
from assistant.division.access import TOUCH_M
from assistant.division.detached import detached_lots
from assistant.division.frame import (
    Frame,
    along_sides,
    angle_between,
    entries,
    inward_angle,
    longest_axis,
    side_turns,
    street_angles,
)
from assistant.division.measure import EVEN_TOLERANCE, check_plan, completed, houses_of, measure
from assistant.division.plan import Plan, Targets, Undrawable, View, tidied
from assistant.division.proposal import (
    DEFAULT_LOT_COUNT,
    Assumptions,
    Division,
    Method,
    Proposal,
    SharedWay,
    Site,
    StatedRules,
)
from assistant.division.ranking import SAME_SIZE, best_first, faces_ways, is_reached, misses_plot, rank
from assistant.division.score import score_terms
from assistant.division.shapes import buffer, intersection
from assistant.division.wishes import MISSED, Resolved, resolve
from assistant.division.wording import tell
from assistant.project import Project
from servicekit.languages import Text
from servicekit.parts import Attempt

MAX_PROPOSALS = 3
_GAP_M = 0.1
"""Gaps up to this width are closed: adjacent parcels may be centimetres apart in the cadastral plan."""
_GAP_RATIO = 0.01
"""Maximum share of the unit in such gaps."""
_SAME_DIRECTION_RAD = 0.09
"""About 5 degrees."""
_CORNER_RAD = 0.6
"""Two streets that differ by less, about 35 degrees, are one that bends."""
_SQUARE_RAD = 1.3
"""About 75 degrees: lots on two streets are only cut along both if the streets meet about at right angles."""
_CORNER_M = 12.0
"""Minimum frontage on the second street of a corner."""
_NEIGHBOUR_M2 = 5.0
"""A building with less than this, and less than half of it, on the unit belongs to a neighbour."""
_MAX_PARALLEL = 3
"""More lots one behind the other would need more than two access strips."""
_MAX_ENTRIES = 2
"""Ways are tried from at most so many streets."""
_LEEWAY = 0.9 * EVEN_TOLERANCE
_SHARING = ("perpendicular_cut", "parallel_cut", "envelope_cut", "shared_way")
"""The methods whose lots can share out the open ground."""
_LESS = (0.8, 0.6)
"""The shares of the assumed plot of a house to try if the whole of it closes the way."""
_COMPACT = 0.6
"""The compactness of a rectangle that is three times as long as wide."""

_Layout = tuple[Method, Callable[[Targets], Iterator[Plan]], View]
DRAWING_FAILED = "failed"
"""The reason if a defect stopped the drawing, so that nothing is known of the lots."""
_REASONS = (DRAWING_FAILED, "built_over", "too_narrow", "too_small", "no_valid_cut")
_LAYOUT = Text("l’un des découpages", "one of the divisions")
_HOUSE_PLOT = Text("le découpage qui détache la maison", "the division that detaches the house")


class _Drawing:
    """The state of drawing one site."""

    def __init__(
        self, unit: Polygon, site: Site, resolved: Resolved, assumptions: Assumptions, project: Project
    ) -> None:
        self.unit, self.site, self.resolved, self.assumptions = unit, site, resolved, assumptions
        self.project = project
        self.buildings = list(site.buildings)
        houses = houses_of(self.buildings)
        self.house = max(houses, key=lambda building: (building.area, building.bounds)) if houses else None
        self.reasons: list[str] = []
        self.has_way = False
        """A shared way without violations is drawn."""
        self.open_ground: MultiPolygon | None = None
        """The ground that the lots share out, if that is not the whole unit."""
        self.leeway = _LEEWAY
        """How far areas may differ from even ones, as a share, for the open ground to be even."""

    def proposals(self) -> list[Proposal]:
        """All that can be drawn: first the plain layouts, then one that gives the house a plot of the assumed area."""
        best = [min(proposals, key=rank) for layout in self._plain() if (proposals := [*layout])]
        with Attempt(_HOUSE_PLOT):
            best += self._kept_house()
        return best

    def first_usable(self) -> Proposal | None:
        """The first in which each lot has an access, its wished area and ground to build on. What the project tells is
        tried first.
        """
        proposals = chain(self._kept_house() if self.project.keeps_house else (), chain.from_iterable(self._plain()))
        return next((p for p in proposals if not p.misses_lots and is_reached(p)), None)

    def _plain(self) -> Iterator[Iterator[Proposal]]:
        """The proposals of each plain layout."""
        targets = self.resolved.targets(self.unit.area)
        house = self.house if self.resolved.sizes_m2 or targets.house_m2 is not None else None
        if house is not None and targets.house_m2 is None:  # the house stays on what is left over
            targets = Targets(targets.lot_shares[:-1], targets.lot_shares[-1])
        is_told = bool(self.resolved.sizes_m2) or targets.house_m2 is not None
        self.open_ground = None if is_told else self._open_ground()
        for layout in self._layouts(targets, house):
            yield self._drawn(layout, targets, house)
        if house is not None and self.resolved.house_m2 is not None and not self.resolved.sizes_m2:
            yield self._beside_house_plot(targets, house)
        if self.open_ground is not None and not self.project.has_even_lots:
            self.leeway = math.inf
            for layout in self._layouts(targets, house):
                if layout[0] in _SHARING:
                    yield self._drawn(layout, targets, house)
            self.leeway = _LEEWAY
        self.open_ground = None

    def _open_ground(self) -> MultiPolygon | None:
        """The ground without closed surfaces, if these leave enough for the lots and take a part of the unit."""
        parts = shapely.get_parts(self.unit.difference(shapely.union_all(self.site.closed)))
        ground = MultiPolygon([part for part in parts if isinstance(part, Polygon)])
        is_part = self.resolved.count * self.assumptions.minimum_lot_m2 <= ground.area < self.unit.area - 1
        return ground if is_part else None

    def _kept_house(self) -> Iterator[Proposal]:
        """The first good layout in which the house has a plot of the assumed area, or of less if that leaves a lot
        without access. Beside land for a neighbour, the house stays on the rest.
        """
        is_told = bool(self.resolved.sizes_m2) or self.resolved.house_m2 is not None
        if self.house is None or is_told or self.project.is_for_neighbour:
            return
        assumed_m2 = self.assumptions.house_plot_m2
        proposal = self._with_house_plot(assumed_m2, self.house)
        for share in _LESS if proposal is not None and not is_reached(proposal) else ():
            smaller = self._with_house_plot(assumed_m2 * share, self.house)
            if smaller is not None and is_reached(smaller):
                proposal, self.assumptions = smaller, replace(self.assumptions, house_plot_m2=assumed_m2 * share)
                break
        if proposal is not None:
            yield proposal

    def _with_house_plot(self, plot: float, house: Polygon) -> Proposal | None:
        """The first good layout in which the house has a plot of this area."""
        count = self.resolved.count
        other = (self.unit.area - plot) / (count - 1)
        if other < self.assumptions.usual_lot_m2 or abs(plot - other) < SAME_SIZE * plot:
            return None
        targets = Targets((other,) * (count - 1), plot)
        near: list[Proposal] = []
        for layout in self._layouts(targets, house):
            best = min(self._drawn(layout, targets, house), key=rank, default=None)
            near += [best] if best is not None and misses_plot(best, plot) <= SAME_SIZE else []
            if any(not p.violation_count and min(lot.compactness for lot in p.lots) >= _COMPACT for p in near):
                break  # the plain layouts give the alternatives
        return replace(min(near, key=rank), method="kept_house") if near else None

    def _beside_house_plot(self, targets: Targets, house: Polygon) -> Iterator[Proposal]:
        """The plot of the house along the way, and the layouts of what is left of the unit without it."""
        frontage, size = self.site.frontage, targets.house_m2
        if frontage is None or frontage.is_empty or size is None or len(targets.lot_shares) < DEFAULT_LOT_COUNT:
            return
        angle, _ = entries(frontage, self.unit, 0.0)[0]
        view = self._view(angle, house)
        with suppress(Undrawable):
            plot, rest = next(detached_lots(view, targets, [size], ())).moved(view.frame).lots
            left = frontage.difference(plot.buffer(TOUCH_M))
            lines = MultiLineString([line for line in shapely.get_parts(left) if line.geom_type == "LineString"])
            buildings = tuple(building for building in self.buildings if rest.contains(building))
            site = replace(self.site, unit=rest, frontage=lines, buildings=buildings)
            drawing = _Drawing(rest, site, Resolved(len(targets.lot_shares)), self.assumptions, self.project)
            other_targets = Targets(targets.lot_shares)
            for layout in drawing._layouts(other_targets, None):
                yield from self._drawn(layout, other_targets, house, plot)

    def _drawn(
        self, layout: _Layout, targets: Targets, house: Polygon | None, plot: Polygon | None = None
    ) -> Iterator[Proposal]:
        """The plans of one layout. With a plot, they are of the unit without it, and it is the first lot."""
        with Attempt(_LAYOUT) as attempt:
            yield from self._plans(layout, targets, house, plot)
        if attempt.has_failed:
            self.reasons.append(DRAWING_FAILED)

    def _plans(
        self, layout: _Layout, targets: Targets, house: Polygon | None, plot: Polygon | None
    ) -> Iterator[Proposal]:
        method, plans, view = layout
        try:
            for plan in plans(targets):
                try:
                    check_plan(plan, view.buildings, self.assumptions)
                    tidy = tidied(plan, view.unit).moved(view.frame)
                    if plot is not None:
                        tidy = tidied(tidy.after(plot), self.unit)
                except Undrawable as failure:
                    self.reasons.append(str(failure))
                    continue
                proposal = self._proposal(method, tidy, house)
                if any(lot.role == "neighbour_plot" and faces_ways(lot) for lot in proposal.lots):
                    self.reasons.append("no_valid_cut")
                    continue
                self.has_way |= proposal.shared_way is not None and not proposal.violation_count
                yield proposal
        except Undrawable as failure:
            self.reasons.append(str(failure))

    def _proposal(self, method: Method, plan: Plan, house: Polygon | None) -> Proposal:
        figures = self.assumptions
        has_house_plot = house is not None and not self.resolved.sizes_m2
        if self.resolved.house_m2 is not None:
            method = "kept_house"
        lots = measure(plan, self.site, figures, self.resolved, house, self.project)
        way = None
        if plan.way is not None:
            radius = figures.turning_radius_m if plan.turning == "circle" else None
            way = SharedWay(plan.way, figures.shared_way_m, plan.way_length_m, plan.turning, radius)
        return Proposal(0, method, lots, score_terms(lots, way, has_house_plot), way, self.site.missing)

    def _layouts(self, targets: Targets, house: Polygon | None) -> Iterator[_Layout]:
        """The methods to try, each with its frame."""
        unit, frontage, count = self.unit, self.site.frontage, targets.count
        angles: list[float] = []
        if frontage is not None and not frontage.is_empty:
            streets = street_angles(frontage)
            along = streets[0][0]
            inwards = along_sides(inward_angle(along, frontage, unit), unit)
            angles = [inwards - math.pi / 2, inwards]
            side_by_side, behind = (self._view(angle, house) for angle in angles)
            tells_way = self.project.has_shared_way
            if tells_way:
                yield from self._shared_ways(frontage, inwards, house)
            yield "perpendicular_cut", partial(layouts.strips, side_by_side), side_by_side
            second = self._second_street(count, frontage, along)
            if second is not None:
                angles.append(second[0] - math.pi / 2)
                yield self._corner(count, second, streets[0][1], house)
            has_corner_cut = (
                second is not None and angle_between(second[0] - math.pi / 2, inwards) < _SAME_DIRECTION_RAD
            )
            if count <= _MAX_PARALLEL and not (count == DEFAULT_LOT_COUNT and has_corner_cut):
                yield "parallel_cut", partial(layouts.strips, behind), behind
            yield from self._detached(frontage, targets, house)
            if count >= shared_way.MINIMUM_LOTS:
                yield "flag_lots", partial(layouts.flag_lots, behind), behind
            if tells_way is None and count >= shared_way.MINIMUM_LOTS:
                yield from self._shared_ways(frontage, inwards, house)
        longest = longest_axis(unit)
        for axis in (longest, longest + math.pi / 2) if self.site.closed else (longest,):
            if all(angle_between(axis, angle) > _SAME_DIRECTION_RAD for angle in angles):
                view = self._view(axis, house)
                yield "envelope_cut", partial(layouts.strips, view), view

    def _second_street(self, count: int, frontage: MultiLineString, along: float) -> tuple[float, float] | None:
        """The direction into the unit from the second street of a corner, and its frontage in metres."""
        meets = _CORNER_RAD if count == DEFAULT_LOT_COUNT else _SQUARE_RAD
        street_entries = entries(frontage, self.unit, _CORNER_M)
        return next((entry for entry in street_entries if angle_between(entry[0] - math.pi / 2, along) > meets), None)

    def _corner(self, count: int, second: tuple[float, float], first_m: float, house: Polygon | None) -> _Layout:
        inwards, length_m = second
        if count == DEFAULT_LOT_COUNT:
            view = self._view(inwards - math.pi / 2, house)
            return "corner_cut", partial(layouts.strips, view), view
        view = self._view(inwards, house)
        return "corner_cut", partial(layouts.corner, view, share=length_m / (length_m + first_m)), view

    def _detached(self, frontage: MultiLineString, targets: Targets, house: Polygon | None) -> Iterator[_Layout]:
        """The wished lots, or the plot of the house, along each street, if one lot takes what is left."""
        sizes, home = self.resolved.sizes_m2, None
        if not sizes and house is not None and targets.house_m2 is not None:
            sizes, home = (targets.house_m2,), house
        if self.project.is_for_neighbour or not sizes or targets.count != len(sizes) + 1:
            return
        for angle, _ in entries(frontage, self.unit, self.assumptions.minimum_width_m)[:_MAX_ENTRIES]:
            view = self._view(angle, home)
            closed = [view.frame.to_frame(part) for part in self.site.closed if isinstance(part, Polygon)]
            yield "detached_lots", partial(detached_lots, view, areas=sizes, closed=closed), view

    def _shared_ways(self, frontage: MultiLineString, inwards: float, house: Polygon | None) -> Iterator[_Layout]:
        """Ways from each street in turn, until one is drawn without violations; from both if some ground is closed."""
        self.has_way = False
        angles = [angle for angle, _ in entries(frontage, self.unit, self.assumptions.shared_way_m)]
        first = [
            angle for angle in angles if angle_between(angle, inwards) < _CORNER_RAD and math.cos(angle - inwards) > 0
        ]
        for angle in [*first[:1], *(other_angle for other_angle in angles if other_angle not in first[:1])][
            :_MAX_ENTRIES
        ]:
            yield from self._ways_from(along_sides(angle, self.unit), house)
            if self.has_way and not self.site.closed:  # a way that crosses closed ground may be longer
                return

    def _ways_from(self, inwards: float, house: Polygon | None) -> Iterator[_Layout]:
        figures, behind = self.assumptions, self._view(inwards, house)
        depth = behind.unit.bounds[2] - behind.unit.bounds[0]
        width = behind.unit.area / depth
        least = figures.minimum_width_m
        if depth < 2 * least + figures.shared_way_m or width < least + figures.shared_way_m:
            return
        if width >= 2 * least + figures.shared_way_m and house is None and not self.resolved.sizes_m2:
            yield "shared_way", partial(shared_way.middle_way, behind), behind
        if width < 5 * least + figures.shared_way_m:
            for sign, turn in zip((1, -1), side_turns(behind.unit), strict=True):
                view = self._view(inwards + turn, house) if abs(turn) > 1e-3 else behind  # noqa: PLR2004 (radians)
                yield "shared_way", partial(shared_way.side_way, view, sign=sign), view

    def _view(self, angle: float, house: Polygon | None) -> View:
        frame = Frame(angle, (self.unit.centroid.x, self.unit.centroid.y))
        needs_access = not self.project.is_for_neighbour
        front = self.site.frontage if needs_access else None
        frontage = None if front is None else frame.to_frame(front)
        buildings = [frame.to_frame(building) for building in self.buildings]
        home = None if house is None else frame.to_frame(house)
        ground = None if self.open_ground is None else frame.to_frame(self.open_ground)
        return View(frame, frame.to_frame(self.unit), frontage, buildings, home, self.assumptions, ground, self.leeway)


_FOR_NEIGHBOUR = {"minimum_width_m": 0.5, "minimum_lot_m2": 1.0, "usual_lot_m2": 0.0}
"""Land for a neighbour may be a narrow strip, since nothing is built on it."""


def draw(site: Site | None, project: Project, assumptions: Assumptions = Assumptions()) -> Division:  # noqa: B008
    """Draws at most three proposals, best first. Deterministic."""
    division, drawing = _begun(site, project, assumptions)
    if drawing is None:
        return division
    candidates = drawing.proposals()
    if not candidates:
        return replace(division, reason=min(drawing.reasons, default="no_valid_cut", key=_REASONS.index))
    proposals = tuple(best_first(candidates, drawing.project)[:MAX_PROPOSALS])
    return finished(replace(division, proposals=proposals, assumptions=drawing.assumptions), drawing.site)


def draw_usable(site: Site, project: Project) -> Division | None:
    """The first drawing in which each lot has an access, its wished area and ground to build on; None if there is none.
    Deterministic. `finished` completes it.
    """
    division, drawing = _begun(site, project, Assumptions())
    proposal = None if drawing is None else drawing.first_usable()
    return None if proposal is None else replace(division, proposals=(proposal,))


def _begun(site: Site | None, project: Project, assumptions: Assumptions) -> tuple[Division, _Drawing | None]:
    """What is to be drawn, and the drawing; None if nothing can be drawn."""
    if project.is_for_neighbour:
        assumptions = replace(assumptions, **_FOR_NEIGHBOUR)
    if project.shared_way_m is not None:
        assumptions = replace(assumptions, shared_way_m=project.shared_way_m)
    if project.footprint_m2:
        width = min(assumptions.house_width_m, math.sqrt(project.footprint_m2))
        assumptions = replace(assumptions, house_width_m=width, house_depth_m=project.footprint_m2 / width)
    if site is None or site.unit.is_empty:
        count = resolve(project, 1e9, assumptions).count
        return Division(count, (), "no_geometry", assumptions, project=project), None
    rules = _strictest(site.rules, project)
    if rules.setback_m is not None:
        assumptions = replace(assumptions, setback_m=rules.setback_m)
    buildings = () if project.demolishes_house else site.buildings
    wish = project
    if wish.keeps_house and not houses_of([*_standing_on(site.unit, buildings)]):
        sizes = wish.sizes_m2 if wish.house_m2 is None else (*wish.sizes_m2, wish.house_m2)
        wish = replace(wish.resized(sizes, None, wish.lot_count), keeps_house=False)
    resolved = resolve(wish, site.unit.area, assumptions)
    division = Division(
        resolved.count,
        (),
        None,
        assumptions,
        is_bare=not site.buildings,
        limitations=resolved.limitations,
        rules=rules,
        project=project,
    )
    unit = _single_polygon(site.unit)
    if unit is None:
        return replace(division, reason="several_pieces"), None
    if unit.area / resolved.count < assumptions.minimum_lot_m2:
        return replace(division, reason="too_small"), None
    site = replace(site, unit=unit, buildings=tuple(_standing_on(unit, buildings)), rules=rules)
    return division, _Drawing(unit, site, resolved, assumptions, wish)


def finished(division: Division, site: Site) -> Division:
    """The division with the ranks, sides and slopes of its proposals, and with what the first one leaves out."""
    sides_m = division.assumptions.house_sides_m
    proposals = tuple(replace(completed(p, site, sides_m), rank=rank) for rank, p in enumerate(division.proposals, 1))
    violations = {code for lot in proposals[0].lots for code in lot.violations}
    missed = [MISSED] if "wished_size" in violations else []
    missed += [tell("limitation.uneven")] if "uneven" in violations else []
    way = proposals[0].shared_way
    crosses = way is not None and any(intersection(way.shape, surface).area > 1 for surface in site.closed)
    if proposals[0].method == "detached_lots":
        crosses = any(lot.strip_m2 and lot.closed_area_m2 > 1 for lot in proposals[0].lots)
    if crosses:
        missed.append(tell("limitation.closed_access"))
    if division.project.has_shared_way is False and any(lot.right_of_way is not None for lot in proposals[0].lots):
        missed.append(tell("limitation.no_own_access"))
    if division.project.has_shared_way and way is None:
        missed.append(tell("limitation.no_shared_way"))
    return replace(division, proposals=proposals, limitations=(*division.limitations, *missed))


def _strictest(rules: StatedRules, project: Project) -> StatedRules:
    """The stricter figure of the plan's prescriptions and of the question."""
    setbacks = [value for value in (rules.setback_m, project.setback_m) if value is not None]
    ratios = [value for value in (rules.footprint_ratio, project.footprint_ratio) if value is not None]
    heights = [value for value in (rules.height_m, project.height_m) if value is not None]
    return replace(
        rules,
        setback_m=max(setbacks, default=None),
        footprint_ratio=min(ratios, default=None),
        height_m=min(heights, default=None),
    )


def _single_polygon(unit: BaseGeometry) -> Polygon | None:
    if not isinstance(unit, Polygon):
        closed = buffer(buffer(unit, _GAP_M), -_GAP_M)
        if (
            not isinstance(closed, Polygon)
            or shapely.symmetric_difference(closed, unit, grid_size=1e-4).area > unit.area * _GAP_RATIO
        ):
            return None
        unit = closed
    return unit if unit.is_valid else None


def _standing_on(unit: BaseGeometry, buildings: tuple[Polygon, ...]) -> Iterator[Polygon]:
    """The parts of buildings on the unit, without a neighbour's wall that overlaps a little."""
    for building in buildings:
        inside = intersection(building, unit)
        if inside.area >= _NEIGHBOUR_M2 or inside.area > building.area / 2:
            yield from (part for part in shapely.get_parts(inside) if isinstance(part, Polygon))
