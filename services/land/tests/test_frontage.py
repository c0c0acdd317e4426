"""Frontage, also at the border of a commune: ground of a neighbour that is not loaded does not count as a road."""

import gzip
import json
from typing import Any

import pytest
import shapely
from land_builders import COMMUNE, land_unit, load, parcel, square, territory_of, warning_codes
from land_replica import Replica
from published_files import COMMUNE as BOURGES
from published_files import EDITION, cadastre_path, parcel_id, territory_path
from publishers import Publishers
from shapely.geometry import Polygon, box
from sqlalchemy import Engine, update

from land.rpc import messages
from land.store.tables import dataset_load

NEIGHBOUR = "18998"
TERRITORIES, PARCELS = "cadastre-communes", "cadastre-parcels"
LOT = f"{COMMUNE}000AB0001"
STRIP = box(-200, -30, 300, 0)
"""A strip of the neighbour, south of the lot. The commune has land on both sides of it."""
WITHOUT_STRIP = box(-200, 0, 300, 300), box(-200, -300, 300, -30)


def frontage_of(store: Engine) -> float | None:
    land = land_unit(store, LOT).land
    assert land is not None
    return land.frontage_m


@pytest.fixture
def street(store: Engine) -> Engine:
    """A lot with parcels on three sides. To the south a street of 30 m separates it from a field of the commune."""
    around = [square(-100, 0, 100, 20), square(20, 0, 100, 20), square(-100, 20, 220, 20), square(-100, -60, 220, 30)]
    lots = [parcel(number, outline) for number, outline in enumerate([square(0, 0), *around], start=1)]
    load(store, PARCELS, COMMUNE, lots)
    return store


def test_a_parcel_enclosed_by_others_has_no_frontage(store: Engine) -> None:
    ring = Polygon(square(-20, -20, 60, 60).exterior, [square(0, 0).exterior])
    load(store, PARCELS, COMMUNE, [parcel(1, square(0, 0)), parcel(2, ring)])
    assert frontage_of(store) == 0


@pytest.mark.parametrize("entry_m", [0, 4])
def test_a_gap_that_parcels_close_on_all_sides_is_no_way(store: Engine, entry_m: int) -> None:
    """The gap is 30 m wide. Only the lot's side on the gap faces ground without a parcel."""
    around = [square(-100, 0, 100, 20), square(20, 0, 100, 20), square(-100, 20, 220, 20), square(-100, -60, 220, 30)]
    ends = [square(-100, -30, 60, 30), square(60, -30, 60, 30 - entry_m)]
    load(store, PARCELS, COMMUNE, [parcel(n, outline) for n, outline in enumerate([square(0, 0), *around, *ends], 1)])
    assert frontage_of(store) == pytest.approx(20 if entry_m else 0, abs=0.1)


def test_landlocked_land_has_its_neighbours_on_a_way(street: Engine) -> None:
    around = [square(-100, 0, 100, 20), square(20, 0, 100, 20), square(-100, 20, 220, 20), square(-100, -60, 220, 30)]
    front = square(0, 0, 20, 8)  # between the lot and the street
    lots = [parcel(number, shape) for number, shape in enumerate([square(0, 8, 20, 12), *around, front], start=1)]
    load(street, PARCELS, COMMUNE, lots, edition="e2")
    land = land_unit(street, LOT).land
    assert land is not None
    assert land.frontage_m == 0
    ways = {item.parcel_id: shapely.from_geojson(item.frontage) for item in land.neighbours}
    assert ways.keys() == {f"{COMMUNE}000AB{number:04}" for number in (2, 3, 6)}  # the northern one has no street
    assert ways[f"{COMMUNE}000AB0006"].length > 0
    message = messages.land_unit(land_unit(street, LOT))
    assert len(message.land.neighbours) == 3
    assert not messages.without_outlines(message).land.neighbours
    load(street, PARCELS, COMMUNE, [*lots[1:5], parcel(1, square(0, 0))], edition="e3")
    assert land_unit(street, LOT).land.neighbours == ()  # type: ignore[union-attr]


def test_ground_of_a_parcel_without_an_outline_is_no_road(street: Engine) -> None:
    """The plan lists a parcel of the section that it does not draw: it may lie in front of the lot."""
    assert frontage_of(street) == pytest.approx(20, abs=0.1)
    around = [square(-100, 0, 100, 20), square(20, 0, 100, 20), square(-100, 20, 220, 20), square(-100, -60, 220, 30)]
    lots = [parcel(number, outline) for number, outline in enumerate([square(0, 0), *around], start=1)]
    load(street, PARCELS, COMMUNE, [*lots, parcel(9)], edition="e2")
    unit = land_unit(street, LOT)
    assert unit.land is not None
    assert (unit.land.frontage_m, unit.land.frontage) == (None, b"")
    assert "frontage_unknown" in warning_codes(unit)
    load(street, PARCELS, COMMUNE, [*lots, parcel(9, section="ZZ")], edition="e3")
    assert frontage_of(street) == pytest.approx(20, abs=0.1)


