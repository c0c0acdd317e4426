"""All lots that can be drawn on a site for a project, by several methods. `draw` chooses among them."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import shapely
from shapely import MultiLineString, MultiPolygon, Polygon

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
from assistant.division.measure import check_plan, measure, stands_on
from assistant.division.places import direction, placed
from assistant.division.plan import Plan, Targets, tidied
from assistant.division.proposal import DEFAULT_LOT_COUNT, Assumptions, Method, Proposal, SharedWay
from assistant.division.ranking import (
    SAME_SIZE,
    is_reached,
    misses_plot,
    needs_its_way,
    rank,
    sells_house,
)
from assistant.division.score import score_terms
from assistant.division.slices import Undrawable, demand
from assistant.division.task import Task
from assistant.division.wishes import Resolved
from servicekit.languages import Text
from servicekit.parts import Attempt

_SAME_DIRECTION_RAD = 0.09
"""About 5 degrees."""
_CORNER_RAD = 0.6
"""Two streets that differ by less, about 35 degrees, are one that bends."""
_SQUARE_RAD = 1.3
"""About 75 degrees: lots on two streets are only cut along both if the streets meet about at right angles."""
_CORNER_M = 12.0
"""Minimum frontage on the second street of a corner."""
_MAX_PARALLEL = 3
"""More lots one behind the other would need more than two access strips."""
_MAX_ENTRIES = 2
"""Ways are tried from at most so many streets."""
_AHEAD = 0.5
"""The cosine from which on a place lies ahead of a street, at the back of the land as seen from it."""
_SHARING: tuple[Method, ...] = ("perpendicular_cut", "parallel_cut", "envelope_cut", "shared_way")
"""The methods whose lots can share out the open ground."""
_LESS = (0.8, 0.6)
"""The shares of the assumed plot of a house to try if the whole of it closes the way."""
_MOST_FRONT = 1 / 3
"""Neighbours, not ways, bound land for a neighbour: ways take at most this share of its outline."""
_COMPACT = 0.6
"""The compactness of a rectangle that is three times as long as wide."""

DRAWING_FAILED = "failed"
"""The reason if a defect stopped the drawing, so that nothing is known of the lots."""
_LAYOUT = Text("l’un des découpages", "one of the divisions")
_HOUSE_PLOT = Text("le découpage qui détache la maison", "the division that detaches the house")


class _Layout(NamedTuple):
    """A method, and its plans in a frame."""

    method: Method
    plans: Callable[[], Iterator[Plan]]
    frame: Frame
    is_second_way: bool = False
    """It is needed only if the first street gives no shared way without violations."""
    plot: Polygon | None = None
    """The plot of the house, if the plans are of the unit without it."""


class Drawn(NamedTuple):
    """What is drawn, and why other plans are not."""

    proposals: list[Proposal]
    reasons: list[str]


def candidates(task: Task) -> tuple[Drawn, Assumptions]:
    """The best of each plain layout, then one that gives the house a plot of the assumed area; and the assumptions of
    the drawing, since the house may have a smaller plot.
    """
    result = Drawn([], [])
    kept = None if task.has_places else 1  # the best one for the places is seen among all
    for drawn in plain(task):
        result.reasons.extend(drawn.reasons)
        result.proposals.extend(sorted(drawn.proposals, key=partial(rank, project=task.project))[:kept])
    with Attempt(_HOUSE_PLOT):
        house, plot_m2 = _kept_house(task)
        result.reasons.extend(house.reasons)
        result.proposals.extend(house.proposals)
        return result, replace(task.assumptions, house_plot_m2=plot_m2)
    return result, task.assumptions


def each_proposal(task: Task) -> Iterator[Proposal]:
    """The proposals one by one, drawn as they are taken. What the project tells comes first."""
    if task.project.keeps_house:
        yield from _kept_house(task)[0].proposals
    for drawn in plain(task):
        yield from drawn.proposals


def plain(task: Task) -> Iterator[Drawn]:
    """What each plain layout gives."""
    targets = task.resolved.targets(task.unit.area)
    house = task.house if task.resolved.sizes_m2 or targets.house_m2 is not None else None
    if house is not None and targets.house_m2 is None:  # the house stays on what is left over
        targets = Targets(targets.lot_shares[:-1], targets.lot_shares[-1])
    depths = {"front": 0, "back": 2}
    lots = [(lot.size_m2, depths[lot.position]) for lot in task.project.lots if lot.position in depths]
    targets = replace(targets, depths={size: depth for size, depth in lots if size is not None})
    shared = task if task.resolved.is_told else replace(task, open_ground=_open_ground(task))
    yield from drawings(shared, _layouts(shared, targets, house), house)
    if house is not None and task.resolved.house_m2 is not None and not task.resolved.sizes_m2:
        yield from drawings(task, _beside_house_plot(task, targets, house), house)
    if shared.open_ground is not None and not task.project.has_even_lots:
        shared = replace(shared, leeway=math.inf)
        sharing = (layout for layout in _layouts(shared, targets, house) if layout.method in _SHARING)
        yield from drawings(shared, sharing, house)


def _open_ground(task: Task) -> MultiPolygon | None:
    """The ground without closed surfaces, if these leave enough for the lots and take a part of the unit."""
    parts = shapely.get_parts(task.unit.difference(shapely.union_all(task.site.closed)))
    ground = MultiPolygon([part for part in parts if isinstance(part, Polygon)])
    is_part = task.resolved.count * task.assumptions.minimum_lot_m2 <= ground.area < task.unit.area - 1
    return ground if is_part else None


def _kept_house(task: Task) -> tuple[Drawn, float]:
    """The first good layout in which the house has a plot of the assumed area, or of less if that leaves a lot without
    access, with the reasons of the other layouts; and the area of the plot. Beside land for a neighbour, the house
    stays on the rest.
    """
    plot_m2, kept = task.assumptions.house_plot_m2, Drawn([], [])
    if task.house is None or task.resolved.is_told or task.project.is_for_neighbour:
        return kept, plot_m2
    proposal = _with_house_plot(task, plot_m2, task.house, kept.reasons)
    for share in _LESS if proposal is not None and not is_reached(proposal) else ():
        smaller = _with_house_plot(task, plot_m2 * share, task.house, kept.reasons)
        if smaller is not None and is_reached(smaller):
            return kept._replace(proposals=[smaller]), plot_m2 * share
    return kept._replace(proposals=[] if proposal is None else [proposal]), plot_m2


def _with_house_plot(task: Task, plot: float, house: Polygon, reasons: list[str]) -> Proposal | None:
    """The first good layout in which the house has a plot of this area. Adds the reasons of the others."""
    count = task.resolved.count
    other = (task.unit.area - plot) / (count - 1)
    if other < task.assumptions.usual_lot_m2 or abs(plot - other) < SAME_SIZE * plot:
        return None
    near, by_rank = list[Proposal](), partial(rank, project=task.project)
    for drawn in drawings(task, _layouts(task, Targets((other,) * (count - 1), plot), house), house):
        reasons.extend(drawn.reasons)
        best = min(drawn.proposals, key=by_rank, default=None)
        near += [best] if best is not None and misses_plot(best, plot) <= SAME_SIZE else []
        if any(not p.violation_count and min(lot.compactness for lot in p.lots) >= _COMPACT for p in near):
            break  # the plain layouts give the alternatives
    return replace(min(near, key=by_rank), method="kept_house") if near else None


def _beside_house_plot(task: Task, targets: Targets, house: Polygon) -> Iterator[_Layout]:
    """The layouts of what the plot of the house along the way leaves of the unit."""
    frontage, size = task.site.frontage, targets.house_m2
    if frontage is None or frontage.is_empty or size is None or len(targets.lot_shares) < DEFAULT_LOT_COUNT:
        return
    view = task.view(entries(frontage, task.unit, 0.0)[0][0], house)
    with suppress(Undrawable):
        plot, rest = next(detached_lots(view, [size], ())).moved(view.frame).lots
        left = frontage.difference(plot.buffer(TOUCH_M))
        lines = MultiLineString([line for line in shapely.get_parts(left) if line.geom_type == "LineString"])
        buildings = tuple(building for building in task.site.buildings if stands_on(building, rest))
        site = replace(task.site, unit=rest, frontage=lines, buildings=buildings)
        other_targets = Targets(targets.lot_shares)
        beside = replace(task, unit=rest, site=site, resolved=Resolved(other_targets.count))
        for layout in _layouts(beside, other_targets, None):
            yield layout._replace(plot=plot)


def drawings(task: Task, layouts: Iterable[_Layout], house: Polygon | None) -> Iterator[Drawn]:
    """What each layout gives."""
    has_way = has_places = False
    for layout in layouts:
        if layout.is_second_way and has_way and not task.site.closed:
            continue  # a way that crosses closed ground may be longer
        if has_places and layout.method == "detached_lots":
            continue
        drawn = _drawn(task, layout, house)
        has_places = has_places or any(_is_as_wished(proposal, task) for proposal in drawn.proposals)
        has_way = has_way or any(p.shared_way is not None and not p.violation_count for p in drawn.proposals)
        yield drawn


def _drawn(task: Task, layout: _Layout, house: Polygon | None) -> Drawn:
    """A proposal of each plan, or the reason against it, up to one with each lot in its wished place."""
    drawn = Drawn([], [])
    with Attempt(_LAYOUT) as attempt:
        plans = layout.plans()
        while not any(_is_as_wished(proposal, task) for proposal in drawn.proposals[-1:]):
            try:
                drawn.proposals.append(_proposal(task, layout, next(plans), house))
            except Undrawable as failure:
                drawn.reasons.append(str(failure))
            except StopIteration:
                break
    if attempt.has_failed:
        drawn.reasons.append(DRAWING_FAILED)
    return drawn


def _is_as_wished(proposal: Proposal, task: Task) -> bool:
    """Whether places are wished, the proposal has them all, and nothing stands against one of its lots."""
    is_good = not proposal.violation_count and not any(lot.is_misshapen and lot.wished_m2 for lot in proposal.lots)
    return task.has_places and is_good and all(placed(proposal, task.project, task.site).values())


def _proposal(task: Task, layout: _Layout, plan: Plan, house: Polygon | None) -> Proposal:
    """The proposal of a plan. Raises Undrawable."""
    figures, resolved = task.assumptions, task.resolved
    whole = plan.moved(layout.frame) if layout.plot is None else plan.moved(layout.frame).after(layout.plot)
    check_plan(whole, list(task.site.buildings), figures)
    whole = tidied(whole, task.unit)
    lots, way = measure(whole, task.site, figures, resolved, house, task.project), None
    if whole.way is not None:
        radius = figures.turning_radius_m if whole.turning == "circle" else None
        way = SharedWay(whole.way, figures.shared_way_m, whole.way_length_m, whole.turning, radius)
    terms = score_terms(lots, way, has_house_plot=house is not None and not resolved.sizes_m2)
    method: Method = layout.method if resolved.house_m2 is None else "kept_house"
    proposal = Proposal(0, method, lots, terms, way, task.site.missing)
    may_sell = not task.project.keeps_house or resolved.house_m2 is not None
    demand("built_over", may_sell or not sells_house(proposal))
    fronts = [(lot.frontage_m or 0.0) / lot.shape.length for lot in proposal.lots if lot.role == "neighbour_plot"]
    demand("no_valid_cut", needs_its_way(proposal) and max(fronts, default=0.0) <= _MOST_FRONT)
    return proposal


def _layouts(task: Task, targets: Targets, house: Polygon | None) -> Iterator[_Layout]:
    """The methods to try, each with its frame."""
    unit, frontage, count = task.unit, task.site.frontage, targets.count
    angles: list[float] = []
    if task.resolved.strip_m is not None:
        ways, whole = frontage or MultiLineString(), Frame(0.0, (0.0, 0.0))
        strips = partial(layouts.side_strips, unit, ways, task.site.buildings, task.resolved.strip_m)
        yield _Layout("perpendicular_cut", partial(strips, is_on_way=True), whole)
        yield _Layout("parallel_cut", partial(strips, is_on_way=False), whole)
        return
    if frontage is not None and not frontage.is_empty:
        streets = street_angles(frontage)
        along = streets[0][0]
        inwards = along_sides(inward_angle(along, frontage, unit), unit)
        angles = [inwards - math.pi / 2, inwards]
        side_by_side, behind = (task.view(angle, house) for angle in angles)
        tells_way = task.project.has_shared_way
        if tells_way:
            yield from _shared_ways(task, targets, inwards, house)
        yield _Layout("perpendicular_cut", partial(layouts.strips, side_by_side, targets), side_by_side.frame)
        second = _second_street(task, frontage, count, along)
        if second is not None:
            angles.append(second[0] - math.pi / 2)
            yield _corner(task, targets, second, streets[0][1], house)
        has_corner_cut = second is not None and angle_between(second[0] - math.pi / 2, inwards) < _SAME_DIRECTION_RAD
        if count <= _MAX_PARALLEL and not (count == DEFAULT_LOT_COUNT and has_corner_cut):
            yield _Layout("parallel_cut", partial(layouts.strips, behind, targets), behind.frame)
        yield from _detached(task, frontage, targets, house)
        if count >= shared_way.MINIMUM_LOTS:
            yield _Layout("flag_lots", partial(layouts.flag_lots, behind, targets), behind.frame)
        if tells_way is None and count >= shared_way.MINIMUM_LOTS:
            yield from _shared_ways(task, targets, inwards, house)
    longest = longest_axis(unit)
    for axis in (longest, longest + math.pi / 2) if task.site.closed else (longest,):
        if all(angle_between(axis, angle) > _SAME_DIRECTION_RAD for angle in angles):
            view = task.view(axis, house)
            yield _Layout("envelope_cut", partial(layouts.strips, view, targets), view.frame)


def _second_street(task: Task, frontage: MultiLineString, count: int, along: float) -> tuple[float, float] | None:
    """The direction into the unit from the second street of a corner, and its frontage in metres."""
    meets = _CORNER_RAD if count == DEFAULT_LOT_COUNT else _SQUARE_RAD
    street_entries = entries(frontage, task.unit, _CORNER_M)
    return next((entry for entry in street_entries if angle_between(entry[0] - math.pi / 2, along) > meets), None)


def _corner(
    task: Task, targets: Targets, second: tuple[float, float], first_m: float, house: Polygon | None
) -> _Layout:
    inwards, length_m = second
    is_pair = targets.count == DEFAULT_LOT_COUNT
    view = task.view(inwards - math.pi / 2 if is_pair else inwards, house)
    corner = partial(layouts.corner, view, targets, share=length_m / (length_m + first_m))
    return _Layout("corner_cut", partial(layouts.strips, view, targets) if is_pair else corner, view.frame)


def _detached(task: Task, frontage: MultiLineString, targets: Targets, house: Polygon | None) -> Iterator[_Layout]:
    """The wished lots, or the plot of the house, along each street, if one lot takes what is left."""
    sizes, home = task.resolved.sizes_m2, None
    if not sizes and house is not None and targets.house_m2 is not None:
        sizes, home = (targets.house_m2,), house
    if task.project.is_for_neighbour or not sizes or targets.count != len(sizes) + 1:
        return
    places = [direction(lot.position, task.site) for lot in task.project.lots if lot.position]
    for angle, _ in entries(frontage, task.unit, task.assumptions.minimum_width_m)[:_MAX_ENTRIES]:
        view = task.view(angle, home)
        closed = [view.frame.to_frame(part) for part in task.site.closed if isinstance(part, Polygon)]
        is_behind = any(place is not None and math.cos(place - angle) > _AHEAD for place in places) if places else None
        yield _Layout("detached_lots", partial(detached_lots, view, sizes, closed, is_behind=is_behind), view.frame)


def _shared_ways(task: Task, targets: Targets, inwards: float, house: Polygon | None) -> Iterator[_Layout]:
    """Ways from each street in turn."""
    frontage = task.site.frontage or MultiLineString()
    angles = [angle for angle, _ in entries(frontage, task.unit, task.assumptions.shared_way_m)]
    first = [angle for angle in angles if angle_between(angle, inwards) < _CORNER_RAD and math.cos(angle - inwards) > 0]
    streets = [*first[:1], *(angle for angle in angles if angle not in first[:1])]
    for number, angle in enumerate(streets[:_MAX_ENTRIES]):
        for layout in _ways_from(task, targets, along_sides(angle, task.unit), house):
            yield layout._replace(is_second_way=number > 0)


def _ways_from(task: Task, targets: Targets, inwards: float, house: Polygon | None) -> Iterator[_Layout]:
    figures, behind = task.assumptions, task.view(inwards, house)
    depth = behind.unit.bounds[2] - behind.unit.bounds[0]
    width = behind.unit.area / depth
    least = figures.minimum_width_m
    if depth < 2 * least + figures.shared_way_m or width < least + figures.shared_way_m:
        return
    if width >= 2 * least + figures.shared_way_m and house is None and not task.resolved.sizes_m2:
        yield _Layout("shared_way", partial(shared_way.middle_way, behind, targets), behind.frame)
        if width > depth and task.resolved.count >= shared_way.BRANCHED_LOTS:
            yield _Layout("shared_way", partial(shared_way.branched_way, behind, targets), behind.frame)
    if width < 5 * least + figures.shared_way_m:
        for sign, turn in zip((1, -1), side_turns(behind.unit), strict=True):
            view = task.view(inwards + turn, house) if abs(turn) > 1e-3 else behind  # noqa: PLR2004 (radians)
            yield _Layout("shared_way", partial(shared_way.side_way, view, targets, sign=sign), view.frame)
