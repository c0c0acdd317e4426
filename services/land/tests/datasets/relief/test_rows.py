"""Places where altitudes are sampled, and the greatest slope between samples."""

import numpy as np
import pytest
import shapely
from land_builders import lon_lat
from pyproj import Geod
from shapely.geometry import Polygon, box

from land.datasets.relief import rows as altitudes
from land.datasets.relief.records import AltitudeRecord
from land.datasets.relief.rows import altitude_rows, positions_in

PARCEL, OTHER = "18999000AB0001", "18999000AB0002"


@pytest.mark.parametrize(
    ("outline", "spacing_m"),
    [
        (box(0, 0, 45, 40), 10),
        (box(3, 3, 21, 24), 5),
        (box(0, 0, 300, 200), 40),
        (Polygon([(0, 0), (400, 400), (400, 412), (0, 12)]), 10),
    ],
)
def test_samples_are_a_lattice_inside_the_parcel(outline: Polygon, spacing_m: int) -> None:
    positions = positions_in(outline, [])
    assert altitudes.LEAST_SAMPLES <= len(positions) <= altitudes.MAX_SAMPLES
    assert shapely.contains_xy(outline, positions).all()
    assert not (positions % spacing_m).any()


def test_samples_avoid_buildings_unless_they_cover_nearly_all() -> None:
    outline, house = box(1, 1, 44, 39), box(5, 5, 25, 25)
    assert not shapely.contains_xy(house, positions_in(outline, [house])).any()
    assert len(positions_in(outline, [box(0, 0, 44, 38)])) >= altitudes.LEAST_SAMPLES


def test_the_smallest_parcel_has_one_sample() -> None:
    tiny = box(1, 1, 3, 3)
    [sample] = positions_in(tiny, [])
    assert tiny.contains(shapely.Point(sample))


def point(x: float, y: float, altitude_m: float | None, parcel_id: str = PARCEL) -> AltitudeRecord:
    return AltitudeRecord(parcel_id, *lon_lat(x, y), altitude_m)


def test_the_greatest_slope_is_between_neighbours() -> None:
    ground = {0: 100.0, 10: 101.0, 20: 105.0, 30: 105.0}  # 10 %, 40 %, 0 %
    [row] = altitude_rows([point(x, y, height) for x, height in ground.items() for y in (0, 10)])
    assert row.max_slope_percent == pytest.approx(40.0, abs=0.1)
    assert altitudes.parsed(row.samples).shape == (8, 3)
    assert row.retrieved_at == ""


def test_points_closer_than_the_grid_have_no_slope() -> None:
    [row] = altitude_rows([point(0, 0, 100.0), point(1, 0, 101.0)])
    assert row.max_slope_percent is None


def test_a_file_has_one_row_for_each_parcel_with_bounded_samples() -> None:
    many = [point(x, y, 1.0) for x in range(0, 100, 5) for y in range(0, 100, 5)]
    rows = altitude_rows([*many, point(0, 0, None, OTHER)])
    assert [row.parcel_id for row in rows] == [PARCEL, OTHER]
    assert 40 <= len(altitudes.parsed(rows[0].samples)) <= altitudes.MAX_SAMPLES
    assert rows[1].samples == ""


def test_metres_agree_with_the_ellipsoid() -> None:
    samples = np.array([[*lon_lat(x, y), 0.0] for x, y in ((0, 0), (1000, 0), (0, 1000))])
    metric = altitudes.in_metres(samples)
    for sample, place in zip(samples[1:], metric[1:], strict=True):
        distance_m = Geod(ellps="GRS80").inv(*samples[0, :2], *sample[:2])[2]
        assert np.hypot(*place[:2]) == pytest.approx(distance_m, abs=0.1)
