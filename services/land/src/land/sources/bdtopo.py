"""BD TOPO of the IGN: the layer `batiment`, a GeoPackage for each département, or GeoJSON of the same columns.

Format: https://geoservices.ign.fr/bdtopo. A building's height, storeys, use, dwellings and year; the last four are from
the tax files, and absent where it could not be matched with them.
"""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from land.errors import UnreadableFile, WrongHeader
from land.partitions import Partition
from land.records.buildings import BuildingRecord
from land.sources.base import Account
from land.sources.features import Feature, read_features
from land.sources.files import edition_date
from land.sources.geometry import drawn
from land.sources.selection import is_date, refuse_commune

LAYERS = ("BATIMENT",)
COLUMNS = (
    "CLEABS", "USAGE_1", "USAGE_2", "CONSTRUCTION_LEGERE", "ETAT_DE_L_OBJET", "DATE_D_APPARITION",
    "NOMBRE_DE_LOGEMENTS", "NOMBRE_D_ETAGES", "HAUTEUR",
)  # fmt: skip
"""Editions before 2024 have no IDENTIFIANTS_RNB."""
STANDING = ("En service", "En ruine")
NOT_STANDING = ("En projet", "En construction")
USAGES = (
    "Agricole", "Annexe", "Commercial et services", "Industriel", "Religieux", "Résidentiel", "Sportif",
)  # fmt: skip
UNDIFFERENTIATED = "Indifférencié"
_DEPARTMENT = re.compile(r"_D(?:0([0-9]{2}|2[AB])|(9[78][0-9]))(?![0-9A-Za-z])")


class BdTopo:
    def urls(self, commune_code: str) -> list[str]:
        """None: a département's file is a 7z archive of every theme, some gigabytes, and is imported by hand."""
        return []

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, BuildingRecord]]:
        """As `Source.read`, a unit being the département that the file's name tells (`…_D075…`), or else `department`.

        Rejections name the feature's place in the file, counted from 1, as its line.
        """
        match = _DEPARTMENT.search(account.file.upper())
        unit = (match[1] or match[2]) if match else department
        refuse_commune(account.file, commune)
        if unit is None:
            raise UnreadableFile(f"{account.file}: the name does not tell the département: give it with --department")
        for feature in read_features(path, account, LAYERS):
            account.row_count += 1
            missing = [name for name in COLUMNS if name not in feature.properties]
            if missing and feature.properties and account.row_count == 1:
                raise WrongHeader(account.file, [name.lower() for name in missing])
            try:
                record = _record(unit, feature, missing, account)
            except ValueError as error:
                account.reject(feature.place, str(error))
                continue
            if record is not None and department in (None, unit):
                account.repaired_count += record.is_repaired
                yield Partition(unit), record

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name (`…_D075_2026-06-15…`)."""
        return edition_date(name)


def _record(unit: str, feature: Feature, missing: list[str], account: Account) -> BuildingRecord | None:
    """One building; None where it does not stand. Raises ValueError naming the column that cannot be read."""
    if feature.error or missing:
        raise ValueError(feature.error or f"missing: {', '.join(name.lower() for name in missing)}")
    properties = feature.properties
    key = _text(properties, "CLEABS")
    if not key:
        raise ValueError("cleabs: empty")
    state = _text(properties, "ETAT_DE_L_OBJET")
    if state in NOT_STANDING:
        return None
    if state not in STANDING:
        account.unknown_values["etat_de_l_objet"] += 1
    if feature.geometry is None:
        raise ValueError(f"{key}: geometry: a building without an outline")
    drawing = drawn(feature.geometry)
    if drawing.kind != "surface":
        raise ValueError(f"{key}: geometry: a {drawing.kind} is no building")
    height = _number(properties, "HAUTEUR")
    return BuildingRecord(
        dataset="bdtopo",
        partition=unit,
        building_id=key,
        rnb_ids="|".join(sorted(filter(None, _text(properties, "IDENTIFIANTS_RNB").split("/")))),
        is_light=_flag(properties, "CONSTRUCTION_LEGERE"),
        height_m=None if height is None else round(height, 1) or None,
        storeys=_count(properties, "NOMBRE_D_ETAGES") or None,
        usage=_usage(properties, account),
        dwelling_count=_count(properties, "NOMBRE_DE_LOGEMENTS"),
        construction_year=_year(properties, account),
        plots="",
        geometry=drawing.wkb,
        is_repaired=drawing.is_repaired,
    )


def _usage(properties: Mapping[str, Any], account: Account) -> str | None:
    """Its uses, the main one first; None where they are undifferentiated, which is BD TOPO's word for unknown."""
    names = [name for column in ("USAGE_1", "USAGE_2") if (name := _text(properties, column))]
    known = [name for name in names if name in USAGES]
    if len(known) < len([name for name in names if name != UNDIFFERENTIATED]):
        account.unknown_values["usage"] += 1
    return ", ".join(known) or None


def _year(properties: Mapping[str, Any], account: Account) -> int | None:
    """The year of construction, which is published as its first day."""
    day = _text(properties, "DATE_D_APPARITION")[:10].replace("/", "-")
    if not day:
        return None
    if not is_date(day):
        account.unknown_values["date_d_apparition"] += 1
        return None
    return int(day[:4])


def _text(properties: Mapping[str, Any], name: str) -> str:
    value = properties.get(name)
    return value.strip() if isinstance(value, str) else ""


def _number(properties: Mapping[str, Any], name: str) -> float | None:
    """None also for the NaN that GDAL gives for null. Raises ValueError for what is no amount."""
    value = properties.get(name)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"{name.lower()}: {str(value)[:20]!r} is no amount")
    return float(value)


def _count(properties: Mapping[str, Any], name: str) -> int | None:
    number = _number(properties, name)
    return None if number is None else int(number)


def _flag(properties: Mapping[str, Any], name: str) -> bool | None:
    """True, false, 1 or 0; None for anything else."""
    value = properties.get(name)
    return bool(value) if value in (0, 1) else None
