"""Cadastre in GeoJSON by Etalab: the `parcelles` layer, by commune or département.

Format: https://cadastre.data.gouv.fr/datasets/cadastre-etalab. A file is one FeatureCollection, often one huge line.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from land import parcels
from land.records import ParcelRecord, Unit
from land.sources.base import Account, Licence
from land.sources.files import file_date
from land.sources.geojson import features, geometry_of
from land.sources.geometry import Shape, read_shapes
from land.sources.selection import Selection, is_date

BATCH = 2_000
"""Features whose geometry is checked together: a few megabytes."""
_EDITION = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


class Parcelles:
    id = "cadastre-parcels"
    licence = Licence(
        publisher="DGFiP, Etalab",
        dataset="Plan cadastral informatisé, parcelles",
        licence="Licence Ouverte 2.0",
        attribution="DGFiP, cadastre",
        url="https://cadastre.data.gouv.fr/datasets/cadastre-etalab",
    )

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    def urls(self, commune_code: str) -> list[str]:
        department = parcels.department_of(commune_code)
        folder = f"{self._base}/latest/geojson/communes/{department}/{commune_code}"
        return [f"{folder}/cadastre-{commune_code}-parcelles.json.gz"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Unit, ParcelRecord]]:
        """As `Source.read`; rejections name the feature's place in the file, counted from 1, as its line."""
        selection = Selection(commune, department)
        units: dict[str, Unit | None] = {}
        places = enumerate(features(path, account.file), start=1)
        while batch := list(islice(places, BATCH)):
            shapes = read_shapes([geometry_of(feature) for _, feature in batch])
            for (place, feature), shape in zip(batch, shapes, strict=True):
                account.row_count += 1
                try:
                    record = _record(feature, shape)
                except ValueError as error:
                    account.reject(place, str(error))
                    continue
                code = record.commune_code
                if code not in units:
                    units[code] = Unit(code) if selection.includes(code) else None
                unit = units[code]
                if unit is not None:
                    account.repaired_count += record.is_repaired
                    yield unit, record

    def edition(self, path: Path, name: str) -> str:
        return edition(path, name)


def edition(path: Path, name: str) -> str:
    """The date in the address or the name (`/2022-01-01/geojson/…`), else the file's."""
    match = _EDITION.search(name)
    return match[0] if match and is_date(match[0]) else file_date(path)


def _record(feature: Any, shape: Shape) -> ParcelRecord:
    """One feature's parcel. Raises ValueError naming the property that cannot be read."""
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict):
        raise ValueError("not a feature with properties")
    parcel = _parcel_id(feature, properties)
    if shape.error:
        raise ValueError(f"{parcel}: {shape.error}")
    is_surveyed = properties.get("arpente")
    return ParcelRecord(
        commune_code=parcel.commune_code,
        parcel_id=str(parcel),
        prefix=parcel.prefix,
        section=parcel.section,
        number=parcel.number,
        cadastral_area_m2=_area(parcel, properties.get("contenance")),
        is_surveyed=is_surveyed if isinstance(is_surveyed, bool) else None,
        created_on=_date(properties.get("created")),
        updated_on=_date(properties.get("updated")),
        geometry=shape.wkb,
        is_repaired=shape.is_repaired,
    )


def _parcel_id(feature: dict[str, Any], properties: dict[str, Any]) -> parcels.ParcelId:
    """The parcel's id, checked against the parts beside it, which are published without their padding."""
    commune, section, number = properties.get("commune"), properties.get("section"), properties.get("numero")
    built = None
    if commune and section and number:
        prefix = str(properties.get("prefixe") or "")
        built = f"{commune}{prefix:0>3}{section:0>2}{number:0>4}"
    published = properties.get("id") or built or feature.get("id")
    parcel = parcels.parse(published) if isinstance(published, str) else None
    if parcel is None:
        raise ValueError(f"id: {str(published)[:30]!r} is no parcel id")
    if built is not None and built.upper() != str(parcel):
        raise ValueError(f"id: {parcel} disagrees with its parts, {built[:30]}")
    return parcel


def _area(parcel: parcels.ParcelId, contenance: Any) -> int | None:
    """Contenance in square metres; 0 stands for unknown in Alsace-Moselle, where the land register is another."""
    if contenance is None:
        return None
    if isinstance(contenance, bool) or not isinstance(contenance, int | float) or contenance < 0:
        raise ValueError(f"{parcel}: contenance: {str(contenance)[:20]!r} is no area")
    return round(contenance) or None


def _date(value: Any) -> str | None:
    return value if isinstance(value, str) and is_date(value) else None
