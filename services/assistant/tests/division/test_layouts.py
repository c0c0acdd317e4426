"""The layouts beyond strips, wished areas, and what is measured of lots."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import shapely
from shapely import MultiLineString, Polygon, box
from sized_projects import sized

from assistant.division.draw import draw
from assistant.division.proposal import Assumptions, Division, Proposal, Site, StatedRules
from assistant.division.ranking import has_strip, lies_along_neighbour, strips_m
from assistant.division.reasons import missed_area
from assistant.division.wording import assumptions_of, layout_summary, lot_summaries, overview, proposal_summary
from assistant.project import Project, WishedLot
from assistant.reading.project import Reading
from assistant.reading.wishes import wishes_of
from servicekit.languages import Text

Checked = Callable[[Site, Project | int], Division]


def south_of(width: float) -> MultiLineString:
    return MultiLineString([[(0, 0), (width, 0)]])


def by_method(division: Division) -> dict[str, Proposal]:
    return {proposal.method: proposal for proposal in division.proposals}


def test_a_way_in_the_middle_serves_lots_on_both_sides(checked: Checked) -> None:
    division = checked(Site(box(0, 0, 45, 60), south_of(45), ()), 6)
    proposal = by_method(division)["shared_way"]
    way = proposal.shared_way
    assert way is not None
    assert (way.width_m, way.turning, way.turning_radius_m) == (5, "hammerhead", None)
    assert {lot.access for lot in proposal.lots} == {"frontage", "shared_way"}
    assert min(lot.area_m2 for lot in proposal.lots) > 0.9 * max(lot.area_m2 for lot in proposal.lots)
    assert way.shape.area + sum(lot.area_m2 for lot in proposal.lots) == pytest.approx(45 * 60, abs=0.5)
    assert division.proposals[0].method == "shared_way"
    assert division.layout().has_shared_way
    assert "Voie commune de 5" in layout_summary(proposal).fr
    assert {"shared_way_m", "turning_arm_m"} <= {assumption.name for assumption in assumptions_of(division)}


def test_a_way_along_a_side_serves_lots_one_behind_the_other(checked: Checked) -> None:
    proposal = by_method(checked(Site(box(0, 0, 25, 90), south_of(25), ()), 4))["shared_way"]
    assert [lot.access for lot in proposal.lots].count("shared_way") == 3
    assert not proposal.violation_count


@pytest.mark.parametrize(("depth", "turning"), [(50, "none"), (130, "hammerhead")])
def test_a_way_of_two_rear_lots_has_a_turning_area_only_if_it_is_long(
    checked: Checked, depth: float, turning: str
) -> None:
    project = Project(3, has_shared_way=True)
    proposal = by_method(checked(Site(box(0, 0, 21, depth), south_of(21), ()), project))["shared_way"]
    way = proposal.shared_way
    assert way is not None
    assert (way.turning, way.length_m > 60) == (turning, depth > 100)
    straight_m2 = way.length_m * way.width_m
    assert (way.shape.area == pytest.approx(straight_m2, abs=0.1)) is (turning == "none")
    assert ("hammerhead" in layout_summary(proposal).en) is (turning != "none")


def test_a_way_that_is_not_told_comes_after_lots_with_room_without_it(checked: Checked) -> None:
    """Two lots along the road and one with an access strip have room for a house: no permis d'aménager is needed."""
    site = Site(box(0, 0, 34, 60), south_of(34), ())
    plain, asked = checked(site, 3), checked(site, Project(3, has_shared_way=True))
    assert (plain.proposals[0].shared_way, plain.proposals[0].lot_without_house_count) == (None, 0)
    assert by_method(plain)["shared_way"].shared_way is not None
    assert asked.proposals[0].shared_way is not None


def test_a_way_that_is_not_told_is_drawn_where_a_lot_has_room_only_beside_it(checked: Checked) -> None:
    best, *others = checked(Site(box(0, 0, 22, 68), south_of(22), ()), 3).proposals
    assert best.shared_way is not None
    assert all(proposal.lot_without_house_count > best.lot_without_house_count for proposal in others)


def test_a_way_that_is_not_told_takes_no_land_from_told_areas(checked: Checked) -> None:
    project = Project(lots=(WishedLot(count=3, area_m2=400.0),))
    best = checked(Site(box(0, 0, 24, 50), south_of(24), ()), project).proposals[0]
    assert best.shared_way is None
    assert [lot.area_m2 for lot in best.lots] == pytest.approx([400] * 3, rel=0.02)


