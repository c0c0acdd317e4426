"""Shapes, areas and buildings of real land, through the store. Needs the sample data.

Every expected figure was read off the files themselves, or drawn from them by other means than the service's.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from land_builders import service
from shapely.geometry import Polygon
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.loading.loader import LoadSummary, load_file
from land.pipeline import Selection
from land.records.parcels import ParcelRecord
from land.registry import DATASETS
from land.sources.base import ReadReport
from land.territory import LAMBERT_93, all_to_metres
from land.units.geometry import Area, from_wkb
from land.units.model import Block, LandUnit

pytestmark = pytest.mark.samples

EPINAY, USTARITZ = "91216", "64547"


def parcels_of(samples: Path, commune: str) -> list[ParcelRecord]:
    path = samples / "cadastre" / f"cadastre-{commune}-parcelles.json.gz"
    return [record for _, record in DATASETS["cadastre-parcels"].source.read(path, ReadReport(path.name))]


def imported(store: Engine, dataset: str, path: Path, scratch: Path, department: str | None = None) -> LoadSummary:
    return load_file(store, DATASETS[dataset], str(path), scratch / "scratch", department=department)


def unit_of(store: Engine, *parcel_ids: str, blocks: tuple[Block, ...] = ("land",)) -> LandUnit:
    return service(store).land_unit(Selection(AddressQuery(), parcel_ids), blocks, "all", "en")


def outlines_of(records: list[ParcelRecord]) -> list[Area]:
    return [from_wkb(record.geometry) for record in records if record.geometry]


def adjacent(records: list[ParcelRecord], count: int) -> list[ParcelRecord]:
    """So many parcels, each of which touches one before it: of the first block that has as many."""
    drawn = [record for record in records if record.geometry]
    shapes = shapely.from_wkb([record.geometry for record in drawn])
    tree = shapely.STRtree(shapes)
    left = dict.fromkeys(range(len(drawn)))
    while left:
        found = [next(iter(left))]
        for place in found:
            left.pop(place)
            touching = tree.query(shapes[place], "intersects").tolist()
            found += [other for other in touching if other in left and other not in found]
        if len(found) >= count:
            return [drawn[place] for place in found[:count]]
    raise AssertionError("no block has so many parcels")


def test_a_hundred_adjacent_parcels_become_one_valid_outline_as_rfc_7946_wants_it(
    store: Engine, samples: Path, tmp_path: Path
) -> None:
    chosen = adjacent(parcels_of(samples, EPINAY), 100)
    imported(store, "cadastre-parcels", samples / "cadastre" / f"cadastre-{EPINAY}-parcelles.json.gz", tmp_path)
    unit = unit_of(store, *(record.parcel_id for record in chosen))
    outline = shapely.from_geojson(unit.geometry)
    assert outline.is_valid
    assert outline.geom_type == "Polygon"
    for part in shapely.get_parts(outline):
        assert isinstance(part, Polygon)
        assert part.exterior.is_ccw
        assert not any(hole.is_ccw for hole in part.interiors)
    geometry = json.loads(unit.geometry)
    digits = [str(value).partition(".")[2] for ring in geometry["coordinates"] for pair in ring for value in pair]
    assert max(map(len, digits)) <= 7
    assert unit.bbox == outline.bounds
    alone = all_to_metres(outlines_of(chosen), LAMBERT_93)
    assert unit.land is not None
    assert unit.land.is_contiguous is True
    assert unit.land.geometric_area_m2 == pytest.approx(sum(shape.area for shape in alone), rel=1e-4)
    # One of them is the parcel of the commune whose contenance is not published: the sum is not known.
    assert [record.parcel_id for record in chosen if record.cadastral_area_m2 is None] == ["91216000AC0389"]
    assert unit.land.cadastral_area_m2 is None


@pytest.mark.parametrize(
    ("commune", "median", "within_5", "whole"), [("75118", 0.0012, 0.978, 0.9987), (EPINAY, 0.0122, 0.888, 1.0014)]
)
def test_drawn_areas_are_as_far_from_the_declared_ones_as_documented(
    samples: Path, commune: str, median: float, within_5: float, whole: float
) -> None:
    """Figures of docs/land-units.md: half of the parcels differ by less than `median`, a share `within_5` by at most
    5 %, and all of them together by `whole`.
    """
    records = [record for record in parcels_of(samples, commune) if record.cadastral_area_m2]
    drawn = shapely.area(all_to_metres(outlines_of(records), LAMBERT_93))
    declared = np.array([record.cadastral_area_m2 for record in records], dtype=float)
    gaps = np.abs(drawn - declared) / declared
    assert np.median(gaps) == pytest.approx(median, abs=0.0001)
    assert np.mean(gaps <= 0.05) == pytest.approx(within_5, abs=0.001)
    assert drawn.sum() / declared.sum() == pytest.approx(whole, abs=0.0001)


@pytest.fixture
def ustaritz(store: Engine, samples: Path, tmp_path: Path) -> Engine:
    """The parcels that AN 221 was divided into, and the buildings on them."""
    document = json.loads((samples / "cadastre" / "cadastre-64547-an221-lineage.json").read_text(encoding="utf-8"))
    for dataset, features, count in (
        ("cadastre-parcels", document["current"]["features"], 8),
        ("cadastre-buildings", document["batimentsAfter"]["features"], 3),
    ):
        path = tmp_path / f"cadastre-{USTARITZ}-{dataset}.json"
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
        summary = imported(store, dataset, path, tmp_path)
        assert (summary.row_count, summary.rejected_count, summary.changed) == (
            count, 0, [(USTARITZ, "")],
        )  # fmt: skip
    return store


def test_the_house_of_ustaritz_stayed_on_one_lot_and_a_new_one_is_on_the_other(ustaritz: Engine) -> None:
    blocks: tuple[Block, ...] = ("buildings",)
    kept, new, strip, both = (
        unit_of(ustaritz, *(f"{USTARITZ}000AN{number:04}" for number in numbers), blocks=blocks).buildings
        for numbers in ((511,), (512,), (513,), (511, 512, 513))
    )
    assert kept is not None
    assert new is not None
    assert strip is not None
    assert both is not None
    assert [(item.footprint_m2, item.cover_ratio, item.is_light) for item in kept.items] == [
        (188.5, 1.0, False), (12.1, 1.0, True),
    ]  # fmt: skip
    assert [(item.footprint_m2, item.cover_ratio, item.is_light) for item in new.items] == [(76.4, 1.0, False)]
    assert (strip.count, strip.footprint_area_m2) == (0, 0.0)
    assert both.count == 3
    assert both.footprint_area_m2 == pytest.approx(277.0, abs=0.2)
    assert kept.ground_coverage_ratio == pytest.approx(200.7 / 811, abs=0.005)


def as_land(places: list[Any]) -> dict[str, Any]:
    """A parcel around each of these outlines, as the cadastre would publish it."""
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"id": f"02999000AB{number:04}", "commune": "02999", "contenance": 100},
                "geometry": shapely.geometry.mapping(place.buffer(0.00005)),
            }
            for number, place in enumerate(places, 1)
        ],
    }


def test_the_buildings_of_bd_topo_stand_on_the_land_around_them(store: Engine, samples: Path, tmp_path: Path) -> None:
    """Six buildings of the Aisne as a GeoPackage in Lambert-93, on parcels drawn around three of them."""
    folder = samples / "bdtopo"
    features = json.loads((folder / "bdtopo-batiment-rnb-fixture.geojson").read_text(encoding="utf-8"))["features"]
    by_key = {feature["properties"]["cleabs"][-4:]: shapely.geometry.shape(feature["geometry"]) for feature in features}
    path = tmp_path / "cadastre-02999-parcelles.json"
    path.write_text(json.dumps(as_land([by_key["1361"]])), encoding="utf-8")
    imported(store, "cadastre-parcels", path, tmp_path)
    summary = imported(store, "bdtopo", folder / "bdtopo-batiment-rnb-fixture.gpkg", tmp_path, department="02")
    assert (summary.row_count, summary.rejected_count, summary.changed) == (
        6,
        0,
        [("02", "")],
    )
    unit = unit_of(store, "02999000AB0001", blocks=("buildings",))
    assert unit.buildings is not None
    house = unit.buildings.items[0]
    assert (house.id, house.cover_ratio) == ("3Q7VK9WB8BQR", 1.0)
    assert house.footprint_m2 == pytest.approx(136.1, abs=0.1)
    assert (house.height_m, house.storeys, house.usage, house.dwelling_count, house.construction_year) == (
        4.3, 2, "Résidentiel", 1, 1925,
    )  # fmt: skip
    assert (house.outline_source, house.facts_source) == ("bdtopo", "bdtopo")
