"""The house number nearest to a point, on both stores."""

import pytest
from land_builders import COMMUNE, address, load, lon_lat, parcel, square
from sqlalchemy import Engine

from land.addresses.model import Scope
from land.addresses.place_index import Point
from land.addresses.reverse import ReversedAddress
from land.errors import AddressNotFound
from land.pipeline import Pipeline

NEIGHBOUR = "18998"


def reverse(store: Engine, x: float, y: float, scope: Scope = "all") -> ReversedAddress:
    lon, lat = lon_lat(x, y)
    return Pipeline(store).reverse_address(Point(lat, lon), scope)


@pytest.fixture
def loaded(store: Engine) -> Engine:
    load(store, "ban", COMMUNE, [address(1, "Rue A", (0, 0)), address(2, "Rue A", (100, 0)), address(3, "Rue A", None)])
    load(store, "ban", NEIGHBOUR, [address(9, "Rue B", (-30, 0), commune=NEIGHBOUR, city="Ailleurs")])
    return store


@pytest.mark.parametrize(
    ("x", "label", "distance_m"),
    [
        (10, "1 Rue A, 18900 Trifouillis-sur-Cher", 10),
        (60, "2 Rue A, 18900 Trifouillis-sur-Cher", 40),
        (-16, "9 Rue B, 18900 Ailleurs", 14),
        (900, "2 Rue A, 18900 Trifouillis-sur-Cher", 800),
    ],
)
def test_the_nearest_number_of_any_commune(loaded: Engine, x: float, label: str, distance_m: float) -> None:
    answer = reverse(loaded, x, 0)
    assert answer.address.label == label
    assert answer.distance_m == pytest.approx(distance_m, abs=0.2)
    assert [warning.code for warning in answer.warnings] == ["cadastre_not_covered"]
    assert [source.id for source in answer.sources] == ["ban"]


def test_a_number_in_a_corner_of_the_searched_box_is_not_the_nearest(store: Engine) -> None:
    load(store, "ban", COMMUNE, [address(1, "Rue A", (48, 48)), address(2, "Rue A", (0, 60))])
    assert reverse(store, 0, 0).address.number == "2"


def test_the_parcels_that_contain_the_point(loaded: Engine) -> None:
    load(loaded, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0)), parcel(3)])
    inside, border, outside = (reverse(loaded, x, 10) for x in (5, 20, 60))
    assert [parcel.parcel_id for parcel in inside.parcels] == [f"{COMMUNE}000AB0001"]
    assert len(border.parcels) in (1, 2)
    assert outside.parcels == ()
    assert not (inside.warnings)
    assert not (outside.warnings)


@pytest.mark.parametrize("place", [(2_000, 0), (5_000_000, 0)])
def test_nothing_near(loaded: Engine, place: tuple[float, float]) -> None:
    with pytest.raises(AddressNotFound):
        reverse(loaded, *place)


def test_a_test_key_gets_the_demo_only(loaded: Engine) -> None:
    with pytest.raises(AddressNotFound):
        reverse(loaded, 0, 0, "demo")
