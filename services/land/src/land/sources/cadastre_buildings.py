"""Cadastre in GeoJSON by Etalab: the `batiments` layer, by commune or département. An outline and whether it is light
construction; the plan gives a building neither an id nor a parcel.

Format: https://cadastre.data.gouv.fr/datasets/cadastre-etalab.
"""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import shapely

from land import parcels
from land.records import BuildingRecord, Unit
from land.sources.base import Account, Licence
from land.sources.cadastre import edition
from land.sources.geojson import features, geometry_of
from land.sources.geometry import LITTLE_ENDIAN, Shape, read_shapes
from land.sources.selection import Selection, is_commune_code

BATCH = 2_000
"""Features whose geometry is checked together: a few megabytes."""
HARD, LIGHT = "01", "02"
ID_BYTES = 8
"""Of the digest: enough that no two outlines of a commune share an id."""


class Batiments:
    id = "cadastre-buildings"
    licence = Licence(
        publisher="DGFiP, Etalab",
        dataset="Plan cadastral informatisé, bâtiments",
        licence="Licence Ouverte 2.0",
        attribution="DGFiP, cadastre",
        url="https://cadastre.data.gouv.fr/datasets/cadastre-etalab",
    )

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    def urls(self, commune_code: str) -> list[str]:
        department = parcels.department_of(commune_code)
        folder = f"{self._base}/latest/geojson/communes/{department}/{commune_code}"
        return [f"{folder}/cadastre-{commune_code}-batiments.json.gz"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Unit, BuildingRecord]]:
        """As `Source.read`; rejections name the feature's place in the file, counted from 1, as its line."""
        selection = Selection(commune, department)
        places = enumerate(features(path, account.file), start=1)
        while batch := list(islice(places, BATCH)):
            shapes = read_shapes([geometry_of(feature) for _, feature in batch])
            digests = _digests(shapes)
            for (place, feature), shape, digest in zip(batch, shapes, digests, strict=True):
                account.row_count += 1
                try:
                    record = _record(feature, shape, digest, account)
                except ValueError as error:
                    account.reject(place, str(error))
                    continue
                if selection.includes(record.unit_code):
                    account.repaired_count += record.is_repaired
                    yield Unit(record.unit_code), record

    def edition(self, path: Path, name: str) -> str:
        return edition(path, name)


def _record(feature: Any, shape: Shape, digest: str, account: Account) -> BuildingRecord:
    """One feature's building. Raises ValueError naming the property that cannot be read."""
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict):
        raise ValueError("not a feature with properties")
    commune = properties.get("commune")
    if not isinstance(commune, str) or not is_commune_code(commune):
        raise ValueError(f"commune: {str(commune)[:20]!r} is no commune code")
    if shape.error:
        raise ValueError(shape.error)
    if shape.wkb is None:
        raise ValueError("geometry: a building without an outline")
    kind = properties.get("type")
    if kind not in (HARD, LIGHT):
        account.unknown_values["type"] += 1
    return BuildingRecord(
        unit_code=commune,
        building_id=f"{commune}-{digest}",
        rnb_ids="",
        is_light={HARD: False, LIGHT: True}.get(kind) if isinstance(kind, str) else None,
        height_m=None,
        storeys=None,
        usage=None,
        dwelling_count=None,
        construction_year=None,
        plots="",
        geometry=shape.wkb,
        is_repaired=shape.is_repaired,
    )


def _digests(shapes: list[Shape]) -> list[str]:
    """An id for each outline, from where its corners lie: the same in each edition, wherever in the file it stands,
    at whichever corner its ring begins and whichever way it runs, as long as the plan draws it the same.
    """
    normal = shapely.normalize(shapely.from_wkb([shape.wkb for shape in shapes]))
    return [
        blake2b(wkb or b"", digest_size=ID_BYTES).hexdigest()
        for wkb in shapely.to_wkb(normal, byte_order=LITTLE_ENDIAN)
    ]
