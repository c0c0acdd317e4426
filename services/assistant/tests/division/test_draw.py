"""The proposals for simple sites, and the reasons for no proposal."""

from collections.abc import Callable

import pytest
from shapely import MultiLineString, MultiPolygon, Polygon, box

from assistant.assessment.facts import LEAST_HOUSE_M
from assistant.division.draw import draw, with_most_lots
from assistant.division.proposal import Division, Proposal, Site
from assistant.project import Project, WishedLot

Checked = Callable[[Site, Project | int], Division]


def south_of(width: float) -> MultiLineString:
    return MultiLineString([[(0, 0), (width, 0)]])


def by_method(division: Division) -> dict[str, Proposal]:
    return {proposal.method: proposal for proposal in division.proposals}


def test_a_rectangle_is_cut_side_by_side_or_into_front_and_rear(checked: Checked) -> None:
    proposals = by_method(checked(Site(box(0, 0, 30, 40), south_of(30), ()), 2))
    assert set(proposals) == {"perpendicular_cut", "parallel_cut"}
    side_by_side = proposals["perpendicular_cut"].lots
    assert [lot.area_m2 for lot in side_by_side] == pytest.approx([600, 600], abs=1)
    assert [lot.frontage_m for lot in side_by_side] == pytest.approx([15, 15], abs=0.1)
    assert [lot.buildable_area_m2 for lot in side_by_side] == pytest.approx([9 * 34] * 2, abs=1)
    front, rear = proposals["parallel_cut"].lots
    assert (front.access, rear.access) == ("frontage", "strip")
    assert rear.frontage_m == pytest.approx(4, abs=0.1)
    assert rear.strip_m2 == pytest.approx(4 * (600 + rear.strip_m2) / 30, rel=0.05)
    assert front.area_m2 == pytest.approx(rear.area_m2, rel=0.05)


def test_three_lots_on_a_narrow_front_are_one_behind_the_other(checked: Checked) -> None:
    proposals = by_method(checked(Site(box(0, 0, 18, 60), south_of(18), ()), 3))
    assert [lot.access for lot in proposals["parallel_cut"].lots] == ["frontage", "strip", "strip"]
    assert [round(lot.frontage_m or 0) for lot in proposals["parallel_cut"].lots] == [10, 4, 4]


def test_a_cut_moves_so_that_a_house_keeps_its_setback(checked: Checked) -> None:
    house = box(9, 6, 17, 16)
    best = checked(Site(box(0, 0, 30, 40), south_of(30), (house,)), 2).proposals[0]
    homes = [lot for lot in best.lots if lot.has_existing_building]
    assert len(homes) == 1
    assert homes[0].shape.contains(house)
    other = next(lot for lot in best.lots if not lot.has_existing_building)
    assert other.shape.distance(house) >= 3 - 0.01
    assert not best.violation_count


def test_a_strip_is_on_the_side_that_is_clear_of_the_house(checked: Checked) -> None:
    house = box(2, 4, 18, 16)
    proposals = by_method(checked(Site(box(0, 0, 30, 44), south_of(30), (house,)), 2))
    rear = proposals["parallel_cut"].lots[1]
    assert rear.access == "strip"
    assert rear.shape.distance(house) >= 3 - 0.01
    assert rear.shape.contains(box(26.5, 1, 29.5, 10))


def test_houses_too_close_to_any_cut_are_a_violation(checked: Checked) -> None:
    houses = (box(1, 5, 14, 15), box(16, 5, 29, 15))
    best = checked(Site(box(0, 0, 30, 20), south_of(30), houses), 2).proposals[0]
    assert {"building_setback"} <= {code for lot in best.lots for code in lot.violations}
    assert [lot.has_existing_building for lot in best.lots] == [True, True]


