"""Rows of parcels with their areas."""

from collections.abc import Sequence

import shapely

from land import territory
from land.facts.duplicates import last_of_each
from land.records.parcels import ParcelRecord

AREA_DECIMALS = 1


def parcel_rows(records: Sequence[ParcelRecord]) -> list[ParcelRecord]:
    """The parcels of one commune, each once, in order of id, with `geometric_area_m2` of those that have an outline."""
    rows = last_of_each(records, "parcel_id")
    drawn = [row for row in rows if row.geometry is not None]
    if not drawn:
        return rows
    areas = areas_m2([row.geometry for row in drawn if row.geometry is not None], drawn[0].commune_code)
    by_id = dict(zip((row.parcel_id for row in drawn), areas, strict=True))
    return [row._replace(geometric_area_m2=by_id.get(row.parcel_id)) for row in rows]


def areas_m2(outlines: Sequence[bytes], commune_code: str) -> list[float]:
    """The areas of outlines (WKB in degrees) in the legal projection of the commune, to one decimal."""
    projection = territory.projection_of(commune_code)
    metric = territory.all_to_metres(list(shapely.from_wkb(outlines)), projection)
    return [round(area, AREA_DECIMALS) for area in shapely.area(metric).tolist()]
