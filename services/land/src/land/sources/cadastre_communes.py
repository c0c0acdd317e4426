"""Cadastre in GeoJSON by Etalab: the `communes` layer, the territory of a commune as the plan draws it. What lies
beyond is another commune's, and no parcel of this plan. `land.sources.etalab` tells the format.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from land.partitions import Partition
from land.records.communes import TerritoryRecord
from land.sources import etalab
from land.sources.base import Account
from land.sources.geometry import Shape
from land.sources.selection import Selection, is_commune_code


class Communes(etalab.Layer):
    NAME = "communes"

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, TerritoryRecord]]:
        """As `Source.read`; rejections name the feature's place in the file, counted from 1, as its line."""
        selection = Selection(commune, department)
        for batch in etalab.batches(path, account):
            for place, feature, shape in batch:
                try:
                    record = _record(feature, shape)
                except ValueError as error:
                    account.reject(place, str(error))
                    continue
                if selection.includes(record.commune_code):
                    account.repaired_count += record.is_repaired
                    yield Partition(record.commune_code), record


def _record(feature: Any, shape: Shape) -> TerritoryRecord:
    """One feature's commune. Raises ValueError naming the property that cannot be read."""
    code = etalab.properties_of(feature).get("id")
    if not isinstance(code, str) or not is_commune_code(code):
        raise ValueError(f"id: {str(code)[:20]!r} is no commune code")
    if shape.error:
        raise ValueError(f"{code}: {shape.error}")
    if shape.wkb is None:
        raise ValueError(f"{code}: geometry: a commune without an outline")
    return TerritoryRecord(code, shape.is_repaired, shape.wkb)
