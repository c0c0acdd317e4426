"""Sitadel: building, development and demolition permits (SDES), from DiDo's CSV or JSON.

Format: data dictionaries of 2022-05-31 and files of 2026-01. Only granted permits are published. COMM is the commune at
the time of filing, even if it has merged since; Paris, Lyon and Marseille are one commune each.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from land.datasets.grouping import grouped
from land.datasets.partitions import Partition, filing_commune
from land.datasets.permits import codes
from land.datasets.permits.records import ParcelReference, PermitRecord, PermitReferenceRow
from land.datasets.permits.references import MAX_REFERENCES, commune_of, reference_of
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_bytes, open_csv
from land.sources.json_files import open_json
from land.sources.values import commune_code, day_of

REFERENCE_COLUMNS = tuple((f"SEC_CADASTRE{place}", f"NUM_CADASTRE{place}") for place in range(1, MAX_REFERENCES + 1))
OPTIONAL_COLUMNS = (
    "DATE_REELLE_DOC",
    "DATE_REELLE_DAACT",
    "NATURE_PROJET_DECLAREE",
    "NATURE_PROJET_COMPLETEE",
    "DESTINATION_PRINCIPALE",
    "SUPERFICIE_TERRAIN",
    "ADR_CODPOST_TER",
)
"""Columns that only some editions and families have."""
COMMUNE_LENGTH = 5
NUMBER_LENGTH = 13
MAX_NUMBER_LENGTH = 20
_EDITION = re.compile(r"(?<![0-9])20[0-9]{2}-(?:0[1-9]|1[0-2])(?![0-9])")

Row = tuple[int, Mapping[str, str]]
"""The line of a CSV or the position in a JSON list, and the texts by column."""


class Sitadel(FileReader):
    """One of the four files."""

    def __init__(self, base: str, family: codes.Family) -> None:
        super().__init__(base)
        self._family = family
        self._number, self._state = f"NUM_{family.series.upper()}", f"ETAT_{family.series.upper()}"
        typed = ("TYPE_DAU",) if family.fixed_type is None else ()
        self.columns = (
            "COMM",
            *typed,
            self._number,
            self._state,
            "DATE_REELLE_AUTORISATION",
            *chain(*REFERENCE_COLUMNS),
        )
        """The columns that a file must have."""

    def urls(self, request: PartitionRequest) -> list[str]:
        options = {
            "withColumnName": "true",
            "withColumnDescription": "false",
            "withColumnUnit": "false",
            "COMM": f"eq:{request.partition_code}",
        }
        return [f"{self._base}/datafiles/{self._family.file_id}/csv?{urlencode(options, safe=':')}"]

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[PermitRecord]:
        """The partition is the filing commune: a filter for an arrondissement selects its whole city.

        Rows with one number become one permit if the commune's rows are consecutive, as published.
        """
        selection = selection._replace(commune=selection.commune and filing_commune(selection.commune))
        records = report.parse(self._rows(path, report), lambda row: self._record(row, report))
        selected = (record for record in records if selection.includes(record.filing_commune))
        for commune, records_of_commune in groupby(selected, attrgetter("filing_commune")):
            for record in fold(list(records_of_commune)):
                yield Partition(commune), record

    def edition(self, path: Path, name: str) -> str | None:
        """The month in the address or the name (`millesime=2026-01`)."""
        match = _EDITION.search(name)
        return match[0] if match else None

    def _rows(self, path: Path, report: ReadReport) -> Iterator[Row]:
        with open_bytes(path, report.file) as content:
            start = content.peek(1).lstrip()[:1]
        if start == b"{":
            raise UnreadableFile(f"{report.file}: not a list of permits")
        return (_json_rows if start == b"[" else _csv_rows)(path, report, self.columns)

    def _record(self, row: Mapping[str, str], report: ReadReport) -> PermitRecord:
        """Raises ValueError naming the column that cannot be read."""
        family = self._family

        def decode(column: str, meaning: Callable[[str], str | None]) -> str | None:
            text = row.get(column, "")
            return report.known(column, meaning(text)) if text else None

        filing_commune = commune_code("COMM", row["COMM"].upper().zfill(COMMUNE_LENGTH))
        number = row[self._number].upper()
        if not (number.isascii() and number.isalnum() and len(number) <= MAX_NUMBER_LENGTH):
            raise ValueError(f"{self._number}: {number[:30]!r} is no permit number")
        number = number.zfill(NUMBER_LENGTH)
        references, unreadable = _references(row, commune_of(filing_commune, number, row.get("ADR_CODPOST_TER", "")))
        return PermitRecord(
            filing_commune=filing_commune,
            dataset=family.id,
            series=family.series,
            number=number,
            type_dau=family.fixed_type or decode("TYPE_DAU", lambda text: codes.TYPE_DAU.get(text.upper())),
            etat_dau=decode(self._state, codes.ETAT.get),
            date_reelle_autorisation=decode("DATE_REELLE_AUTORISATION", day_of),
            date_reelle_doc=decode("DATE_REELLE_DOC", day_of),
            date_reelle_daact=decode("DATE_REELLE_DAACT", day_of),
            nature_projet_declaree=decode("NATURE_PROJET_DECLAREE", codes.NATURE_PROJET_DECLAREE.get),
            nature_projet_completee=decode("NATURE_PROJET_COMPLETEE", codes.NATURE_PROJET_COMPLETEE.get),
            destination_principale=decode("DESTINATION_PRINCIPALE", family.destinations.get),
            superficie_terrain=decode("SUPERFICIE_TERRAIN", _area) or None,
            references=references,
            unreadable_references=unreadable,
        )


def _references(row: Mapping[str, str], commune_code: str | None) -> tuple[tuple[ParcelReference, ...], int]:
    """The parcels of a permit, and the number of references that cannot be read or have no known commune."""
    read: list[ParcelReference] = []
    unreadable = 0
    for section_column, number_column in REFERENCE_COLUMNS:
        section, number = row[section_column], row[number_column]
        if section or number:
            reference = reference_of(commune_code, section, number) if commune_code else None
            if reference:
                read.append(reference)
            else:
                unreadable += 1
    return tuple(dict.fromkeys(read)), unreadable


def _area(text: str) -> str | None:
    """A decimal without trailing zeros; empty for 0, which means unknown. None if the text is not an area."""
    try:
        area = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return None
    if not area.is_finite() or area < 0:
        return None
    return f"{area.normalize():f}" if area else ""


def _csv_rows(path: Path, report: ReadReport, columns: Sequence[str]) -> Iterator[Row]:
    with open_csv(path, report.file, ";", header_with="COMM") as table:
        names = [*columns, *(name for name in OPTIONAL_COLUMNS if name in table.header)]
        for line, values in table.values(report, names):
            yield line, {name: text.strip() for name, text in zip(names, values, strict=True)}


def _json_rows(path: Path, report: ReadReport, columns: Sequence[str]) -> Iterator[Row]:
    """The objects of a JSON list. Each must have the required columns."""
    with open_json(path, report.file) as reader:
        for position, item in report.number(reader.items()):
            if not isinstance(item, dict):
                report.reject(position, "not an object")
                continue
            row = {str(name).upper(): _text(value) for name, value in item.items()}
            missing = [name for name in columns if name not in row]
            if missing:
                raise WrongHeader(report.file, missing)
            yield position, row
        reader.end()


def _text(value: Any) -> str:
    """A JSON value as the text that the CSV has."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def permit_rows(records: Sequence[PermitRecord]) -> tuple[list[PermitRecord], list[PermitReferenceRow]]:
    """The permits of one filing commune, and their references, each once and in order."""
    permits = fold(records)  # a file may have the rows of one number far apart
    references = {
        PermitReferenceRow(
            reference.commune_code, reference.section, reference.number, permit.number, reference.prefix or ""
        )
        for permit in permits
        for reference in map(ParcelReference._make, permit.references)  # plain tuples after the spool
    }
    return permits, sorted(references)


def fold(records: Sequence[PermitRecord]) -> list[PermitRecord]:
    """One record per (series, number), in order of first appearance: files have one row per destination of premises.

    Each field has the first value that is given; `references` has those of all rows.
    """
    groups = grouped(((record.series, record.number), record) for record in records)
    return [group[0] if len(group) == 1 else _folded(group) for group in groups.values()]


def _folded(group: Sequence[PermitRecord]) -> PermitRecord:
    first_values = PermitRecord._make(
        next((value for value in values if value is not None), None) for values in zip(*group, strict=True)
    )
    return first_values._replace(
        references=tuple(dict.fromkeys(reference for record in group for reference in record.references)),
        unreadable_references=max(record.unreadable_references for record in group),
    )
