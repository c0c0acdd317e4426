"""The WFS of the IGN: its pages, and readers of layers around the parcels of a commune."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

from land.datasets.partitions import Partition
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.features import Feature, read_complete_features
from land.sources.geometry import ValidGeometry, make_valid
from land.sources.values import given

_NEEDED = "neither geometry nor commune may be absent: give the commune with --commune"
PAGE_FEATURES = 5_000
"""The most that the WFS returns per page."""


def page_address(base: str, layer: str, start: int, sort_by: str, **condition: str) -> str:
    """The address of a page, from the feature `start` on in the order of an attribute that every feature has."""
    query = {
        "service": "WFS",
        "version": "2.0.0",
        "request": "GetFeature",
        "typeNames": layer,
        "outputFormat": "application/json",
        "srsName": "EPSG:4326",
        "sortBy": sort_by,
        "count": PAGE_FEATURES,
        "startIndex": start,
    }
    return f"{base}?{urlencode({**query, **condition})}"


class LayersAround(FileReader):
    """Layers of one product around the parcels of a commune."""

    PRODUCT: ClassVar[str]
    """What stands before a layer's name in the service, such as BDTOPO_V3."""
    LAYERS: ClassVar[Mapping[str, str]]
    """The layers, each with its part of a commune."""
    AROUND_M: ClassVar[float]
    """Beyond the commune's parcels."""
    SORT_BY: ClassVar[str]
    COLUMNS: ClassVar[Sequence[tuple[str, ...]]]
    """Attributes that a file must have; one of each tuple is enough."""
    COMMUNE_COLUMN: ClassVar[str]
    """The attribute that has the commune, in a file of several communes."""

    def urls(self, request: PartitionRequest) -> list[str]:
        west, south, east, north = request.box_commune(self.AROUND_M)
        box = f"{south},{west},{north},{east},urn:ogc:def:crs:EPSG::4326"
        return [page_address(self._base, f"{self.PRODUCT}:{layer}", 0, self.SORT_BY, bbox=box) for layer in self.LAYERS]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        layer = url.partition(f"{self.PRODUCT}%3A")[2].partition("&")[0]
        return Partition(commune, self.LAYERS[layer]) if commune is not None and layer in self.LAYERS else None

    def page_url(self, url: str, report: ReadReport) -> str | None:
        return url.replace("startIndex=0", f"startIndex={report.row_count}")

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[Any]:
        """The partition is the commune of `selection`, or else of a feature's attribute."""
        features = read_complete_features(path, report, [layer.upper() for layer in self.LAYERS], self.COLUMNS)

        def parse(feature: Feature) -> tuple[Partition, Any] | None:
            commune = given(selection.commune or feature.properties.get(self.COMMUNE_COLUMN), _NEEDED)
            shape = given(feature.geometry, _NEEDED)
            if not selection.includes(commune):
                return None
            record = self.record(feature.properties, make_valid(shape), report)
            return None if record is None else (Partition(commune, record[0]), record[1])

        return report.parse(features, parse)

    @abstractmethod
    def record(self, values: Mapping[str, Any], geometry: ValidGeometry, report: ReadReport) -> tuple[str, Any] | None:
        """The part and the record of a feature; None if it is left out. Raises ValueError."""
