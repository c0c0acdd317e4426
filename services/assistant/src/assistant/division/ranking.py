"""Ranks proposals of lots, and leaves out those that repeat a better one."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.division.access import width_of
from assistant.division.places import direction, placed
from assistant.division.proposal import Lot, Proposal, Site, Violation
from assistant.project import Project

SAME_SIZE = 0.1
"""Areas that differ by less, as a share, count as the same."""
_SAME_PLACE_M = 2.0
_TOUCH_M = 0.01
_RIBBON, _FULL = 5, 0.6
"""A ribbon is so many times longer than wide. An L or a tail leaves more of the rectangle around it empty."""
_ALONG = 0.8
"""Land for a neighbour touches neighbours along this share of its length."""
_LOTS_OF_WAY = 2
_CROWDED_M = 1.5
"""A boundary nearer to a building leaves no way around it. Half of the national setback; our assumption."""


class Rank(NamedTuple):
    """The sort key of proposals: what each gives up, the gravest first."""

    left_out: int
    """Wishes that are more than a lot of another area."""
    is_closed: bool
    without_house: int
    is_crowded: bool
    """A new boundary runs along a building."""
    misses_way: bool
    misplaced: int
    rights_of_way: int
    """A strip in ownership comes before a right of way."""
    off_area: float
    """Lots of another area, and how far a strip is from its width, as a share of it."""
    has_way: bool
    """A shared way makes a permis d'aménager of the project."""
    faults: int
    """A lot that is badly shaped, or has a strip as its tail, counts as a violation."""
    lacking_score: float


_OFF_AREA: frozenset[Violation] = frozenset({"wished_size", "uneven"})
_COSTS = {"left_out": "house", "is_closed": "room", "without_house": "room", "misses_way": "way"}
"""What a drawing that puts a lot in its wished place gives up."""


def rank(proposal: Proposal, project: Project, misplaced_count: int = 0) -> Rank:
    roles = {lot.role for lot in proposal.lots}
    has_way = proposal.shared_way is not None
    width_m = project.lot_width_m or math.inf
    off_width = max((round(min(1.0, abs(1 - strip_m / width_m)), 2) for strip_m in strips_m(proposal)), default=0.0)
    return Rank(
        left_out=_left_out(proposal, project),
        is_closed="closed_land" in roles and "building_plot" not in roles,
        without_house=proposal.lot_without_house_count + sum(lot.role == "closed_land" for lot in proposal.lots),
        is_crowded=any(lot.building_gap_m < _CROWDED_M for lot in proposal.lots),
        misses_way=bool(project.has_shared_way) and not has_way,
        misplaced=misplaced_count,
        rights_of_way=sum(lot.right_of_way is not None for lot in proposal.lots),
        off_area=sum(not _OFF_AREA.isdisjoint(lot.violations) for lot in proposal.lots) + off_width,
        has_way=has_way,
        faults=proposal.violation_count + sum(lot.is_misshapen or lot.strip_m2 > 0 for lot in proposal.lots),
        lacking_score=-round(proposal.score, 6),
    )


def best_first(proposals: Sequence[Proposal], project: Project, site: Site) -> tuple[list[Proposal], dict[int, str]]:
    """The proposals without repeats; only those whose lots all have an access, and that misplace no more lots than the
    first one. With the numbers of the wished lots that the first one misplaces, and the reason: what those that do not
    misplace it give up.
    """
    places = {id(proposal): placed(proposal, project, site) for proposal in proposals}
    missing = {key: [number for number, lots in found.items() if not lots] for key, found in places.items()}
    ranks = {id(proposal): rank(proposal, project, len(missing[id(proposal)])) for proposal in proposals}
    reaching = [
        p for p in proposals if all(lot.access != "landlocked" or lot.role == "neighbour_plot" for lot in p.lots)
    ]
    reaching = reaching or [p for p in proposals if project.is_for_neighbour or is_reached(p)]
    ranked = sorted(reaching, key=lambda proposal: ranks[id(proposal)])
    if not ranked:
        return [], {}

    def cost(number: int) -> str:
        placing = next((ranks[id(p)] for p in ranked if number not in missing[id(p)]), None)
        if placing is not None:
            pairs = zip(Rank._fields, ranks[id(ranked[0])], placing, strict=True)
            return _COSTS.get(next((name for name, before, after in pairs if before != after), ""), "other")
        if any(number not in missing[id(p)] for p in proposals):
            return "landlocked"
        return "no_road" if direction(project.lots[number].position or "", site) is None else "undrawn"

    misplaced = missing[id(ranked[0])]
    in_place = [p for p in ranked if len(missing[id(p)]) <= len(misplaced)]
    return _without_repeats(in_place), {number: cost(number) for number in misplaced}


