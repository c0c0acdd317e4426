"""The smallest changes that turn what stands against a project. The division is drawn and assessed again with each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import shapely
from shapely import MultiLineString, Polygon

from assistant.assessment.assess import assess
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment, Status, Verdict
from assistant.division.access import TOUCH_M, rights_of_way
from assistant.division.draw import draw
from assistant.division.proposal import DEFAULT_LOT_COUNT, Assumptions, Division, Proposal, Site
from assistant.division.shapes import buffer, difference
from assistant.division.wording import tell
from assistant.project import Project
from assistant.text import area, listed, metres
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

ChangeKind = Literal["fewer_lots", "smaller_house_plot", "right_of_way"]
MAX_CHANGES = 3
_TURNABLE = ("unit_area", "access", "division_layout")
"""The checks that a change of the project or of the access may turn."""
_LAYOUT = "division_layout"
_GAP_M = 0.05
"""Outlines of neighbours are rounded to centimetres, so they may be apart by so much."""
_PLOT_STEPS = (0.9, 0.8, 0.7, 0.6, 0.5)
"""The shares of the house's plot to try."""


@dataclass(frozen=True)
class Change:
    kind: ChangeKind
    area_m2: float
    """The land that it concerns: the ground of the right of way, what the house gives up, or the lots given up."""
    summary: Text
    turned_checks: tuple[str, ...]
    verdict: Verdict
    """The verdict with the change."""
    proposal: Proposal
    parcel_id: str = ""
    """The neighbour's parcel that the right of way crosses."""
    ground: Polygon | None = None
    """The ground of the right of way."""


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


def changes_of(
    facts: LandFacts, site: Site | None, project: Project, assessment: Assessment, division: Division
) -> tuple[Change, ...]:
    """At most MAX_CHANGES, one of each kind, the smallest first. Nothing is searched unless a check that a change may
    turn fails, or the wished lots do not fit.
    """
    before = _obstacles(assessment, division)
    if site is None or not before or project.is_for_neighbour:
        return ()
    changes: list[Change] = []
    for candidate in _candidates(facts, site, project, division):
        if any(change.kind == candidate.kind for change in changes):
            continue
        drawn = draw(candidate.site, candidate.project)
        assessed = assess(candidate.facts, drawn.layout())
        after = _obstacles(assessed, drawn)
        turned = tuple(code for code in _TURNABLE if code in before - after)
        if turned and drawn.proposals and after <= before:
            changes.append(_change(candidate, turned, assessment, assessed, drawn))
    return tuple(sorted(changes, key=lambda change: change.area_m2)[:MAX_CHANGES])


def _obstacles(assessment: Assessment, division: Division) -> set[str]:
    """The failing checks that a change may turn. The layout is one of them if the wished lots are not drawn."""
    codes = {check.code for check in assessment.checks if check.status is Status.FAIL and check.code in _TURNABLE}
    if division.proposals:
        lots, project = division.proposals[0].lots, division.project
        is_unfollowed = (project.sizes_m2 or project.house_m2) and not any(lot.wished_m2 for lot in lots)
        if is_unfollowed or any("wished_size" in lot.violations for lot in lots):
            codes.add(_LAYOUT)
    return codes


def _change(
    candidate: _Candidate, turned: tuple[str, ...], before: Assessment, after: Assessment, division: Division
) -> Change:
    points = listed([check.point for check in before.checks if check.code in turned])
    return Change(
        candidate.kind,
        candidate.area_m2,
        tell(f"change.{candidate.kind}", points=points, **candidate.values),
        turned,
        after.verdict,
        division.proposals[0],
        candidate.parcel_id,
        candidate.ground,
    )


def _candidates(facts: LandFacts, site: Site, project: Project, division: Division) -> Iterator[_Candidate]:
    """The changes to try, the smallest of each kind first."""
    for share in _PLOT_STEPS if project.house_m2 else ():
        plot_m2 = round((project.house_m2 or 0.0) * share)
        if plot_m2 >= Assumptions.usual_lot_m2:
            values = {"before": area(project.house_m2 or 0.0), "after": area(plot_m2)}
            lost_m2 = (project.house_m2 or 0.0) - plot_m2
            yield _Candidate(
                "smaller_house_plot", lost_m2, values, facts, site, replace(project, house_m2=float(plot_m2))
            )
    yield from _rights_of_way(facts, site, project)
    count = division.lot_count
    for fewer in range(count - 1, DEFAULT_LOT_COUNT - 1, -1):
        sizes = project.sizes_m2[: max(0, len(project.sizes_m2) - (count - fewer))]
        given_up_m2 = site.unit.area * (count - fewer) / count
        changed = replace(project, lot_count=fewer, sizes_m2=sizes)
        yield _Candidate("fewer_lots", given_up_m2, {"before": count, "after": fewer}, facts, site, changed)


def _rights_of_way(facts: LandFacts, site: Site, project: Project) -> Iterator[_Candidate]:
    """Rights of way over each neighbour's parcel that is on a way, the smallest first."""
    if site.frontage is None or not isinstance(site.unit, Polygon):
        return
    width_m = Assumptions.access_strip_m
    unit = buffer(site.unit, _GAP_M)
    if not isinstance(unit, Polygon):
        return
    grounds = []
    for neighbour in site.neighbours:
        pieces = [piece for piece in shapely.get_parts(difference(neighbour.shape, unit)) if isinstance(piece, Polygon)]
        for piece in pieces:
            ground = rights_of_way([unit, piece], {}, neighbour.frontage, [], width_m, Assumptions.setback_m).get(0)
            if ground is not None:
                grounds.append((ground.area, neighbour.parcel_id, ground))
    for area_m2, parcel_id, ground in sorted(grounds, key=lambda item: item[:2]):
        contact = site.unit.boundary.intersection(ground.buffer(2 * TOUCH_M, quad_segs=1))
        lines = [*site.frontage.geoms, *(line for line in shapely.get_parts(contact) if line.geom_type == "LineString")]
        frontage = MultiLineString(lines)
        reached = land_pb2.LandUnit()
        reached.CopyFrom(facts.unit)
        reached.land.frontage_m = frontage.length
        yield _Candidate(
            "right_of_way",
            area_m2,
            {"width": metres(width_m), "area": area(area_m2), "parcel": parcel_id},
            LandFacts(reached),
            replace(site, frontage=frontage),
            project,
            parcel_id,
            ground,
        )
