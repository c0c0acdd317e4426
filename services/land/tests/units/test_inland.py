"""Whether the limit of a commune is out of sight, and what a frontage reads if it is."""

import pytest
import shapely
from land_builders import COMMUNE, load, lon_lat, on_sqlite, square, territory_of
from shapely.geometry import Polygon, box
from sqlalchemy import Engine

from land.store.boxes import Box, box_around
from land.store.snapshot import snapshot
from land.units import frontage
from land.units.inland import Territory
from land.units.inland import territory_of as read_territory

LAKE = square(1_500, 1_500, 100, 100)


@pytest.fixture
def territory(store: Engine) -> Territory:
    """A square of 2 km with a hole, and an exclave."""
    main = Polygon(square(0, 0, 2_000, 2_000).exterior, [LAKE.exterior])
    load(store, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, main, square(3_000, 0, 500, 500))])
    with snapshot(store) as connection:
        territory = read_territory(connection, COMMUNE)
        assert read_territory(connection, "18998") is None
    assert territory is not None
    return territory


def around(x: float, y: float, metres: float) -> Box:
    return box_around(lon_lat(x, y) * 2, metres)


@on_sqlite
@pytest.mark.parametrize(
    ("x", "y", "metres", "expected"),
    [
        (1_000, 1_000, 60, True),
        (1_000, 1_000, 950, False),  # the hole
        (100, 100, 60, True),
        (50, 100, 60, False),
        (1_550, 1_550, 10, False),  # in the hole
        (1_550, 1_450, 60, False),
        (1_550, 1_400, 60, True),
        (3_250, 250, 60, True),
        (2_500, 250, 60, False),  # between the two parts
        (2_500, 250, 5_000, False),
    ],
)
def test_a_box_is_inside_if_no_limit_is_near(
    territory: Territory, x: float, y: float, metres: float, expected: bool
) -> None:
    assert territory.contains(around(x, y, metres)) is expected


@pytest.mark.parametrize("street_m", [10.0, 40.0, 70.0])
def test_farther_parcels_are_read_only_if_the_nearest_are_not_enough(street_m: float) -> None:
    unit, sides = box(0, 0, 20, 20), [box(-50, 0, 0, 20), box(20, 0, 70, 20), box(-50, 20, 70, 60)]
    every = [*sides, box(-50, -street_m - 30, 70, -street_m)]
    within = [outline for outline in every if shapely.distance(outline, unit) <= frontage.SIGHT_M]
    read: list[bool] = []

    def farther() -> list[Polygon]:
        read.append(True)
        return within

    near = [outline for outline in every if shapely.distance(outline, unit) <= 25]
    estimate = frontage.estimate(unit, near, farther=farther)
    expected = frontage.estimate(unit, within)
    assert bool(read) is (street_m > 25)
    assert (estimate and estimate.wkt) == (expected and expected.wkt)
    assert (estimate is None) is (street_m > frontage.SIGHT_M)