def test_an_l_shape_and_a_u_shape_are_drawn(checked: Checked) -> None:
    l_shape = Polygon([(0, 0), (50, 0), (50, 20), (20, 20), (20, 50), (0, 50)])
    u_shape = Polygon([(0, 0), (60, 0), (60, 50), (40, 50), (40, 20), (20, 20), (20, 50), (0, 50)])
    for shape, width in ((l_shape, 50), (u_shape, 60)):
        assert checked(Site(shape, south_of(width), ()), 2).proposals


def test_a_unit_with_a_hole_keeps_it(checked: Checked) -> None:
    ring = box(0, 0, 60, 60).difference(box(20, 20, 30, 30))
    for proposal in checked(Site(ring, south_of(60), ()), 2).proposals:
        assert sum(lot.area_m2 for lot in proposal.lots) == pytest.approx(3500, abs=0.5)


@pytest.mark.parametrize("count", [2, 6])
def test_no_landlocked_lots_are_drawn(checked: Checked, count: int) -> None:
    division = checked(Site(box(0, 0, 30, 60), MultiLineString(), ()), count)
    assert (division.proposals, division.reason) == ((), "landlocked")


def test_without_known_frontage_the_access_is_unknown_and_not_landlocked(checked: Checked) -> None:
    division = checked(Site(box(0, 0, 30, 60), None, ()), 2)
    assert {lot.access for lot in division.proposals[0].lots} == {"unknown"}
    assert division.proposals[0].violation_count == 0


def test_parcels_a_few_centimetres_apart_are_one_piece() -> None:
    apart = MultiPolygon([box(0, 0, 20, 40), box(20.05, 0, 40, 40)])
    division = draw(Site(apart, south_of(40), ()), Project(2))
    assert division.proposals


@pytest.mark.parametrize(
    ("unit", "buildings", "reason"),
    [
        (MultiPolygon([box(0, 0, 20, 40), box(30, 0, 50, 40)]), (), "several_pieces"),
        (box(0, 0, 8, 10), (), "too_small"),
        (box(0, 0, 9, 40), (), "too_narrow"),
        (box(0, 0, 9, 40), (box(1, 1, 3, 3),), "too_narrow"),
        (box(0, 0, 11, 160), (), "too_narrow"),
        (box(0, 0, 30, 30), (box(1, 1, 29, 29),), "built_over"),
        (Polygon(), (), "no_geometry"),
    ],
)
def test_a_site_that_cannot_be_divided_has_a_reason(
    checked: Checked, unit: Polygon, buildings: tuple[Polygon, ...], reason: str
) -> None:
    width = 0.0 if unit.is_empty else unit.bounds[2]
    division = checked(Site(unit, MultiLineString() if not width else south_of(width), buildings), 3)
    assert (division.proposals, division.reason) == ((), reason)


def test_a_verge_with_a_wide_end_is_not_divided() -> None:
    """A house fits into the end of 20 m, not into the 150 m along the road."""
    verge = Polygon([(0, 0), (9, 0), (9, 150), (20, 150), (20, 170), (0, 170)])
    division = draw(Site(verge, MultiLineString([[(0, 0), (9, 0)], [(0, 0), (0, 170)]]), ()), Project(3))
    assert (division.proposals, division.reason) == ((), "too_narrow")


def test_no_site_has_no_geometry() -> None:
    assert draw(None, Project(2)).reason == "no_geometry"


def test_a_shed_does_not_make_a_lot_built(checked: Checked) -> None:
    house, shed = box(4, 6, 14, 16), box(22, 6, 26, 10)
    division = checked(Site(box(0, 0, 30, 40), south_of(30), (house, shed)), 2)
    best = next(p for p in division.proposals if p.method == "perpendicular_cut")
    assert [lot.has_existing_building for lot in best.lots] == [True, True]
    assert sorted(lot.is_built for lot in best.lots) == [False, True]
    assert division.layout().built_lot_count == 1


