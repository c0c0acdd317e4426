"""The tests write the DGFiP's format: two lines for each lot, with `;` after each value."""

import json
from pathlib import Path

import pytest
from published_files import archive, lineage_lot
from written_files import Writer, partition_request

from land.datasets.lineage.reader import DATASET, LineageDocuments, newest_archive
from land.datasets.lineage.records import LineageRecord
from land.errors import SourceUnavailable, UnreadableFile
from land.sources.base import CommuneFilter, ReadReport

SOURCE = LineageDocuments("https://catalogue.example/datasets")
NAME = "dfiano-dep180-01072025.txt"


def read(path: Path, report: ReadReport, department: str | None = None) -> list[LineageRecord]:
    return [record for _, record in SOURCE.read(path, report, CommuneFilter(department=department))]


def test_a_lot_has_its_mothers_and_its_daughters(write: Writer, report: ReadReport) -> None:
    path = write(NAME, lineage_lot("AB0221", "AB0511 AB0512").encode())
    records = read(path, report)
    assert records[0] == LineageRecord(
        department="18", commune_code="18033", parcel_id="18033000AB0221", lot="000000045000001", nature="5",
        validated_on="2022-03-04", is_mother=True,
    )  # fmt: skip
    assert [(record.parcel_id[8:], record.is_mother) for record in records[1:]] == [
        ("AB0511", False),
        ("AB0512", False),
    ]
    assert SOURCE.edition(path, path.name) == "2025-07-01"


def test_older_layouts_and_sections_of_one_letter_are_read(write: Writer, report: ReadReport) -> None:
    lines = "2A0;004;   ;0000450;1;19900813;MASKED;00001;1; D0327;A0297;\n"
    lines += "974;415;123;0000451;7;00000000;MASKED;00001;2;AC0214;\n"
    records = read(write(NAME, lines.encode()), report)
    assert [record.parcel_id for record in records] == ["2A0040000D0327", "2A0040000A0297", "97415123AC0214"]
    assert [(record.department, record.validated_on) for record in records[1:]] == [("2A", "1990-08-13"), ("974", None)]


def test_land_without_a_number_is_no_parcel(write: Writer, report: ReadReport) -> None:
    assert [record.is_mother for record in read(write(NAME, lineage_lot("", "AB0001").encode()), report)] == [False]
    assert report.rejected_count == 0


@pytest.mark.parametrize("line", ["180;033;000;0000450;3;20220304;X;00001;1;AB0221;", "180;033;000;450;1;X;1;ABC1;"])
def test_lines_of_another_form_are_rejected(write: Writer, report: ReadReport, line: str) -> None:
    records = read(write(NAME, f"{line}\n{lineage_lot('AB0001', 'AB0002')}".encode()), report)
    assert (len(records), report.row_count, report.rejected_count) == (2, 3, 1)


@pytest.mark.parametrize("text", ["a;b\nc;d;\n", lineage_lot("AB0001", "AB0002 AB0003")[:-4]])
def test_other_files_and_cut_ones_are_refused(write: Writer, report: ReadReport, text: str) -> None:
    with pytest.raises(UnreadableFile):
        read(write(NAME, text.encode()), report)


def test_files_of_an_archive_may_be_archives(write: Writer, report: ReadReport) -> None:
    lots = {
        f"dfiano-dep{code}-01072025.zip": archive({"inner.txt": lineage_lot("", "AB0001", commune=commune).encode()})
        for code, commune in (("180", "18033"), ("190", "19031"))
    }
    path = write("archive.zip", archive(lots))
    assert [record.commune_code for record in read(path, report, "19")] == ["19031"]
    assert SOURCE.edition(path, "archive.zip") == "2025-07-01"
    with pytest.raises(UnreadableFile, match="no file of département 20"):
        read(path, report, "20")


@pytest.mark.parametrize(
    ("department", "name"),
    [
        ("01", "x_situation_avril_2026_zip"),
        ("58", "x_situation_avril_2026_zip"),
        ("59", "x_juillet_20266_dept_50_a_dept_976zip"),
        ("974", "x_juillet_20266_dept_50_a_dept_976zip"),
    ],
)
def test_the_newest_archive_with_the_department_is_chosen(department: str, name: str) -> None:
    ids = ["x_situation_juillet_2025_dept_2a0a_dept_580_zip", "x_situation_avril_2026_zip"]
    if department > "58":
        ids.append("x_juillet_20266_dept_50_a_dept_976zip")
    assert newest_archive(ids, department) == name
    assert newest_archive(ids[:1], department) == (ids[0] if department <= "58" else None)


def test_a_catalogue_without_an_archive_is_unavailable() -> None:
    listed = json.dumps({"attachments": [{"id": "situation_juillet_2026_dept_590_a_dept_976_7z"}]}).encode()
    request = partition_request("59350", "department")._replace(read_list=lambda _: listed)
    with pytest.raises(SourceUnavailable, match="lists no archive"):
        SOURCE.urls(request)
    [url] = SOURCE.urls(request._replace(read_list=lambda _: listed.replace(b"7z", b"zip")))
    assert (
        url
        == f"https://catalogue.example/datasets/{DATASET}/attachments/situation_juillet_2026_dept_590_a_dept_976_zip"
    )