def test_a_long_way_ends_in_a_circle(checked: Checked) -> None:
    proposal = by_method(checked(Site(box(0, 0, 70, 110), south_of(70), ()), 12))["shared_way"]
    assert proposal.shared_way is not None
    assert (proposal.shared_way.turning, proposal.shared_way.turning_radius_m) == ("circle", 11)
    assert [lot.id for lot in proposal.lots] == list("ABCDEFGHIJKL")


def test_a_way_stays_clear_of_a_house(checked: Checked) -> None:
    house = box(17, 10, 28, 20)
    proposal = by_method(checked(Site(box(0, 0, 45, 60), south_of(45), (house,)), 5)).get("shared_way")
    assert proposal is not None
    assert proposal.shared_way is not None
    assert proposal.shared_way.shape.distance(house) >= 0.5


def test_many_lots_on_wide_land_are_served_by_a_way_that_branches(checked: Checked) -> None:
    """Two rows of lots, each wide enough for a house. A way without branches leaves lots of 11 by 49 m."""
    division = checked(Site(box(0, 0, 103, 68), south_of(103), ()), Project(12, has_shared_way=True))
    best = division.proposals[0]
    assert (best.method, best.violation_count, division.limitations) == ("shared_way", 0, ())
    assert [lot.access for lot in best.lots].count("shared_way") == 6
    assert best.largest_lot_m2 / best.smallest_lot_m2 < 1.1


def test_a_long_way_without_room_for_a_circle_ends_in_a_hammerhead(checked: Checked) -> None:
    """A real parcel of 7,034 m² that narrows towards its end, where a circle would reach over the boundary."""
    corners = [(0, 0), (103, 0), (110, 76), (119, 96), (130, 111), (126, 110), (64, 70), (36, 69)]
    site = Site(Polygon(corners), south_of(103), ())
    best = checked(site, Project(6, has_shared_way=True)).proposals[0]
    assert best.shared_way is not None
    assert (best.shared_way.turning, best.violation_count) == ("hammerhead", 0)
    assert best.shared_way.length_m > 60
    assert [lot.access for lot in best.lots].count("shared_way") == 4
    arms_m2 = best.shared_way.shape.area - best.shared_way.length_m * best.shared_way.width_m
    assert arms_m2 > 2 * 4 * best.shared_way.width_m - 1
    dense = checked(site, 12).proposals[0]  # the way ends before the tip
    assert [lot.access for lot in dense.lots].count("shared_way") == 10


def test_a_way_ends_before_a_house_that_leaves_no_room_behind_it(checked: Checked) -> None:
    """A real parcel of 6,454 m² between two streets, of which nothing was drawn."""
    unit = Polygon([(0, 79), (2, 50), (23, 13), (34, 7), (86, 0), (98, 86), (58, 81)])
    ways = MultiLineString([[(97, 86), (58, 81), (0, 79)], [(5, 43), (19, 16), (29, 9), (86, 0), (87, 5)]])
    best = checked(Site(unit, ways, (box(41, 65, 56, 79),)), 11).proposals[0]
    assert best.shared_way is not None
    assert [lot.access for lot in best.lots].count("shared_way") > 2


def test_a_way_that_fewer_than_two_lots_need_is_not_drawn(checked: Checked) -> None:
    """Three lots on two streets: each has frontage."""
    ways = MultiLineString([[(0, 0), (48, 0)], [(0, 45), (48, 45)]])
    division = checked(Site(box(0, 0, 48, 45), ways, ()), Project(3, has_shared_way=True))
    assert all(proposal.shared_way is None for proposal in division.proposals)
    assert "chaque lot montré ayant son propre accès" in division.limitations[0].fr


def test_a_way_that_takes_the_room_for_houses_does_not_come_first(checked: Checked) -> None:
    """Two lots of 18 m each have room for a house; behind a way along the side, one has none."""
    division = checked(Site(box(0, 0, 36, 28), south_of(36), ()), Project(2, has_shared_way=True))
    best, *other_proposals = division.proposals
    assert (best.shared_way, best.lot_without_house_count) == (None, 0)
    assert [p.lot_without_house_count for p in other_proposals if p.shared_way is not None] == [1]
    assert "dans un autre découpage" in division.limitations[0].fr


def test_ribbons_cost_rank(checked: Checked) -> None:
    """Four lots of 15 m are 6 times as deep as wide; the way along a side serves lots one behind the other."""
    best, *others = checked(Site(box(0, 0, 60, 90), south_of(60), ()), 4).proposals
    assert not any(lot.is_misshapen for lot in best.lots)
    [ribbons] = [proposal for proposal in others if proposal.method == "perpendicular_cut"]
    assert all(lot.is_misshapen for lot in ribbons.lots)


