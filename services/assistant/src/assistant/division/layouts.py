"""The layouts without a shared way: strips, flag lots and corners. Each yields plans in its frame."""

from collections.abc import Iterator
from functools import partial
from itertools import islice

from shapely import Polygon

from assistant.division.plan import Plan, Targets, View, plans_of
from assistant.division.slices import Undrawable

MAX_FLAG_LOTS = 2
"""A third rear lot would need a third access strip; a shared way is better there."""


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
