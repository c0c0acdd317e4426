"""Measures the lots of a plan and lists their violations of the assumptions."""

import math
from dataclasses import replace

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.access import (
    CLEAR_TOLERANCE_M,
    MINIMUM_CONTACT_RATIO,
    NO_FRONTAGE_M,
    TOUCH_M,
    frontages_of,
    width_of,
)
from assistant.division.house import TOLERANCE_M, house_on, largest_share
from assistant.division.plan import Plan
from assistant.division.proposal import Access, Assumptions, Lot, Proposal, Role, Site, Violation
from assistant.division.ranking import is_misshapen, lies_along_neighbour
from assistant.division.shapes import GRID_M, buffer, intersection
from assistant.division.sides import sides_of
from assistant.division.slices import demand
from assistant.division.wishes import Resolved
from assistant.project import Project

_TOLERANCE_M = 0.05
_BOUND_M2 = 1.0
"""A bound of a wished area has no other play than the rounding of areas."""
_SPECK_M2 = 0.05
"""So much of a building on a lot is an error of its outline."""
SHED_M2 = 40.0
"""A smaller building is a shed, a larger one a house. Our assumption."""
EVEN_TOLERANCE = 0.05
"""Lots within this share of their mean are even: the largest is at most about 10 % larger than the smallest."""
_MIN_PART = 0.1
"""A smaller part behind a neck is an odd corner."""
_NEAR_M = 1.0
"""Samples of the altitude up to this distance count for a lot."""
_FLAT_SAMPLES = 3
_SPREAD_M = 0.99
"""Samples with a smaller root mean square distance from a line give no slope across it."""


def check_plan(plan: Plan, buildings: list[Polygon], assumptions: Assumptions) -> None:
    """Raises Undrawable if a building is cut or a lot is too small or too narrow."""
    demand("built_over", all(sum(stands_on(building, lot) for lot in plan.lots) == 1 for building in buildings))
    least_m2 = min(lot.area for lot in plan.lots)
    demand("built_over" if buildings else "too_small", least_m2 >= assumptions.minimum_lot_m2)
    demand("too_narrow", all(_holds_circle(lot, assumptions.minimum_width_m) for lot in plan.lots))


def stands_on(building: Polygon, lot: Polygon) -> bool:
    """Whether more of the building than an error of its outline is on the lot."""
    if not building.intersects(lot):
        return False
    if building.length * GRID_M < building.area / 2 and lot.contains(building):  # several times faster
        return True
    return intersection(lot, building).area > min(_SPECK_M2, building.area / 100)


def _holds_circle(lot: Polygon, diameter_m: float) -> bool:
    centre = lot.representative_point()
    if centre.distance(lot.boundary) > diameter_m / 2 + _TOLERANCE_M:  # several times faster
        return True
    return not lot.buffer(-diameter_m / 2).is_empty


def houses_of(buildings: list[Polygon]) -> list[Polygon]:
    """The buildings that are larger than a shed."""
    return [building for building in buildings if building.area >= SHED_M2]


def measure(
    plan: Plan,
    site: Site,
    assumptions: Assumptions,
    resolved: Resolved,
    house: Polygon | None,
    project: Project,
) -> tuple[Lot, ...]:
    """The lots with their metrics, named A, B, C… in order. `house` is the house that has a plot of its own."""
    fronts = [None] * len(plan.lots) if site.frontage is None else frontages_of(plan.lots, site.frontage)
    lots = [_measure_lot(i, plan, fronts[i], site, assumptions) for i in range(len(plan.lots))]
    wished_m2: dict[int, float] = {}
    if house is not None and resolved.house_m2 is not None:
        wished_m2[next(i for i, lot in enumerate(plan.lots) if stands_on(house, lot))] = resolved.house_m2
    for size in resolved.sizes_m2:
        free = [i for i in range(len(lots)) if i not in wished_m2]
        nearest = min(free, key=lambda i, size=size: (lots[i].is_built, abs(lots[i].area_m2 - size), i))  # type: ignore[misc]
        wished_m2[nearest] = size
    bounds_m2 = {lot.size_m2: lot.bounds_m2 for lot in project.lots}
    for i, size in wished_m2.items():
        lots[i] = replace(lots[i], wished_m2=size, bounds_m2=bounds_m2.get(size))
        if abs(lots[i].lacking_m2) > (_BOUND_M2 if lots[i].bounds_m2 else size * resolved.tolerance):
            lots[i] = replace(lots[i], violations=(*lots[i].violations, "wished_size"))
    if project.has_even_lots:
        lots = _evened(lots, is_house_apart=project.house_m2 is not None)
    if project.footprint_m2:
        sides_m = assumptions.house_sides_m
        fitting = [lot.role == "building_plot" and "no_house_fits" not in lot.violations for lot in lots]
        lots = [replace(lot, told_house_m=sides_m) if fits else lot for lot, fits in zip(lots, fitting, strict=True)]
    if project.shares_land:
        lots = [replace(lot, violations=tuple(v for v in lot.violations if v not in _OF_HOUSES)) for lot in lots]
    if project.is_for_neighbour:
        lots = _without_building_plots(lots, site.unit)
    return tuple(lots)


