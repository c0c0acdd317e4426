"""Base Adresse Nationale: lieux-dits, named places without numbers (`lieux-dits-XX-beta.csv.gz` and the communes'
csv-legacy files).

Format: https://doc.adresse.data.gouv.fr.
"""

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from land.partitions import Partition
from land.records.addresses import LocalityRecord
from land.sources.ban import coordinates
from land.sources.base import Account
from land.sources.files import edition_date, open_csv
from land.sources.selection import Selection, is_commune_code

COLUMNS = (
    "id",
    "nom_lieu_dit",
    "code_postal",
    "code_insee",
    "nom_commune",
    "code_insee_ancienne_commune",
    "nom_ancienne_commune",
    "lon",
    "lat",
)


class Localities:
    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    def urls(self, commune_code: str) -> list[str]:
        return [f"{self._base}/ban/communes/{commune_code}/download/csv-legacy/lieux-dits"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, LocalityRecord]]:
        selection = Selection(commune, department)
        with open_csv(path, account.file, ";") as table:
            pick = itemgetter(*table.positions(COLUMNS))
            for row in table.rows(account):
                try:
                    record = _record(pick(row))
                except ValueError as error:
                    account.reject(table.line, str(error))
                    continue
                if selection.includes(record.commune_code):
                    yield Partition(record.commune_code), record

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name, or in the address of a kept edition; the rows have none."""
        return edition_date(name)


def _record(values: tuple[str, ...]) -> LocalityRecord:
    """One row. Raises ValueError naming the column that cannot be read."""
    place_id, name, postcode, commune_code, commune_name, old_code, old_name, lon, lat = values
    if not is_commune_code(commune_code):
        raise ValueError(f"code_insee: {commune_code[:20]!r} is no commune code")
    if not place_id:
        raise ValueError("id: empty")
    if not name.strip():
        raise ValueError("nom_lieu_dit: empty")
    return LocalityRecord(
        commune_code, place_id, name.strip(), postcode, commune_name, old_code, old_name, *coordinates(lon, lat)
    )
