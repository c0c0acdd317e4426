"""The smallest changes that turn what stands against a project. The division is drawn and assessed again with each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Literal

import shapely
from shapely import MultiLineString, Polygon

from assistant.assessment import land_unit
from assistant.assessment.assess import assess
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Status, Verdict
from assistant.assessment.rules import RULES
from assistant.division.access import TOUCH_M, rights_of_way
from assistant.division.draw import draw_usable, finished
from assistant.division.proposal import DEFAULT_LOT_COUNT, Assumptions, Division, Proposal, Site
from assistant.division.shapes import buffer, difference
from assistant.division.wording import overview, tell
from assistant.project import Project
from assistant.text import area, join, listed, metres
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

ChangeKind = Literal["fewer_lots", "smaller_house_plot", "right_of_way", "other_access"]
MAX_CHANGES = 3
_TURNABLE = (land_unit.unit_area, land_unit.access, land_unit.division_layout)
"""The checks that a change of the project or of the access may turn."""
_LAYOUT = "division_layout"
_GAP_M = 0.05
"""Outlines of neighbours are rounded to centimetres, so they may be apart by so much."""
_MAX_TRIED = 3
"""The accesses of a kind to try, those with the least ground first."""
_PLOT_STEPS = (0.9, 0.7, 0.5)
"""The shares of the house's plot to try."""


@dataclass(frozen=True)
class Change:
    kind: ChangeKind
    area_m2: float
    """The land that it concerns: the ground of the right of way, what the house gives up, or the lots given up. None of
    it for another access."""
    summary: Text
    turned_checks: tuple[str, ...]
    verdict: Verdict
    """The verdict with the change."""
    proposal: Proposal
    parcel_id: str = ""
    """The neighbour's parcel that the right of way crosses."""
    ground: Polygon | None = None
    """The ground of the right of way."""
    owners: tuple[land_pb2.Owner, ...] = ()
    """The owners of the neighbour's parcel that are legal persons."""


@dataclass(frozen=True)
class _Candidate:
    kind: ChangeKind
    area_m2: float
    values: Mapping[str, object]
    """What its sentence states."""
    facts: LandFacts
    site: Site
    project: Project
    parcel_id: str = ""
    ground: Polygon | None = None
    owners: tuple[land_pb2.Owner, ...] = ()


_Drawn = tuple[_Candidate, Division]
"""A change, and the division with it."""


def changes_of(facts: LandFacts, site: Site | None, project: Project, division: Division) -> tuple[Change, ...]:
    """At most MAX_CHANGES, one of each kind, the smallest first. Nothing is searched unless a check that a change may
    turn fails, or the wished lots do not fit, and only changes that could lift all of this are tried.
    """
    before = _obstacles(facts, division)
    if site is None or not before or project.is_for_neighbour:
        return ()
    searches: list[Iterator[_Drawn]] = []
    layout = division.layout()
    if "access" not in before:
        fewer_lots = _smallest([*_fewer_lots(facts, site, project, division.lot_count)])
        searches.append(chain(_first(_without_closed_lots(facts, site, division)), fewer_lots))
    if before == {_LAYOUT}:
        searches.append(_smallest([*_smaller_plots(facts, site, project)]))
    if "unit_area" not in before and not layout.closed_lot_count:
        searches += map(_first, (_other_accesses(facts, site, project), _rights_of_way(facts, site, project)))
    drawings = [drawing for search in searches for drawing in islice(search, 1)]
    drawings.sort(key=lambda drawing: drawing[0].area_m2)
    return tuple(_change(candidate, before, new_division) for candidate, new_division in drawings[:MAX_CHANGES])


def _first(candidates: Iterator[_Candidate]) -> Iterator[_Drawn]:
    """The candidates that lift the obstacles, among the first ones."""
    for candidate in islice(candidates, _MAX_TRIED):
        if new_division := _lifting(candidate):
            yield candidate, new_division


def _smallest(candidates: Sequence[_Candidate]) -> Iterator[_Drawn]:
    """The smallest change of candidates in ascending order, by halving: what one does not lift, no smaller one does."""
    best, low, high = None, 0, len(candidates)
    while low < high:
        middle = (low + high) // 2
        if new_division := _lifting(candidates[middle]):
            best, high = (candidates[middle], new_division), middle
        else:
            low = middle + 1
    if best is not None:
        yield best


def _lifting(candidate: _Candidate) -> Division | None:
    """The division with the change, if nothing stands against the project with it."""
    new_division = draw_usable(candidate.site, candidate.project)
    if new_division is None or _obstacles(candidate.facts, new_division):
        return None
    new_division = finished(new_division, candidate.site)
    layout = new_division.layout()
    return None if layout.has_no_house and not layout.has_smaller_house else new_division


def _obstacles(facts: LandFacts, division: Division) -> set[str]:
    """The failing checks that a change may turn. The layout is one of them if the wished lots are not drawn, or if
    nothing may be built on one of the lots.
    """
    layout = division.layout()
    codes = {rule.code for rule in _TURNABLE if rule.test(facts, layout).status is Status.FAIL}
    if layout.has_no_house and layout.project.footprint_m2 and not layout.has_only_closed_lots:
        codes.discard(_LAYOUT)  # the check says which house has room
    if division.proposals:
        lots, project = division.proposals[0].lots, division.project
        is_unfollowed = (project.sizes_m2 or project.house_m2) and not any(lot.wished_m2 for lot in lots)
        if is_unfollowed or division.proposals[0].misses_lots:
            codes.add(_LAYOUT)
    return codes