def test_no_strip_is_drawn_through_a_narrow_passage(checked: Checked) -> None:
    flag = Polygon([(0, 0), (20, 0), (20, 15), (23.3, 15), (23.3, 0), (26.6, 0), (26.6, 40), (0, 40)])
    ways = MultiLineString([[(0, 0), (20, 0)], [(23.3, 0), (26.6, 0)]])
    division = checked(Site(flag, ways, ()), 2)
    lots = [lot for p in division.proposals for lot in p.lots]
    assert lots
    assert all((lot.frontage_m or 0) >= 3.9 or {*lot.violations} & {"narrow_frontage", "landlocked"} for lot in lots)


def test_an_edge_of_three_millimetres_does_not_bend_the_next_cut(checked: Checked) -> None:
    """Found by the property tests: after rounding to a centimetre, the lots overlapped by 0.06 m²."""
    corners = [
        (617980.3705261333, 6753017.674457657), (617959.4895038961, 6753006.614049643),
        (617953.9305176748, 6752980.011862271), (617981.9118232069, 6752972.998743357),
        (617999.8476895592, 6752992.001450036), (618013.5567526292, 6752977.995118083),
        (618035.3438954777, 6752983.038453424), (618039.1203582392, 6753004.8663949445),
        (618007.9328299396, 6753006.613650668), (618015.0630684276, 6753047.906438201),
        (617989.5292977997, 6753038.3461457705),
    ]  # fmt: skip
    assert checked(Site(Polygon(corners), None, ()), 2).proposals


def test_the_narrow_part_of_a_flag_serves_both_lots_by_a_right_of_way(checked: Checked) -> None:
    for pole_m, violations in ((4.5, ()), (3.4, ("narrow_frontage",))):
        flag = Polygon([(0, 0), (pole_m, 0), (pole_m, 30), (25, 30), (25, 70), (0, 70)])
        division = checked(Site(flag, south_of(pole_m), ()), Project(2, has_shared_way=False))
        front, rear = division.proposals[0].lots
        assert division.layout().rights_of_way_m == {"B": pytest.approx(min(pole_m, 4.0), abs=0.5)}
        assert (front.access, rear.access) == ("frontage", "right_of_way")
        assert rear.violations == violations
        assert rear.right_of_way is not None
        assert rear.right_of_way.within(front.shape.buffer(0.01))


def test_a_flag_too_narrow_for_a_right_of_way_is_not_divided(checked: Checked) -> None:
    flag = Polygon([(0, 0), (2.5, 0), (2.5, 30), (25, 30), (25, 70), (0, 70)])
    division = checked(Site(flag, south_of(2.5), ()), 2)
    assert (division.proposals, division.reason) == ((), "landlocked")


def test_a_ribbon_between_two_roads_is_cut_in_two(checked: Checked) -> None:
    """A real parcel 295 m long and 14 m wide. The cut bends its sides by half a millimetre, which is 0.013 m²."""
    corners = [
        (359.5172325676169, 5392739.0609912975), (489.1303845060667, 5392656.035273003),
        (608.132453488371, 5392579.494547044), (613.2285097394137, 5392589.725802563),
        (445.56580611275194, 5392700.157118497), (372.2813051953831, 5392748.024808888),
        (371.19860968770547, 5392747.224073455),
    ]  # fmt: skip
    roads = MultiLineString([[corners[5], corners[6], corners[0]], [corners[2], corners[3]]])
    division = checked(Site(Polygon(corners), roads, ()), 2)
    [wide, narrow] = division.proposals[0].lots
    assert (wide.access, wide.violations, narrow.access) == ("frontage", (), "frontage")
    assert narrow.largest_house_m == pytest.approx((6.7, 6.7), abs=0.2)


