"""Cadastre in GeoJSON by Etalab: the `batiments` layer. An outline and whether it is light construction; the plan gives
a building neither an id nor a parcel. `land.sources.etalab` tells the format.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import shapely

from land.partitions import Partition
from land.records.buildings import BuildingRecord
from land.sources import etalab
from land.sources.base import Account
from land.sources.geometry import LITTLE_ENDIAN, Shape
from land.sources.selection import Selection, is_commune_code

HARD, LIGHT = "01", "02"
ID_BYTES = 8
"""Of the digest: enough that no two outlines of a commune share an id."""


class Batiments(etalab.Layer):
    NAME = "batiments"

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, BuildingRecord]]:
        """As `Source.read`; rejections name the feature's place in the file, counted from 1, as its line."""
        selection = Selection(commune, department)
        for batch in etalab.batches(path, account):
            for (place, feature, shape), digest in zip(batch, _digests(batch), strict=True):
                try:
                    record = _record(feature, shape, digest, account)
                except ValueError as error:
                    account.reject(place, str(error))
                    continue
                if selection.includes(record.partition):
                    account.repaired_count += record.is_repaired
                    yield Partition(record.partition), record


def _record(feature: Any, shape: Shape, digest: str, account: Account) -> BuildingRecord:
    """One feature's building. Raises ValueError naming the property that cannot be read."""
    properties = etalab.properties_of(feature)
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
        dataset="cadastre-buildings",
        partition=commune,
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


def _digests(batch: Sequence[etalab.Drawn]) -> list[str]:
    """An id for each outline, from where its corners lie: the same in each edition, wherever in the file it stands,
    at whichever corner its ring begins and whichever way it runs, as long as the plan draws it the same.
    """
    normal = shapely.normalize(shapely.from_wkb([drawn.shape.wkb for drawn in batch]))
    return [
        blake2b(wkb or b"", digest_size=ID_BYTES).hexdigest()
        for wkb in shapely.to_wkb(normal, byte_order=LITTLE_ENDIAN)
    ]
