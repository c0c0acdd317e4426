"""The cadastre's layers as Etalab publishes them: one GeoJSON file per layer, by commune or département.

Format: https://cadastre.data.gouv.fr/datasets/cadastre-etalab. A file is one FeatureCollection, often one huge line.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from land import parcels
from land.sources.base import Account
from land.sources.files import edition_date
from land.sources.geojson import features, geometry_of
from land.sources.geometry import Shape, read_shapes

BATCH = 2_000
"""Features whose geometry is checked together: a few megabytes."""


class Drawn(NamedTuple):
    """A feature as published, and its geometry as it was read."""

    place: int
    """In the file, counted from 1."""
    feature: Any
    shape: Shape


class Layer:
    """What the readers of the layers have in common."""

    NAME: str
    """In the names of its files."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    def urls(self, commune_code: str) -> list[str]:
        department = parcels.department_of(commune_code)
        folder = f"{self._base}/latest/geojson/communes/{department}/{commune_code}"
        return [f"{folder}/cadastre-{commune_code}-{self.NAME}.json.gz"]

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the address that `latest` redirects to, or in the name. The dates of the features are those of
        changes to the plan, not of the edition.
        """
        return edition_date(name)


def batches(path: Path, account: Account) -> Iterator[Sequence[Drawn]]:
    """The features of a file in its order, counted in the account, BATCH at a time. Raises as `features` does."""
    places = enumerate(features(path, account.file), start=1)
    while batch := list(islice(places, BATCH)):
        shapes = read_shapes([geometry_of(feature) for _, feature in batch])
        account.row_count += len(batch)
        yield [Drawn(place, feature, shape) for (place, feature), shape in zip(batch, shapes, strict=True)]


def properties_of(feature: Any) -> dict[str, Any]:
    """Raises ValueError where it has none."""
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict):
        raise ValueError("not a feature with properties")
    return properties
