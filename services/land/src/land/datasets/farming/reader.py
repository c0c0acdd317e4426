"""Registre parcellaire graphique (RPG): parcels that farmers declared for aid of the common agricultural policy.

Written from the documentation, https://geoservices.ign.fr/rpg, and never tried against the service. Format: the layer
of LAYERS as GeoJSON of the WFS, or a yearly file as GeoPackage or shapefile. No farmer is named.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from land.datasets.farming.records import FieldRecord
from land.sources.base import ReadReport
from land.sources.geometry import ValidGeometry
from land.sources.values import date_in, year_in
from land.sources.wfs import LayersAround

YEAR = "2024"
"""The newest edition of the WFS that public code names (July 2026). The service does not state the year of LATEST."""
GROUPS = frozenset(map(str, range(1, 29)))
_EDITION = re.compile(r"RPG\.(20[0-9]{2})")
_CODE = re.compile(r"[A-Z0-9]{3}")


class Rpg(LayersAround):
    PRODUCT = f"RPG.{YEAR}"
    LAYERS: ClassVar = {"parcelles_graphiques": YEAR}
    AROUND_M = 20.0
    SORT_BY = "id_parcel"
    COLUMNS = (("ID_PARCEL",), ("CODE_CULTU",), ("CODE_GROUP",))
    COMMUNE_COLUMN = "INSEE_COM"

    def edition(self, path: Path, name: str) -> str | None:
        match = _EDITION.search(name)
        return match[1] if match else date_in(name) or year_in(name)

    def record(self, values: Mapping[str, Any], geometry: ValidGeometry, report: ReadReport) -> tuple[str, FieldRecord]:
        """The year in the file's name, or else none, and the record."""
        crop, group = str(values["CODE_CULTU"]).strip().upper(), str(values["CODE_GROUP"]).strip()
        if not _CODE.fullmatch(crop) or geometry.kind != "surface":
            raise ValueError(f"CODE_CULTU: {crop[:20]!r} is no code of a crop, or the parcel is no surface")
        known_group = report.known("code_group", group if group in GROUPS else None)
        return year_in(report.file) or "", FieldRecord(crop, known_group, geometry.is_repaired, geometry.wkb)
