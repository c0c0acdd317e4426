"""Where the lots of a drawing lie on the land, and which of them miss the place that the project wishes for them."""

import math

import shapely

from assistant.division.frame import inward_angle, street_angles
from assistant.division.proposal import Lot, Proposal, Site
from assistant.division.wishes import EXACT
from assistant.project import NEAR, Project, WishedLot

_COMPASS = ("east", "north", "west", "south")
_FROM_ROAD = ("back", "left", "front", "right")
"""As a person sees the land from its longest road."""
_APART = 0.2
"""A lot lies to one side if its middle is so far beyond that of the others, as a share of the land's extent."""


def placed(proposal: Proposal, project: Project, site: Site) -> dict[int, list[Lot]]:
    """The lots that lie where the project wishes them, by the number of the wished lot, from 0; none of one that does
    not.
    """
    wishes = [(number, lot) for number, lot in enumerate(project.lots) if lot.position is not None]
    lots: dict[int, list[Lot]] = {}
    for number, wish in sorted(wishes, key=lambda item: (item[1].use != "house", not item[1].is_sized)):
        lots[number] = _placed(proposal, wish, site, [lot for group in lots.values() for lot in group])
    return lots


def _placed(proposal: Proposal, wish: WishedLot, site: Site, taken: list[Lot]) -> list[Lot]:
    """The lots that are what is wished, and where; empty if there are not enough of them. Those along the road may be
    beside others.
    """
    angle, is_front = direction(wish.position or "", site), wish.position == "front"
    suiting = [lot for lot in proposal.lots if lot not in taken and _suits(lot, wish)]
    suiting = [lot for lot in suiting if lot.access in ("frontage", "unknown") or not is_front]
    if angle is None or len(suiting) < wish.count or (len(proposal.lots) == wish.count and not is_front):
        return []

    def reach_m(lot: Lot) -> float:
        middle = (lot.envelope if lot.strip_m2 and lot.envelope else lot.shape).centroid  # without the strip
        return float(middle.x * math.cos(angle) + middle.y * math.sin(angle))

    along = shapely.get_coordinates(site.unit) @ (math.cos(angle), math.sin(angle))
    chosen = sorted(suiting, key=lambda lot: -reach_m(lot))[: wish.count]
    if is_front:
        return chosen
    others = [reach_m(lot) for lot in proposal.lots if lot not in chosen]
    least_m = sum(others) / len(others) + _APART * (along.max() - along.min())
    return chosen if all(reach_m(lot) >= least_m for lot in chosen) else []


def _suits(lot: Lot, wish: WishedLot) -> bool:
    is_told = wish.use is not None or wish.size_m2 is not None
    is_near = wish.admits(lot.area_m2, EXACT if lot.wished_m2 is None else NEAR)
    return is_near and not (is_told and lot.is_built != (wish.use == "house"))


def direction(position: str, site: Site) -> float | None:
    """The direction of a place on the land; None if it is told from the road and none is known."""
    if position in _COMPASS:
        return _COMPASS.index(position) * math.pi / 2
    if site.frontage is None or site.frontage.is_empty:
        return None
    inwards = inward_angle(street_angles(site.frontage)[0][0], site.frontage, site.unit)
    return inwards + _FROM_ROAD.index(position) * math.pi / 2
