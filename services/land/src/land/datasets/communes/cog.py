"""Code officiel géographique (INSEE): the communes that exist, and every change of communes since 1943.

Format: https://www.insee.fr/fr/information/8740222, files `v_commune_2026.csv` and `v_mvt_commune_2026.csv`, which
differ in their headers.
"""

from pathlib import Path

from land.datasets.communes.records import CommuneRecord, MovementRecord
from land.datasets.partitions import COUNTRY, Partition
from land.errors import WrongHeader
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_csv
from land.sources.values import check, commune_code, is_date, year_in

YEAR = 2026
"""The edition under the default base address; INSEE's address changes with each edition."""
COMMUNE_COLUMNS = ("TYPECOM", "COM", "LIBELLE", "COMPARENT")
MOVEMENT_COLUMNS = ("DATE_EFF", "MOD", "TYPECOM_AV", "COM_AV", "LIBELLE_AV", "TYPECOM_AP", "COM_AP", "LIBELLE_AP")
COMMUNES = Partition(COUNTRY, "communes")
MOVEMENTS = Partition(COUNTRY, "movements")
CogRecord = CommuneRecord | MovementRecord
KINDS = frozenset({"COM", "ARM", "COMD", "COMA"})


class Cog(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/v_commune_{YEAR}.csv", f"{self._base}/v_mvt_commune_{YEAR}.csv"]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        parts = {f"{self._base}/v_commune_": COMMUNES, f"{self._base}/v_mvt_": MOVEMENTS} if self._base else {}
        return next((part for start, part in parts.items() if url.startswith(start)), None)

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[CogRecord]:
        """Raises WholeFilesOnly for a filter."""
        selection.refuse_any(report.file)
        with open_csv(path, report.file, ",") as table:
            if "DATE_EFF" in table.header:
                movements = report.parse(table.values(report, MOVEMENT_COLUMNS), _movement)
                yield from ((MOVEMENTS, movement) for movement in movements)
            elif "TYPECOM" in table.header:
                communes = report.parse(table.values(report, COMMUNE_COLUMNS), _commune)
                yield from ((COMMUNES, commune) for commune in communes)
            else:
                raise WrongHeader(report.file, ["TYPECOM or DATE_EFF"])

    def edition(self, path: Path, name: str) -> str | None:
        return year_in(name)


def _commune(values: tuple[str, ...]) -> CommuneRecord:
    """Raises ValueError naming the column that cannot be read."""
    kind, code, name, parent = values
    _check_kind("TYPECOM", kind)
    commune_code("COM", code)
    if parent or kind != "COM":
        commune_code("COMPARENT", parent)
    return CommuneRecord(kind, code, name, parent)


def _movement(values: tuple[str, ...]) -> MovementRecord:
    """Raises ValueError naming the column that cannot be read."""
    effective_on, change, old_kind, old_code, old_name, new_kind, new_code, new_name = values
    check(is_date(effective_on), f"DATE_EFF: {effective_on[:20]!r} is no date")
    check(change.isdigit(), f"MOD: {change[:20]!r} is no code")
    for suffix, kind, code in (("AV", old_kind, old_code), ("AP", new_kind, new_code)):
        if kind or code:
            _check_kind(f"TYPECOM_{suffix}", kind)
            commune_code(f"COM_{suffix}", code)
    return MovementRecord(effective_on, change, old_kind, old_code, old_name, new_kind, new_code, new_name)


def _check_kind(column: str, kind: str) -> None:
    check(kind in KINDS, f"{column}: {kind[:20]!r} is none of {', '.join(sorted(KINDS))}")