def test_ground_of_a_row_that_could_not_be_read_is_no_road(street: Engine) -> None:
    with street.begin() as connection:
        connection.execute(update(dataset_load).values(rejected_count=1))
    assert frontage_of(street) is None


def test_frontage_is_unknown_where_the_plan_ends(store: Engine) -> None:
    load(store, PARCELS, COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    unit = land_unit(store, LOT)
    assert unit.land is not None
    assert (unit.land.frontage_m, unit.land.frontage) == (None, b"")
    assert "frontage_unknown" in warning_codes(unit)


def test_ground_of_the_territory_without_a_parcel_is_a_road(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, box(-200, -300, 300, 300))])
    assert frontage_of(street) == pytest.approx(20, abs=0.01), "the whole side, up to its corners"


def test_ground_of_a_commune_that_is_not_loaded_is_not_a_road(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *WITHOUT_STRIP)])
    unit = land_unit(street, LOT)
    assert unit.land is not None
    assert (unit.land.frontage_m, unit.land.frontage) == (None, b"")
    assert "frontage_unknown" in warning_codes(unit)


def test_frontage_is_unknown_near_a_commune_that_is_not_loaded(street: Engine) -> None:
    """The border is 6 m from the lot. The 6 m may be a road, and the ground beyond the border is unknown."""
    parts = box(-200, -6, 300, 300), box(-200, -300, 300, -30)
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *parts)])
    assert frontage_of(street) is None


def test_a_parcel_of_a_loaded_neighbour_leaves_no_frontage(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *WITHOUT_STRIP)])
    load(street, TERRITORIES, NEIGHBOUR, [territory_of(NEIGHBOUR, STRIP)])
    load(street, PARCELS, NEIGHBOUR, [parcel(1, square(-100, -30, 220, 30), commune=NEIGHBOUR)])
    assert frontage_of(street) == 0


def test_a_road_of_a_loaded_neighbour_gives_frontage(street: Engine) -> None:
    """The outlines miss each other by 30 cm."""
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, *WITHOUT_STRIP)])
    load(street, TERRITORIES, NEIGHBOUR, [territory_of(NEIGHBOUR, box(-200, -30, 300, -0.3))])
    load(street, PARCELS, NEIGHBOUR, [parcel(1, square(-100, -30, 220, 20), commune=NEIGHBOUR)])
    assert frontage_of(street) == pytest.approx(20, abs=0.5)


def test_a_border_far_from_the_lot_does_not_change_its_frontage(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, box(-200, -300, 300, 41))])
    assert frontage_of(street) == pytest.approx(20, abs=0.5)


def test_the_frontage_of_a_round_lot_without_neighbours_is_unknown(store: Engine) -> None:
    """Each piece of the round lot is 49 cm long."""
    round_lot = Polygon(box(10, 10, 10, 10).centroid.buffer(10, quad_segs=32).exterior)
    load(store, PARCELS, COMMUNE, [parcel(1, round_lot), parcel(2, square(500, 500))])
    assert frontage_of(store) is None


def test_the_territory_is_a_source_of_the_land_block_only(street: Engine) -> None:
    load(street, TERRITORIES, COMMUNE, [territory_of(COMMUNE, box(-200, -300, 300, 300))])
    assert TERRITORIES in {source.id for source in land_unit(street, LOT).sources}
    without = land_unit(street, LOT, blocks=["urbanism"])
    assert TERRITORIES not in {source.id for source in without.sources}


def _feature(number: int, west: float, south: float, east: float, north: float) -> dict[str, Any]:
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    properties = {"id": parcel_id(number), "commune": BOURGES, "prefixe": "000", "section": "AB", "numero": str(number)}
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": [ring]}}


@pytest.fixture
def lots(publishers: Publishers) -> Publishers:
    """A published lot between two others, with roads of about 30 m to the north and south."""
    features = [
        _feature(1, 2.301, 47.08, 2.302, 47.081),
        _feature(2, 2.300, 47.08, 2.301, 47.081),
        _feature(3, 2.302, 47.08, 2.303, 47.081),
        _feature(4, 2.300, 47.0813, 2.303, 47.082),
        _feature(5, 2.300, 47.079, 2.303, 47.0797),
    ]
    content = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    publishers.files[cadastre_path(BOURGES, EDITION)] = gzip.compress(content)
    return publishers


def test_the_territory_is_fetched_with_the_parcels(replica: Replica, lots: Publishers) -> None:
    land = replica.land_unit(parcel_id(1)).land
    assert land is not None
    assert land.frontage_m == pytest.approx(2 * 76, abs=2)
    assert territory_path() in lots.requests


def test_frontage_is_unknown_without_the_territory(replica: Replica, lots: Publishers) -> None:
    lots.set_mode(territory_path(edition=EDITION), "failing")
    unit = replica.land_unit(parcel_id(1))
    assert unit.land is not None
    assert (unit.land.frontage_m, unit.land.frontage) == (None, b"")
    assert {"frontage_unknown", "source_unavailable"} <= set(warning_codes(unit))
    assert "frontage_estimated" not in warning_codes(unit)
