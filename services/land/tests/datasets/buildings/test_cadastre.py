import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shapely
from written_files import Writer, partition_request

from land.datasets.buildings.cadastre import CadastreBuildings
from land.datasets.buildings.records import BuildingRecord
from land.datasets.partitions import Partition
from land.datasets.territory import ground_areas
from land.errors import UnreadableFile
from land.sources.base import CommuneFilter, ReadReport

CADASTRE = CadastreBuildings("https://mirror.example/etalab-cadastre")
SQUARE = [[2.0, 47.0], [2.001, 47.0], [2.001, 47.001], [2.0, 47.001], [2.0, 47.0]]
BOW_TIE = [[2.0, 47.0], [2.001, 47.001], [2.001, 47.0], [2.0, 47.001], [2.0, 47.0]]


def feature(ring: Any = SQUARE, **properties: Any) -> dict[str, Any]:
    geometry = None if ring is None else {"type": "MultiPolygon", "coordinates": [[ring]]}
    return {"type": "Feature", "geometry": geometry, "properties": {"type": "01", "commune": "01001"} | properties}


def collection(*features: Any) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


def read(path: Path, report: ReadReport, **area: str) -> list[BuildingRecord]:
    return [building for _, building in CADASTRE.read(path, report, CommuneFilter(**area))]


def test_a_feature_becomes_a_building_of_its_commune(write: Writer, report: ReadReport) -> None:
    [(partition, hard), (_, light)] = CADASTRE.read(
        write("b.json.gz", collection(feature(nom="Mairie"), feature(type="02"))), report
    )
    assert partition == Partition("01001")
    assert (hard.is_light, light.is_light) == (False, True)
    assert shapely.from_wkb(hard.geometry).equals(shapely.Polygon(SQUARE))
    assert (hard.height_m, hard.usage, hard.dwelling_count, hard.rnb_ids, hard.plots) == (None, None, None, "", "")


def test_the_id_does_not_depend_on_the_first_corner_of_the_ring(write: Writer, report: ReadReport) -> None:
    turned = [*SQUARE[2:], *SQUARE[1:3]]
    moved = [[lon + 1e-7, lat] for lon, lat in SQUARE]
    path = write("b.json", collection(feature(), feature(turned), feature(SQUARE[::-1]), feature(moved)))
    first, second, third, other = [building.building_id for building in read(path, report)]
    assert first == second == third != other
    assert first.startswith("01001-")


def test_an_outline_that_crosses_itself_is_repaired_and_counted(write: Writer, report: ReadReport) -> None:
    [building] = read(write("b.json", collection(feature(BOW_TIE))), report)
    assert building.is_repaired
    assert shapely.from_wkb(building.geometry).is_valid
    assert report.repaired_count == 1


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (feature(commune="1001"), "commune: '1001' is no commune code"),
        (feature(None), "geometry: a building without an outline"),
        (feature([[2.0, 97.0], [2.1, 97.0], [2.1, 97.1], [2.0, 97.0]]), "no longitude and latitude"),
        ({"type": "Feature"}, "not a feature with properties"),
    ],
)
def test_a_feature_that_cannot_be_read_is_rejected_with_its_position(
    write: Writer, report: ReadReport, bad: Any, reason: str
) -> None:
    assert len(read(write("b.json", collection(feature(), bad, feature(BOW_TIE))), report)) == 2
    assert (report.row_count, report.rejected_count) == (3, 1)
    assert report.rejections[0].startswith("a file:2: ")
    assert reason in report.rejections[0]


def test_a_kind_that_the_publisher_does_not_name_is_unknown(write: Writer, report: ReadReport) -> None:
    [building] = read(write("b.json", collection(feature(type="09"))), report)
    assert building.is_light is None
    assert report.unknown_values == {"type": 1}


def test_only_the_wanted_commune_is_read(write: Writer, report: ReadReport) -> None:
    path = write("b.json", collection(feature(), feature(commune="01002")))
    assert [building.partition for building in read(path, report, commune="01002")] == ["01002"]
    assert report.row_count == 2


@pytest.mark.parametrize("content", [collection(feature())[:-40], json.dumps({"type": "Feature"}), ""])
def test_other_and_truncated_files_are_refused(write: Writer, report: ReadReport, content: str) -> None:
    with pytest.raises(UnreadableFile):
        read(write("b.json", content), report)


def test_urls_name_the_department_even_overseas() -> None:
    base = "https://mirror.example/etalab-cadastre/latest/geojson/communes"
    assert CADASTRE.urls(partition_request("75118")) == [f"{base}/75/75118/cadastre-75118-batiments.json.gz"]
    assert CADASTRE.urls(partition_request("97105")) == [f"{base}/971/97105/cadastre-97105-batiments.json.gz"]


@pytest.mark.samples
def test_the_buildings_of_ustaritz_read_as_published(
    sample: Callable[[str], Path], write: Writer, report: ReadReport
) -> None:
    """AN 221 had a house with a light annexe; after its division there is another house."""
    document = json.loads(sample("cadastre/cadastre-64547-an221-lineage.json").read_text(encoding="utf-8"))
    kinds = {}
    for name in ("batimentsBefore", "batimentsAfter"):
        features = document[name]["features"]
        kinds[name] = read(write("b.json", collection(*features)), report)
        assert len(kinds[name]) == len(features)
    before, after = kinds["batimentsBefore"], kinds["batimentsAfter"]
    assert (len(before), len(after), report.rejected_count) == (2, 3, 0)
    assert [building.building_id for building in before] == [building.building_id for building in after[:2]]
    # Three records by hand: kind, first corner, area by the shoelace formula over corners put into metres.
    house, annexe, new = after
    assert [building.is_light for building in (house, annexe, new)] == [False, True, False]
    corners = [shapely.get_coordinates(shapely.from_wkb(building.geometry))[0].tolist() for building in after]
    assert corners == [[-1.4537871, 43.3944046], [-1.4537553, 43.3943773], [-1.4535987, 43.3945169]]
    areas = ground_areas([shapely.from_wkb(building.geometry) for building in after])
    assert areas == pytest.approx([188.3, 12.1, 76.3], abs=0.1)
