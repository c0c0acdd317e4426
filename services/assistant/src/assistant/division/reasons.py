"""Why a drawing leaves out what was wished. A reason is given only with the measure, or the drawing, that proves it."""

import math
from dataclasses import replace
from itertools import pairwise

import shapely

from assistant.division.candidates import DRAWING_FAILED, Drawn, candidates
from assistant.division.proposal import Assumptions, Lot, Proposal, Site
from assistant.division.shapes import buffer, intersection
from assistant.division.task import Task
from assistant.division.wording import tell, wished_area
from assistant.text import area, metres
from servicekit.languages import Text

_REASONS = (DRAWING_FAILED, "too_narrow", "too_small", "no_valid_cut", "built_over")
"""The reasons, the one to give first."""
_TOUCH_M = 0.01
_EDGE_M = 2.0
"""A shorter edge of a boundary is part of a bend."""
_CLEAR_M = 0.1
"""A boundary that could move up to so much nearer to a building is held by it."""


def nothing_drawn(task: Task, drawn: Drawn) -> str:
    """The code of the reason why nothing was drawn: the buildings if something can be drawn without them."""
    if task.site.buildings and DRAWING_FAILED not in drawn.reasons:
        drawn, _ = candidates(replace(task, site=replace(task.site, buildings=())))
    return "built_over" if drawn.proposals else min(drawn.reasons, default="no_valid_cut", key=_REASONS.index)


def missed_area(lot: Lot, proposal: Proposal, site: Site, assumptions: Assumptions) -> Text:
    """The area of a lot that misses its wish, and what holds its boundary, if something does: a building, or the width
    that the lot without its strip would be left with.
    """
    lacking_m2 = lot.lacking_m2
    neck_m = assumptions.access_strip_m / 2 + _CLEAR_M
    opened = intersection(buffer(buffer(lot.shape, -neck_m), neck_m + _TOUCH_M), lot.shape)
    core = opened if opened.area > lot.area_m2 / 2 else lot.shape  # land for a neighbour may be narrow
    other_lots = shapely.union_all([other.shape for other in proposal.lots if other is not lot])
    boundary = core.boundary.intersection(other_lots.buffer(2 * _TOUCH_M))
    ahead = other_lots if lacking_m2 > 0 else lot.shape
    distances = [boundary.distance(building) for building in site.buildings if ahead.intersects(building)]
    free_m, move_m = min(distances, default=None), abs(lacking_m2) / max(boundary.length, _TOUCH_M)
    is_held = free_m is not None and free_m - assumptions.setback_m < min(move_m, _CLEAR_M)
    lines = map(shapely.get_coordinates, shapely.get_parts(shapely.line_merge(boundary).simplify(_CLEAR_M)))
    edges_m = [length for line in lines for edge in pairwise(line) if (length := math.dist(*edge)) >= _EDGE_M]
    left_m = (core.area + lacking_m2) / min(edges_m, default=_TOUCH_M)  # whichever of its boundaries moves
    is_thin = lacking_m2 < 0 and left_m < assumptions.minimum_width_m
    return tell(
        f"limitation.missed{'_by_building' if is_held else '_by_width' if is_thin else ''}",
        id=lot.id,
        area=area(lot.area_m2),
        wished=wished_area([lot]),
        move=metres(round(move_m, 1)),
        free=metres(round(free_m or 0.0, 1)),
        setback=metres(assumptions.setback_m),
        left=metres(math.floor(max(0.0, left_m) * 10) / 10),
        least=metres(assumptions.minimum_width_m),
    )
