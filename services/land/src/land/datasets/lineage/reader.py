"""Documents of lineage of parcels (DGFiP): documents de filiation informatisés, one text file for each département.

Format: the DGFiP's description of the records, and public code that reads them. A lot of a document is two lines, the
mothers (type 1) and the daughters (type 2). Recent files have one more field before the lot. A line without a parcel
stands for land without a number: the public domain, or land that the plan did not have. Documents exist since the plan
of the département was digitized, in the 1980s or 1990s. Rural consolidation (remembrement) has none.
"""

import re
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path

from land.datasets.lineage.records import NATURES, LineageRecord
from land.datasets.parcels import ids as parcels
from land.datasets.partitions import Partition, department_of
from land.errors import UnreadableFile
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.dgfip import archive_urls, department_order, members_of
from land.sources.files import open_bytes, zip_members
from land.sources.values import check, commune_code, day_of

DATASET = "documents-de-filiation-informatises-dfi-des-parcelles"
_LINE = re.compile(
    r"(?P<department>[0-9][0-9AB][0-9]);(?P<commune>[0-9]{3});(?P<prefix>[0-9]{3}| {0,3});(?P<document>[0-9A-Z]{7});"
    r"(?P<nature>[0-9]);(?P<day>[0-9]{8});(?:[^;]*;)+?(?P<lot>[0-9]{5});(?P<type>[12]);(?P<cells>.*;)?"
)
_CELL = re.compile(r"([0-9A-Z]{1,2}) ?([0-9]{4})")
_MEMBER = re.compile(r"(?:.*/)?dfiano-dep(?P<department>[0-9][0-9AB][0-9])-(?P<day>[0-9]{8})", re.IGNORECASE)
_MONTHS = ("janvier", "fevrier", "mars", "avril", "mai", "juin", "juillet", "aout", "septembre", "octobre", "novembre",
           "decembre")  # fmt: skip
_BOUND = "([0-9][0-9ab]{1,2})"
_ARCHIVE = re.compile(rf"({'|'.join(_MONTHS)})_(20[0-9]{{2}})[0-9]?(?:.*dept_{_BOUND}_?a_dept_{_BOUND})?_?zip")
"""Names have typing errors, such as `juillet_20266_dept_50_a_dept_976zip`. Archives in 7z are not read."""


class LineageDocuments(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        return archive_urls(f"{self._base}/{DATASET}", request, newest_archive)

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[LineageRecord]:
        """The partition is the département. A parcel is one record for each lot that names it."""
        selection.refuse_commune(report.file)
        for member in members_of(path, report.file, _MEMBER, selection.department):
            with open_bytes(path, report.file, member) as content:
                for records in report.parse(_lines(content, report), _records):
                    for record in records:
                        if selection.includes(record.commune_code):
                            yield Partition(record.department), record
        if report.rejected_count == report.row_count:
            raise UnreadableFile(f"{report.file}: no line is one of a document of lineage")

    def edition(self, path: Path, name: str) -> str | None:
        """The day in the names of the files."""
        matches = (_MEMBER.match(file) for file in (name, *zip_members(path)))
        days = [_iso(match["day"][4:] + match["day"][2:4] + match["day"][:2]) for match in matches if match]
        return max((day for day in days if day), default=None)


def newest_archive(ids: Sequence[str], department: str) -> str | None:
    """The id of the newest archive that holds the département; None if none does. Of the archives of one month, it is
    the one that ends first: lower bounds are not reliable, since lists begin with Corsica.
    """
    archives = []
    for archive_id in ids:
        if match := _ARCHIVE.search(archive_id.lower()):
            month, year, _, last = match.groups()
            end = department_order(last or "999")
            if department_order(department) <= end:
                archives.append((-int(year), -_MONTHS.index(month), end, archive_id))
    return min(archives)[-1] if archives else None


def _lines(content: BufferedReader, report: ReadReport) -> Iterator[tuple[int, str]]:
    """Raises UnreadableFile if the last line is cut short."""
    text = ";"
    for number, line in report.number(content):
        text = line.decode("latin-1").rstrip()
        yield number, text
    if not text.endswith(";"):
        raise UnreadableFile(f"{report.file}: the last line is cut short")


def _records(line: str) -> list[LineageRecord]:
    """Raises ValueError if the line cannot be read."""
    match = _LINE.fullmatch(line)
    if match is None or match["nature"] not in NATURES:
        raise ValueError(f"{line[:40]!r} is no line of a document")
    department, commune = match["department"], match["commune"]
    overseas = department.startswith("97")
    code = commune_code("département, commune", department + commune[1:] if overseas else department[:2] + commune)
    prefix = match["prefix"].strip().zfill(3)
    cells = dict.fromkeys(cell.strip() for cell in (match["cells"] or "").split(";"))
    return [
        LineageRecord(
            department=department_of(code),
            commune_code=code,
            parcel_id=_parcel_id(code + prefix, cell),
            lot=prefix + match["document"] + match["lot"],
            nature=match["nature"],
            validated_on=_iso(match["day"]),
            is_mother=match["type"] == "1",
        )
        for cell in cells
        if cell
    ]


def _parcel_id(start: str, cell: str) -> str:
    """The id from its first eight characters, and a section with a number: `A0297`, `AC0026`, ` D0327`."""
    match = _CELL.fullmatch(cell)
    parcel_id = f"{start}{match[1]:0>2}{match[2]}" if match else ""
    check(parcels.is_id(parcel_id), f"{cell[:10]!r} is no parcel")
    return parcel_id


def _iso(day: str) -> str | None:
    return day_of(f"{day[:4]}-{day[4:6]}-{day[6:]}")
