"""The conversion of land units to sites."""

from collections.abc import Callable

import pytest
import shapely
from pyproj import Geod
from shapely import box

from assistant.division.site import site_of
from assistant.geojson import to_geojson
from landpartner.land.v1 import land_pb2

MakeUnit = Callable[..., land_pb2.LandUnit]


@pytest.mark.parametrize("point", [(2.35, 48.85), (8.74, 41.92), (-61.55, 16.25), (55.45, -20.88)])
def test_a_site_is_in_metres_on_the_ground(point: tuple[float, float]) -> None:
    x, y = point
    outline = box(x, y, x + 0.001, y + 0.001)
    site = site_of(land_pb2.LandUnit(geometry=shapely.to_geojson(outline).encode()))
    assert site is not None
    area_m2, perimeter_m = Geod(ellps="GRS80").geometry_area_perimeter(outline)
    assert (site.unit.area, site.unit.length) == pytest.approx((area_m2, perimeter_m), rel=1e-6)
    assert site.frontage is None
    back = shapely.from_geojson(to_geojson([site.unit], site.projection)[0])
    assert back.symmetric_difference(outline).area < 1e-12


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
