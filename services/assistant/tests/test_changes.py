"""The changes that lift what stands against a project."""

from collections.abc import Callable

import pytest
import shapely
from shapely import LineString, MultiLineString, Polygon, box
from shapely.geometry.base import BaseGeometry

from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Status, Verdict
from assistant.changes import Change
from assistant.division.site import site_of
from assistant.models.base import Study
from assistant.study import study
from landpartner.land.v1 import land_pb2

MakeUnit = Callable[..., land_pb2.LandUnit]


def studied(unit: land_pb2.LandUnit, question: str) -> Study:
    return study(LandFacts(unit), question)


def by_kind(done: Study) -> dict[str, Change]:
    return {change.kind: change for change in done.changes}


@pytest.mark.parametrize("question", ["Diviser en 2 lots", "Diviser un terrain", "Vendre 400 m² et garder le reste"])
def test_nothing_is_searched_where_nothing_stands_against_the_project(land_unit: MakeUnit, question: str) -> None:
    assert studied(land_unit(30, 40), question).changes == ()


def test_a_zone_that_is_closed_has_no_change(land_unit: MakeUnit) -> None:
    done = studied(land_unit(30, 40, zone_type="N"), "Diviser en 2 lots")
    assert (done.assessment.verdict, done.changes) == (Verdict.UNFAVOURABLE, ())


def test_a_refusal_says_what_was_drawn_instead(land_unit: MakeUnit) -> None:
    done = studied(land_unit(28, 40), "Diviser en 12 lots")
    assert done.division.proposals == ()
    [summary] = [change.summary.fr for change in done.changes if change.kind == "fewer_lots"]
    assert "Lots : " in summary


def test_fewer_lots_fit_where_the_wished_number_does_not(land_unit: MakeUnit) -> None:
    done = studied(land_unit(20, 30), "Diviser en 12 lots")
    assert done.assessment.verdict is Verdict.UNFAVOURABLE
    change = by_kind(done)["fewer_lots"]
    assert change.verdict is not Verdict.UNFAVOURABLE
    assert "division_layout" in change.turned_checks
    count = len(change.proposal.lots)
    assert 2 <= count < 12
    assert change.area_m2 == pytest.approx(600 * (12 - count) / 12, rel=0.01)
    one_more = studied(land_unit(20, 30), f"Diviser en {count + 1} lots")
    assert one_more.assessment.verdict is Verdict.UNFAVOURABLE  # the change is the smallest
    assert f"{count} lots" in change.summary.fr


def test_the_lots_on_open_ground_are_proposed_where_a_red_zone_closes_others(
    land_unit: MakeUnit, degrees_of: Callable[[BaseGeometry], bytes]
) -> None:
    unit = land_unit(40, 240)
    red = box(0, 180, 40, 240)
    unit.risks.zones.add(
        plan_id="P", subject="natural_risk_plan", code="R1", regulation="forbidden", overlap_ratio=0.25,
        overlap_area_m2=red.area, geometry=degrees_of(red),
    )  # fmt: skip
    done = studied(unit, "12 lots égaux avec une voie commune")
    closed = [lot for lot in done.division.proposals[0].lots if lot.role == "closed_land"]
    plots = 12 - len(closed)
    assert len(closed) > 1
    assert f"{plots} seulement seraient à bâtir" in done.assessment.summary.fr
    change = by_kind(done)["fewer_lots"]
    fewer = [lot.role for lot in change.proposal.lots].count("building_plot")
    assert f"{fewer} lots au lieu de 12, en gardant d’un seul tenant" in change.summary.fr
    assert plots - 1 <= fewer <= plots  # a lot that the red zone cuts has no room for a house
    assert not any("no_house_fits" in lot.violations for lot in change.proposal.lots)


def test_a_smaller_plot_of_the_house_leaves_room_for_the_wished_lots(land_unit: MakeUnit) -> None:
    unit = land_unit(30, 40, buildings=[box(10, 4, 20, 14)])
    done = studied(unit, "Garder la maison avec 900 m² et vendre un terrain de 500 m²")
    change = by_kind(done)["smaller_house_plot"]
    assert change.turned_checks == ("division_layout",)
    house = next(lot for lot in change.proposal.lots if lot.role == "kept_house")
    assert house.area_m2 == pytest.approx(900 - change.area_m2, rel=0.12)