def test_the_measured_width_of_land_too_narrow_is_told() -> None:
    """A house 8 m wide within setbacks of 3 m takes 14 m."""
    narrow = draw(Site(box(0, 0, 9, 160), south_of(9), ()), Project(3))
    assert narrow.widest_m == pytest.approx(9, abs=0.2)
    layout = narrow.layout()
    assert (layout.widest_m, layout.house_m, layout.setback_m) == (narrow.widest_m, (8, 8), 3)


def test_a_boundary_keeps_off_the_house_where_the_land_allows(checked: Checked) -> None:
    """Even lots would put the boundary at 0.5 m from the house."""
    house = box(8, 11, 20, 19.5)
    best, *others = checked(Site(box(0, 0, 28, 40), south_of(28), (house,)), 2).proposals
    assert min(lot.building_gap_m for lot in best.lots) >= 1.5
    gaps_m = [min(lot.building_gap_m for lot in proposal.lots) for proposal in (best, *others)]
    assert gaps_m == sorted(gaps_m, key=lambda gap_m: gap_m < 1.5)


def test_the_lots_in_protected_surroundings_are_told(checked: Checked) -> None:
    land = Site(box(0, 0, 40, 30), south_of(40), (), protected=(box(38, 0, 60, 30), box(39, 0, 60, 30)))
    layout = checked(land, 2).layout()
    assert len(layout.protected_lots) == 1
    assert layout.protected_ratio == pytest.approx(60 / 1200, rel=0.01)
    assert checked(Site(box(0, 0, 40, 30), south_of(40), ()), 2).layout().protected_ratio is None


def test_shares_of_the_land_are_drawn_as_told() -> None:
    """A judge says 60/40: no house is asked for, so a narrow share has no fault."""
    shares = (WishedLot(share_ratio=0.6), WishedLot(share_ratio=0.4))
    site = Site(box(0, 0, 30, 25), south_of(30), ())
    division = draw(site, Project(lots=shares).on(site.unit.area))
    assert sorted(lot.area_m2 for lot in division.proposals[0].lots) == pytest.approx([300, 450], rel=0.02)
    assert not division.proposals[0].violation_count


def test_a_strip_for_a_neighbour_runs_along_the_longest_side_where_no_way_is_known() -> None:
    division = draw(Site(box(0, 0, 14, 50), None, ()), Project(is_for_neighbour=True, lot_width_m=3.0))
    assert min(lot.area_m2 for lot in division.proposals[0].lots) == pytest.approx(150, abs=2)


def test_a_sized_piece_is_cut_off_narrow_land() -> None:
    """Land 9.4 m wide has no room for a house; the third that is wished is drawn and measured all the same."""
    piece = Project(lots=(WishedLot(area_m2=270.0, position="back"),))
    site = Site(box(0, 0, 9.4, 86), south_of(9.4), ())
    division = draw(site, piece)
    assert division.proposals[0].lots[0].area_m2 == pytest.approx(270, rel=0.02)
    assert division.layout().widest_m == pytest.approx(9.4, abs=0.1)
    assert draw(site, Project(lot_count=2)).reason == "too_narrow"


def test_the_lots_with_room_for_a_small_house_come_first() -> None:
    """On 20 by 22 m, lots side by side leave 4 m between setbacks; of lots one behind the other, one has room."""
    best = draw(Site(box(0, 0, 20, 22), south_of(20), ()), Project(lot_count=2)).proposals[0]
    assert max(min(lot.largest_house_m or (0.0,)) for lot in best.lots) >= LEAST_HOUSE_M


def test_the_largest_number_of_lots_is_that_of_a_drawing() -> None:
    site = Site(box(0, 0, 60, 40), south_of(60), ())
    counted = with_most_lots(site, Project(lots=(WishedLot(least_m2=500.0, use="building"),)))
    best = draw(site, counted).proposals[0]
    assert counted.lot_count == len(best.lots) == 4
    assert not best.violation_count
    assert best.smallest_lot_m2 >= 500
    assert with_most_lots(Site(box(0, 0, 12, 20), south_of(12), ()), Project()) == Project()
