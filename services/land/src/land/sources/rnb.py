"""Référentiel national des bâtiments: one CSV (in a ZIP) for each département, or for the country.

Format: https://rnb-fr.gitbook.io/documentation. The id that other files know a building by, its outline or at least a
point in it, and its share on each parcel.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import shapely
from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry

from land import parcels
from land.partitions import Partition
from land.records.buildings import BuildingRecord
from land.sources.base import Account
from land.sources.files import edition_date, open_csv
from land.sources.geometry import LITTLE_ENDIAN, drawn, is_in_world
from land.sources.selection import is_commune_code, refuse_commune

COLUMNS = ("rnb_id", "point", "shape", "status", "addresses", "plots")
STANDING = ("constructed", "ongoingChange", "notUsable")
"""What the register itself counts as real: being altered and being a ruin are included."""
NOT_STANDING = ("demolished", "constructionProject", "canceledConstructionProject")
BATCH = 2_000
_RNB_ID = re.compile(r"[0-9A-Z]{12}")
_EWKT = re.compile(r"(?:SRID=([0-9]+);)?(.*)", re.DOTALL)
_WGS84 = "4326"
_DEPARTMENT = re.compile(r"RNB_([0-9]{2}|2[AB]|9[78][0-9])(?![0-9A-Za-z])")


class Rnb:
    def urls(self, commune_code: str) -> list[str]:
        """None: a département's file is too large to be fetched for one commune, and is imported by command."""
        return []

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, BuildingRecord]]:
        """As `Source.read`, a unit being a département: the one that the file's name tells (`RNB_75.csv`), else that of
        the building's first parcel or address.
        """
        refuse_commune(account.file, commune)
        match = _DEPARTMENT.search(account.file)
        named = match[1] if match else None
        with open_csv(path, account.file, ";") as table:
            pick = itemgetter(*table.positions(COLUMNS))
            rows = ((table.line, pick(row)) for row in table.rows(account))
            while batch := list(islice(rows, BATCH)):
                outlines = shapely.from_wkt([_wkt(values[2]) for _, values in batch], on_invalid="ignore")
                for (line, values), outline in zip(batch, outlines, strict=True):
                    try:
                        record = _record(values, outline, named, account)
                    except ValueError as error:
                        account.reject(line, str(error))
                        continue
                    if record is not None and department in (None, record.partition):
                        account.repaired_count += record.is_repaired
                        yield Partition(record.partition), record

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name, which the publisher's own names do not have; nor do the rows."""
        return edition_date(name)


def _record(
    values: tuple[str, ...], outline: BaseGeometry | None, department: str | None, account: Account
) -> BuildingRecord | None:
    """One building; None where it does not stand. Raises ValueError naming the column that cannot be read."""
    rnb_id, point, shape, status, addresses, plots = values
    rnb_id = rnb_id.replace("-", "").upper()
    if not _RNB_ID.fullmatch(rnb_id):
        raise ValueError(f"rnb_id: {values[0][:20]!r} is no id of the register")
    if status not in STANDING:
        if status not in NOT_STANDING:
            account.unknown_values["status"] += 1
        return None
    on_plots = _plots(plots)
    unit = department or _department_of(on_plots, addresses)
    if unit is None:
        raise ValueError("plots, addresses: neither tells the département")
    if shape and outline is None:
        raise ValueError("shape: cannot be read")
    place = outline or shapely.from_wkt(_wkt(point), on_invalid="ignore")
    if place is None or place.is_empty:
        raise ValueError("point: a building without a place")
    geometry, is_repaired = _place(place)
    return BuildingRecord(
        dataset="rnb",
        partition=unit,
        building_id=rnb_id,
        rnb_ids=rnb_id,
        is_light=None,
        height_m=None,
        storeys=None,
        usage=None,
        dwelling_count=None,
        construction_year=None,
        plots="|".join(f"{parcel_id}:{ratio}" for parcel_id, ratio in on_plots.items()),
        geometry=geometry,
        is_repaired=is_repaired,
    )


def _wkt(ewkt: str) -> str | None:
    """The WKT in an EWKT of longitude and latitude; None for another system, or nothing."""
    match = _EWKT.fullmatch(ewkt)
    return match[2] if match and match[2] and match[1] in (None, _WGS84) else None


def _place(geometry: BaseGeometry) -> tuple[bytes, bool]:
    """A valid outline or a point as WKB, and whether it was repaired."""
    geometry = shapely.force_2d(geometry)
    if not is_in_world(geometry):
        raise ValueError("shape: coordinates are no longitude and latitude")
    if isinstance(geometry, Point):
        return shapely.to_wkb(geometry, byte_order=LITTLE_ENDIAN), False
    drawing = drawn(geometry)
    if drawing.kind != "surface":
        raise ValueError(f"shape: a {drawing.kind} is no building")
    return drawing.wkb, drawing.is_repaired


def _plots(text: str) -> dict[str, float]:
    """The share of the building on each parcel."""
    shares = {}
    for item in _items("plots", text):
        parcel = parcels.parse(str(item.get("id")))
        ratio = item.get("bdg_cover_ratio")
        if parcel is None or isinstance(ratio, bool) or not isinstance(ratio, int | float):
            raise ValueError(f"plots: {str(item)[:60]} is no parcel with a share")
        shares[str(parcel)] = round(min(1.0, max(0.0, ratio)), 4)
    return shares


def _department_of(on_plots: dict[str, float], addresses: str) -> str | None:
    """That of its first parcel, else of its first address."""
    for parcel_id in on_plots:
        return parcels.department_of(parcel_id[:5])
    for item in _items("addresses", addresses):
        key = item.get("cle_interop_ban")
        if isinstance(key, str) and is_commune_code(key[:5]):
            return parcels.department_of(key[:5])
    return None


def _items(column: str, text: str) -> list[dict[str, Any]]:
    """A column of JSON objects; empty for nothing."""
    if not text:
        return []
    try:
        items = json.loads(text)
    except ValueError:
        items = None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError(f"{column}: no list of JSON objects")
    return items