@pytest.mark.parametrize("east", [(30, -10, 60, 40), (30, -20, 60, 60)])
def test_a_right_of_way_over_a_neighbour_opens_landlocked_land(
    east: tuple[int, int, int, int], land_unit: MakeUnit, degrees_of: Callable[[BaseGeometry], bytes]
) -> None:
    unit = land_unit(30, 40, front=False)
    done = studied(unit, "Diviser en 2 lots")
    assert done.assessment.verdict is Verdict.UNFAVOURABLE
    assert done.changes == ()
    south, north = LineString([(30, east[1]), (60, east[1])]), LineString([(-60, -30), (0, -30)])
    for parcel_id, shape, front in (("east", box(*east), south), ("west", box(-60, -30, 0, 40), north)):
        unit.land.neighbours.add(
            parcel_id=parcel_id, geometry=degrees_of(shape), frontage=degrees_of(MultiLineString([front]))
        )
    unit.land.neighbours[0].owners.add(name="SCI DES LILAS", siren="123456789")
    done = studied(unit, "Diviser en 2 lots")
    change = by_kind(done)["right_of_way"]
    assert change.parcel_id == "east"  # the shorter way
    assert [owner.siren for owner in change.owners] == ["123456789"]
    assert "SCI DES LILAS (SIREN 123456789)" in change.summary.fr
    assert change.ground is not None
    assert change.area_m2 == pytest.approx(change.ground.area)
    assert change.area_m2 < 4.2 * (abs(east[1]) + 45)
    assert {"access", "division_layout"} == set(change.turned_checks)
    assert change.verdict is not Verdict.UNFAVOURABLE
    site = site_of(unit)
    assert site is not None
    assert change.ground.intersection(site.unit).area < 0.5
    assert change.ground.distance(site.neighbours[0].frontage) < 0.3
    centres = shapely.union_all([change.ground, site.unit.buffer(0.06)]).buffer(-(4 - 0.15) / 2)
    assert isinstance(centres, Polygon), "a disc of its width rolls from the way into the land"
    assert change.ground.difference(shapely.union_all([n.shape for n in site.neighbours])).area < 0.5


def bounded(unit: land_pb2.LandUnit, kind: str, lines: bytes, length_m: float) -> land_pb2.LandUnit:
    unit.land.bounds.add(kind=kind, geometry=lines, length_m=length_m)
    unit.coverage.add(dataset="bdtopo-ways", status=land_pb2.COVERAGE_STATUS_COVERED)
    return unit


@pytest.mark.parametrize(("kind", "is_access"), [("path", True), ("water", False)])
def test_a_path_opens_a_second_access_and_a_river_does_not(
    kind: str, is_access: bool, land_unit: MakeUnit, degrees_of: Callable[[BaseGeometry], bytes]
) -> None:
    unit = land_unit(30, 60)
    unit.land.frontage_m, unit.land.frontage = 2.0, degrees_of(MultiLineString([[(0, 0), (2, 0)]]))
    lines = degrees_of(MultiLineString([[(30, 0), (30, 60)]]))
    done = studied(bounded(unit, kind, lines, 60), "Diviser en 3 lots")
    assert done.assessment.verdict is Verdict.UNFAVOURABLE
    assert ("other_access" in by_kind(done)) == is_access


@pytest.mark.parametrize(("kind", "status"), [("open_ground", Status.WARN), ("water", Status.FAIL)])
def test_land_without_a_road_is_landlocked_unless_it_faces_open_ground(
    kind: str, status: Status, land_unit: MakeUnit, degrees_of: Callable[[BaseGeometry], bytes]
) -> None:
    lines = degrees_of(MultiLineString([[(0, 0), (30, 0)]]))
    done = studied(bounded(land_unit(30, 40, front=False), kind, lines, 30), "Diviser en 2 lots")
    assert next(check.status for check in done.assessment.checks if check.code == "access") is status
    accesses = {lot.access for proposal in done.division.proposals[:1] for lot in proposal.lots}
    assert accesses == ({"unknown"} if status is Status.WARN else set())
