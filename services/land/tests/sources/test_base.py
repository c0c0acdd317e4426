"""Rows that a reader cannot parse."""

import pytest
from prometheus_client import REGISTRY

from land.errors import UnreadableFile
from land.sources.base import MAX_DEFECTS, ReadReport


def parse(row: dict[str, str]) -> str:
    if "damage" in row:
        raise UnreadableFile("the file is damaged")
    if "number" in row:
        int(row["number"])
    return row["name"].upper()


def read(*rows: object) -> tuple[ReadReport, list[str]]:
    report = ReadReport("a.csv")
    return report, list(report.parse(report.number(rows), parse))  # type: ignore[arg-type]


def test_a_row_that_fails_by_a_defect_costs_itself(caplog: pytest.LogCaptureFixture) -> None:
    before = REGISTRY.get_sample_value("parts_failed_total") or 0.0
    report, names = read({"name": "one"}, None, {"number": "x"}, {}, {"name": "two"})
    assert names == ["ONE", "TWO"]
    assert (report.row_count, report.rejected_count, report.defect_count) == (5, 3, 2)
    assert report.rejections[0] == "a.csv:2: a defect of the reader"
    assert REGISTRY.get_sample_value("parts_failed_total") == before + 2
    assert [(record.__dict__["part"], record.exc_info is not None) for record in caplog.records] == [
        ("a.csv:2", True),
        ("a.csv:4", True),
    ]


def test_a_defect_of_many_rows_ends_the_file() -> None:
    assert read(*[{}] * MAX_DEFECTS)[0].rejected_count == MAX_DEFECTS
    with pytest.raises(KeyError):
        read(*[{}] * (MAX_DEFECTS + 1))


def test_a_damaged_file_is_no_defect() -> None:
    with pytest.raises(UnreadableFile):
        read({"name": "one"}, {"damage": "x"})
