"""The tests write the RNB's format: a CSV with `;`, EWKT and JSON columns, plain or in a ZIP."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import shapely
from written_files import Writer, partition_request

from land.datasets.buildings.records import BuildingRecord
from land.datasets.buildings.rnb import Rnb
from land.datasets.partitions import Partition
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

SOURCE = Rnb()
NAME = "RNB_18.csv"
HEADER = ("rnb_id", "point", "shape", "status", "ext_ids", "addresses", "plots", "validated_by")
SQUARE = "SRID=4326;MULTIPOLYGON (((2 47, 2.001 47, 2.001 47.001, 2 47.001, 2 47)))"
POINT = "SRID=4326;POINT (2.0005 47.0005)"
PLOTS = [{"id": "18033000AB0012", "bdg_cover_ratio": 0.99994}, {"id": "18033000AB0013", "bdg_cover_ratio": 5e-05}]
ADDRESSES = [{"cle_interop_ban": "18033_0750_00374", "street_number": "374", "street": "rue de l'Église; cour"}]


@pytest.fixture
def report() -> ReadReport:
    return ReadReport(NAME)


def line(**changes: Any) -> dict[str, str]:
    values: dict[str, Any] = {
        "rnb_id": "QBAAG16VCJWA",
        "point": POINT,
        "shape": SQUARE,
        "status": "constructed",
        "ext_ids": [{"id": "bdnb-bc-ACWM-JRV4-SY85", "source": "bdnb"}],
        "addresses": ADDRESSES,
        "plots": PLOTS,
        "validated_by": [],
    } | changes
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}


def export(*lines: dict[str, str], header: tuple[str, ...] = HEADER) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, header, delimiter=";", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def read(path: Path, report: ReadReport, **area: str) -> list[BuildingRecord]:
    return [building for _, building in SOURCE.read(path, report, CommuneFilter(**area))]


def read_one(write: Writer, report: ReadReport, **changes: Any) -> BuildingRecord:
    [building] = read(write(NAME, export(line(**changes))), report)
    return building


def test_a_row_becomes_a_building_with_its_share_on_each_parcel(write: Writer, report: ReadReport) -> None:
    [(partition, building)] = SOURCE.read(write(NAME, export(line())), report)
    assert partition == Partition("18")
    assert building._replace(geometry=b"") == BuildingRecord(
        "rnb", "18", "QBAAG16VCJWA", b"", is_repaired=False, rnb_ids="QBAAG16VCJWA",
        plots="18033000AB0012:0.9999|18033000AB0013:0.0001",
    )  # fmt: skip
    outline = shapely.from_wkb(building.geometry)
    assert (outline.geom_type, outline.bounds) == ("MultiPolygon", (2.0, 47.0, 2.001, 47.001))


def test_a_zip_with_the_export_in_it_is_read(report: ReadReport, tmp_path: Path) -> None:
    path = tmp_path / "RNB_18.csv.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(NAME, export(line(), line(rnb_id="7XD2-T56X-MD3T")))
    assert [building.building_id for building in read(path, report)] == ["QBAAG16VCJWA", "7XD2T56XMD3T"]
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UnreadableFile, match="damaged ZIP"):
        read(path, report)


def test_a_zip_of_several_files_is_refused(report: ReadReport, tmp_path: Path) -> None:
    path = tmp_path / "both.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("RNB_18.csv", export(line()))
        archive.writestr("RNB_58.csv", export(line()))
    with pytest.raises(UnreadableFile, match="2 files in the ZIP"):
        read(path, report)


def test_only_buildings_that_exist_are_read(write: Writer, report: ReadReport) -> None:
    states = ("constructed", "ongoingChange", "notUsable", "demolished", "constructionProject", "vanished")
    lines = [line(rnb_id=f"{number:012}", status=state) for number, state in enumerate(states)]
    assert [building.building_id[-1] for building in read(write(NAME, export(*lines)), report)] == ["0", "1", "2"]
    assert (report.row_count, report.rejected_count, dict(report.unknown_values)) == (6, 0, {"status": 1})


@pytest.mark.parametrize("shape", ["", POINT])
def test_a_building_without_outline_keeps_its_point(write: Writer, report: ReadReport, shape: str) -> None:
    place = shapely.from_wkb(read_one(write, report, shape=shape).geometry)
    assert place == shapely.Point(2.0005, 47.0005)


def test_an_outline_that_crosses_itself_is_repaired_and_counted(write: Writer, report: ReadReport) -> None:
    bow_tie = "SRID=4326;POLYGON ((2 47, 2.001 47.001, 2.001 47, 2 47.001, 2 47))"
    building = read_one(write, report, shape=bow_tie)
    assert building.is_repaired
    assert shapely.from_wkb(building.geometry).is_valid
    assert report.repaired_count == 1


def test_a_national_file_is_partitioned_by_parcel_or_address(write: Writer) -> None:
    lines = [
        line(rnb_id="000000000001"),
        line(rnb_id="000000000002", plots=[{"id": "97105000AB0012", "bdg_cover_ratio": 1}]),
        line(rnb_id="000000000003", plots="", addresses=[{"cle_interop_ban": "2A004_0750_00001"}]),
        line(rnb_id="000000000004", plots=[], addresses=""),
    ]
    path, report = write("RNB_nat.csv", export(*lines)), ReadReport("RNB_nat.csv")
    assert [(partition.code, b.building_id[-1]) for partition, b in SOURCE.read(path, report)] == [
        ("18", "1"), ("971", "2"), ("2A", "3"),
    ]  # fmt: skip
    assert report.rejections == ["RNB_nat.csv:5: plots, addresses: neither tells the département"]
    assert [building.building_id for building in read(path, ReadReport("RNB_nat.csv"), department="971")] == [
        "000000000002"
    ]


def test_one_commune_can_be_neither_filtered_nor_downloaded(write: Writer, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile, match="--department"):
        read(write(NAME, export(line())), report, commune="18033")
    assert SOURCE.urls(partition_request("18033")) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rnb_id": "12"}, "rnb_id: '12' is no id of the register"),
        ({"shape": "SRID=2154;POINT (652000 6661000)"}, "shape: cannot be read"),
        ({"shape": "POLYGON ((2 47, 2.001"}, "shape: cannot be read"),
        ({"shape": "SRID=4326;LINESTRING (2 47, 2.001 47)"}, "shape: a line is no building"),
        ({"shape": "SRID=4326;POINT (652000 6661000)"}, "no longitude and latitude"),
        ({"shape": "", "point": ""}, "point: a building without a place"),
        ({"plots": "[{'id'"}, "plots: no list of JSON objects"),
        ({"plots": [{"id": "AB12", "bdg_cover_ratio": 1}]}, "is no parcel with a share"),
        ({"plots": [{"id": "18033000AB0012"}]}, "is no parcel with a share"),
    ],
)
def test_a_row_that_cannot_be_read_is_rejected_with_its_line(
    write: Writer, report: ReadReport, changes: Any, reason: str
) -> None:
    path = write(NAME, export(line(), line(**changes), line(rnb_id="7XD2T56XMD3T")))
    assert len(read(path, report)) == 2
    assert (report.row_count, report.rejected_count) == (3, 1)
    assert report.rejections[0].startswith(f"{NAME}:3: ")
    assert reason in report.rejections[0]


def test_columns_that_are_missing_are_named(write: Writer, report: ReadReport) -> None:
    with pytest.raises(WrongHeader) as refused:
        read(write(NAME, export(line(), header=("rnb_id", "point", "shape", "addresses"))), report)
    assert refused.value.missing == ("status", "plots")


def test_a_truncated_file_is_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile, match="cut short"):
        read(write(NAME, export(line(), line())[:-40]), report)


def test_a_building_with_very_many_addresses_is_read(write: Writer, report: ReadReport) -> None:
    assert read_one(write, report, addresses=ADDRESSES * 2_000).rnb_ids == "QBAAG16VCJWA"