def test_flag_lots_have_a_strip_each(checked: Checked) -> None:
    proposal = by_method(checked(Site(box(0, 0, 34, 50), south_of(34), ()), 3))["flag_lots"]
    assert [lot.access for lot in proposal.lots] == ["frontage", "frontage", "strip"]
    assert proposal.lots[2].frontage_m == pytest.approx(4, abs=0.1)


def test_a_corner_has_lots_on_both_streets(checked: Checked) -> None:
    ways = MultiLineString([[(0, 40), (0, 0), (60, 0)]])
    proposal = by_method(checked(Site(box(0, 0, 60, 40), ways, ()), 5))["corner_cut"]
    assert {lot.access for lot in proposal.lots} == {"frontage"}
    two = by_method(checked(Site(box(0, 0, 30, 50), MultiLineString([[(0, 50), (0, 0), (30, 0)]]), ()), 2))
    assert [lot.access for lot in two["corner_cut"].lots] == ["frontage", "frontage"]
    assert "parallel_cut" not in two


def test_land_for_a_neighbour_lies_at_a_boundary_with_one() -> None:
    ways = MultiLineString([[(0, 50), (0, 0), (40, 0)]])
    division = draw(Site(box(0, 0, 40, 50), ways, ()), sized(None, (30,), is_for_neighbour=True))
    assert division.proposals
    for proposal in division.proposals:
        [sold] = [lot for lot in proposal.lots if lot.role == "neighbour_plot"]
        lengths = {kind: sum(s.line.length for s in sold.sides if s.kind == kind) for kind in ("neighbour", "way")}
        assert lengths["neighbour"] >= 40 > lengths["way"]


def test_a_strip_for_a_neighbour_has_the_told_width() -> None:
    unit = Polygon([(0, 0), (40, 0), (48, 60), (0, 50)])
    division = draw(Site(unit, south_of(40), (box(10, 10, 20, 20),)), Project(is_for_neighbour=True, lot_width_m=3))
    assert division.proposals
    for proposal in division.proposals:
        assert has_strip(proposal, 3)
        [sold] = [lot for lot in proposal.lots if lot.role == "neighbour_plot"]
        assert lies_along_neighbour(sold, unit)
        assert not sold.is_built
    assert not has_strip(division.proposals[0], 4)
    assert "exemple" in overview(division.proposals[0], is_example=True).fr


@pytest.mark.parametrize("house_m", [3.4, 4.6, 6.0])
def test_a_strip_keeps_its_width_beside_a_house_and_an_oblique_street(house_m: float) -> None:
    """A house near one side leaves the others. The street is oblique to them all."""
    unit = Polygon([(0, 0), (24, 9), (24, 60), (0, 60)])
    front = MultiLineString([[(0, 0), (24, 9)]])
    house = (box(house_m, 20, 23.0, 32),)
    best = draw(Site(unit, front, house), Project(is_for_neighbour=True, lot_width_m=4)).proposals[0]
    assert has_strip(best, 4)
    [sold] = [lot for lot in best.lots if lot.role == "neighbour_plot"]
    assert sold.shape.buffer(-1.99).length > 2 * 20  # as wide all along


def test_a_strip_is_as_wide_as_the_houses_leave_it_and_says_so() -> None:
    unit = box(0, 0, 14, 40)
    site, project = Site(unit, south_of(14), (box(3.5, 12, 10.5, 37),)), Project(is_for_neighbour=True, lot_width_m=4)
    division = draw(site, project)
    assert strips_m(division.proposals[0]) == pytest.approx([3.0])
    [wish] = [wish for wish in wishes_of(project, Reading(), "", division) if wish.field == "/lot_width_m"]
    assert (wish.status, wish.reason.fr) == ("not_followed", "celle qui est dessinée a 3\N{NO-BREAK SPACE}m")


def test_land_for_a_neighbour_does_not_run_round_what_stays() -> None:
    """A strip across the mouth of a U touches no neighbour along its length; those at the sides do."""
    unit = Polygon([(0, 0), (60, 0), (60, 50), (40, 50), (40, 20), (20, 20), (20, 50), (0, 50)])
    best = draw(Site(unit, south_of(60), ()), sized(None, (300,), is_for_neighbour=True)).proposals[0]
    [sold] = [lot for lot in best.lots if lot.role == "neighbour_plot"]
    assert lies_along_neighbour(sold, unit)
    around = replace(sold, shape=Polygon([(0, 0), (60, 0), (60, 50), (57, 50), (57, 3), (3, 3), (3, 50), (0, 50)]))
    assert not lies_along_neighbour(around, unit)
    across = replace(sold, shape=box(0, 15, 60, 20))
    assert not lies_along_neighbour(across, unit)


