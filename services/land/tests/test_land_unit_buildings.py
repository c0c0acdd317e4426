"""The block `buildings`, from records in the store to the answer."""

from typing import Any

import pytest
from land_builders import COMMUNE, building, land_unit, load, parcel, polygon_wkb, square, statuses, warning_codes
from shapely.geometry import Polygon
from sqlalchemy import Engine, text

from land.units.model import LandUnit

A, B, C = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3))
NEIGHBOUR = "18998"


def buildings_on(store: Engine, *parcel_ids: str) -> LandUnit:
    return land_unit(store, *parcel_ids, blocks=["buildings"])


@pytest.fixture
def three_lots(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(n, square(20 * (n - 1), 0)) for n in (1, 2, 3)])
    return store


def plan(store: Engine, *records: Any, partition: str = COMMUNE, edition: str = "e1") -> None:
    load(store, "cadastre-buildings", partition, records, edition=edition)


def test_a_building_on_two_parcels_counts_once_on_both(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(14, 5, 8, 10)), building("b", square(45, 5, 8, 10)))
    first, right, both = (buildings_on(three_lots, *ids).buildings for ids in ((A,), (B,), (A, B)))
    assert first
    assert right
    assert both
    assert [(i.id, i.footprint_m2, i.cover_ratio) for i in first.items] == [("a", 60.0, 0.75)]
    assert [(i.id, i.footprint_m2, i.cover_ratio) for i in right.items] == [("a", 20.0, 0.25)]
    assert [(i.id, i.footprint_m2, i.cover_ratio) for i in both.items] == [("a", 80.0, 1.0)]
    assert both.ground_coverage_ratio == 0.1


def test_buildings_between_distant_parcels_are_ignored(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)), building("b", square(25, 2, 5, 5)))
    block = buildings_on(three_lots, A, C).buildings
    assert block is not None
    assert [item.id for item in block.items] == ["a"]


def test_land_without_buildings_has_count_0(three_lots: Engine) -> None:
    plan(three_lots, building("b", square(45, 5, 8, 10)))
    unit = buildings_on(three_lots, A)
    assert unit.buildings is not None
    assert (unit.buildings.count, unit.buildings.footprint_area_m2) == (0, 0.0)
    assert warning_codes(unit, "buildings") == []
    assert [source.id for source in unit.sources] == ["cadastre-buildings", "cadastre-parcels"]


def test_buildings_are_unknown_when_no_dataset_is_loaded(three_lots: Engine) -> None:
    unit = buildings_on(three_lots, A)
    assert unit.buildings is None
    assert warning_codes(unit, "buildings") == ["buildings_not_covered"]
    assert {statuses(unit)[dataset] for dataset in ("cadastre-buildings", "bdtopo", "rnb")} == {"not_loaded"}


def test_buildings_are_unknown_when_one_commune_is_not_loaded(three_lots: Engine) -> None:
    load(three_lots, "cadastre-parcels", NEIGHBOUR, [parcel(9, square(-20, 0), commune=NEIGHBOUR)])
    plan(three_lots, building("a", square(2, 2, 5, 5)))
    unit = buildings_on(three_lots, A, f"{NEIGHBOUR}000AB0009")
    assert unit.buildings is None
    assert warning_codes(unit, "buildings") == ["buildings_not_covered"]
    assert statuses(unit)["cadastre-buildings"] == "partial"


def test_a_building_of_the_neighbouring_commune_is_found(three_lots: Engine) -> None:
    plan(three_lots, building("b", square(45, 5, 8, 10)))
    plan(three_lots, building("n", square(-4, 5, 8, 10), partition=NEIGHBOUR), partition=NEIGHBOUR)
    block = buildings_on(three_lots, A).buildings
    assert block is not None
    assert [(item.id, item.footprint_m2) for item in block.items] == [("n", 40.0)]


def test_buildings_of_a_department_cover_its_communes(three_lots: Engine) -> None:
    load(three_lots, "bdtopo", "18", [building("t", square(2, 2, 5, 5), partition="18", storeys=2, dwelling_count=1)])
    unit = buildings_on(three_lots, A)
    assert unit.buildings is not None
    [item] = unit.buildings.items
    assert (item.id, item.storeys, item.outline_source, item.facts_source) == ("t", 2, "bdtopo", "bdtopo")
    assert (statuses(unit)["bdtopo"], statuses(unit)["cadastre-buildings"]) == ("covered", "not_loaded")
    assert [source.id for source in unit.sources] == ["bdtopo", "cadastre-parcels"]


def test_a_parcel_without_outline_leaves_buildings_unknown(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2)])
    plan(store, building("a", square(2, 2, 5, 5)))
    assert (buildings_on(store, A, B).buildings, warning_codes(buildings_on(store, A, B), "buildings")) == (
        None,
        ["buildings_not_placed"],
    )
    assert buildings_on(store, A).buildings is not None


def test_a_repaired_building_has_a_warning(three_lots: Engine) -> None:
    repaired = polygon_wkb(Polygon([(2, 2), (5, 5), (2, 8)]), Polygon([(8, 8), (5, 5), (8, 2)]))
    plan(three_lots, building("a", square(2, 2), geometry=repaired, is_repaired=True))
    unit = buildings_on(three_lots, A)
    assert unit.buildings is not None
    assert unit.buildings.footprint_area_m2 == 18.0
    assert warning_codes(unit, "buildings") == ["building_repaired"]


def test_a_new_edition_replaces_its_own_partition_only(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)), building("b", square(10, 10, 5, 5)))
    plan(three_lots, building("n", square(12, 2, 5, 5), partition=NEIGHBOUR), partition=NEIGHBOUR)
    plan(three_lots, building("c", square(2, 10, 5, 6)), edition="e2")
    block = buildings_on(three_lots, A).buildings
    assert block is not None
    assert [item.id for item in block.items] == ["c", "n"]
    if three_lots.dialect.name == "sqlite":
        with three_lots.connect() as connection:
            assert connection.scalar(text("SELECT count(*) FROM building_box")) == 2


def test_datasets_of_blocks_not_requested_are_not_listed(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)))
    unit = land_unit(three_lots, A, blocks=[])
    assert (unit.buildings, warning_codes(unit, "buildings")) == (None, [])
    assert "cadastre-buildings" not in statuses(unit)
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]


def test_buildings_above_the_row_limit_are_unknown(three_lots: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)))
    monkeypatch.setattr("land.units.buildings.MAX_ROWS", 1)
    unit = buildings_on(three_lots, A)
    assert (unit.buildings, warning_codes(unit, "buildings")) == (None, ["buildings_too_many"])
