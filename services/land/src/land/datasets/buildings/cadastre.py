"""The cadastre's buildings: their outlines, and whether they are light constructions.

The plan gives a building neither an id nor a parcel. Format: `land.datasets.parcels.reader`.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import shapely

from land.datasets.buildings.records import BuildingRecord
from land.datasets.parcels.reader import CadastreLayer, LayerFeature, properties_of, read_batches
from land.sources.base import ALL, CommuneFilter, ReadReport, Records
from land.sources.geometry import LITTLE_ENDIAN, ParsedPolygon
from land.sources.values import commune_code, given

IS_LIGHT = {"01": False, "02": True}
ID_BYTES = 8
"""Length of the digest: enough that no two outlines of a commune share an id."""


class CadastreBuildings(CadastreLayer):
    LAYER = "batiments"

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[BuildingRecord]:
        features = chain.from_iterable(map(_with_digests, read_batches(path, report)))
        return selection.select(report.parse(features, lambda row: _building(*row, report)), "partition")


def _building(feature: Any, polygon: ParsedPolygon, digest: str, report: ReadReport) -> BuildingRecord:
    """Raises ValueError naming the property that cannot be read."""
    properties = properties_of(feature)
    commune = commune_code("commune", properties.get("commune"))
    outline = given(polygon.wkb, polygon.error or "geometry: a building without an outline")
    return BuildingRecord(
        dataset="cadastre-buildings",
        partition=commune,
        building_id=f"{commune}-{digest}",
        is_light=report.known("type", IS_LIGHT.get(str(properties.get("type")))),
        geometry=outline,
        is_repaired=polygon.is_repaired,
    )


def _with_digests(
    batch: Sequence[tuple[int, LayerFeature]],
) -> Iterator[tuple[int, tuple[Any, ParsedPolygon, str]]]:
    """The features, each with a digest of its outline's normalized corners, which stays the same between editions.

    It does not depend on the feature's position, or on the ring's first corner and direction.
    """
    normal = shapely.normalize(shapely.from_wkb([feature.polygon.wkb for _, feature in batch]))
    for (position, feature), wkb in zip(batch, shapely.to_wkb(normal, byte_order=LITTLE_ENDIAN), strict=True):
        yield position, (*feature, blake2b(wkb or b"", digest_size=ID_BYTES).hexdigest())