def _change(candidate: _Candidate, lifted: set[str], new_division: Division) -> Change:
    rules = [rule for rule in RULES if rule.code in lifted]
    proposal = new_division.proposals[0]
    summary = tell(f"change.{candidate.kind}", points=listed([rule.point for rule in rules]), **candidate.values)
    return Change(
        candidate.kind,
        candidate.area_m2,
        join([summary, overview(proposal, "areas")]),
        tuple(rule.code for rule in _TURNABLE if rule.code in lifted),
        assess(candidate.facts, new_division.layout()).verdict,
        proposal,
        candidate.parcel_id,
        candidate.ground,
        candidate.owners,
    )


def _smaller_plots(facts: LandFacts, site: Site, project: Project) -> Iterator[_Candidate]:
    before_m2 = project.house_m2 or 0.0
    for plot_m2 in (float(round(before_m2 * share)) for share in _PLOT_STEPS):
        if plot_m2 >= Assumptions.usual_lot_m2:
            values = {"before": area(before_m2), "after": area(plot_m2)}
            changed = project.resized(project.sizes_m2, plot_m2, project.lot_count)
            yield _Candidate("smaller_house_plot", before_m2 - plot_m2, values, facts, site, changed)


def _fewer_lots(facts: LandFacts, site: Site, project: Project, count: int) -> Iterator[_Candidate]:
    enough = count if facts.area_m2 is None else int(facts.area_m2 / land_unit.MINIMAL_LOT_M2)
    for fewer in range(min(count - 1, enough), DEFAULT_LOT_COUNT - 1, -1):
        sizes = project.sizes_m2[: max(0, len(project.sizes_m2) - (count - fewer))]
        given_up_m2 = site.unit.area * (count - fewer) / count
        changed = project.resized(sizes, project.house_m2, fewer)
        values = {"before": count, "after": fewer, "kept": ""}
        yield _Candidate("fewer_lots", given_up_m2, values, facts, site, changed)


def _without_closed_lots(facts: LandFacts, site: Site, division: Division) -> Iterator[_Candidate]:
    """The lots of the first proposal that can be built on, then fewer. The closed ones stay one piece."""
    lots = division.proposals[0].lots if division.proposals else ()
    closed_m2 = [lot.area_m2 for lot in lots if lot.role == "closed_land"]
    plots_m2 = tuple(lot.area_m2 for lot in lots if lot.role == "building_plot")
    if len(closed_m2) > 1 and len(plots_m2) == len(lots) - len(closed_m2) and not division.project.sizes_m2:
        for count in range(len(plots_m2), max(DEFAULT_LOT_COUNT, len(plots_m2) - _MAX_TRIED) - 1, -1):
            changed = division.project.resized(plots_m2[:count], division.project.house_m2, count)
            values = {"before": len(lots), "after": count, "kept": tell("change.kept_ground")}
            yield _Candidate("fewer_lots", sum(closed_m2 + list(plots_m2[count:])), values, facts, site, changed)


def _other_accesses(facts: LandFacts, site: Site, project: Project) -> Iterator[_Candidate]:
    """An access by the boundary that is not on a road."""
    if site.frontage and site.open_frontage:
        frontage = MultiLineString([*site.frontage.geoms, *site.open_frontage.geoms])
        values = {"length": metres(round(site.open_frontage.length, 1))}
        yield _reached("other_access", 0.0, values, facts, site, project, frontage)


def _rights_of_way(facts: LandFacts, site: Site, project: Project) -> Iterator[_Candidate]:
    """Rights of way over each neighbour's parcel that is on a way, the smallest first."""
    if site.frontage is None or not isinstance(site.unit, Polygon):
        return
    width_m, setback_m = Assumptions.access_strip_m, Assumptions.setback_m
    if project.has_shared_way:
        width_m = project.shared_way_m or Assumptions.shared_way_m
    unit = buffer(site.unit, _GAP_M)
    if not isinstance(unit, Polygon):
        return
    grounds = []
    for neighbour in site.neighbours:
        pieces = [piece for piece in shapely.get_parts(difference(neighbour.shape, unit)) if isinstance(piece, Polygon)]
        for piece in pieces:
            ground = rights_of_way([unit, piece], {}, neighbour.frontage, Polygon(), width_m, setback_m).get(0)
            if ground is not None:
                grounds.append((ground.area, neighbour, ground))
    for area_m2, neighbour, ground in sorted(grounds, key=lambda item: (item[0], item[1].parcel_id)):
        contact = site.unit.boundary.intersection(ground.buffer(2 * TOUCH_M, quad_segs=1))
        lines = [*site.frontage.geoms, *(line for line in shapely.get_parts(contact) if line.geom_type == "LineString")]
        owner = _owners(neighbour.owners)
        values = {"width": metres(width_m), "area": area(area_m2), "parcel": neighbour.parcel_id, "owner": owner}
        reached = _reached("right_of_way", area_m2, values, facts, site, project, MultiLineString(lines))
        yield replace(reached, parcel_id=neighbour.parcel_id, ground=ground, owners=neighbour.owners)


def _owners(owners: Sequence[land_pb2.Owner]) -> Text:
    """Who is to be asked, by name and SIREN."""
    names = [" ".join(filter(None, (owner.name, owner.siren and f"(SIREN {owner.siren})"))) for owner in owners]
    names = [*dict.fromkeys(filter(None, names))]
    return tell("neighbour.owners", names=", ".join(names)) if names else tell("neighbour.no_owner")


def _reached(
    kind: ChangeKind,
    area_m2: float,
    values: Mapping[str, object],
    facts: LandFacts,
    site: Site,
    project: Project,
    frontage: MultiLineString,
) -> _Candidate:
    """The project with this frontage."""
    unit = land_pb2.LandUnit()
    unit.CopyFrom(facts.unit)
    unit.land.frontage_m = frontage.length
    return _Candidate(kind, area_m2, values, LandFacts(unit), replace(site, frontage=frontage), project)
