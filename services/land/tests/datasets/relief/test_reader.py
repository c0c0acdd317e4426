"""Imported altitudes: a CSV file of points in parcels."""

from pathlib import Path

import pytest

from land.datasets.relief.records import AltitudeRecord
from land.datasets.relief.registration import ALTIMETRY
from land.errors import WrongHeader
from land.sources.base import CommuneFilter, ReadReport

HEADER = "fid,parcel_id,longitude,latitude,altitude_m\n"


def read(
    tmp_path: Path, content: str, communes: CommuneFilter | None = None
) -> tuple[list[AltitudeRecord], ReadReport]:
    path, report = tmp_path / "points.csv", ReadReport("points.csv")
    path.write_text(content)
    return [record for _, record in ALTIMETRY.reader.read(path, report, communes or CommuneFilter())], report


def test_points_are_read_by_column_name(tmp_path: Path) -> None:
    rows = "1,18033000AB0001,2.3,47.08,164.34\n2,18033000AB0001,2.31,47.08,-99999\n3,18050000AB0001,2.4,47.1,0\n"
    records, report = read(tmp_path, HEADER + rows)
    assert [record.altitude_m for record in records] == [164.34, None, 0.0]
    assert report.rejected_count == 0
    assert len(read(tmp_path, HEADER + rows, CommuneFilter(commune="18050"))[0]) == 1


@pytest.mark.parametrize("row", ["1,no id,2.3,47,1", "1,18033000AB0001,,,1", "1,18033000AB0001,2.3,47,high",
                                 "1,18033000AB0001,2.3,47,nan", "1,18033000AB0001,2.3,47,12000"])  # fmt: skip
def test_other_rows_are_rejected(tmp_path: Path, row: str) -> None:
    records, report = read(tmp_path, f"{HEADER}{row}\n")
    assert records == []
    assert report.rejected_count == 1


def test_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(WrongHeader, match="altitude_m"):
        read(tmp_path, "parcel_id,longitude,latitude\n")
