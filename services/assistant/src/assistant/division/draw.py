"""Draws proposals of lots by several methods, and ranks them."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import shapely
from shapely import MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division import layouts, shared_way
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
from assistant.division.measure import check_plan, completed, houses_of, measure
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
from assistant.division.score import score_terms
from assistant.division.shapes import buffer, intersection
from assistant.division.wishes import MISSED, Resolved, resolve
from assistant.division.wording import tell
from assistant.project import Project
from servicekit.languages import Text

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
_SAME_SIZE = 0.1
"""Areas that differ by less, as a share, count as the same."""
_SAME_PLACE_M = 2.0

_Layout = tuple[Method, Callable[[Targets], Iterator[Plan]], View]
_REASONS = ("built_over", "too_narrow", "too_small", "no_valid_cut")


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

    def proposals(self, enough: int | None) -> list[Proposal]:
        """All that can be drawn, or `enough` usable ones: first the plain layouts, then those that keep the house."""
        targets = self.resolved.targets(self.unit.area)
        house = self.house if self.resolved.sizes_m2 or targets.house_m2 is not None else None
        if house is not None and targets.house_m2 is None:  # the house stays on what is left over
            targets = Targets(targets.lot_shares[:-1], targets.lot_shares[-1])
        proposals: list[Proposal] = []
        for layout in self._layouts(targets.count, house):
            proposals += self._drawn(layout, targets, house)
            if enough is not None and sum(_is_usable(p, self.project) for p in proposals) >= enough:
                return proposals
        if house is None and self.house is not None and not self.resolved.sizes_m2:
            house_drawings = self._kept_house(targets.count)
            if house_drawings is not None:
                proposals.append(house_drawings)
        return proposals

    def _kept_house(self, count: int) -> Proposal | None:
        """The first good layout in which the house has a plot of the assumed area; None if there is none."""
        figures, area_m2 = self.assumptions, self.unit.area
        plot, other = figures.house_plot_m2, (area_m2 - figures.house_plot_m2) / (count - 1)
        if other < figures.usual_lot_m2 or abs(plot - other) < _SAME_SIZE * plot:
            return None
        targets = Targets((other,) * (count - 1), plot)
        near: list[Proposal] = []
        for layout in self._layouts(count, self.house):
            proposals = self._drawn(layout, targets, self.house)
            near += [p for p in proposals if _misses_plot(p, plot) <= _SAME_SIZE]
            if any(not p.violation_count for p in near):
                break  # the plain layouts give the alternatives
        return replace(min(near, key=_rank), method="kept_house") if near else None

    def _drawn(self, layout: _Layout, targets: Targets, house: Polygon | None) -> Iterable[Proposal]:
        """The best plan of one layout, or nothing."""
        method, plans, view = layout
        proposals = []
        try:
            for plan in plans(targets):
                try:
                    check_plan(plan, view.buildings, self.assumptions)
                    tidy = tidied(plan, view.unit).moved(view.frame)
                except Undrawable as failure:
                    self.reasons.append(str(failure))
                    continue
                proposals.append(self._proposal(method, tidy, house))
        except Undrawable as failure:
            self.reasons.append(str(failure))
        self.has_way |= any(p.shared_way is not None and not p.violation_count for p in proposals)
        return [min(proposals, key=_rank)] if proposals else []

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
        return Proposal(0, method, lots, score_terms(lots, way, has_house_plot), way)

    def _layouts(self, count: int, house: Polygon | None) -> Iterator[_Layout]:
        """The methods to try, each with its frame."""
        unit, frontage = self.unit, self.site.frontage
        angles: list[float] = []
        if frontage is not None and not frontage.is_empty:
            streets = street_angles(frontage)
            along = streets[0][0]
            inwards = along_sides(inward_angle(along, frontage, unit), unit)
            angles = [inwards - math.pi / 2, inwards]
            side_by_side, behind = (self._view(angle, house) for angle in angles)
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
            if count >= shared_way.MINIMUM_LOTS:
                yield "flag_lots", partial(layouts.flag_lots, behind), behind
            tells_way = self.project.has_shared_way
            if tells_way or (tells_way is None and count >= shared_way.MINIMUM_LOTS):
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

    def _shared_ways(self, frontage: MultiLineString, inwards: float, house: Polygon | None) -> Iterator[_Layout]:
        """Ways from each street in turn, until one is drawn without violations."""
        self.has_way = False
        angles = [angle for angle, _ in entries(frontage, self.unit, self.assumptions.shared_way_m)]
        first = [
            angle for angle in angles if angle_between(angle, inwards) < _CORNER_RAD and math.cos(angle - inwards) > 0
        ]
        for angle in [*first[:1], *(other_angle for other_angle in angles if other_angle not in first[:1])][
            :_MAX_ENTRIES
        ]:
            yield from self._ways_from(along_sides(angle, self.unit), house)
            if self.has_way:
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
        return View(frame, frame.to_frame(self.unit), frontage, buildings, home, self.assumptions)


_FOR_NEIGHBOUR = {"minimum_width_m": 0.5, "minimum_lot_m2": 1.0, "usual_lot_m2": 0.0}
"""Land for a neighbour may be a narrow strip, since nothing is built on it."""


def draw(
    site: Site | None,
    project: Project,
    assumptions: Assumptions = Assumptions(),  # noqa: B008
    enough: int | None = None,
) -> Division:
    """Draws at most three proposals, best first. Stops as soon as `enough` are usable.
    Deterministic.
    """
    if project.is_for_neighbour:
        assumptions = replace(assumptions, **_FOR_NEIGHBOUR)
    if project.shared_way_m is not None:
        assumptions = replace(assumptions, shared_way_m=project.shared_way_m)
    if site is None or site.unit.is_empty:
        count = resolve(project, 1e9, assumptions).count
        return Division(count, (), "no_geometry", assumptions, project=project, limitations=_unfollowed(project))
    site = replace(site, rules=_strictest(site.rules, project))
    if site.rules.setback_m is not None:
        assumptions = replace(assumptions, setback_m=site.rules.setback_m)
    has_buildings = bool(site.buildings)
    if project.demolishes_house:
        site = replace(site, buildings=())
    wish = project
    if wish.house_m2 is not None and not houses_of([*_standing_on(site.unit, site.buildings)]):
        wish = replace(wish, sizes_m2=(*wish.sizes_m2, wish.house_m2), house_m2=None)
    resolved = resolve(wish, site.unit.area, assumptions)
    limitations = (*resolved.limitations, *_unfollowed(project))
    division = Division(
        resolved.count, (), None, assumptions, limitations=limitations, rules=site.rules, project=project
    )
    unit = _single_polygon(site.unit)
    if unit is None:
        return replace(division, reason="several_pieces")
    if unit.area / resolved.count < assumptions.minimum_lot_m2:
        return replace(division, reason="too_small")
    site = replace(site, unit=unit, buildings=tuple(_standing_on(unit, site.buildings)))
    drawing = _Drawing(unit, site, resolved, assumptions, project)
    candidates = drawing.proposals(enough)
    if not candidates:
        return replace(division, reason=min(drawing.reasons, key=_REASONS.index))
    reaching = [p for p in candidates if all(lot.access != "landlocked" for lot in p.lots)]
    ranked = _without_repeats(sorted(reaching or candidates, key=lambda p: (_misses(p, project), *_rank(p))))
    proposals = tuple(
        replace(completed(proposal, site), rank=rank) for rank, proposal in enumerate(ranked[:MAX_PROPOSALS], 1)
    )
    violations = {code for lot in proposals[0].lots for code in lot.violations}
    missed = [MISSED] if "wished_size" in violations else []
    missed += [tell("limitation.uneven")] if "uneven" in violations else []
    if project.has_shared_way and proposals[0].shared_way is None:
        missed.append(tell("limitation.no_shared_way"))
    return replace(
        division, proposals=proposals, is_bare=not has_buildings, limitations=(*division.limitations, *missed)
    )


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


def _unfollowed(project: Project) -> tuple[Text, ...]:
    return tuple(tell(f"unfollowed.{name}") for name in project.unfollowed)


def _rank(proposal: Proposal) -> tuple[int, int, float]:
    rights = sum(lot.right_of_way is not None for lot in proposal.lots)
    return proposal.violation_count, rights, -round(proposal.score, 6)


def _misses_plot(proposal: Proposal, plot_m2: float) -> float:
    """How much the plots with houses differ from this area, as a share of it."""
    return max(abs(lot.area_m2 - plot_m2) / plot_m2 for lot in proposal.lots if lot.role == "kept_house")


def _misses(proposal: Proposal, project: Project) -> int:
    """How much of the project the proposal leaves out: a plot of its own for the house, the shared way."""
    misses_house = project.keeps_house and proposal.method != "kept_house"
    misses_way = bool(project.has_shared_way) and proposal.shared_way is None
    return misses_house + misses_way


def _is_usable(proposal: Proposal, project: Project) -> bool:
    """Whether each lot has an access and its wished area, and nothing of the project is left out."""
    violations = {code for lot in proposal.lots for code in lot.violations}
    return violations.isdisjoint(("landlocked", "wished_size")) and not _misses(proposal, project)


def _without_repeats(ranked: list[Proposal]) -> list[Proposal]:
    """The best proposal of each method, without those that look like a better one."""
    chosen: list[Proposal] = []
    for proposal in ranked:
        if all(proposal.method != better.method and not _looks_like(proposal, better) for better in chosen):
            chosen.append(proposal)
    return chosen


def _looks_like(one: Proposal, other: Proposal) -> bool:
    """Whether each lot has about the place and the area of a lot of the other proposal."""
    places = [(lot.shape.centroid, lot.area_m2) for lot in other.lots]
    return all(
        any(
            abs(lot.area_m2 - area_m2) < _SAME_SIZE * area_m2 and lot.shape.centroid.distance(place) < _SAME_PLACE_M
            for place, area_m2 in places
        )
        for lot in one.lots
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
