"""A wished place of a lot is drawn where a valid layout allows it, and else has a reason."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from shapely import MultiLineString, Polygon, box

from assistant.division.draw import draw
from assistant.division.proposal import Division, Lot, Site
from assistant.division.wording import layout_summary
from assistant.project import Position, Project, WishedLot

Checked = Callable[[Site, Project | int], Division]
HOUSE = box(8, 6, 20, 16)
WIDE, DEEP, NARROW = box(0, 0, 40, 35), box(0, 0, 40, 75), box(0, 0, 14, 60)


def site(unit: Polygon, *buildings: Polygon) -> Site:
    """The road is along the south side."""
    west, south, east, _ = unit.bounds
    return Site(unit, MultiLineString([[(west, south), (east, south)]]), buildings)


def wished(position: Position, size: float | None = 400.0) -> Project:
    return Project(lots=(WishedLot(area_m2=size, position=position),), lot_count=None if size else 2)


def detached(division: Division, size: float = 400.0) -> Lot:
    return min(division.proposals[0].lots, key=lambda lot: abs(lot.area_m2 - size))


@pytest.mark.parametrize("unit", [WIDE, DEEP, NARROW])
@pytest.mark.parametrize("buildings", [(), (HOUSE,)])
def test_a_lot_at_the_back_is_drawn_there_with_an_access(
    checked: Checked, unit: Polygon, buildings: tuple[Polygon, ...]
) -> None:
    if unit is NARROW and buildings:
        buildings = (box(3, 6, 9, 16),)
    division = checked(site(unit, *buildings), wished("back"))
    lot = detached(division)
    assert division.misplaced == {}
    assert lot.area_m2 == pytest.approx(400, rel=0.02)
    assert lot.shape.bounds[3] == unit.bounds[3]
    assert lot.access in ("strip", "right_of_way")
    assert not lot.violations


def test_a_row_behind_says_that_it_is_set_back() -> None:
    division = draw(site(DEEP), wished("back"))
    assert "set back from the road" in layout_summary(division.proposals[0]).en


@pytest.mark.parametrize(
    ("position", "side", "is_low"),
    [("left", 0, True), ("right", 0, False), ("west", 0, True), ("north", 1, False)],
)
def test_a_place_by_the_road_or_by_compass(checked: Checked, position: Position, side: int, is_low: bool) -> None:
    division = checked(site(WIDE), wished(position))
    lot, rest = detached(division), max(division.proposals[0].lots, key=lambda lot: lot.area_m2)
    assert division.misplaced == {}
    middles = [shape.centroid.coords[0][side] for shape in (lot.shape, rest.shape)]
    assert (middles[0] < middles[1]) is is_low


@pytest.mark.parametrize("unit", [WIDE, DEEP, NARROW])
def test_a_lot_along_the_road_touches_it(checked: Checked, unit: Polygon) -> None:
    division = checked(site(unit), wished("front"))
    assert division.misplaced == {}
    assert detached(division).access == "frontage"


def test_two_lots_at_the_back_and_one_along_the_way(checked: Checked) -> None:
    lots = (WishedLot(area_m2=500, position="front"), WishedLot(count=2, area_m2=350, position="back"))
    division = checked(site(box(0, 0, 40, 45)), Project(lot_count=3, lots=lots))
    assert division.misplaced == {}
    back = [lot for lot in division.proposals[0].lots if lot.shape.centroid.y > 25]
    assert [lot.area_m2 for lot in back] == pytest.approx([350, 350], rel=0.02)


TAILED = Polygon([(0, 0), (24, 0), (24, 30), (18, 30), (18, 70), (6, 70), (6, 30), (0, 30)])


@pytest.mark.parametrize(
    ("land", "size", "reason"),
    [
        (site(TAILED), 300.0, "room"),
        (site(box(0, 0, 40, 55), box(1.5, 30, 38.5, 33)), 400.0, "landlocked"),
        (site(WIDE, box(1, 20, 39, 34)), 400.0, "undrawn"),
        (replace(site(WIDE), frontage=None), 400.0, "no_road"),
    ],
)
def test_a_place_that_is_not_drawn_has_its_reason(land: Site, size: float, reason: str) -> None:
    division = draw(land, wished("back", size))
    assert division.proposals
    assert division.misplaced == {0: reason}


def test_two_places_that_exclude_each_other_say_so() -> None:
    lots = (WishedLot(area_m2=700, position="back"), WishedLot(area_m2=700, position="left"))
    division = draw(site(WIDE), Project(lots=lots))
    assert set(division.misplaced.values()) == {"other"}