def _evened(lots: list[Lot], *, is_house_apart: bool) -> list[Lot]:
    """Marks lots that differ from their mean. A plot of the house whose area is told does not count. If some lots have
    wished areas, only these count.
    """
    even = [lot for lot in lots if not (is_house_apart and lot.is_built)] or lots
    even = [lot for lot in even if lot.wished_m2 is not None] or even
    mean = sum(lot.area_m2 for lot in even) / len(even)
    return [
        replace(lot, violations=(*lot.violations, "uneven"))
        if lot in even and abs(lot.area_m2 - mean) > EVEN_TOLERANCE * mean
        else lot
        for lot in lots
    ]


_OF_HOUSES: tuple[Violation, ...] = ("small_lot", "no_house_fits")
"""What does not matter where no house is asked for."""
_OF_THE_REST: tuple[Violation, ...] = ("landlocked", "building_setback")
"""What a sale to a neighbour may do to the land that stays."""


def _without_building_plots(lots: list[Lot], unit: BaseGeometry) -> list[Lot]:
    """The plot for the neighbour, which needs neither access nor room, and the land that stays."""
    sold = next((lot for lot in lots if lot.wished_m2), min(lots, key=lambda lot: (lot.is_built, lot.area_m2)))
    is_apart, of_sold = not lies_along_neighbour(sold, unit), ("wished_size",)
    return [
        replace(
            lot,
            role="neighbour_plot" if lot is sold else "rest",
            violations=tuple(code for code in lot.violations if code in (of_sold if lot is sold else _OF_THE_REST)),
            is_misshapen=lot is sold and is_apart,
        )
        for lot in lots
    ]


def _measure_lot(index: int, plan: Plan, front: float | None, site: Site, assumptions: Assumptions) -> Lot:
    shape, strip = plan.lots[index], plan.strips.get(index)
    lot_buildings = [building for building in site.buildings if stands_on(building, shape)]
    core = shape if strip is None else shape.difference(strip)
    crossing = [ground for i, ground in plan.rights.items() if i != index]
    envelope = _envelope(core, [*lot_buildings, *crossing], site, assumptions)
    right = plan.rights.get(index)
    access, reach = _access(shape, strip, plan.way, front, assumptions)
    if access == "frontage" and not site.has_road:
        access, reach = "unknown", None
    if right is not None and access == "landlocked":
        access, reach = "right_of_way", width_of(right)
    built_m2 = sum(building.area for building in lot_buildings)
    is_built = built_m2 >= SHED_M2
    buildable = envelope.area
    if site.rules.footprint_ratio is not None:
        left_m2 = site.rules.footprint_ratio * shape.area - built_m2
        if site.is_judged_whole and "footprint_ratio" in site.rules.read:
            left_m2 = _share_of_whole(shape, plan, site, site.rules.footprint_ratio)
        buildable = min(buildable, max(0.0, left_m2))
    width, sides = assumptions.access_strip_m, assumptions.house_sides_m
    minimum = width - CLEAR_TOLERANCE_M if access == "frontage" else width * MINIMUM_CONTACT_RATIO
    other_pieces = [piece for i, piece in enumerate(plan.pieces) if i != index]
    gaps_m = [building.distance(piece) for building in lot_buildings for piece in other_pieces]
    gap_m = min(gaps_m, default=math.inf)
    found: dict[Violation, bool] = {
        "small_lot": shape.area < assumptions.usual_lot_m2,
        "landlocked": access == "landlocked",
        "narrow_frontage": reach is not None and access != "landlocked" and reach < minimum,
        "building_setback": gap_m < assumptions.setback_m - _TOLERANCE_M,
        "no_house_fits": not is_built and (buildable < math.prod(sides) or house_on(envelope, sides) is None),
        "narrow_neck": _has_neck(core, width / 2),
    }
    violations = tuple(code for code, is_found in found.items() if is_found)
    role: Role = "kept_house" if is_built else "building_plot"
    if not is_built and _is_closed(core, site, sides):  # it needs neither access nor room
        role, violations = "closed_land", ("closed_land",)
    return Lot(
        id="ABCDEFGHIJKL"[index],
        shape=shape,
        area_m2=shape.area,
        frontage_m=front,
        access=access,
        strip_m2=0.0 if strip is None else strip.area,
        right_of_way=right if access == "right_of_way" else None,
        compactness=4 * math.pi * shape.area / shape.length**2,
        envelope=envelope,
        buildable_area_m2=buildable,
        has_existing_building=bool(lot_buildings),
        reach_m=reach,
        building_gap_m=gap_m,
        is_built=is_built,
        role=role,
        is_misshapen=is_misshapen(core),
        violations=violations,
    )


def _has_neck(core: BaseGeometry, half_m: float) -> bool:
    """Whether a neck splits the lot into parts that are both of use."""
    areas = sorted(shapely.area(shapely.get_parts(buffer(core, -half_m))).tolist())
    return len(areas) > 1 and areas[-2] > _MIN_PART * areas[-1]