def test_a_lot_between_oblique_sides_is_cut_along_them(checked: Checked) -> None:
    unit = Polygon([(0, 0), (30, 0), (50, 60), (20, 60)])
    best = by_method(checked(Site(unit, south_of(30), ()), 2))["perpendicular_cut"]
    shared = best.lots[0].shape.intersection(best.lots[1].shape)
    (x1, y1), (x2, y2) = shapely.get_coordinates(shared)[[0, -1]]
    assert (x2 - x1) / (y2 - y1) == pytest.approx(20 / 60, abs=0.01)


def test_the_house_keeps_a_plot_of_the_assumed_area(checked: Checked) -> None:
    division = checked(Site(box(0, 0, 40, 50), south_of(40), (box(3, 3, 13, 9),)), 2)
    proposal = by_method(division)["kept_house"]
    home = next(lot for lot in proposal.lots if lot.role == "kept_house")
    assert home.area_m2 == pytest.approx(500, rel=0.1)
    assert "house_plot_m2" in {assumption.name for assumption in assumptions_of(division)}


def test_the_house_keeps_the_plot_that_is_asked_for(checked: Checked) -> None:
    site = Site(box(0, 0, 40, 50), south_of(40), (box(3, 3, 13, 13),))
    division = checked(site, sized(3, (), 700, True))
    assert [lot.area_m2 for lot in division.proposals[0].lots if lot.role == "kept_house"] == pytest.approx([700], 0.05)
    assert "house_plot_m2" not in {assumption.name for assumption in assumptions_of(division)}
    assert checked(replace(site, buildings=()), sized(2, (), 700, True)).proposals[0].terms[0].name == "wishes"


def test_wished_areas_are_drawn_and_the_house_stays_on_the_rest(checked: Checked) -> None:
    site = Site(box(0, 0, 40, 50), south_of(40), (box(3, 10, 13, 20),))
    best = checked(site, sized(None, (450,))).proposals[0]
    plot = next(lot for lot in best.lots if lot.wished_m2)
    assert (plot.role, plot.is_built) == ("building_plot", False)
    assert plot.area_m2 == pytest.approx(450, rel=0.05)


def test_a_lot_with_an_access_strip_has_its_wished_area(checked: Checked) -> None:
    for size in (420, 640):
        proposals = by_method(checked(Site(box(0, 0, 22, 70), south_of(22), ()), sized(None, (size,))))
        [plot] = [lot for lot in proposals["parallel_cut"].lots if lot.wished_m2]
        assert plot.area_m2 == pytest.approx(size, rel=0.005)


def test_a_lot_to_sell_is_not_the_one_of_the_house(checked: Checked) -> None:
    """The distance from the house makes one lot 42 m² larger than the wish, and the other one 42 m² smaller."""
    site = Site(box(0, 0, 40, 50), south_of(40), (box(5, 5, 18.05, 20),))
    for proposal in checked(site, sized(2, (1000,))).proposals:
        assert [lot.is_built for lot in proposal.lots if lot.wished_m2] == [False]


@pytest.mark.parametrize(
    ("project", "count", "expected_text"),
    [
        (sized(None, (400, 400)), 3, ""),
        (sized(2, (600, 600)), 2, ""),
        (sized(3, (200, 200, 200)), 4, "laissent 600"),
        (sized(None, (5000,)), 2, "ne tiennent pas"),
        (sized(None, (20,)), 2, "Aucun lot de moins de 60"),
        (Project(20), 12, "de 2 à 12, et non 20"),
        (Project(1), 2, "de 2 à 12, et non 1"),
        (sized(None, (100,) * 12), 12, ""),
    ],
)
def test_what_cannot_be_drawn_as_asked_is_said(project: Project, count: int, expected_text: str) -> None:
    division = draw(Site(box(0, 0, 30, 40), south_of(30), ()), project)
    assert division.lot_count == count
    detail = assumptions_of(division)[0].detail.fr.replace("\u202f", " ").replace("\u00a0", " ")
    assert expected_text in detail
    assert (not expected_text) == (not division.limitations)


@pytest.mark.parametrize(
    ("lots", "expected_text"),
    [
        ([WishedLot(4, least_m2=250)], ""),
        ([WishedLot(2, least_m2=700, most_m2=900)], "1 400 m² à 1 800 m² en tout"),
        ([WishedLot(2, least_m2=700)], "1 400 m² au moins en tout"),
        ([WishedLot(least_m2=100, most_m2=1000), WishedLot(is_rest=True)], ""),
    ],
)
def test_an_area_within_its_bounds_is_as_wished(lots: list[WishedLot], expected_text: str) -> None:
    division = draw(Site(box(0, 0, 30, 40), south_of(30), ()), Project(sum(lot.count for lot in lots), tuple(lots)))
    detail = " ".join(text.fr.replace("\u202f", " ").replace("\u00a0", " ") for text in division.limitations)
    assert expected_text in detail
    assert (not expected_text) == (not detail), detail