def misses_plot(proposal: Proposal, plot_m2: float) -> float:
    """How much the plots with houses differ from this area, as a share of it; infinite without such a plot."""
    plots = [lot for lot in proposal.lots if lot.role == "kept_house"]
    return max((abs(lot.area_m2 - plot_m2) / plot_m2 for lot in plots), default=math.inf)


def _left_out(proposal: Proposal, project: Project) -> int:
    """How much of the project the proposal leaves out: a plot of the house, wished lots without one, areas for a way
    that is not told.
    """
    off = [lot for lot in proposal.lots if "wished_size" in lot.violations]
    misses_house = bool(project.keeps_house) and (
        (proposal.method != "kept_house" and not project.has_even_lots) or any(lot.role == "kept_house" for lot in off)
    )
    takes_areas = bool(off) and proposal.shared_way is not None and not project.has_shared_way
    return misses_house + (not project.house_m2 and sells_house(proposal)) + takes_areas


def sells_house(proposal: Proposal) -> bool:
    """Whether a lot with a wished area has a house."""
    return any(lot.is_built and lot.wished_m2 is not None for lot in proposal.lots)


def lies_along_neighbour(lot: Lot, unit: BaseGeometry) -> bool:
    """Whether a lot for a neighbour lies along a boundary with one, not around what stays nor along ways."""
    outside_m = lot.shape.boundary.intersection(unit.boundary.buffer(_TOUCH_M)).length - (lot.frontage_m or 0.0)
    outline = shapely.oriented_envelope(lot.shape)
    return outside_m >= _ALONG * max(_sides_m(outline)) and lot.area_m2 >= _FULL * outline.area


def has_strip(proposal: Proposal, width_m: float) -> bool:
    """Whether the land for a neighbour is a strip about as wide as wished."""
    return any(abs(strip_m - width_m) <= SAME_SIZE * width_m for strip_m in strips_m(proposal))


def strips_m(proposal: Proposal) -> list[float]:
    """The widths of the strips for a neighbour."""
    return [width_of(lot.shape) for lot in proposal.lots if lot.role == "neighbour_plot"]


def needs_its_way(proposal: Proposal) -> bool:
    """Whether two lots or more need the shared way, if there is one. Of two lots that ask for it, the rear one does."""
    least = min(_LOTS_OF_WAY, len(proposal.lots) - 1)
    return proposal.shared_way is None or sum(lot.access == "shared_way" for lot in proposal.lots) >= least


def is_misshapen(core: BaseGeometry) -> bool:
    """Whether a lot without its access strip is a ribbon, an L or has a tail."""
    outline = shapely.oriented_envelope(core)
    short_m, long_m = sorted(_sides_m(outline))
    return long_m > _RIBBON * short_m or core.area < _FULL * outline.area


def _sides_m(rectangle: BaseGeometry) -> tuple[float, float]:
    corners = shapely.get_coordinates(rectangle)
    return math.dist(corners[0], corners[1]), math.dist(corners[1], corners[2])


def is_reached(proposal: Proposal) -> bool:
    """Whether no lot that needs an access is without one."""
    return all("landlocked" not in lot.violations for lot in proposal.lots)


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
            abs(lot.area_m2 - area_m2) < SAME_SIZE * area_m2 and lot.shape.centroid.distance(place) < _SAME_PLACE_M
            for place, area_m2 in places
        )
        for lot in one.lots
    )