def _share_of_whole(shape: Polygon, plan: Plan, site: Site, ratio: float) -> float:
    """What the buildings leave of the footprint of the whole unit: shared among the lots without a building by their
    areas. A lot with a building may take all of it.
    """
    left_m2 = ratio * site.unit.area - sum(building.area for building in site.buildings)
    bare = [lot for lot in plan.lots if not any(stands_on(building, lot) for building in site.buildings)]
    return left_m2 * (shape.area / sum(lot.area for lot in bare) if shape in bare else 1)


def _is_closed(core: BaseGeometry, site: Site, sides_m: tuple[float, float]) -> bool:
    """Whether closed surfaces leave the lot without room for a house: its shape alone does not, or most is closed."""
    ground = _open_ground(core, site)
    if ground is core or house_on(ground, sides_m) is not None:
        return False
    return ground.area < core.area / 2 or house_on(core, sides_m) is not None


def _open_ground(core: BaseGeometry, site: Site) -> BaseGeometry:
    """The ground without closed surfaces."""
    closed = [surface for surface in site.closed if surface.intersects(core)]
    return core.difference(shapely.union_all(closed)) if closed else core


def _envelope(core: BaseGeometry, kept_free: list[Polygon], site: Site, assumptions: Assumptions) -> BaseGeometry:
    away, grown, taken = site.rules.way_setback_m, core, list[BaseGeometry](kept_free)
    if away is not None and site.frontage is not None:
        if away > assumptions.setback_m:
            taken.append(buffer(site.frontage, away, "square"))
        else:  # nearer to the road than to neighbours
            front = site.frontage.intersection(core.buffer(TOUCH_M))
            grown = core.union(buffer(front, assumptions.setback_m - away))
    envelope = buffer(grown, -assumptions.setback_m).intersection(core)
    taken += [surface for surface in site.closed if surface.intersects(envelope)]
    return envelope.difference(shapely.union_all(taken)) if taken else envelope


def _access(
    shape: Polygon, strip: Polygon | None, way: Polygon | None, front: float | None, assumptions: Assumptions
) -> tuple[Access, float | None]:
    """How the lot reaches the way, and the length of its contact; None if the frontage is not known."""
    if front is None:
        return "unknown", None
    if strip is not None:
        return "strip", front
    if way is not None and front < assumptions.access_strip_m:
        shared = way.boundary.intersection(shape.buffer(TOUCH_M / 10, quad_segs=1)).length
        if shared > max(front, NO_FRONTAGE_M):
            return "shared_way", shared
    return ("frontage" if front >= NO_FRONTAGE_M else "landlocked"), front


def completed(proposal: Proposal, site: Site, house_sides_m: tuple[float, float]) -> Proposal:
    """The proposal with the sides, slopes and largest houses of its lots. The frontage of a lot is the sum of its sides
    on the way.
    """
    shapes = [lot.shape for lot in proposal.lots]
    way = None if proposal.shared_way is None else proposal.shared_way.shape
    lots = []
    for index, lot in enumerate(proposal.lots):
        sides = sides_of(lot.shape, shapes[:index] + shapes[index + 1 :], way, site.frontage)
        front = None if lot.frontage_m is None else sum(round(side.length_m, 2) for side in sides if side.kind == "way")
        slope = _slope_percent(lot.shape, site)
        closed_m2 = lot.area_m2 - _open_ground(lot.shape, site).area
        protected = [lot.shape.intersection(surface) for surface in site.protected]
        protected_m2 = shapely.union_all(protected).area if protected else None
        house = _largest_house(lot, house_sides_m) if "no_house_fits" in lot.violations else None
        measured = replace(lot, sides=sides, frontage_m=front, mean_slope_percent=slope, closed_area_m2=closed_m2)
        lots.append(replace(measured, largest_house_m=house, protected_area_m2=protected_m2))
    return replace(proposal, lots=tuple(lots))


def _largest_house(lot: Lot, sides_m: tuple[float, float]) -> tuple[float, float]:
    """The sides of the largest house of these proportions on the ground and within the footprint left."""
    share = min(largest_share(lot.envelope, sides_m), math.sqrt(lot.buildable_area_m2 / math.prod(sides_m)))
    width, depth = (math.floor(10 * (share * side + 3 * TOLERANCE_M)) / 10 for side in sides_m)
    return width, depth


def _slope_percent(lot: Polygon, site: Site) -> float | None:
    """Slope of the plane through the samples in the lot; None if they make no plane."""
    if not site.altitudes:
        return None
    samples = np.array(site.altitudes)
    near = samples[shapely.dwithin(shapely.points(samples[:, :2]), lot, _NEAR_M)]
    if len(near) < _FLAT_SAMPLES:
        return None
    offsets = np.column_stack([near[:, :2] - near[:, :2].mean(axis=0), np.ones(len(near))])
    (east, north, _), _, _, scales = np.linalg.lstsq(offsets, near[:, 2], rcond=1e-6)
    is_line = scales[-1] < _SPREAD_M * math.sqrt(len(near))  # the ones of a column have 1 for its spread
    return None if is_line else float(100 * math.hypot(east, north))