def test_a_wish_that_a_house_prevents_is_said(checked: Checked) -> None:
    site = Site(box(0, 0, 30, 30), south_of(30), (box(2, 2, 20, 20),))
    division = checked(site, sized(2, (), 300, True))
    assert "wished_size" in {code for lot in division.proposals[0].lots for code in lot.violations}
    assert "300\u00a0m² demandés" in division.limitations[0].fr


def test_a_building_is_blamed_for_an_area_only_if_it_holds_the_boundary(checked: Checked) -> None:
    """The boundary is 3 m from the house and would have to move 1 m towards it. Behind, a strip takes the land."""
    near = checked(Site(box(0, 0, 40, 50), south_of(40), (box(5, 5, 18, 45),)), sized(2, (1000,)))
    [missed] = [text.fr.replace("\u00a0", " ").replace("\u202f", " ") for text in near.limitations]
    assert "950 m² au lieu des 1 000 m² demandés. Sa limite devrait avancer de 1 m vers un bâtiment" in missed
    assert "elle en est à 3 m, pour un recul de 3 m" in missed
    lot = replace(near.proposals[0].lots[0], wished_m2=700)
    free = replace(near.proposals[0], lots=(lot, *near.proposals[0].lots[1:]))
    bare = Site(box(0, 0, 40, 50), south_of(40), ())
    assert "bâtiment" not in missed_area(lot, free, bare, Assumptions()).fr


def test_a_width_is_blamed_for_an_area_only_if_the_lot_would_be_narrower(checked: Checked) -> None:
    """Behind the house, 260 m² are a strip of 4 by 20 m and a band of 9 by 20 m. 220 m² would leave a band of 7 m."""
    site = Site(box(0, 0, 20, 37), south_of(20), (box(3, 4, 15, 14),))
    narrow = checked(site, sized(2, (220,)))
    [missed] = [text.fr.replace("\u00a0", " ") for text in narrow.limitations]
    assert "Sans son accès, il n’aurait que" in missed
    assert "pour 8 m au moins" in missed
    lot = next(lot for lot in narrow.proposals[0].lots if lot.wished_m2)
    wider = replace(
        narrow.proposals[0],
        lots=tuple(replace(one, wished_m2=one.area_m2 - 5) if one is lot else one for one in narrow.proposals[0].lots),
    )
    changed = next(one for one in wider.lots if one.wished_m2)
    assert "Sans son accès" not in missed_area(changed, wider, site, Assumptions()).fr


def test_sides_face_the_way_neighbours_and_lots(checked: Checked) -> None:
    site = Site(box(0, 0, 30, 40), MultiLineString([[(0, 0), (20, 0)]]), ())
    west_lot, right = by_method(checked(site, 2))["perpendicular_cut"].lots
    assert sorted((side.kind, round(side.length_m)) for side in west_lot.sides) == [
        ("lot", 40), ("neighbour", 15), ("neighbour", 40), ("way", 15),
    ]  # fmt: skip
    assert sorted((side.kind, round(side.length_m)) for side in right.sides) == [
        ("lot", 40), ("neighbour", 10), ("neighbour", 15), ("neighbour", 40), ("way", 5),
    ]  # fmt: skip


def test_the_slope_is_that_of_the_samples_in_the_lot() -> None:
    samples = tuple((x, y, 0.05 * x + (0.1 * y if y > 20 else 0.0)) for x in range(0, 31, 5) for y in range(0, 41, 5))
    division = draw(Site(box(0, 0, 30, 40), south_of(30), (), altitudes=samples), Project(2))
    slopes = [lot.mean_slope_percent for lot in by_method(division)["perpendicular_cut"].lots]
    assert all(slope is not None and 5 < slope < 15 for slope in slopes)
    few = draw(Site(box(0, 0, 30, 40), south_of(30), (), altitudes=samples[:2]), Project(2))
    assert {lot.mean_slope_percent for lot in few.proposals[0].lots} == {None}


def test_samples_about_on_a_line_tell_no_slope_of_a_strip() -> None:
    """A millimetre across makes any slope: a strip for a neighbour was 139 % steep on flat land."""
    samples = tuple((1.5 + 0.01 * (y % 3), float(y), 0.1 * (y % 3)) for y in range(0, 41, 5))
    samples += tuple((float(x), float(y), 0.0) for x in range(6, 31, 6) for y in range(0, 41, 5))
    site = Site(box(0, 0, 30, 40), south_of(30), (box(10, 10, 26, 36),), altitudes=samples)
    division = draw(site, Project(is_for_neighbour=True, lot_width_m=3))
    sold = [lot for p in division.proposals for lot in p.lots if lot.role == "neighbour_plot"]
    assert all((lot.mean_slope_percent or 0.0) < 5 for lot in sold)


