"""Parcels of legal persons (DGFiP): the fichiers des parcelles des personnes morales, one CSV for each département.

Format: files of the situation on 1 January 2025, and public code that reads those since 2019. The 24 columns are read
by position, since their names changed. The archives hold half of the country each, and their names change every year,
so the publisher's catalogue is read first. The files leave out individuals, and companies with a single member.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from land.datasets.owners.records import GROUPS, REPRESENTATIVES, RIGHTS, OwnerRecord
from land.datasets.parcels import ids as parcels
from land.datasets.partitions import Partition, department_of
from land.errors import WrongHeader
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.dgfip import archive_urls, department_order, members_of
from land.sources.files import open_bytes, open_csv, zip_members
from land.sources.values import check, commune_code, given, year_in

DATASET = "fichiers-des-locaux-et-des-parcelles-des-personnes-morales"
COLUMN_COUNT = 24
DEPARTMENT, DIRECTION, COMMUNE, PREFIX, SECTION, NUMBER = 0, 1, 2, 4, 5, 6
RIGHT, MAJIC_NUMBER, SIREN, GROUP, FORM_CODE, FORM, NAME = 17, 18, 19, 20, 21, 22, 23
_LATIN_1_HEADER = "Département".encode("latin-1")
_HEAD_BYTES = 64
_MEMBER = re.compile(r"(?:.*/)?PM_(?P<year>[0-9]{2})_NB_(?P<department>[0-9][0-9AB][0-9])(?![0-9])", re.IGNORECASE)
_ARCHIVE = re.compile(r"parcelles.*situation_(20[0-9]{2})(?:.*?_([0-9][0-9ab]{1,2})_a_([0-9][0-9ab]{1,2}))?(?![0-9])")
_SOLE_TRADER = "1"
"""First digit of the legal category of individuals. The files should have none."""
_SIREN = re.compile(r"[0-9]{9}")
_INDIVIDUAL = re.compile(
    r"(?:M|MR|MM|MME|MMES|MLLE|MONSIEUR|MADAME|MADEMOISELLE|INDIVISION|SUCCESSION|CONSORTS|HERITIERS|EPOUX|VEUVE)\b"
)


class LegalPersons(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        return archive_urls(f"{self._base}/{DATASET}", request, newest_archive)

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[OwnerRecord]:
        """The partition is the département. Rows of one right of one holder on one parcel are one record."""
        selection.refuse_commune(report.file)
        for member in members_of(path, report.file, _MEMBER, selection.department):
            keys: set[str] = set()
            for record in _records(path, report, member):
                if (record.legal_form_code or "").startswith(_SOLE_TRADER):
                    continue
                key = f"{record.parcel_id}{record.right_code}{record.holder}"
                if key not in keys and selection.includes(record.commune_code):
                    keys.add(key)
                    yield Partition(record.department), record

    def edition(self, path: Path, name: str) -> str | None:
        """The year of the situation: in the file's name, else in those of the archive's files."""
        matches = (_MEMBER.match(file) for file in (name, *zip_members(path)))
        years = [match["year"] for match in matches if match]
        return f"20{max(years)}" if years else year_in(name)


def newest_archive(ids: Sequence[str], department: str) -> str | None:
    """The id of the newest archive of parcels that holds the département; None if none does."""
    archives = []
    for archive_id in ids:
        match = _ARCHIVE.search(archive_id.lower())
        if match:
            year, first, last = match.groups()
            if first is None or department_order(first) <= department_order(department) <= department_order(last):
                archives.append((year, archive_id))
    return max(archives)[1] if archives else None


def _records(path: Path, report: ReadReport, member: str) -> Iterator[OwnerRecord]:
    with open_bytes(path, report.file, member) as content:
        is_latin_1 = _LATIN_1_HEADER in content.peek(_HEAD_BYTES)[:_HEAD_BYTES]
    encoding = "latin-1" if is_latin_1 else "utf-8"
    with open_csv(path, report.file, ";", member=member, encoding=encoding, is_quoted=False) as table:
        header = table.header
        if len(header) != COLUMN_COUNT or header[SECTION] != "SECTION" or "SIREN" not in header[SIREN]:
            raise WrongHeader(report.file, [f"{COLUMN_COUNT} columns with Section and N° SIREN"])
        rows = ((table.line, [text.strip() for text in row]) for row in table.rows(report))
        yield from report.parse(rows, lambda row: _record(row, report))


def _record(row: Sequence[str], report: ReadReport) -> OwnerRecord:
    """Raises ValueError naming the column that cannot be read."""
    commune = _commune_code(row)
    prefix, section, number = row[PREFIX].zfill(3), row[SECTION].upper().zfill(2), row[NUMBER].zfill(4)
    parcel = given(
        parcels.parse(f"{commune}{prefix}{section}{number}"),
        f"Section, N° plan: {row[SECTION][:10]!r}, {row[NUMBER][:10]!r} are no parcel",
    )
    right = row[RIGHT][:1].upper()
    check(report.known("Code droit", RIGHTS.get(right)), f"Code droit: {row[RIGHT][:20]!r} is no right")
    holder = given(row[SIREN] or row[MAJIC_NUMBER], "N° SIREN, N° Majic: both are empty")
    siren = holder if _SIREN.fullmatch(holder) else None
    group = row[GROUP][:1]
    return OwnerRecord(
        department=department_of(commune),
        commune_code=commune,
        parcel_id=str(parcel),
        right_code=right,
        holder=holder[:20],
        name=_name(row[NAME], right, siren),
        siren=siren,
        legal_form_code=row[FORM_CODE] or None,
        legal_form=row[FORM] or None,
        group_code=report.known("Groupe personne", group if group in GROUPS else None),
    )


def _commune_code(row: Sequence[str]) -> str:
    """Overseas, the département is 97 with a direction, or 974, and the commune has two or three digits."""
    department = row[DEPARTMENT].upper().zfill(2)
    if department == "97" and row[DIRECTION] not in ("", "0"):
        department += row[DIRECTION]
    commune = row[COMMUNE].zfill(5 - len(department))
    return commune_code("Département, Code commune", department[: 5 - len(commune)] + commune)


def _name(name: str, right: str, siren: str | None) -> str | None:
    """The name, unless it may be an individual's: the files name volunteer syndics, managers and undivided owners."""
    is_hidden = siren is None and (right in REPRESENTATIVES or _INDIVIDUAL.match(name.upper()))
    return None if is_hidden or not name else name
