"""Chooses among the lots that can be drawn, and says what the choice leaves out."""

import math
from collections.abc import Iterable
from dataclasses import replace

from assistant.assessment.facts import LEAST_HOUSE_M
from assistant.division.access import widest_m
from assistant.division.candidates import candidates, each_proposal
from assistant.division.measure import completed
from assistant.division.proposal import (
    DEFAULT_LOT_COUNT,
    MAX_LOT_COUNT,
    Assumptions,
    Division,
    Proposal,
    Site,
    Violation,
)
from assistant.division.ranking import best_first, is_reached, rank
from assistant.division.reasons import missed_area, nothing_drawn
from assistant.division.shapes import intersection
from assistant.division.task import task_of
from assistant.division.wording import tell, violation_names
from assistant.project import Project

MAX_PROPOSALS = 3
_WEIGHTIEST = 4
"""So many parts of a rank weigh more than room for a smaller house than the assumed one."""
_FAULTS: tuple[Violation, ...] = ("narrow_frontage", "building_setback", "narrow_neck", "small_lot")
"""The violations that nothing else of an answer's first sentence says, the gravest first."""


def draw(site: Site | None, project: Project, assumptions: Assumptions = Assumptions()) -> Division:  # noqa: B008
    """Draws at most three proposals, best first. Deterministic."""
    division, task = task_of(site, project, assumptions)
    if task is None:
        return division
    drawn, assumptions = candidates(task)
    ranked, misplaced = best_first(drawn.proposals, task.project, task.site)
    if not ranked:
        reason = "landlocked" if drawn.proposals else nothing_drawn(task, drawn)
        return replace(division, reason=reason, widest_m=widest_m(task.unit))
    houseless = ranked[0].lot_without_house_count
    if houseless and not task.has_places and not project.footprint_m2:  # a smaller house may fit better elsewhere
        first = rank(ranked[0], task.project)[:_WEIGHTIEST]
        ranked.sort(key=lambda p: (rank(p, task.project)[:_WEIGHTIEST] != first, p.lots_without(LEAST_HOUSE_M)))
    proposals = tuple(ranked[:MAX_PROPOSALS])
    division = replace(division, proposals=proposals, assumptions=assumptions, misplaced=misplaced)
    is_houseless = division.layout().has_no_house
    return finished(replace(division, widest_m=widest_m(task.unit)) if is_houseless else division, task.site)


def draw_usable(site: Site, project: Project) -> Division | None:
    """The first drawing in which each lot has an access, its wished area and ground to build on: with room for most
    houses, then with a wished way. None if there is none. Deterministic. `finished` completes it.
    """
    division, proposals = _each(site, project)
    best: Proposal | None = None
    least = (math.inf, True)
    for proposal in proposals:
        misses_way = bool(project.has_shared_way) and proposal.shared_way is None
        given_up = proposal.lot_without_house_count, misses_way
        if given_up < least and not proposal.misses_lots and is_reached(proposal):
            best, least = proposal, given_up
            if given_up == (0, False):
                break
    return None if best is None else replace(division, proposals=(best,))


def with_most_lots(site: Site, project: Project, least: int = DEFAULT_LOT_COUNT, most: int = MAX_LOT_COUNT) -> Project:
    """The project with the largest number of lots between `least` and `most` that can be drawn. Each has an access,
    room for a house, the usual area and the area wished. If no number can be drawn, the project as it is.
    Deterministic.
    """
    least_m2 = max([Assumptions.usual_lot_m2, *(lot.least_m2 or 0.0 for lot in project.lots)])
    for count in range(min(most, MAX_LOT_COUNT, int(site.unit.area / least_m2)), least - 1, -1):
        lots = tuple(replace(lot, count=count) for lot in project.lots)
        counted = replace(project, lots=lots, lot_count=count)
        division = draw_usable(site, counted)
        if division is not None and not division.proposals[0].lot_without_house_count:
            return counted
    return project


def _each(site: Site | None, project: Project) -> tuple[Division, Iterable[Proposal]]:
    """The division without its proposals, and the proposals, drawn as they are taken."""
    division, task = task_of(site, project, Assumptions())
    return division, () if task is None else each_proposal(task)


def finished(division: Division, site: Site) -> Division:
    """The division with the ranks, sides and slopes of its proposals, and with what the first one leaves out."""
    sides_m = division.assumptions.house_sides_m
    proposals = tuple(replace(completed(p, site, sides_m), rank=rank) for rank, p in enumerate(division.proposals, 1))
    violations = {code for lot in proposals[0].lots for code in lot.violations}
    missed = [
        missed_area(lot, proposals[0], site, division.assumptions)
        for lot in proposals[0].lots
        if "wished_size" in lot.violations
    ]
    way = proposals[0].shared_way
    crosses = (
        any(lot.strip_m2 and lot.closed_area_m2 > 1 for lot in proposals[0].lots)
        if proposals[0].method == "detached_lots"
        else way is not None and any(intersection(way.shape, surface).area > 1 for surface in site.closed)
    )
    is_needed = any(lot.access not in ("frontage", "strip") for lot in proposals[0].lots)
    is_behind = any(proposal.shared_way is not None for proposal in proposals)
    no_way = "way_takes_room" if is_behind else "no_shared_way" if is_needed else "no_way_needed"
    limits = {
        "uneven": "uneven" in violations,
        "closed_access": crosses,
        no_way: bool(division.project.has_shared_way) and way is None and division.layout().building_plot_count > 1,
    }
    missed += [tell(f"limitation.{name}") for name, is_met in limits.items() if is_met]
    faults = violation_names(proposals[0].lots, [code for code in _FAULTS if code in violations])
    return replace(division, proposals=proposals, limitations=(*division.limitations, *missed), faults=faults)
