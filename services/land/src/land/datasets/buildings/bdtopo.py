"""BD TOPO of the IGN: height, storeys, use, dwellings and year of buildings.

Format: https://geoservices.ign.fr/bdtopo, the layer `batiment`: a GeoPackage for each département, or GeoJSON with the
same columns. All but the height come from tax files, and are absent for buildings that the IGN could not match.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from land.datasets.buildings.records import BuildingRecord
from land.datasets.partitions import Partition
from land.errors import UnreadableFile
from land.sources.base import ALL, CommuneFilter, FileReader, ReadReport, Records
from land.sources.features import Feature, read_complete_features
from land.sources.geometry import make_valid
from land.sources.values import check, given, is_date
from servicekit.errors import expect

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


class BdTopo(FileReader):
    """Imported by command only: a département's file is a 7z archive of all themes with some gigabytes."""

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[BuildingRecord]:
        """The partition is the département in the file's name (`…_D075…`), or else that of `selection`."""
        selection.refuse_commune(report.file)
        match = _DEPARTMENT.search(report.file.upper())
        department = expect(
            (match[1] or match[2]) if match else selection.department,
            UnreadableFile(f"{report.file}: the name does not tell the département: give it with --department"),
        )
        features = read_complete_features(path, report, LAYERS, [(name,) for name in COLUMNS])
        for record in report.parse(features, lambda feature: _building(department, feature, report)):
            if selection.department in (None, department):
                yield Partition(department), record


def _building(department: str, feature: Feature, report: ReadReport) -> BuildingRecord | None:
    """None if the building does not stand. Raises ValueError naming the column that cannot be read."""
    properties = feature.properties
    key = given(_text(properties, "CLEABS"), "cleabs: empty")
    state = _text(properties, "ETAT_DE_L_OBJET")
    if state in NOT_STANDING:
        return None
    if state not in STANDING:
        report.unknown_values["etat_de_l_objet"] += 1
    geometry = make_valid(given(feature.geometry, f"{key}: geometry: a building without an outline"))
    check(geometry.kind == "surface", f"{key}: geometry: a {geometry.kind} is no building")
    height = _number(properties, "HAUTEUR")
    return BuildingRecord(
        dataset="bdtopo",
        partition=department,
        building_id=key,
        rnb_ids="|".join(sorted(filter(None, _text(properties, "IDENTIFIANTS_RNB").split("/")))),
        is_light=_flag(properties, "CONSTRUCTION_LEGERE"),
        height_m=None if height is None else round(height, 1) or None,
        storeys=_count(properties, "NOMBRE_D_ETAGES") or None,
        usage=_usage(properties, report),
        dwelling_count=_count(properties, "NOMBRE_DE_LOGEMENTS"),
        construction_year=_year(properties, report),
        geometry=geometry.wkb,
        is_repaired=geometry.is_repaired,
    )


def _usage(properties: Mapping[str, Any], report: ReadReport) -> str | None:
    """The uses, the main one first; None for "Indifférencié", which means unknown."""
    names = [name for column in ("USAGE_1", "USAGE_2") if (name := _text(properties, column))]
    usages = [name for name in names if name in USAGES]
    if len(usages) < len([name for name in names if name != UNDIFFERENTIATED]):
        report.unknown_values["usage"] += 1
    return ", ".join(usages) or None


def _year(properties: Mapping[str, Any], report: ReadReport) -> int | None:
    """The year of construction, published as 1 January of that year."""
    day = _text(properties, "DATE_D_APPARITION")[:10].replace("/", "-")
    return report.known("date_d_apparition", int(day[:4]) if is_date(day) else None) if day else None


def _text(properties: Mapping[str, Any], name: str) -> str:
    value = properties.get(name)
    return value.strip() if isinstance(value, str) else ""


def _number(properties: Mapping[str, Any], name: str) -> float | None:
    """None for null, which GDAL returns as NaN. Raises ValueError if the value is not a number from 0."""
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
