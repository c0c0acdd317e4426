import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio.raw  # type: ignore[import-untyped]
import pytest
import shapely
from written_files import Writer, partition_request

from land.datasets.buildings.bdtopo import BdTopo
from land.datasets.buildings.records import BuildingRecord
from land.datasets.partitions import Partition
from land.datasets.territory import ground_areas
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

SOURCE = BdTopo()
SQUARE = [[2.0, 47.0], [2.001, 47.0], [2.001, 47.001], [2.0, 47.001], [2.0, 47.0]]
BOW_TIE = [[2.0, 47.0], [2.001, 47.001], [2.001, 47.0], [2.0, 47.001], [2.0, 47.0]]
NAME = "BDT_3-5_GPKG_LAMB93_D018-ED2026-06-15.geojson"


@pytest.fixture
def report() -> ReadReport:
    return ReadReport(NAME)


def feature(ring: Any = SQUARE, **changes: Any) -> dict[str, Any]:
    properties = {
        "cleabs": "BATIMENT0000000000000001",
        "usage_1": "Résidentiel",
        "usage_2": None,
        "construction_legere": False,
        "etat_de_l_objet": "En service",
        "date_d_apparition": "1987-01-01",
        "nombre_de_logements": 2,
        "nombre_d_etages": 3,
        "hauteur": 8.25,
        "identifiants_rnb": "QBAAG16VCJWA",
    } | changes
    members = {name: value for name, value in properties.items() if value != "drop"}
    geometry = None if ring is None else {"type": "MultiPolygon", "coordinates": [[ring]]}
    return {"type": "Feature", "properties": members, "geometry": geometry}


def collection(*features: Any) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


def read(path: Path, report: ReadReport, **area: str) -> list[BuildingRecord]:
    return [building for _, building in SOURCE.read(path, report, CommuneFilter(**area))]


def read_one(write: Writer, report: ReadReport, **changes: Any) -> BuildingRecord:
    [building] = read(write("b.json", collection(feature(**changes))), report)
    return building


def test_a_feature_becomes_a_building_of_its_department(write: Writer, report: ReadReport) -> None:
    [(partition, building)] = SOURCE.read(write("b.json", collection(feature())), report)
    assert partition == Partition("18")
    assert building._replace(geometry=b"") == BuildingRecord(
        "bdtopo",
        "18",
        "BATIMENT0000000000000001",
        b"",
        is_repaired=False,
        rnb_ids="QBAAG16VCJWA",
        is_light=False,
        height_m=8.2,
        storeys=3,
        usage="Résidentiel",
        dwelling_count=2,
        construction_year=1987,
    )


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"identifiants_rnb": "QBAAG16VCJWA/7XD2T56XMD3T"}, "rnb_ids", "7XD2T56XMD3T|QBAAG16VCJWA"),
        ({"identifiants_rnb": "drop"}, "rnb_ids", ""),
        ({"usage_2": "Commercial et services"}, "usage", "Résidentiel, Commercial et services"),
        ({"usage_1": "Indifférencié"}, "usage", None),
        ({"hauteur": None}, "height_m", None),
        ({"hauteur": 0.0}, "height_m", None),
        ({"nombre_d_etages": 0}, "storeys", None),
        ({"nombre_de_logements": 0}, "dwelling_count", 0),
        ({"nombre_de_logements": None}, "dwelling_count", None),
        ({"construction_legere": 1}, "is_light", True),
        ({"construction_legere": None}, "is_light", None),
        ({"date_d_apparition": None}, "construction_year", None),
        ({"date_d_apparition": "1840/01/01"}, "construction_year", 1840),
    ],
)
def test_absent_values_are_unknown(write: Writer, report: ReadReport, changes: Any, field: str, value: Any) -> None:
    assert getattr(read_one(write, report, **changes), field) == value
    assert not report.unknown_values


def test_values_that_the_dictionary_does_not_have_are_counted(write: Writer, report: ReadReport) -> None:
    building = read_one(write, report, usage_1="Spatial", etat_de_l_objet="Englouti", date_d_apparition="1987-13-01")
    assert (building.usage, building.construction_year) == (None, None)
    assert report.unknown_values == {"usage": 1, "etat_de_l_objet": 1, "date_d_apparition": 1}


def test_planned_buildings_are_left_out(write: Writer, report: ReadReport) -> None:
    states = ("En projet", "En construction", "En ruine", "En service")
    path = write("b.json", collection(*(feature(cleabs=state, etat_de_l_objet=state) for state in states)))
    assert [building.building_id for building in read(path, report)] == ["En ruine", "En service"]
    assert (report.row_count, report.rejected_count) == (4, 0)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (feature(hauteur="haut"), "hauteur: 'haut' is no amount"),
        (feature(nombre_de_logements=-1), "nombre_de_logements: '-1' is no amount"),
        (feature(cleabs=None), "cleabs: empty"),
        (feature(None), "geometry: a building without an outline"),
        (feature(hauteur="drop"), "missing: HAUTEUR"),
    ],
)
def test_a_feature_that_cannot_be_read_is_rejected_with_its_position(
    write: Writer, report: ReadReport, bad: Any, reason: str
) -> None:
    assert len(read(write("b.json", collection(feature(), bad, feature(BOW_TIE))), report)) == 2
    assert (report.row_count, report.rejected_count, report.repaired_count) == (3, 1, 1)
    assert report.rejections[0].startswith(f"{NAME}:2: ")
    assert reason in report.rejections[0]


