"""API Découpage administratif (Etalab): present communes with their postcodes, intercommunality, centre and population.

Format: https://geo.api.gouv.fr/decoupage-administratif/communes, one JSON list. It joins INSEE's communes, La Poste's
postcodes and the DGCL's intercommunalities.
"""

import re
from pathlib import Path
from typing import Any

from land.datasets.communes.records import PostcodesRecord
from land.datasets.partitions import COUNTRY, Partition
from land.errors import UnreadableFile
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.json_files import open_json
from land.sources.values import check, commune_code

WHOLE = Partition(COUNTRY)
_QUERY = (
    "type=commune-actuelle,arrondissement-municipal&fields=code,nom,codesPostaux,centre,codeEpci,population&format=json"
)
"""The answer has arrondissements because of `type`."""
_POSTCODE = re.compile("[0-9]{5}")
_SIREN = re.compile(r"[0-9]{9}")


class Postcodes(FileReader):
    """Read for the whole country: requests for single communes would show the publisher what our callers ask for."""

    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/communes?{_QUERY}"]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        return WHOLE if url.endswith(_QUERY) else None

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[PostcodesRecord]:
        """Raises WholeFilesOnly for a filter."""
        selection.refuse_any(report.file)
        with open_json(path, report.file) as reader:
            if reader.peek() != "[":
                raise UnreadableFile(f"{report.file}: not a list of communes")
            for record in report.parse(report.number(reader.items()), lambda item: _record(item, report)):
                yield WHOLE, record
            reader.end()


def _record(item: Any, report: ReadReport) -> PostcodesRecord:
    """Raises ValueError naming the member that cannot be read."""
    check(isinstance(item, dict), "not an object")
    code, name, postcodes = commune_code("code", item.get("code")), item.get("nom"), item.get("codesPostaux")
    check(isinstance(name, str) and name, f"{code}: nom: empty")
    texts = postcodes if isinstance(postcodes, list) else [None]
    is_list = all(isinstance(text, str) and _POSTCODE.fullmatch(text) for text in texts)
    check(is_list, f"{code}: codesPostaux: no list of postcodes")
    epci, population = item.get("codeEpci"), item.get("population")
    if epci is not None:  # it is absent for arrondissements and a few communes
        epci = report.known("codeEpci", epci if isinstance(epci, str) and _SIREN.fullmatch(epci) else None)
    if population is not None:
        population = report.known("population", population if type(population) is int and population >= 0 else None)
    return PostcodesRecord(code, name, "|".join(sorted(postcodes)), *_centre(item.get("centre")), epci, population)


def _centre(centre: Any) -> tuple[float | None, float | None]:
    match centre:
        case {"coordinates": [float() | int() as lon, float() | int() as lat]}:
            return float(lon), float(lat)
    return None, None
