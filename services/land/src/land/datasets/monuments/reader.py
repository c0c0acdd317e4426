"""Immeubles protégés au titre des monuments historiques: the ministry's weekly extract of the base Mérimée.

Written from public code that reads it, and never tried against the service. Format: columns of September 2026, in a CSV
with commas from the API of data.gouv.fr, or with bars as the ministry publishes it.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import shapely

from land.datasets.columns import positions
from land.datasets.monuments.records import MonumentRecord
from land.datasets.partitions import Partition
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_bytes, open_csv
from land.sources.values import coordinates

RESOURCE = "3a52af4a-f9da-4dcc-8110-b07774dfb3bc"
COLUMNS: Sequence[Sequence[str]] = (
    ("departement_format_numerique",),
    ("reference",),
    ("titre_editorial_de_la_notice",),
    ("date_et_typologie_de_la_protection",),
    ("coordonnees_au_format_wgs84",),
)
_FILTER = "Departement_format_numerique__in"
_REFERENCE = re.compile(r"[A-Z0-9]{5,20}")
_DEPARTMENT = re.compile(r"[0-9AB]{1,3}")


class Merimee(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        """The monuments of the département, whose number may have no leading zero."""
        code = request.partition_code
        query = {_FILTER: ",".join(dict.fromkeys((code, code.lstrip("0"))))}
        return [f"{self._base}/resources/{RESOURCE}/data/csv/?{urlencode(query)}"]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        codes = parse_qs(urlsplit(url).query).get(_FILTER)
        return Partition(codes[0].partition(",")[0]) if codes and url.startswith(f"{self._base}/resources/") else None

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[MonumentRecord]:
        """A monument without a point is left out."""
        selection.refuse_commune(report.file)
        with open_bytes(path, report.file) as content:
            delimiter = "|" if b"|" in content.peek().partition(b"\n")[0] else ","
        with open_csv(path, report.file, delimiter) as table:
            places = positions(table, COLUMNS)
            rows = ((table.line, [" ".join(row[place].split()) for place in places]) for row in table.rows(report))
            for partition, record in report.parse(rows, _record):
                if selection.department in (None, partition.code):
                    yield partition, record


def _record(values: Sequence[str]) -> tuple[Partition, MonumentRecord] | None:
    department, reference, name, protection, place = values
    latitude, _, longitude = place.strip("[]{}").partition(",")
    lon, lat = coordinates(longitude.strip(), latitude.strip())
    if not _REFERENCE.fullmatch(reference) or not (number := _DEPARTMENT.match(department)):
        raise ValueError(f"reference: {reference[:30]!r} is no notice, or its département is unknown")
    if lon is None or lat is None:
        return None
    return Partition(number[0].zfill(2)), MonumentRecord(
        reference, name or None, protection or None, shapely.to_wkb(shapely.Point(lon, lat), byte_order=1)
    )