def test_columns_that_are_missing_are_named(write: Writer, report: ReadReport) -> None:
    path = write("b.json", collection(feature(hauteur="drop", cleabs="drop")))
    with pytest.raises(WrongHeader) as refused:
        read(path, report)
    assert refused.value.missing == ("CLEABS", "HAUTEUR")


def test_a_truncated_file_is_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile):
        read(write("b.json", collection(feature())[:-30]), report)


@pytest.mark.parametrize(
    ("name", "partition"),
    [
        ("BDT_3-5_GPKG_LAMB93_D02A-ED2026-06-15.gpkg", "2A"),
        ("BDTOPO_3-5_TOUSTHEMES_GPKG_RGAF09UTM20_D971_2026-06-15.gpkg", "971"),
        ("BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D075_2026-06-15.gpkg", "75"),
    ],
)
def test_the_file_name_states_the_department_and_the_edition(write: Writer, name: str, partition: str) -> None:
    path = write("b.json", collection(feature()))
    assert read(path, ReadReport(name))[0].partition == partition
    assert SOURCE.edition(path, name) == "2026-06-15"


def test_the_filter_gives_the_department_if_the_name_has_none(write: Writer, report: ReadReport) -> None:
    path = write("b.json", collection(feature()))
    assert read(path, ReadReport("batiment.gpkg"), department="18")[0].partition == "18"
    with pytest.raises(UnreadableFile, match="--department"):
        read(path, ReadReport("batiment.gpkg"))
    with pytest.raises(UnreadableFile, match="--department"):
        read(path, report, commune="18033")
    assert read(path, report, department="58") == []
    assert SOURCE.urls(partition_request("18033")) == []


def test_other_layers_of_a_department_s_file_are_left_alone(report: ReadReport, tmp_path: Path) -> None:
    """The file has all themes, and a table of RNB ids whose name also begins with `batiment`."""
    path = tmp_path / "d.gpkg"
    square = shapely.to_wkb(np.array([shapely.MultiPolygon([shapely.Polygon(SQUARE)])], dtype=object))
    for layer, properties in (
        ("batiment_rnb_lien_bdtopo", {"cleabs": "LIEN1"}),
        ("batiment", feature(usage_2="Annexe")["properties"]),
        ("cimetiere", {"cleabs": "CIMETIERE1"}),
    ):
        columns = {name: np.array([value]) for name, value in properties.items()}
        pyogrio.raw.write(
            path, square, list(columns.values()), list(columns), layer=layer, geometry_type="MultiPolygon",
            crs="EPSG:4326", append=path.exists(), driver="GPKG",
        )  # fmt: skip
    assert [building.building_id for building in read(path, report)] == ["BATIMENT0000000000000001"]
    assert report.rejected_count == 0


def values_of(building: BuildingRecord) -> tuple[object, ...]:
    """The id, and all that BD TOPO says of a building but its outline."""
    return (building.building_id, *building[BuildingRecord._fields.index("rnb_ids") :])


@pytest.mark.samples
@pytest.mark.parametrize("form", ["gpkg", "geojson"])
def test_the_buildings_of_the_sample_read_as_published(sample: Callable[[str], Path], form: str) -> None:
    """The GeoPackage in Lambert-93 and the GeoJSON in degrees have the same six buildings."""
    path = sample(f"bdtopo/bdtopo-batiment-rnb-fixture.{form}")
    report = ReadReport(path.name)
    buildings = {building.building_id[-4:]: building for building in read(path, report, department="02")}
    assert (len(buildings), report.row_count, report.rejected_count, report.repaired_count) == (6, 6, 0, 0)
    # Read off the file by hand.
    annexe, house, light = buildings["1233"], buildings["1361"], buildings["1366"]
    assert values_of(annexe) == ("BATIMENT0000000312141233", "7XD2T56XMD3T", False, 1.9, 1, "Annexe", 0, 1840, "")
    assert values_of(house) == ("BATIMENT0000000312141361", "3Q7VK9WB8BQR", False, 4.3, 2, "Résidentiel", 1, 1925, "")
    assert values_of(light) == ("BATIMENT0000000312141366", "HYZXX2AG58SB", True, 5.6, None, None, None, None, "")
    corner = shapely.get_coordinates(shapely.from_wkb(house.geometry))[0]
    assert corner.tolist() == pytest.approx([3.9119498, 49.8343206], abs=1e-7)
    assert ground_areas([shapely.from_wkb(house.geometry)])[0] == pytest.approx(135.87, abs=0.01)
    assert values_of(buildings["1318"])[1:-1] == ("", False, None, None, None, None, None)
