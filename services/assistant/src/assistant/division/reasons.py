"""Why a drawing leaves out what was wished. A reason is given only with the measure, or the drawing, that proves it."""

from dataclasses import replace

import shapely

from assistant.division.candidates import DRAWING_FAILED, Candidates, candidates
from assistant.division.proposal import Lot, Proposal, Site
from assistant.division.task import Task
from assistant.division.wording import tell
from assistant.text import area, metres
from servicekit.languages import Text

_REASONS = (DRAWING_FAILED, "too_narrow", "too_small", "no_valid_cut", "built_over")
"""The reasons, the one to give first."""
_TOUCH_M = 0.01
_CLEAR_M = 0.1
"""A boundary that could move up to so much nearer to a building is held by it."""


def nothing_drawn(task: Task, drawn: Candidates) -> str:
    """The code of the reason why nothing was drawn: the buildings if something can be drawn without them."""
    if task.site.buildings and DRAWING_FAILED not in drawn.reasons:
        drawn = candidates(replace(task, site=replace(task.site, buildings=())))
    return "built_over" if drawn.proposals else min(drawn.reasons, default="no_valid_cut", key=_REASONS.index)


def missed_area(lot: Lot, proposal: Proposal, site: Site, setback_m: float) -> Text:
    """The area of a lot that misses its wish, and the building that holds its boundary, if one does: how far the
    boundary would have to move to meet the wish, and how far it is from the building.
    """
    lacking_m2 = (lot.wished_m2 or 0.0) - lot.area_m2
    other_lots = shapely.union_all([other.shape for other in proposal.lots if other is not lot])
    boundary = lot.shape.boundary.intersection(other_lots.buffer(_TOUCH_M))
    ahead = other_lots if lacking_m2 > 0 else lot.shape
    distances = [boundary.distance(building) for building in site.buildings if ahead.intersects(building)]
    free_m, move_m = min(distances, default=None), abs(lacking_m2) / max(boundary.length, _TOUCH_M)
    is_held = free_m is not None and free_m - setback_m < min(move_m, _CLEAR_M)
    return tell(
        "limitation.missed_by_building" if is_held else "limitation.missed",
        id=lot.id,
        area=area(lot.area_m2),
        wished=area(lot.wished_m2 or 0.0),
        move=metres(round(move_m, 1)),
        free=metres(round(free_m or 0.0, 1)),
        setback=metres(setback_m),
    )
