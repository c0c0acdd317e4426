"""Farmed parcels of the RPG: the reader, and what a land unit says of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
import shapely
from land_builders import COMMUNE, coverage, import_file, land_unit, load, on_sqlite, parcel, polygon_wkb, square
from published_files import BOX
from pyproj import Geod
from shapely import Polygon
from sqlalchemy import Engine
from written_files import Writer

from land.datasets.farming.reader import Rpg
from land.datasets.farming.records import FieldRecord
from land.datasets.partitions import Partition
from land.errors import WrongHeader
from land.sources.base import CommuneFilter, PartitionRequest, ReadReport
from land.units.farmed_land import FarmedLand

READER = Rpg("https://mirror.example/wfs")
FIELD = {"id_parcel": "6267094", "surf_parc": 0.02, "code_cultu": "PPH", "code_group": "18", "culture_d1": None}
LOT = f"{COMMUNE}000AB0001"
ELLIPSOID = Geod(ellps="GRS80")


def collection(fields: Sequence[tuple[Polygon, dict[str, Any]]]) -> str:
    features = [
        {"type": "Feature", "properties": FIELD | changes, "geometry": json.loads(shapely.to_geojson(outline))}
        for outline, changes in fields
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


def degrees(outline: Polygon) -> Polygon:
    shape = shapely.from_wkb(polygon_wkb(outline))
    assert isinstance(shape, Polygon)
    return shape


def field(outline: Polygon, crop: str = "BTH", group: str | None = "1") -> FieldRecord:
    return FieldRecord(crop, group, False, polygon_wkb(outline))


def farmed(store: Engine) -> list[FarmedLand]:
    return list(land_unit(store, LOT).farmed_land)


def test_a_field_is_read_with_the_year_of_its_file(write: Writer, report: ReadReport) -> None:
    outline = degrees(square(0, 0))
    text = collection([(outline, {}), (outline, {"code_group": "31"}), (outline, {"code_cultu": ""})])
    report.file = "RPG_2-2__GPKG_LAMB93_R24_2023-01-01.geojson"
    records = list(READER.read(write("rpg.json", text), report, CommuneFilter(COMMUNE)))
    assert {partition for partition, _ in records} == {Partition(COMMUNE, "2023")}
    assert [(record.crop_code, record.crop_group) for _, record in records] == [("PPH", "18"), ("PPH", None)]
    assert (report.rejected_count, report.unknown_values) == (1, {"code_group": 1})


def test_the_address_tells_the_year_and_the_edition() -> None:
    [url] = READER.urls(PartitionRequest(COMMUNE, COMMUNE, lambda: (0, 0), lambda _: b"", lambda _: BOX))
    assert "typeNames=RPG.2024%3Aparcelles_graphiques" in url
    assert (READER.asked_partition(url, COMMUNE), READER.edition(Path(), url)) == (Partition(COMMUNE, "2024"), "2024")


def test_a_file_without_the_group_is_refused_by_the_name_of_the_column(write: Writer, report: ReadReport) -> None:
    text = collection([(degrees(square(0, 0)), {})]).replace("code_group", "group")
    with pytest.raises(WrongHeader, match="CODE_GROUP"):
        list(READER.read(write("rpg.json", text), report, CommuneFilter(COMMUNE)))


def test_only_the_newest_year_counts_and_edges_do_not(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 100, 100))])
    assert coverage(land_unit(store, LOT))["rpg"][0] == "not_loaded"
    load(store, "rpg", COMMUNE, [field(square(-50, -50, 200, 200))], part="2023")
    beside = field(square(-100, 0, 103.5, 100), "ORH", "3")
    inside = [field(square(0, 50, 100, 80)), field(square(0, 0, 30, 20)), field(square(50, 0, 30, 20), "PPH", None)]
    load(store, "rpg", COMMUNE, [*inside, inside[0], beside], part="2024")
    assert coverage(land_unit(store, LOT))["rpg"][0] == "covered"
    wheat, meadow = farmed(store)
    assert (wheat.year, wheat.crop_code, wheat.crop_group) == (2024, "BTH", "1")
    assert wheat.overlap_area_m2 == pytest.approx(5_600, rel=1e-3)
    assert (meadow.crop_code, meadow.crop_group, meadow.overlap_ratio) == ("PPH", None, 0.06)


@on_sqlite
def test_areas_are_those_of_another_reading_of_the_file(store: Engine, write: Writer, tmp_path: Path) -> None:
    """The other reading cuts the published outlines in degrees and measures them on the ellipsoid."""
    random = Random(41)  # noqa: S311
    lot = square(0, 0, 300, 200)
    fields = [
        (degrees(square(x, y, random.uniform(10, 90), random.uniform(10, 90))), {"code_cultu": crop})
        for x in range(-100, 400, 100)
        for y in range(-100, 300, 100)
        for crop in [random.choice(("BTH", "PPH", "VRC"))]
    ]
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, lot)])
    import_file(store, "rpg", write("RPG_2024.geojson", collection(fields)), tmp_path, commune=COMMUNE)
    expected: dict[str, float] = {}
    for outline, changes in fields:
        area, _ = ELLIPSOID.geometry_area_perimeter(shapely.intersection(outline, degrees(lot)))
        expected[changes["code_cultu"]] = expected.get(changes["code_cultu"], 0) + abs(area)
    assert {item.crop_code: item.overlap_area_m2 for item in farmed(store)} == pytest.approx(expected, rel=1e-3)
