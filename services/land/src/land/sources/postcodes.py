"""The present communes with their postcodes and intercommunality: API Découpage administratif (Etalab), one JSON list.

Format: https://geo.api.gouv.fr/decoupage-administratif/communes. It joins INSEE's list with La Poste's postcodes
and the list of intercommunalities of the DGCL.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from land.errors import UnreadableFile, WholeFilesOnly
from land.partitions import COUNTRY, Partition
from land.records.communes import PostcodesRecord
from land.sources.base import Account
from land.sources.files import edition_date
from land.sources.json_text import open_json
from land.sources.selection import is_commune_code

WHOLE = Partition(COUNTRY)
_QUERY = (
    "type=commune-actuelle,arrondissement-municipal&fields=code,nom,codesPostaux,centre,codeEpci,population&format=json"
)
"""Arrondissements are given only where they are asked for."""
_POSTCODE_LENGTH = 5
_SIREN = re.compile(r"[0-9]{9}")


class Postcodes:
    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    def urls(self, commune_code: str) -> list[str]:
        """None: the list of the country is small, and asking for single communes would tell what is asked of us."""
        return []

    def national_urls(self) -> list[str]:
        return [f"{self._base}/communes?{_QUERY}"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, PostcodesRecord]]:
        """As `Source.read`; rejections name the item's place in the list. Raises WholeFilesOnly for a part."""
        if commune is not None or department is not None:
            raise WholeFilesOnly(account.file)
        with open_json(path, account.file) as text:
            if text.next() != "[":
                raise UnreadableFile(f"{account.file}: not a list of communes")
            for item in text.items():
                account.row_count += 1
                try:
                    yield WHOLE, _record(item, account)
                except ValueError as error:
                    account.reject(account.row_count, str(error))
            text.end()

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name of a kept file; the service states none."""
        return edition_date(name)


def _record(item: Any, account: Account) -> PostcodesRecord:
    """One commune. Raises ValueError naming the member that cannot be read."""
    if not isinstance(item, dict):
        raise ValueError("not an object")
    code, name, postcodes = item.get("code"), item.get("nom"), item.get("codesPostaux")
    if not isinstance(code, str) or not is_commune_code(code):
        raise ValueError(f"code: {str(code)[:20]!r} is no commune code")
    if not isinstance(name, str) or not name:
        raise ValueError(f"{code}: nom: empty")
    if not isinstance(postcodes, list) or not all(_is_postcode(postcode) for postcode in postcodes):
        raise ValueError(f"{code}: codesPostaux: no list of postcodes")
    epci = item.get("codeEpci")  # absent of the few communes that are in none, and of arrondissements
    if epci is not None and not (isinstance(epci, str) and _SIREN.fullmatch(epci)):
        account.unknown_values["codeEpci"] += 1
        epci = None
    population = item.get("population")
    if population is not None and not (type(population) is int and population >= 0):
        account.unknown_values["population"] += 1
        population = None
    return PostcodesRecord(code, name, "|".join(sorted(postcodes)), *_middle(item.get("centre")), epci, population)


def _is_postcode(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) == _POSTCODE_LENGTH


def _middle(centre: Any) -> tuple[float | None, float | None]:
    match centre:
        case {"coordinates": [float() | int() as lon, float() | int() as lat]}:
            return float(lon), float(lat)
    return None, None
