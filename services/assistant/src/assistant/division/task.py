"""What is to be drawn: the site and the project, made ready, or the reason why nothing can be drawn."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.assessment.facts import LEAST_HOUSE_M
from assistant.division.access import widest_m, width_of
from assistant.division.frame import Frame
from assistant.division.measure import EVEN_TOLERANCE, houses_of
from assistant.division.plan import View
from assistant.division.proposal import Assumptions, Division, Site, StatedRules
from assistant.division.shapes import buffer, intersection
from assistant.division.wishes import Resolved, resolve
from assistant.project import Project

_GAP_M = 0.1
"""Gaps up to this width are closed: adjacent parcels may be centimetres apart in the cadastral plan."""
_GAP_RATIO = 0.01
"""Maximum share of the unit in such gaps."""
_NEIGHBOUR_M2 = 5.0
"""A building with less than this, and less than half of it, on the unit belongs to a neighbour."""
_ROAD_LENGTHS = 8
"""A road is so many times longer than wide."""
_LEEWAY = 0.9 * EVEN_TOLERANCE
_FOR_NEIGHBOUR = {"minimum_width_m": 0.5, "minimum_lot_m2": 1.0, "usual_lot_m2": 0.0}
"""Land for a neighbour may be a narrow strip, since nothing is built on it."""


@dataclass(frozen=True)
class Task:
    """A site in one piece, and the lots to draw on it."""

    unit: Polygon
    site: Site
    project: Project
    resolved: Resolved
    assumptions: Assumptions
    open_ground: MultiPolygon | None = None
    """The ground that the lots share out, if that is not the whole unit."""
    leeway: float = _LEEWAY
    """How far areas may differ from even ones, as a share, for the open ground to be even."""

    @property
    def has_places(self) -> bool:
        """Whether the project wishes the places of lots."""
        return any(lot.position for lot in self.project.lots)

    @cached_property
    def house(self) -> Polygon | None:
        """The largest house."""
        return max(houses_of(list(self.site.buildings)), key=lambda house: (house.area, house.bounds), default=None)

    def view(self, angle: float, house: Polygon | None) -> View:
        """The site in a frame whose x axis has this direction. With a house, it has a plot of its own."""
        frame = Frame(angle, (self.unit.centroid.x, self.unit.centroid.y))
        front = None if self.project.is_for_neighbour else self.site.frontage  # its buyer has an access
        return View(
            frame,
            frame.to_frame(self.unit),
            None if front is None else frame.to_frame(front),
            [frame.to_frame(building) for building in self.site.buildings],
            None if house is None else frame.to_frame(house),
            self.assumptions,
            None if self.open_ground is None else frame.to_frame(self.open_ground),
            self.leeway,
        )


def task_of(site: Site | None, project: Project, assumptions: Assumptions) -> tuple[Division, Task | None]:
    """The division without its proposals, and what is to be drawn; None if nothing can be drawn."""
    if project.is_for_neighbour:
        assumptions = replace(assumptions, **_FOR_NEIGHBOUR)
    if project.shared_way_m is not None:
        assumptions = replace(assumptions, shared_way_m=project.shared_way_m)
    if project.footprint_m2:
        width_m = min(assumptions.house_width_m, math.sqrt(project.footprint_m2))
        width_m, depth_m = (site and site.house_sides_m) or (width_m, project.footprint_m2 / width_m)
        assumptions = replace(assumptions, house_width_m=width_m, house_depth_m=depth_m)
    if site is None or site.unit.is_empty:
        count = resolve(project, 1e9, assumptions).count
        return Division(count, (), "no_geometry", assumptions, project=project), None
    rules = _completed(_strictest(site.rules, project), site, project.setback_m or 0.0)
    limits = {"setback_m": rules.setback_m, "access_strip_m": rules.access_strip_m}
    assumptions = replace(assumptions, **{name: value for name, value in limits.items() if value is not None})
    buildings = () if project.demolishes_house else site.buildings
    wish = project
    if wish.keeps_house and not houses_of([*_standing_on(site.unit, buildings)]):
        lots = tuple(replace(lot, use=None) if lot.use == "house" else lot for lot in wish.lots)
        wish = replace(wish, lots=lots, keeps_house=False)
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
    if not project.is_for_neighbour and not resolved.sizes_m2 and _is_road(unit, assumptions):
        return replace(division, reason="too_narrow", widest_m=widest_m(unit)), None
    site = replace(site, unit=unit, buildings=tuple(_standing_on(unit, buildings)), rules=rules)
    return division, Task(unit, site, wish, resolved, assumptions)


def _is_road(unit: Polygon, assumptions: Assumptions) -> bool:
    """Whether the land has the shape of a road, and two thirds of it no room for the narrowest house."""
    reach_m = assumptions.setback_m + LEAST_HOUSE_M / 2
    is_long = unit.area > _ROAD_LENGTHS * width_of(unit) ** 2
    return is_long and buffer(buffer(unit, -reach_m), reach_m).area <= unit.area / 3


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


def _completed(rules: StatedRules, site: Site, told_m: float) -> StatedRules:
    """The rules with the figures of the regulation where neither a prescription nor the question states one. The
    setback that the question tells holds towards the road too.
    """
    read = {name: figure for name, figure in site.read_figures.items() if getattr(rules, name) is None}
    if "way_setback_m" in read and read["way_setback_m"][0] < told_m:
        del read["way_setback_m"]
    values = {name: value for name, (value, _) in read.items()}
    return replace(rules, **values, read={name: sentence for name, (_, sentence) in read.items()})


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
