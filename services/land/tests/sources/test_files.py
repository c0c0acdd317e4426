import gzip
from pathlib import Path

import pytest
from written_files import Writer

from land.errors import UnreadableFile, WrongHeader
from land.sources.base import ReadReport
from land.sources.files import open_csv

GOOD = 'Id;NAME;extra\n1;Rue de l\'Église;x\n2;"a;\nb";y\n'


def names(path: Path, report: ReadReport) -> list[str]:
    with open_csv(path, report.file, ";") as table:
        [position] = table.positions(["name"])
        return [row[position] for row in table.rows(report)]


@pytest.mark.parametrize("name", ["plain.csv", "zipped.csv.gz"])
def test_columns_are_found_by_name_in_any_case_in_plain_and_zipped_files(
    write: Writer, report: ReadReport, name: str
) -> None:
    assert names(write(name, GOOD), report) == ["Rue de l'Église", "a;\nb"]
    assert report.row_count == 2


def test_gzip_is_recognized_by_content_not_by_name(write: Writer, report: ReadReport, tmp_path: Path) -> None:
    path = tmp_path / "named.csv"
    path.write_bytes(gzip.compress(GOOD.encode()))
    assert len(names(path, report)) == 2


def test_a_byte_order_mark_is_no_part_of_the_first_column(write: Writer, report: ReadReport) -> None:
    with open_csv(write("bom.csv", b"\xef\xbb\xbf" + GOOD.encode()), report.file, ";") as table:
        assert table.positions(["ID"]) == [0]


def test_missing_columns_are_named(write: Writer, report: ReadReport) -> None:
    with open_csv(write("a.csv", GOOD), "a.csv", ";") as table, pytest.raises(WrongHeader) as caught:
        table.positions(["id", "numero", "rep"])
    assert caught.value.missing == ("numero", "rep")
    assert "a.csv: missing columns: numero, rep" in str(caught.value)


def test_a_row_in_the_middle_with_other_columns_is_rejected_with_its_line(write: Writer, report: ReadReport) -> None:
    assert names(write("a.csv", "id;name\n1;a\n2\n3;c;d\n\n4;e\n"), report) == ["a", "e"]
    assert report.row_count == 4
    assert report.rejections == ["a file:3: 1 values, expected 2", "a file:4: 3 values, expected 2"]


def test_a_misplaced_quote_is_rejected_and_reading_continues(write: Writer, report: ReadReport) -> None:
    assert names(write("a.csv", 'id;name\n1;"a"b\n2;c\n'), report) == ["c"]
    assert report.rejected_count == 1
    assert report.rejections[0].startswith("a file:2: ")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"id;name\n1;a\n2",
        b"id;name\n1;a\n2\n",
        b'id;name\n1;a\n2;"b',
        b'id;name\n1;"a\n' + b"2;b\n" * 40_000,
        b"id;name\n1;caf\xe9\n",
        b"PK\x03\x04\x14\x00\x00\x00",
    ],
    ids=["empty", "cut row", "cut row with newline", "cut in quotes", "endless quotes", "latin-1", "binary"],
)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_a_truncated_or_binary_file_is_unreadable(write: Writer, report: ReadReport, content: bytes, name: str) -> None:
    with pytest.raises(UnreadableFile, match="a file"):
        names(write(name, content), report)


@pytest.mark.parametrize("damage", ["cut", "cut in trailer", "checksum", "garbage after"])
def test_a_damaged_gzip_is_unreadable(tmp_path: Path, report: ReadReport, damage: str) -> None:
    whole = gzip.compress(("id;name\n" + "".join(f"{i};name {i}\n" for i in range(5000))).encode())
    damaged = {
        "cut": whole[: len(whole) // 2],
        "cut in trailer": whole[:-3],
        "checksum": whole[:-8] + bytes(4) + whole[-4:],
        "garbage after": whole + b"garbage",
    }[damage]
    path = tmp_path / "a.csv.gz"
    path.write_bytes(damaged)
    with pytest.raises(UnreadableFile, match="damaged gzip"):
        names(path, report)


def test_a_gzip_truncated_anywhere_is_unreadable(tmp_path: Path) -> None:
    whole = gzip.compress(GOOD.encode())
    path = tmp_path / "a.csv.gz"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises((UnreadableFile, WrongHeader)):
            names(path, ReadReport("a file"))


def test_a_missing_file_is_unreadable(tmp_path: Path, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile):
        names(tmp_path / "absent.csv", report)


def test_no_file_is_left_open_when_a_reader_stops_early(write: Writer, report: ReadReport) -> None:
    with open_csv(write("a.csv.gz", GOOD), report.file, ";") as table:
        rows = table.rows(report)
        next(rows)
        rows.close()  # type: ignore[attr-defined]
    # An open file would fail the run: resource warnings are errors.
