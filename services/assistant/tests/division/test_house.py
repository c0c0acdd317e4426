"""A house fits where a rectangle of its sides lies within the ground, turned as the ground is."""

import pytest
from shapely import LineString, MultiLineString, Polygon, affinity, box
from shapely.geometry.base import BaseGeometry

from assistant.division.draw import draw
from assistant.division.house import house_on, largest_share
from assistant.division.proposal import Lot, Site
from assistant.division.wording import proposal_summary
from assistant.project import Project

SQUARE = (8.0, 8.0)
TRIANGLE = Polygon([(0, 0), (14, 0), (7, 12.2)])
"""A circle of 8 m fits into it, and no square of 8 m."""


@pytest.mark.parametrize(
    ("ground", "sides", "fits"),
    [
        (box(0, 0, 8, 8), SQUARE, True),
        (affinity.rotate(box(0, 0, 8, 8), 33), SQUARE, True),
        (affinity.rotate(box(0, 0, 7.9, 60), 33), SQUARE, False),
        (affinity.rotate(box(0, 0, 7.9, 60), 33), (6.0, 20.0), True),
        (affinity.rotate(box(0, 0, 7.9, 60), 33), (20.0, 6.0), True),
        (TRIANGLE, SQUARE, False),
        (TRIANGLE, (5.0, 5.0), True),
        (box(0, 0, 20, 20).difference(box(7, 7, 13, 13)), SQUARE, False),
        (box(0, 0, 20, 20).difference(box(8.1, 8.1, 11, 11)), SQUARE, True),
        (box(0, 0, 6, 20).union(box(0, 0, 20, 6)), SQUARE, False),
        (box(0, 0, 6, 20).union(box(10, 0, 19, 20)), SQUARE, True),
        (LineString([(0, 0), (20, 0)]).buffer(3.9), SQUARE, False),
        (Polygon(), SQUARE, False),
    ],
)
def test_a_house_fits(ground: BaseGeometry, sides: tuple[float, float], fits: bool) -> None:
    house = house_on(ground, sides)
    assert (house is not None) == fits
    if house is not None:
        assert ground.buffer(1e-6).contains(house)
        assert house.area == pytest.approx(sides[0] * sides[1], rel=0.01)


@pytest.mark.parametrize(
    ("ground", "side"),
    [(affinity.rotate(box(0, 0, 5, 60), 33), 5.0), (TRIANGLE, 6.5), (box(0, 0, 20, 20), 8.0), (Polygon(), 0.0)],
)
def test_the_largest_house_is_found(ground: BaseGeometry, side: float) -> None:
    assert 8 * largest_share(ground, SQUARE) == pytest.approx(side, abs=0.3)


def side_by_side(width_m: float, project: Project) -> Lot:
    """One of two equal lots of this width on a street."""
    site = Site(box(0, 0, 2 * width_m, 30), MultiLineString([[(0, 0), (2 * width_m, 0)]]), ())
    division = draw(site, project)
    return next(p for p in division.proposals if p.method == "perpendicular_cut").lots[0]


@pytest.mark.parametrize(
    ("width_m", "project", "largest"),
    [
        (15, Project(2), None),
        (12, Project(2), (6.0, 6.0)),
        (12, Project(2, footprint_m2=36), None),
        (15, Project(2, footprint_m2=160), None),
        (12, Project(2, footprint_m2=160), (6.0, 15.0)),
        (15, Project(2, footprint_m2=240), (6.2, 23.4)),
        (15, Project(2, footprint_ratio=0.1), (6.7, 6.7)),
    ],
)
def test_a_lot_without_room_for_a_house_says_the_largest(
    width_m: float, project: Project, largest: tuple[float, float] | None
) -> None:
    lot = side_by_side(width_m, project)
    assert ("no_house_fits" in lot.violations) == (largest is not None)
    assert lot.largest_house_m == (None if largest is None else pytest.approx(largest, abs=0.4))


def test_a_lot_that_is_built_or_for_a_neighbour_needs_no_house() -> None:
    house = box(3, 3, 9, 12)
    site = Site(box(0, 0, 24, 30), MultiLineString([[(0, 0), (24, 0)]]), (house,))
    best = draw(site, Project(2)).proposals[0]
    assert ["no_house_fits" in lot.violations for lot in best.lots if lot.is_built] == [False]
    for_neighbour = draw(site, Project(2, is_for_neighbour=True)).proposals[0]
    assert all("no_house_fits" not in lot.violations for lot in for_neighbour.lots)


def test_a_division_with_room_for_houses_comes_first_and_the_others_say_so() -> None:
    site = Site(box(0, 0, 24, 60), MultiLineString([[(0, 0), (24, 0)]]), ())
    division = draw(site, Project(2))
    first, *others = division.proposals
    assert first.method == "parallel_cut"
    assert first.lot_without_house_count == 0
    [strips] = [proposal for proposal in others if proposal.method == "perpendicular_cut"]
    assert strips.lot_without_house_count == 2
    summary = proposal_summary(strips)
    assert "place pour une maison de 6\u00a0m sur 6\u00a0m au plus" in summary.fr
    assert "room for a house of 6\u00a0m by 6\u00a0m at most" in summary.en
