"""Cadastre in GeoJSON by Etalab: the `parcelles` layer. `land.sources.etalab` tells the format."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from land import parcels
from land.partitions import Partition
from land.records.parcels import ParcelRecord
from land.sources import etalab
from land.sources.base import Account
from land.sources.geometry import Shape
from land.sources.selection import Selection, is_date


class Parcelles(etalab.Layer):
    NAME = "parcelles"

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, ParcelRecord]]:
        """As `Source.read`; rejections name the feature's place in the file, counted from 1, as its line."""
        selection = Selection(commune, department)
        units: dict[str, Partition | None] = {}
        for batch in etalab.batches(path, account):
            for place, feature, shape in batch:
                try:
                    record = _record(feature, shape)
                except ValueError as error:
                    account.reject(place, str(error))
                    continue
                code = record.commune_code
                if code not in units:
                    units[code] = Partition(code) if selection.includes(code) else None
                unit = units[code]
                if unit is not None:
                    account.repaired_count += record.is_repaired
                    yield unit, record


def _record(feature: Any, shape: Shape) -> ParcelRecord:
    """One feature's parcel. Raises ValueError naming the property that cannot be read."""
    properties = etalab.properties_of(feature)
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
    if isinstance(contenance, bool) or not isinstance(contenance, int | float) or not 0 <= contenance < math.inf:
        raise ValueError(f"{parcel}: contenance: {str(contenance)[:20]!r} is no area")
    return round(contenance) or None


def _date(value: Any) -> str | None:
    return value if isinstance(value, str) and is_date(value) else None
