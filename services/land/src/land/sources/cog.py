"""Code officiel géographique (INSEE): the communes that exist, and every change of communes since 1943.

Format: https://www.insee.fr/fr/information/8740222, files `v_commune_2026.csv` and `v_mvt_commune_2026.csv`. A file
is known by its header.
"""

import re
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path

from land.errors import WholeFilesOnly, WrongHeader
from land.partitions import COUNTRY, Partition
from land.records.communes import CommuneRecord, MovementRecord
from land.sources.base import Account
from land.sources.files import CsvTable, open_csv
from land.sources.selection import is_commune_code, is_date

YEAR = 2026
"""Of the edition whose address INSEE has under the default base; the number in it changes with each edition."""
COMMUNE_COLUMNS = ("TYPECOM", "COM", "LIBELLE", "COMPARENT")
MOVEMENT_COLUMNS = (
    "DATE_EFF",
    "MOD",
    "TYPECOM_AV",
    "COM_AV",
    "LIBELLE_AV",
    "TYPECOM_AP",
    "COM_AP",
    "LIBELLE_AP",
)
COMMUNES = Partition(COUNTRY, "communes")
MOVEMENTS = Partition(COUNTRY, "movements")
KINDS = frozenset({"COM", "ARM", "COMD", "COMA"})
_YEAR = re.compile(r"(?<!\d)20\d{2}(?!\d)")

Record = CommuneRecord | MovementRecord


class Cog:
    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    def urls(self, commune_code: str) -> list[str]:
        """None: it is published for the whole country only."""
        return []

    def national_urls(self) -> list[str]:
        return [f"{self._base}/v_commune_{YEAR}.csv", f"{self._base}/v_mvt_commune_{YEAR}.csv"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, Record]]:
        """As `Source.read`. Raises WholeFilesOnly for a part: it would take the place of the whole country's."""
        if commune is not None or department is not None:
            raise WholeFilesOnly(account.file)
        with open_csv(path, account.file, ",") as table:
            if "DATE_EFF" in table.header:
                yield from _read(table, account, MOVEMENTS, MOVEMENT_COLUMNS, _movement)
            elif "TYPECOM" in table.header:
                yield from _read(table, account, COMMUNES, COMMUNE_COLUMNS, _commune)
            else:
                raise WrongHeader(account.file, ["TYPECOM or DATE_EFF"])

    def edition(self, path: Path, name: str) -> str | None:
        """The year in the name."""
        match = _YEAR.search(name)
        return match[0] if match else None


def _read(
    table: CsvTable,
    account: Account,
    unit: Partition,
    columns: tuple[str, ...],
    record: Callable[[tuple[str, ...]], Record],
) -> Iterator[tuple[Partition, Record]]:
    pick = itemgetter(*table.positions(columns))
    for row in table.rows(account):
        try:
            yield unit, record(pick(row))
        except ValueError as error:
            account.reject(table.line, str(error))


def _commune(values: tuple[str, ...]) -> CommuneRecord:
    """Raises ValueError naming the column that cannot be read."""
    kind, code, name, parent = values
    _check_kind("TYPECOM", kind)
    _check_code("COM", code)
    if parent or kind != "COM":
        _check_code("COMPARENT", parent)
    return CommuneRecord(kind, code, name, parent)


def _movement(values: tuple[str, ...]) -> MovementRecord:
    """Raises ValueError naming the column that cannot be read."""
    effective_on, change, old_kind, old_code, old_name, new_kind, new_code, new_name = values
    if not is_date(effective_on):
        raise ValueError(f"DATE_EFF: {effective_on[:20]!r} is no date")
    if not change.isdigit():
        raise ValueError(f"MOD: {change[:20]!r} is no code")
    for suffix, kind, code in (("AV", old_kind, old_code), ("AP", new_kind, new_code)):
        if kind or code:
            _check_kind(f"TYPECOM_{suffix}", kind)
            _check_code(f"COM_{suffix}", code)
    return MovementRecord(effective_on, change, old_kind, old_code, old_name, new_kind, new_code, new_name)


def _check_kind(column: str, kind: str) -> None:
    if kind not in KINDS:
        raise ValueError(f"{column}: {kind[:20]!r} is none of {', '.join(sorted(KINDS))}")


def _check_code(column: str, code: str) -> None:
    if not is_commune_code(code):
        raise ValueError(f"{column}: {code[:20]!r} is no commune code")
