"""The areas of parcels of a whole plan, computed at once."""

from pathlib import Path

import pytest
import shapely
from land_builders import parcel, square

from land.datasets import territory
from land.datasets.parcels.reader import parcel_rows
from land.datasets.parcels.registration import PARCELS
from land.sources.base import ReadReport


@pytest.mark.parametrize("commune", ["75118", "91216"])
def test_areas_are_those_of_the_outlines_one_by_one(samples: Path, commune: str) -> None:
    path = samples / "cadastre" / f"cadastre-{commune}-parcelles.json.gz"
    records = [record for _, record in PARCELS.reader.read(path, ReadReport(path.name))]
    rows = list(parcel_rows(records))
    assert len(rows) == len({record.parcel_id for record in records})
    for row in rows[::20]:
        assert row.geometry
        outline = shapely.from_wkb(row.geometry)
        metric = territory.to_metres(outline, territory.projection_of(outline))
        assert row.geometric_area_m2 == round(metric.area, 1)


def test_the_last_record_of_a_parcel_counts_and_none_without_an_outline_has_an_area() -> None:
    rows = parcel_rows([parcel(2), parcel(1, square(0, 0)), parcel(1, square(0, 0, 10, 10))])
    assert [(row.number, row.geometric_area_m2) for row in rows] == [("0001", 100.0), ("0002", None)]
    assert list(parcel_rows([])) == []
