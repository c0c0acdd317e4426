"""The block `buildings`, from records in the store to the assembled answer, on both kinds of store."""

from typing import Any

import pytest
from land_builders import COMMUNE, building, load, parcel, service, shape, square
from shapely.geometry import Polygon
from sqlalchemy import Engine, text

from land.addresses.model import AddressQuery
from land.pipeline import Selection
from land.units.model import LandUnit

A, B, C = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3))
NEIGHBOUR = "18998"


def unit_of(store: Engine, *parcel_ids: str, blocks: tuple[str, ...] = ("buildings",)) -> LandUnit:
    return service(store).land_unit(Selection(AddressQuery(), parcel_ids), blocks, "all", "en")  # type: ignore[arg-type]


def coverage(unit: LandUnit) -> dict[str, str]:
    return {item.dataset: item.status for item in unit.coverage}


def codes(unit: LandUnit) -> list[str]:
    return [warning.code for warning in unit.warnings if warning.block == "buildings"]


@pytest.fixture
def three_lots(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(n, square(20 * (n - 1), 0)) for n in (1, 2, 3)])
    return store


def plan(store: Engine, *records: Any, unit: str = COMMUNE, edition: str = "e1") -> None:
    load(store, "cadastre-buildings", unit, records, edition=edition)


def test_a_building_astride_two_parcels_is_one_on_both_together(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(14, 5, 8, 10)), building("b", square(45, 5, 8, 10)))
    left, right, both = (unit_of(three_lots, *ids).buildings for ids in ((A,), (B,), (A, B)))
    assert left
    assert right
    assert both
    assert [(i.id, i.footprint_m2, i.cover_ratio) for i in left.items] == [("a", 60.0, 0.75)]
    assert [(i.id, i.footprint_m2, i.cover_ratio) for i in right.items] == [("a", 20.0, 0.25)]
    assert [(i.id, i.footprint_m2, i.cover_ratio) for i in both.items] == [("a", 80.0, 1.0)]
    assert both.ground_coverage_ratio == 0.1


def test_parcels_far_apart_do_not_bring_in_what_lies_between(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)), building("b", square(25, 2, 5, 5)))
    block = unit_of(three_lots, A, C).buildings
    assert block is not None
    assert [item.id for item in block.items] == ["a"]


def test_land_on_which_nothing_stands_says_so(three_lots: Engine) -> None:
    plan(three_lots, building("b", square(45, 5, 8, 10)))
    unit = unit_of(three_lots, A)
    assert unit.buildings is not None
    assert (unit.buildings.count, unit.buildings.footprint_area_m2) == (0, 0.0)
    assert codes(unit) == []
    assert [source.id for source in unit.sources] == ["cadastre-buildings", "cadastre-parcels"]


def test_what_is_not_loaded_is_unknown_and_never_none(three_lots: Engine) -> None:
    unit = unit_of(three_lots, A)
    assert unit.buildings is None
    assert codes(unit) == ["buildings_not_covered"]
    assert {name: coverage(unit)[name] for name in ("cadastre-buildings", "bdtopo", "rnb")} == {
        "cadastre-buildings": "not_loaded",
        "bdtopo": "not_loaded",
        "rnb": "not_loaded",
    }


def test_one_commune_without_buildings_leaves_the_whole_unknown(three_lots: Engine) -> None:
    load(three_lots, "cadastre-parcels", NEIGHBOUR, [parcel(9, square(-20, 0), commune=NEIGHBOUR)])
    plan(three_lots, building("a", square(2, 2, 5, 5)))
    unit = unit_of(three_lots, A, f"{NEIGHBOUR}000AB0009")
    assert unit.buildings is None
    assert codes(unit) == ["buildings_not_covered"]
    assert coverage(unit)["cadastre-buildings"] == "partial"


def test_a_building_that_the_neighbouring_commune_has_on_its_plan_is_found(three_lots: Engine) -> None:
    plan(three_lots, building("b", square(45, 5, 8, 10)))
    plan(three_lots, building("n", square(-4, 5, 8, 10), unit=NEIGHBOUR), unit=NEIGHBOUR)
    block = unit_of(three_lots, A).buildings
    assert block is not None
    assert [(item.id, item.footprint_m2) for item in block.items] == [("n", 40.0)]


def test_buildings_that_a_department_publishes_cover_its_communes(three_lots: Engine) -> None:
    load(three_lots, "bdtopo", "18", [building("t", square(2, 2, 5, 5), unit="18", storeys=2, dwelling_count=1)])
    unit = unit_of(three_lots, A)
    assert unit.buildings is not None
    [item] = unit.buildings.items
    assert (item.id, item.storeys, item.outline_source, item.facts_source) == ("t", 2, "bdtopo", "bdtopo")
    assert (coverage(unit)["bdtopo"], coverage(unit)["cadastre-buildings"]) == ("covered", "not_loaded")
    assert [source.id for source in unit.sources] == ["bdtopo", "cadastre-parcels"]


def test_a_parcel_without_outline_leaves_buildings_unknown(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2)])
    plan(store, building("a", square(2, 2, 5, 5)))
    assert (unit_of(store, A, B).buildings, codes(unit_of(store, A, B))) == (None, ["buildings_not_placed"])
    assert unit_of(store, A).buildings is not None


def test_an_outline_that_was_repaired_is_said_to_be(three_lots: Engine) -> None:
    mended = shape(Polygon([(2, 2), (5, 5), (2, 8)]), Polygon([(8, 8), (5, 5), (8, 2)]))
    plan(three_lots, building("a", square(2, 2), geometry=mended, is_repaired=True))
    unit = unit_of(three_lots, A)
    assert unit.buildings is not None
    assert unit.buildings.footprint_area_m2 == 18.0
    assert codes(unit) == ["building_repaired"]


def test_a_new_edition_takes_the_place_of_the_old_one_and_of_no_other(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)), building("b", square(10, 10, 5, 5)))
    plan(three_lots, building("n", square(12, 2, 5, 5), unit=NEIGHBOUR), unit=NEIGHBOUR)
    plan(three_lots, building("c", square(2, 10, 5, 6)), edition="e2")
    block = unit_of(three_lots, A).buildings
    assert block is not None
    assert [item.id for item in block.items] == ["c", "n"]
    if three_lots.dialect.name == "sqlite":
        with three_lots.connect() as connection:
            assert connection.scalar(text("SELECT count(*) FROM building_box")) == 2


def test_datasets_of_a_block_that_was_not_asked_for_are_not_named(three_lots: Engine) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)))
    unit = unit_of(three_lots, A, blocks=())
    assert (unit.buildings, codes(unit)) == (None, [])
    assert "cadastre-buildings" not in coverage(unit)
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]


def test_more_buildings_than_can_be_read_are_unknown_and_not_a_part_of_them(
    three_lots: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan(three_lots, building("a", square(2, 2, 5, 5)))
    monkeypatch.setattr("land.units.buildings.MAX_ROWS", 1)
    unit = unit_of(three_lots, A)
    assert (unit.buildings, codes(unit)) == (None, ["buildings_too_many"])
