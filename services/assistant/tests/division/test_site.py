"""The conversion of land units to sites."""

import math
from collections.abc import Callable

import pytest
import shapely
from shapely import box

from assistant.division.site import site_of
from assistant.geojson import to_geojson
from landpartner.land.v1 import land_pb2

MakeUnit = Callable[..., land_pb2.LandUnit]


@pytest.mark.parametrize(
    ("department", "point", "projection"),
    [
        ("75", (2.35, 48.85), 2154),
        ("00", (1.0, 46.5), 2154),
        ("2A", (8.74, 41.92), 2154),
        ("971", (-61.55, 16.25), 5490),
        ("972", (-61.0, 14.65), 5490),
        ("973", (-52.33, 4.93), 2972),
        ("974", (55.45, -20.88), 2975),
        ("976", (45.2, -12.8), 4471),
    ],
)
def test_a_site_is_in_the_projection_of_its_territory(
    department: str, point: tuple[float, float], projection: int
) -> None:
    x, y = point
    unit = land_pb2.LandUnit(geometry=shapely.to_geojson(box(x, y, x + 0.001, y + 0.001)).encode())
    unit.land.department_code = department
    site = site_of(unit)
    assert site is not None
    assert site.projection == projection
    side = 111_320 * 0.001
    assert site.unit.area == pytest.approx(side**2 * math.cos(math.radians(y)), rel=0.02)
    assert site.frontage is None
    back = shapely.from_geojson(to_geojson([site.unit], projection)[0])
    assert back.symmetric_difference(box(x, y, x + 0.001, y + 0.001)).area < 1e-12


def test_without_the_land_block_the_department_comes_from_the_parcel() -> None:
    outline = shapely.to_geojson(box(55.4, -21, 55.401, -20.999)).encode()
    unit = land_pb2.LandUnit(parcel_ids=["97411000AB0001"], geometry=outline)
    site = site_of(unit)
    assert site is not None
    assert site.projection == 2975


@pytest.mark.parametrize("geometry", [b"", b"{", b'{"type":"Polygon","coordinates":[]}'])
def test_without_outline_there_is_no_site(geometry: bytes) -> None:
    assert site_of(land_pb2.LandUnit(geometry=geometry)) is None


def test_a_frontage_of_0_m_is_known_and_empty(land_unit: MakeUnit) -> None:
    site = site_of(land_unit(front=False))
    assert site is not None
    assert site.frontage is not None
    assert site.frontage.is_empty


def test_an_outline_that_crosses_itself_is_repaired() -> None:
    bow = b'{"type":"Polygon","coordinates":[[[1,47],[1.001,47.001],[1.001,47],[1,47.001],[1,47]]]}'
    site = site_of(land_pb2.LandUnit(geometry=bow))
    assert site is not None
    assert site.unit.is_valid
    assert site.unit.area > 1000
