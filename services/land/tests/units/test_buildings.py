"""Buildings on a land unit of 20 m by 20 m, drawn in metres."""

import json
from typing import Any

import pytest
import shapely
from land_builders import building, land_shape, lon_lat, square
from shapely.geometry import Polygon

from land.datasets import territory
from land.datasets.buildings.records import BuildingRecord
from land.units import buildings
from land.units.buildings import Building, BuildingsBlock, buildings_on

PARCEL = "18999000AB0001"
PLAN, TOPO, RNB = "cadastre-buildings", "bdtopo", "rnb"


def drawn(dataset: str, building_id: str, *rings: Polygon, **changes: Any) -> BuildingRecord:
    return building(building_id, *rings, dataset=dataset, **changes)


def block_of(*records: BuildingRecord, land: Polygon | None = None) -> BuildingsBlock:
    return buildings_on(records, land_shape(land or square(0, 0)), [PARCEL])


def only(block: BuildingsBlock) -> Building:
    [item] = block.items
    return item


def test_a_building_inside_the_land_has_its_whole_footprint() -> None:
    block = block_of(drawn(PLAN, "a", square(2, 2, 10, 8), is_light=False))
    assert (block.count, block.footprint_area_m2, block.ground_coverage_ratio) == (1, 80.0, 0.2)
    item = only(block)
    assert (item.id, item.footprint_m2, item.cover_ratio, item.is_light) == ("a", 80.0, 1.0, False)
    assert (item.outline_source, item.facts_source, item.rnb_ids) == (PLAN, None, ())
    assert (item.height_m, item.storeys, item.usage, item.dwelling_count, item.construction_year) == (None,) * 5
    outline = shapely.from_geojson(item.geometry)
    assert isinstance(outline, Polygon)
    assert outline.is_valid
    assert outline.exterior.is_ccw


def test_a_building_across_a_boundary_has_its_share_on_each_side() -> None:
    house = drawn(PLAN, "a", square(14, 5, 8, 10))
    west, east = block_of(house), block_of(house, land=square(20, 0))
    assert [(only(b).footprint_m2, only(b).cover_ratio) for b in (west, east)] == [(60.0, 0.75), (20.0, 0.25)]
    part = shapely.from_geojson(only(west).geometry)
    assert territory.ground_areas([part])[0] == pytest.approx(60, abs=0.1)


def test_a_building_larger_than_the_land_is_clipped() -> None:
    block = block_of(drawn(PLAN, "a", square(-10, -10, 40, 40)))
    assert (block.footprint_area_m2, block.ground_coverage_ratio) == (400.0, 1.0)
    assert (only(block).footprint_m2, only(block).cover_ratio) == (400.0, 0.25)


@pytest.mark.parametrize(
    "outline",
    [
        square(19.96, 0, 20, 20),  # 0.8 m²: a wall drawn twice
        square(19.85, 0, 20, 20),  # 3 m², 0.75 % of the building and 15 cm wide
        square(21, 0),
    ],
)
def test_slivers_are_ignored(outline: Polygon) -> None:
    block = block_of(drawn(PLAN, "a", outline))
    assert (block.count, block.footprint_area_m2, block.ground_coverage_ratio) == (0, 0.0, 0.0)


def test_a_small_share_of_a_large_building_is_kept() -> None:
    block = block_of(drawn(PLAN, "hall", square(10, 5, 1000, 10)))
    assert (only(block).footprint_m2, only(block).cover_ratio) == (100.0, 0.01)


def test_the_sliver_limit_is_higher_for_bd_topo_than_for_the_cadastre() -> None:
    neighbour = square(19.7, 0, 20, 10)  # 3 m², 1.5 %
    assert block_of(drawn(PLAN, "a", neighbour)).count == 1
    assert block_of(drawn(TOPO, "a", neighbour)).count == 0
    assert block_of(drawn(TOPO, "shed", square(5, 5, 2, 1.5))).count == 1


def test_one_building_in_three_sources_is_merged() -> None:
    facts: dict[str, Any] = {
        "height_m": 6.2, "storeys": 2, "usage": "Résidentiel", "dwelling_count": 1, "construction_year": 1987,
    }  # fmt: skip
    block = block_of(
        drawn(PLAN, "a", square(2, 2, 10, 8), is_light=False),
        drawn(TOPO, "BATIMENT1", square(3, 3, 10, 8), rnb_ids="QBAAG16VCJWA", **facts),
        drawn(RNB, "QBAAG16VCJWA", square(9, 2, 10, 8), rnb_ids="QBAAG16VCJWA"),
    )
    item = only(block)
    assert (item.id, item.rnb_ids) == ("QBAAG16VCJWA", ("QBAAG16VCJWA",))
    assert (item.footprint_m2, item.outline_source, item.is_light) == (80.0, PLAN, False)
    assert {name: getattr(item, name) for name in facts} == facts
    assert item.facts_source == TOPO


