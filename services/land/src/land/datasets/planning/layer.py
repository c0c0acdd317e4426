"""What the readers of the Géoportail de l'urbanisme share: addresses of its service, and reading of its layers.

Format: CNIG standard PLU/CC, tables DOC_URBA, ZONE_URBA, SECTEUR_CC, and PRESCRIPTION and INFO with _SURF, _LIN and
_PCT. Attributes are those of 2013/2014, of the standards since 2017, or the lower-case ones of the live service. Files
come from a document's deposit, from WFS, or from API Carto (https://apicarto.ign.fr/api/doc/gpu).

API Carto returns at most 1,000 or 5,000 features, depending on its settings, and has no pages. The rest comes from the
WFS behind it (https://data.geopf.fr/wfs/ows).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from land.datasets.partitions import Partition, filing_commune
from land.datasets.planning.attributes import Document, compact_date_in, day, document_of, is_partition
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport
from land.sources.features import Feature, read_complete_features, read_features
from land.sources.values import is_commune_code
from land.sources.wfs import page_address

_DATED_BY = ("GPU_TIMESTAMP", "DATAPPRO", "DATVALID")


class GpuLayer(FileReader):
    LAYERS: ClassVar[Sequence[str]]
    """Parts of the layers' names, for files with several layers."""
    COLUMNS: ClassVar[Sequence[tuple[str, ...]]]
    """Attributes that a file must have; one of each tuple is enough."""

    def __init__(self, base: str, wfs_base: str) -> None:
        super().__init__(base)
        self._wfs_base = wfs_base

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name, else the date of deposit or approval of the first feature's document."""
        if edition := compact_date_in(name):
            return edition
        first = next(iter(read_features(path, ReadReport(name), self.LAYERS)), None)
        dates = (day(first.properties.get(column)) for column in _DATED_BY) if first else ()
        return next(filter(None, dates), None)

    def _wfs_url(self, layer: str, start: int, **condition: str) -> str:
        """The address of a page of the WFS, in the order of `gid`, which every layer has."""
        return page_address(self._wfs_base, layer, start, "gid", **condition)

    def _features(self, path: Path, report: ReadReport) -> Iterator[tuple[int, Feature]]:
        return read_complete_features(path, report, self.LAYERS, self.COLUMNS)


class DocumentLayer(GpuLayer):
    """A layer whose partitions are planning documents."""

    ROUTES: ClassVar[Mapping[str, str]]
    """The service's routes, each with the part of a document that it returns."""

    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/{route}?partition={request.partition_code}" for route in self.ROUTES]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        parsed = self._parse(url)
        return Partition(parsed[1], self.ROUTES[parsed[0]]) if parsed else None

    def page_url(self, url: str, report: ReadReport) -> str | None:
        parsed = self._parse(url)
        if parsed is None:
            return None
        route, partition = parsed
        layer = f"wfs_du:{route.replace('-', '_')}"
        return self._wfs_url(layer, report.row_count, cql_filter=f"partition='{partition}'")

    def _parse(self, url: str) -> tuple[str, str] | None:
        """The route and the partition in an address of the service."""
        parts = urlsplit(url)
        route = parts.path.rpartition("/")[2]
        partitions = parse_qs(parts.query).get("partition", [])
        if not url.startswith(f"{self._base}/") or route not in self.ROUTES or len(partitions) != 1:
            return None
        return (route, partitions[0]) if is_partition(partitions[0]) else None

    def _documents(
        self, path: Path, report: ReadReport, selection: CommuneFilter
    ) -> Iterator[tuple[int, tuple[Feature, Document]]]:
        """The features of selected documents, with their document."""

        def parse(feature: Feature) -> tuple[int, tuple[Feature, Document]] | None:
            document = document_of(feature.properties, report.file)
            return (feature.position, (feature, document)) if is_selected(document.partition, selection) else None

        return report.parse(self._features(path, report), parse)


def is_selected(partition: str, selection: CommuneFilter) -> bool:
    """Whether a document passes the filter. An intercommunality's passes only without one: its communes are unknown."""
    if selection == ALL:
        return True
    owner = partition.split("_")[1]
    if not is_commune_code(owner):
        return False
    return owner == filing_commune(selection.commune) if selection.commune is not None else selection.includes(owner)
