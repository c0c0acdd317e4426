"""Référentiel national des bâtiments: ids that other datasets use, outlines or points, and each parcel's share.

Format: https://rnb-fr.gitbook.io/documentation, one CSV (in a ZIP) for each département, or for the country.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import shapely
from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry

from land.datasets.buildings.records import BuildingRecord
from land.datasets.parcels import ids as parcels
from land.datasets.partitions import Partition, department_of
from land.sources.base import ALL, CommuneFilter, FileReader, ReadReport, Records
from land.sources.files import open_csv
from land.sources.geometry import LITTLE_ENDIAN, is_in_world, make_valid
from land.sources.values import check, given, is_commune_code

COLUMNS = ("rnb_id", "point", "shape", "status", "addresses", "plots")
_SHAPE = COLUMNS.index("shape")
STANDING = ("constructed", "ongoingChange", "notUsable")
"""The statuses of real buildings in the register, including buildings under alteration and ruins."""
NOT_STANDING = ("demolished", "constructionProject", "canceledConstructionProject")
BATCH = 2_000
_NO_PLACE = "point: a building without a place"
_RNB_ID = re.compile(r"[0-9A-Z]{12}")
_EWKT = re.compile(r"(?:SRID=([0-9]+);)?(.*)", re.DOTALL)
_WGS84 = "4326"
_DEPARTMENT = re.compile(r"RNB_([0-9]{2}|2[AB]|9[78][0-9])(?![0-9A-Za-z])")


class Rnb(FileReader):
    """Imported by command only: a département's file is too large to download for one commune."""

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[BuildingRecord]:
        """The partition is the département in the file's name (`RNB_75.csv`), else that of the building's first parcel
        or address.
        """
        selection.refuse_commune(report.file)
        match = _DEPARTMENT.search(report.file)
        named = match[1] if match else None
        with open_csv(path, report.file, ";") as table:
            rows = _with_outlines(table.values(report, COLUMNS))
            for record in report.parse(rows, lambda row: _building(*row, named, report)):
                if selection.department in (None, record.partition):
                    yield Partition(record.partition), record


def _with_outlines(
    rows: Iterator[tuple[int, tuple[str, ...]]],
) -> Iterator[tuple[int, tuple[tuple[str, ...], BaseGeometry | None]]]:
    while batch := list(islice(rows, BATCH)):
        outlines = shapely.from_wkt([_wkt(values[_SHAPE]) for _, values in batch], on_invalid="ignore")
        for (line, values), outline in zip(batch, outlines, strict=True):
            yield line, (values, outline)


def _building(
    values: tuple[str, ...], outline: BaseGeometry | None, department: str | None, report: ReadReport
) -> BuildingRecord | None:
    """None if the building does not stand. Raises ValueError naming the column that cannot be read."""
    rnb_id, point, shape, status, addresses, plots = values
    rnb_id = rnb_id.replace("-", "").upper()
    check(_RNB_ID.fullmatch(rnb_id), f"rnb_id: {values[0][:20]!r} is no id of the register")
    if status not in STANDING:
        if status not in NOT_STANDING:
            report.unknown_values["status"] += 1
        return None
    shares = _shares(plots)
    department = given(
        department or _department_of(shares, addresses), "plots, addresses: neither tells the département"
    )
    check(not shape or outline is not None, "shape: cannot be read")
    published = given(outline or shapely.from_wkt(_wkt(point), on_invalid="ignore"), _NO_PLACE)
    check(not published.is_empty, _NO_PLACE)
    geometry, is_repaired = _outline_or_point(published)
    return BuildingRecord(
        dataset="rnb",
        partition=department,
        building_id=rnb_id,
        rnb_ids=rnb_id,
        plots="|".join(f"{parcel_id}:{ratio}" for parcel_id, ratio in shares.items()),
        geometry=geometry,
        is_repaired=is_repaired,
    )


def _wkt(ewkt: str) -> str | None:
    """The WKT in an EWKT of longitude and latitude; None if it is empty or has another SRID."""
    match = _EWKT.fullmatch(ewkt)
    return match[2] if match and match[2] and match[1] in (None, _WGS84) else None


def _outline_or_point(geometry: BaseGeometry) -> tuple[bytes, bool]:
    """The geometry as valid WKB, and whether it was repaired."""
    geometry = shapely.force_2d(geometry)
    check(is_in_world(geometry), "shape: coordinates are no longitude and latitude")
    if isinstance(geometry, Point):
        return shapely.to_wkb(geometry, byte_order=LITTLE_ENDIAN), False
    valid = make_valid(geometry)
    check(valid.kind == "surface", f"shape: a {valid.kind} is no building")
    return valid.wkb, valid.is_repaired


def _shares(plots: str) -> dict[str, float]:
    """The share of the building on each parcel, from 0 to 1."""
    shares = {}
    for item in _items("plots", plots):
        parcel = parcels.parse(str(item.get("id")))
        ratio = item.get("bdg_cover_ratio")
        if parcel is None or isinstance(ratio, bool) or not isinstance(ratio, int | float):
            raise ValueError(f"plots: {str(item)[:60]} is no parcel with a share")
        shares[str(parcel)] = round(min(1.0, max(0.0, ratio)), 4)
    return shares


def _department_of(shares: dict[str, float], addresses: str) -> str | None:
    """The département of the first parcel, else of the first address."""
    for parcel_id in shares:
        return department_of(parcel_id[:5])
    for item in _items("addresses", addresses):
        key = item.get("cle_interop_ban")
        if isinstance(key, str) and is_commune_code(key[:5]):
            return department_of(key[:5])
    return None


def _items(column: str, text: str) -> list[dict[str, Any]]:
    """The JSON objects in a column."""
    if not text:
        return []
    try:
        items = json.loads(text)
    except ValueError:
        items = None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError(f"{column}: no list of JSON objects")
    return items