def test_closed_surfaces_and_stated_figures_limit_the_envelope() -> None:
    site = Site(box(0, 0, 30, 40), south_of(30), ())
    free = by_method(draw(site, Project(2)))["perpendicular_cut"].lots[0]
    wood = by_method(draw(replace(site, closed=(box(-1, 20, 31, 41),)), Project(2)))["perpendicular_cut"].lots[0]
    assert wood.buildable_area_m2 == pytest.approx(9 * 17, abs=1)
    assert wood.envelope.bounds[3] == pytest.approx(20, abs=0.01)
    rules = StatedRules(setback_m=4, way_setback_m=10, footprint_ratio=0.3, height_m=9)
    lot = by_method(draw(replace(site, rules=rules), Project(2)))["perpendicular_cut"].lots[0]
    assert lot.envelope.area == pytest.approx(7 * 26, abs=1)
    assert lot.buildable_area_m2 == pytest.approx(0.3 * free.area_m2, abs=1)
    named = {assumption.name: assumption for assumption in assumptions_of(draw(replace(site, rules=rules), Project(2)))}
    assert named["setback_m"].value == 4
    assert "prescription" in named["way_setback_m"].detail.fr


@pytest.mark.parametrize("away_m", [None, 0.0, 2.0, 5.0])
def test_the_setback_to_the_road_is_that_of_its_rule(away_m: float | None) -> None:
    """A rule may ask for the road line, or for more or less than the distance to neighbours, which is 3 m."""
    read = {} if away_m is None else {"way_setback_m": (away_m, Text("règle", "rule"))}
    site = Site(box(0, 0, 30, 80), south_of(30), (), read_figures=read)
    division = draw(site, Project(2, has_even_lots=True))
    front = next(lot for lot in division.proposals[0].lots if lot.access == "frontage" and not lot.strip_m2)
    west, south, *_ = front.envelope.bounds
    assert south == pytest.approx(3.0 if away_m is None else away_m, abs=0.01)
    assert west == pytest.approx(front.shape.bounds[0] + 3, abs=0.01)
    [way] = [item for item in assumptions_of(division) if item.name == "way_setback_m"]
    assert (way.value, "n’est pas lu" in way.detail.fr) == (3.0 if away_m is None else away_m, away_m is None)


@pytest.mark.parametrize(("width_m", "is_narrow"), [(3.5, False), (None, True), (5.0, True)])
def test_an_access_is_as_wide_as_the_regulation_asks(width_m: float | None, *, is_narrow: bool) -> None:
    """The frontage is 3.8 m: less than the 4 m that are assumed."""
    unit = Polygon([(0, 0), (3.8, 0), (3.8, 10), (30, 10), (30, 60), (0, 60)])
    read = {} if width_m is None else {"access_strip_m": (width_m, Text("règle", "rule"))}
    ways = MultiLineString([[(0, 0), (3.8, 0)], [(30, 10), (30, 35)]])
    division = draw(Site(unit, ways, (), read_figures=read), Project(2))
    violations = {
        code for p in division.proposals for lot in p.lots if (lot.frontage_m or 9) < 4 for code in lot.violations
    }
    assert ("narrow_frontage" in violations) == is_narrow
    assert division.assumptions.access_strip_m == (width_m or 4)


def test_the_narrowest_access_may_be_that_of_the_house() -> None:
    unit = Polygon([(0, 0), (5, 0), (5, 10), (30, 10), (30, 40), (0, 40)])
    ways = MultiLineString([[(0, 0), (5, 0)], [(30, 10), (30, 40)]])
    division = draw(Site(unit, ways, (box(2, 16, 12, 26),)), Project(2))
    [house] = [lot for lot in division.proposals[0].lots if lot.role == "kept_house"]
    assert division.layout().access_m == pytest.approx(house.frontage_m)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_no_road_is_named_where_only_a_path_runs_along_the_land(count: int) -> None:
    site = Site(box(0, 0, 60, 50), south_of(60), (), has_road=False)
    division = draw(site, Project(count))
    texts = [proposal_summary(proposal) for proposal in division.proposals if proposal.shared_way is None]
    assert texts
    for text in texts:
        assert not re.search("façade|de la voie|les deux voies", text.fr)
        assert not re.search("road frontage|from the road|on the road|both roads", text.en)
    assert division.layout().access_m is None


