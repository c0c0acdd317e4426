"""The layouts without a shared way: strips, flag lots and corners. Each yields plans in its frame."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.access import TOUCH_M
from assistant.division.frame import straight_sides
from assistant.division.plan import TIGHT_GAP_M, Plan, Targets, View, plans_of
from assistant.division.shapes import buffer, difference, intersection, union
from assistant.division.slices import Undrawable, demand, polygons

MAX_FLAG_LOTS = 2
"""A third rear lot would need a third access strip; a shared way is better there."""
_SLENDER = 2
"""A strip is so many times longer than wide."""
_LEAST_STRIP_M = 1.0
"""No narrower strip is drawn."""


def strips(view: View, targets: Targets) -> Iterator[Plan]:
    """Lots one beside the other along the x axis. Raises Undrawable."""

    def draw(gap: float, sizes: list[float]) -> Plan:
        cut = partial(view.cut, view.unit, gap_m=gap, profile=view.profile)
        return view.with_strips(cut, view.leaning(sizes))

    return plans_of(view, targets, draw)


def flag_lots(view: View, targets: Targets) -> Iterator[Plan]:
    """Lots on the way, and one or two behind them with an access strip each. x points inwards. Raises Undrawable."""
    width = view.unit.bounds[3] - view.unit.bounds[1]
    figures = view.assumptions
    reason = Undrawable("too_narrow")
    for rear in range(1, min(MAX_FLAG_LOTS, targets.count - 1) + 1):
        front = targets.count - rear
        if front * figures.minimum_width_m + rear * figures.access_strip_m > width:
            continue
        try:
            plan = _rows(view, targets, front)
        except Undrawable as failure:
            reason = failure
            continue
        if plan.strips:  # else all lots are on a way, or a rear lot cannot reach it
            yield plan
            if not targets.depths:
                return
    if not targets.depths:
        raise reason


def _rows(view: View, targets: Targets, front: int) -> Plan:
    """Two rows across x, each cut across y. Raises Undrawable."""

    def draw(gap: float, sizes: list[float]) -> Plan:
        def rows(sizes: list[float]) -> list[Polygon]:
            near, far = view.cut(view.unit, [sum(sizes[:front]), sum(sizes[front:])], gap, view.profile)
            return [*view.cut_across(near, sizes[:front], gap), *view.cut_across(far, sizes[front:], gap)]

        return view.with_strips(rows, sizes)

    return next(plans_of(view, targets, draw))


def corner(view: View, targets: Targets, share: float) -> Iterator[Plan]:
    """Lots on two streets that meet. x points inwards from the second street, which takes this share of the lots: they
    are cut across y, along it, and the others across x, along the first street. Raises Undrawable.
    """
    on_second = min(max(2, round(targets.count * share)), targets.count - 1)

    def draw(gap: float, sizes: list[float]) -> Plan:
        parts = [sum(sizes[:on_second]), *sizes[on_second:]]
        column, *other_pieces = view.cut(view.unit, parts, gap, view.profile)
        return Plan([*view.cut_across(column, sizes[:on_second], gap), *other_pieces])

    yield from islice(plans_of(view, targets, draw), 1)


def side_strips(
    unit: Polygon, ways: BaseGeometry, buildings: Sequence[Polygon], width_m: float, *, is_on_way: bool
) -> Iterator[Plan]:
    """A strip of this width, and the rest, along each side between neighbours that meets a way, or meets none; along
    the longest side only where no way is known. Where buildings stand nearer, the widest that they leave.
    Raises Undrawable.
    """
    reach, obstacles = ways.buffer(TOUCH_M), union(buildings)
    widths = {}
    for side in straight_sides(unit.boundary.difference(reach)):
        free_m = width_m if obstacles.is_empty else side.distance(obstacles) - TIGHT_GAP_M
        if (
            side.length > _SLENDER * width_m
            and free_m >= _LEAST_STRIP_M
            and side.intersects(reach.boundary) is is_on_way
        ):
            widths[side] = min(width_m, free_m)
    demand("built_over" if buildings else "no_valid_cut", widths)
    widest = [side for side, width in widths.items() if width == max(widths.values())]
    for side in [max(widest, key=lambda side: side.length)] if ways.is_empty else widest:
        strips = polygons(intersection(unit, buffer(side, widths[side], "square")))
        if len(strips) == 1 and len(rest := polygons(difference(unit, strips[0]))) == 1:
            yield Plan([*strips, *rest])