def test_shifted_outlines_of_terraced_houses_are_matched_one_to_one() -> None:
    plan = [drawn(PLAN, f"p{n}", square(6 * n, 2, 6, 8)) for n in range(3)]
    topo = [drawn(TOPO, f"t{n}", square(6 * n + 2, 2, 6, 8), storeys=n + 1) for n in range(3)]
    block = block_of(*plan, *topo, land=square(0, 0, 18, 20))
    assert sorted((item.id, item.storeys) for item in block.items) == [("p0", 1), ("p1", 2), ("p2", 3)]


def test_outlines_inside_one_building_of_another_source_are_merged() -> None:
    block = block_of(
        drawn(PLAN, "front", square(2, 2, 10, 5)),
        drawn(PLAN, "back", square(2, 7, 10, 6)),
        drawn(TOPO, "BATIMENT1", square(2, 2, 10, 11), dwelling_count=3),
    )
    assert (only(block).id, only(block).footprint_m2, only(block).dwelling_count) == ("back", 110.0, 3)


def test_facts_of_several_buildings_inside_one_outline_are_combined() -> None:
    block = block_of(
        drawn(PLAN, "a", square(0, 0, 20, 10)),
        drawn(TOPO, "t1", square(0, 0, 12, 10), dwelling_count=4, storeys=3, usage="Résidentiel", height_m=9.5),
        drawn(TOPO, "t2", square(12, 0, 8, 10), dwelling_count=1, storeys=1, usage="Annexe", construction_year=1950),
        drawn(RNB, "R1", square(0, 0, 12, 10), rnb_ids="R1"),
        drawn(RNB, "R2", square(12, 0, 8, 10), rnb_ids="R2"),
    )
    item = only(block)
    assert (item.id, item.rnb_ids) == ("a", ("R1", "R2"))
    assert (item.dwelling_count, item.storeys, item.usage) == (5, 3, "Résidentiel")
    assert (item.height_m, item.construction_year) == (9.5, 1950)


def test_dwellings_are_unknown_when_one_count_is_unknown() -> None:
    block = block_of(
        drawn(PLAN, "a", square(0, 0, 20, 10)),
        drawn(TOPO, "t1", square(0, 0, 12, 10), dwelling_count=4),
        drawn(TOPO, "t2", square(12, 0, 8, 10)),
    )
    assert only(block).dwelling_count is None


def test_a_building_of_another_source_only_is_added() -> None:
    block = block_of(drawn(PLAN, "a", square(0, 0, 8, 8)), drawn(TOPO, "new", square(10, 10, 8, 8)))
    assert [(item.id, item.outline_source) for item in block.items] == [("a", PLAN), ("new", TOPO)]
    assert block.footprint_area_m2 == 128.0


def test_overlapping_buildings_count_once_in_the_footprint() -> None:
    block = block_of(drawn(PLAN, "a", square(0, 0, 10, 10)), drawn(PLAN, "b", square(5, 0, 10, 10)))
    assert (block.count, block.footprint_area_m2, block.ground_coverage_ratio) == (2, 150.0, 0.375)


def test_a_building_published_by_two_departments_is_one() -> None:
    assert block_of(*(drawn(TOPO, "BATIMENT1", square(0, 0, 8, 8), partition=code) for code in ("18", "58"))).count == 1


def point(building_id: str, x: float, y: float, plots: str = "") -> BuildingRecord:
    wkb = bytes(shapely.to_wkb(shapely.Point(lon_lat(x, y))))
    return drawn(RNB, building_id, square(0, 0), rnb_ids=building_id)._replace(geometry=wkb, plots=plots)


def test_a_point_building_is_on_the_parcels_its_source_names() -> None:
    block = block_of(point("R1", 25, 5, f"{PARCEL}:0.8|18999000AB0002:0.2"))
    item = only(block)
    assert (item.footprint_m2, item.cover_ratio, item.geometry, item.outline_source) == (None, 0.8, b"", RNB)
    assert (block.footprint_area_m2, block.ground_coverage_ratio) == (None, None)
    assert block_of(point("R1", 5, 5, "18999000AB0002:1")).count == 0


def test_a_point_building_without_parcels_is_located_by_its_point() -> None:
    assert only(block_of(point("R1", 5, 5))).cover_ratio is None
    assert block_of(point("R1", 25, 5)).count == 0


def test_a_point_is_merged_with_the_outline_of_the_same_id() -> None:
    block = block_of(point("R1", 5, 5), drawn(TOPO, "BATIMENT1", square(2, 2, 8, 8), rnb_ids="R1"))
    assert (only(block).id, only(block).footprint_m2, only(block).outline_source) == ("R1", 64.0, TOPO)


def test_items_are_limited_and_the_count_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buildings, "MAX_ITEMS", 2)
    block = block_of(*(drawn(PLAN, str(n), square(4 * n, 0, 2, n + 2)) for n in range(4)))
    assert (block.count, [item.id for item in block.items]) == (4, ["3", "2"])
    assert block.footprint_area_m2 == sum(2.0 * (n + 2) for n in range(4))


def test_coordinates_have_at_most_seven_decimals() -> None:
    item = only(block_of(drawn(PLAN, "a", Polygon([(1, 1), (17, 3.3), (12.7, 19.1), (4, 33)]))))
    rings = json.loads(item.geometry)["coordinates"]
    assert max(len(str(value).partition(".")[2]) for pair in rings[0] for value in pair) <= 7