def test_a_told_setback_holds_towards_the_road_too() -> None:
    read = {"way_setback_m": (0.0, Text("règle", "rule"))}
    site = Site(box(0, 0, 30, 80), south_of(30), (), read_figures=read)
    lots = draw(site, Project(2, setback_m=4.0)).proposals[0].lots
    assert min(lot.envelope.bounds[1] for lot in lots) == pytest.approx(4, abs=0.01)


def test_figures_of_the_regulation_limit_the_envelope_where_nothing_else_states_one() -> None:
    sentence = Text("Lecture automatique", "Read automatically")
    read = {"setback_m": (4.0, sentence), "way_setback_m": (10.0, sentence), "footprint_ratio": (0.3, sentence)}
    site = Site(box(0, 0, 30, 40), south_of(30), (), rules=StatedRules(way_setback_m=8), read_figures=read)
    division = draw(site, Project(2, setback_m=5))
    lot = by_method(division)["perpendicular_cut"].lots[0]
    assert lot.envelope.area == pytest.approx(5 * 27, abs=1)
    assert lot.buildable_area_m2 == pytest.approx(min(0.3 * lot.area_m2, lot.envelope.area), abs=1)
    named = {assumption.name: assumption for assumption in assumptions_of(division)}
    assert named["footprint_ratio"].detail == sentence
    assert "question" in named["setback_m"].detail.fr
    assert "prescription" in named["way_setback_m"].detail.fr


def test_a_footprint_is_judged_lot_by_lot_or_on_the_whole_as_the_plan_says() -> None:
    read = {"footprint_ratio": (0.2, Text("Lecture automatique", "Read automatically"))}
    site = Site(box(0, 0, 60, 40), south_of(60), (box(5, 5, 12, 12),), read_figures=read)
    by_lot = {lot.is_built: lot for lot in draw(site, Project(2, keeps_house=True)).proposals[0].lots}
    lots = draw(replace(site, is_judged_whole=True), Project(2, keeps_house=True)).proposals[0].lots
    whole = {lot.is_built: lot for lot in lots}
    assert by_lot[False].buildable_area_m2 == pytest.approx(0.2 * by_lot[False].area_m2, abs=1)
    assert by_lot[True].buildable_area_m2 == pytest.approx(0.2 * by_lot[True].area_m2 - 49, abs=1)
    left_m2 = 0.2 * 60 * 40 - 49
    assert whole[False].buildable_area_m2 == pytest.approx(min(left_m2, whole[False].envelope.area), abs=1)
    assert (whole[False].buildable_area_m2 or 0) > (by_lot[False].buildable_area_m2 or 0) + 50
    stated = replace(site, is_judged_whole=True, read_figures={}, rules=StatedRules(footprint_ratio=0.2))
    told = {lot.is_built: lot for lot in draw(stated, Project(2, keeps_house=True)).proposals[0].lots}
    assert told[False].buildable_area_m2 == by_lot[False].buildable_area_m2


@pytest.mark.parametrize("sizes", [(400.0,), (500.0, 500.0), (700.0,)])
def test_wished_lots_on_deep_land_are_compact_and_on_the_way(checked: Checked, sizes: tuple[float, ...]) -> None:
    """Each has its area, frontage and at most thrice the depth of its width; the rest keeps the house."""
    house = box(5, 60, 15, 70)
    best = checked(Site(box(0, 0, 60, 90), south_of(60), (house,)), sized(sizes_m2=sizes)).proposals[0]
    assert best.method == "detached_lots"
    *wished_lots, rest = best.lots
    assert not best.violation_count
    for lot, size in zip(wished_lots, sizes, strict=True):
        assert lot.area_m2 == pytest.approx(size, rel=0.01)
        west, south, east, north = lot.shape.bounds
        assert max(north - south, east - west) <= 3 * min(north - south, east - west)
        assert (lot.frontage_m or 0) >= 4
    assert rest.shape.contains(house)
    assert (rest.frontage_m or 0) >= 4


def test_the_ground_beside_the_plot_of_a_house_is_divided_by_a_shared_way(checked: Checked) -> None:
    site = Site(box(0, 0, 60, 110), south_of(60), (box(44, 5, 56, 15),))
    best = checked(site, sized(lot_count=6, house_m2=800, keeps_house=True)).proposals[0]
    assert (best.method, best.violation_count, best.shared_way is not None) == ("kept_house", 0, True)
    assert [lot.area_m2 for lot in best.lots if lot.role == "kept_house"] == pytest.approx([800], rel=0.01)


