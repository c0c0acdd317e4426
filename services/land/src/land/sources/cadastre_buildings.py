"""The cadastre's buildings: their outlines, and whether they are light constructions.

The plan gives a building neither an id nor a parcel. Format: `land.sources.cadastre`.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import shapely

from land.partitions import Partition
from land.records.buildings import BuildingRecord
from land.sources.base import ALL, CommuneFilter, ReadReport
from land.sources.cadastre import CadastreLayer, LayerFeature, properties_of, read_batches
from land.sources.geometry import LITTLE_ENDIAN, ParsedPolygon
from land.sources.values import is_commune_code

HARD, LIGHT = "01", "02"
ID_BYTES = 8
"""Of the digest: enough that no two outlines of a commune share an id."""


class CadastreBuildings(CadastreLayer):
    LAYER = "batiments"

    def read(
        self, path: Path, report: ReadReport, wanted: CommuneFilter = ALL
    ) -> Iterator[tuple[Partition, BuildingRecord]]:
        for batch in read_batches(path, report):
            for (position, feature, polygon), digest in zip(batch, _digests(batch), strict=True):
                try:
                    record = _building(feature, polygon, digest, report)
                except ValueError as error:
                    report.reject(position, str(error))
                    continue
                if wanted.includes(record.partition):
                    report.repaired_count += record.is_repaired
                    yield Partition(record.partition), record


def _building(feature: Any, polygon: ParsedPolygon, digest: str, report: ReadReport) -> BuildingRecord:
    """Raises ValueError naming the property that cannot be read."""
    properties = properties_of(feature)
    commune = properties.get("commune")
    if not isinstance(commune, str) or not is_commune_code(commune):
        raise ValueError(f"commune: {str(commune)[:20]!r} is no commune code")
    if polygon.error:
        raise ValueError(polygon.error)
    if polygon.wkb is None:
        raise ValueError("geometry: a building without an outline")
    kind = properties.get("type")
    if kind not in (HARD, LIGHT):
        report.unknown_values["type"] += 1
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
        geometry=polygon.wkb,
        is_repaired=polygon.is_repaired,
    )


def _digests(batch: Sequence[LayerFeature]) -> list[str]:
    """An id for each outline: a digest of its normalized corners, which stays the same between editions.

    It does not depend on the feature's position, or on the ring's first corner and direction.
    """
    normal = shapely.normalize(shapely.from_wkb([feature.polygon.wkb for feature in batch]))
    return [
        blake2b(wkb or b"", digest_size=ID_BYTES).hexdigest()
        for wkb in shapely.to_wkb(normal, byte_order=LITTLE_ENDIAN)
    ]
