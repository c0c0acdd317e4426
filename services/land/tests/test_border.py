"""Land at the limit of a commune whose neighbour may not be loaded: ground that is not known makes no frontage."""

import gzip
import json
from typing import Any

import pytest
from land_builders import COMMUNE, load, parcel, service, square, territory_of
from publishers import COMMUNE as BOURGES
from publishers import EDITION, Publishers, cadastre_path, parcel_id, territory_path
from shapely.geometry import Polygon, box
from sqlalchemy import Engine
from supplied_land import Replica

from land.addresses.model import AddressQuery
from land.pipeline import Selection
from land.units.model import LandUnit

NEIGHBOUR = "18998"
TERRITORIES, PARCELS = "cadastre-communes", "cadastre-parcels"
LOT = f"{COMMUNE}000AB0001"
SALIENT = box(-200, -30, 300, 0)
"""Of the neighbour, south of the lot: the commune has land on both sides of it."""
WITHOUT_SALIENT = box(-200, 0, 300, 300), box(-200, -300, 300, -30)


def unit_of(store: Engine) -> LandUnit:
    return service(store).land_unit(Selection(AddressQuery(), [LOT]), ["land"], "all", "en")


def frontage_of(store: Engine) -> float | None:
    land = unit_of(store).land
    assert land is not None
    return land.frontage_m


def codes(unit: LandUnit) -> set[str]:
    return {each.code for each in unit.warnings}


@pytest.fixture
def street(store: Engine) -> Engine:
    """A lot with others around it, and 30 m to the south, where a street would be, a field of the same commune."""
    around = [square(-100, 0, 100, 20), square(20, 0, 100, 20), square(-100, 20, 220, 20), square(-100, -60, 220, 30)]
    lots = [parcel(number, outline) for number, outline in enumerate([square(0, 0), *around], start=1)]
    load(store, PARCELS, COMMUNE, lots)
    return store


def test_within_the_territory_what_is_no_parcel_is_a_way(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, box(-200, -300, 300, 300))])
    assert frontage_of(street) == pytest.approx(20, abs=0.5)


def test_ground_of_a_commune_that_is_not_loaded_is_no_way(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *WITHOUT_SALIENT)])
    unit = unit_of(street)
    assert unit.land is not None
    assert (unit.land.frontage_m, unit.land.frontage) == (None, b"")
    assert "frontage_unknown" in codes(unit)


def test_a_way_beyond_which_another_commune_lies_is_not_known_to_be_one(street: Engine) -> None:
    """The limit runs 6 m from the lot: beside it there may be a way, and beyond it nothing is known."""
    parts = box(-200, -6, 300, 300), box(-200, -300, 300, -30)
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *parts)])
    assert frontage_of(street) is None


def test_once_the_neighbour_is_loaded_its_parcels_tell(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *WITHOUT_SALIENT)])
    load(street, TERRITORIES, NEIGHBOUR, [territory_of(NEIGHBOUR, SALIENT)])
    load(street, PARCELS, NEIGHBOUR, [parcel(1, square(-100, -30, 220, 30), commune=NEIGHBOUR)])
    assert frontage_of(street) == 0


def test_a_way_of_the_neighbour_is_one_where_both_are_loaded(street: Engine) -> None:
    """Their outlines miss each other by 30 cm."""
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *WITHOUT_SALIENT)])
    load(street, TERRITORIES, NEIGHBOUR, [territory_of(NEIGHBOUR, box(-200, -30, 300, -0.3))])
    load(street, PARCELS, NEIGHBOUR, [parcel(1, square(-100, -30, 220, 20), commune=NEIGHBOUR)])
    assert frontage_of(street) == pytest.approx(20, abs=0.5)


def test_the_limit_elsewhere_matters_not(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, box(-200, -300, 300, 41))])
    assert frontage_of(street) == pytest.approx(20, abs=0.5)


def test_a_curve_of_short_pieces_that_faces_nothing_is_no_frontage(store: Engine) -> None:
    """Each piece of the round lot is 49 cm long."""
    round_lot = Polygon(box(10, 10, 10, 10).centroid.buffer(10, quad_segs=32).exterior)
    load(store, PARCELS, COMMUNE, [parcel(1, round_lot), parcel(2, square(500, 500))])
    assert frontage_of(store) is None


def test_a_land_unit_names_the_plan_that_it_rests_on(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, box(-200, -300, 300, 300))])
    assert TERRITORIES in {source.id for source in unit_of(street).sources}
    without = service(street).land_unit(Selection(AddressQuery(), [LOT]), ["urbanism"], "all", "en")
    assert TERRITORIES not in {source.id for source in without.sources}


def _drawn(number: int, west: float, south: float, east: float, north: float) -> dict[str, Any]:
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    facts = {"id": parcel_id(number), "commune": BOURGES, "prefixe": "000", "section": "AB", "numero": str(number)}
    return {"type": "Feature", "properties": facts, "geometry": {"type": "Polygon", "coordinates": [ring]}}


@pytest.fixture
def lots(publishers: Publishers) -> Publishers:
    """A published lot between two others, with ways to the north and south of 30 m."""
    features = [
        _drawn(1, 2.301, 47.08, 2.302, 47.081),
        _drawn(2, 2.300, 47.08, 2.301, 47.081),
        _drawn(3, 2.302, 47.08, 2.303, 47.081),
        _drawn(4, 2.300, 47.0813, 2.303, 47.082),
        _drawn(5, 2.300, 47.079, 2.303, 47.0797),
    ]
    content = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    publishers.files[cadastre_path(BOURGES, EDITION)] = gzip.compress(content)
    return publishers


def test_the_territory_is_fetched_with_the_plan(replica: Replica, lots: Publishers) -> None:
    land = replica.unit(parcel_id(1)).land
    assert land is not None
    assert land.frontage_m == pytest.approx(2 * 76, abs=2)
    assert territory_path() in lots.asked


def test_without_the_territory_a_frontage_is_not_known(replica: Replica, lots: Publishers) -> None:
    lots.behave(territory_path(edition=EDITION), "failing")
    unit = replica.unit(parcel_id(1))
    assert unit.land is not None
    assert (unit.land.frontage_m, unit.land.frontage) == (None, b"")
    assert {"frontage_unknown", "source_unavailable"} <= codes(unit)
    assert "frontage_estimated" not in codes(unit)