def test_even_lots_share_the_open_ground_as_far_as_their_areas_allow(checked: Checked) -> None:
    """A closed surface lies on a corner. Even lots stay even, and the lot on the corner is the largest."""
    site = Site(box(0, 0, 40, 60), south_of(40), (), closed=(box(0, 30, 20, 60),))
    proposals = by_method(checked(site, Project(2, has_even_lots=True)))
    closed_lot, open_lot = sorted(proposals["perpendicular_cut"].lots, key=lambda lot: -lot.closed_area_m2)
    assert 1.05 < closed_lot.area_m2 / open_lot.area_m2 <= 1.1
    assert "uneven" not in {*closed_lot.violations, *open_lot.violations}


def test_lots_along_a_shared_way_share_the_open_ground(checked: Checked) -> None:
    """The rear quarter is closed. Each lot has room for a house, and the last one takes the closed ground."""
    site = Site(box(0, 0, 40, 200), south_of(40), (), closed=(box(0, 150, 40, 200),))
    best = checked(site, Project(8, has_shared_way=True)).proposals[0]
    assert (best.method, {lot.role for lot in best.lots}) == ("shared_way", {"building_plot"})
    assert max(best.lots, key=lambda lot: lot.closed_area_m2).area_m2 == best.largest_lot_m2


def test_a_wished_lot_lies_behind_closed_ground_on_the_way(checked: Checked) -> None:
    site = Site(box(0, 0, 60, 120), south_of(60), (box(5, 5, 15, 15),), closed=(box(0, 0, 60, 60),))
    division = checked(site, sized(sizes_m2=(800,)))
    best = division.proposals[0]
    plot = next(lot for lot in best.lots if lot.wished_m2)
    assert (best.method, plot.access, plot.violations) == ("detached_lots", "strip", ())
    assert plot.buildable_area_m2 > 250
    assert "prise en retrait de la voie" in layout_summary(best).fr
    assert "L’accès traverse un sol" in assumptions_of(division)[0].detail.fr


def test_a_smaller_plot_is_assumed_for_a_house_that_would_close_the_way(checked: Checked) -> None:
    """A plot of 500 m² ends where the land narrows, so a strip reaches no room behind it."""
    unit = Polygon([(0, 0), (17, 0), (17, 30), (9, 30), (9, 65), (0, 65)])
    division = checked(Site(unit, south_of(17), (box(1, 5, 11, 15),)), Project(2, keeps_house=True))
    best = division.proposals[0]
    assert best.method == "kept_house"
    assert {lot.access for lot in best.lots} <= {"frontage", "strip"}
    home = next(lot for lot in best.lots if lot.role == "kept_house")
    [assumed] = [item for item in assumptions_of(division) if item.name == "house_plot_m2"]
    assert home.area_m2 == pytest.approx(assumed.value, rel=0.05)


def test_lots_that_differ_in_figures_only_share_a_sentence(checked: Checked) -> None:
    """What is not known of the land is said once."""
    site = Site(box(0, 0, 60, 40), south_of(60), (), missing=("buildings",))
    proposal = by_method(checked(site, 4))["perpendicular_cut"]
    [sentence] = [text.fr for text in lot_summaries(proposal)]
    assert sentence.startswith("Lots A, B, C et D")
    assert "connaître" not in sentence
    assert proposal_summary(proposal).fr.count("sans connaître les bâtiments.") == 1


def test_the_plot_of_the_house_cuts_no_other_building(checked: Checked) -> None:
    """The lots beside the plot were drawn as if a building across its boundary did not stand there."""
    unit = Polygon([(-78.7, 18.7), (-79.9, 41.3), (-3.1, 60.1), (0, 0)])
    house = Polygon([(-19, 36.4), (-22.2, 48.1), (-12.1, 50.8), (-9, 39.1)])
    other = Polygon([(-35.1, 43), (-37.1, 48), (-23.1, 53.5), (-21.1, 48.4)])
    front = MultiLineString([[(-3.1, 60.1), (-79.9, 41.3)]])
    closed = Polygon([(-79.9, 41.3), (-3.1, 60.1), (-1.3, 26.3), (-79.1, 26.3)])
    checked(Site(unit, front, (house, other), closed=(closed,)), sized(7, house_m2=764, keeps_house=True))


def test_no_way_opens_on_streets_that_are_each_too_narrow(checked: Checked) -> None:
    """Two streets of 3 m end at the same side: a way of 5 m has no room, and the lots are drawn without one."""
    streets = MultiLineString([[(5, 0), (8, 0)], [(30, 0), (33, 0)]])
    division = checked(Site(box(0, 0, 45, 60), streets, ()), Project(4, has_shared_way=True))
    assert {proposal.shared_way for proposal in division.proposals} == {None}
