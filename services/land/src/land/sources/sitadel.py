"""Sitadel: building, development and demolition permits (SDES), from DiDo's CSV or JSON.

Format: data dictionaries of 2022-05-31 and files of 2026-01. Only granted permits are published. The commune (COMM) is
that of filing, never recoded since, and Paris, Lyon and Marseille are one commune each.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from land.errors import UnreadableFile, WrongHeader
from land.facts.permits import fold
from land.partitions import Partition, filing_commune
from land.records.permits import ParcelReference, PermitRecord
from land.sources import sitadel_codes as codes
from land.sources.base import Account
from land.sources.files import open_bytes, open_csv
from land.sources.json_text import open_json
from land.sources.selection import Selection, is_commune_code, is_date
from land.sources.sitadel_references import MAX_REFERENCES, commune_of, reference_of

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
"""Columns that come and go between editions, and that only some families have."""
COMMUNE_LENGTH = 5
NUMBER_LENGTH = 13
MAX_NUMBER_LENGTH = 20
_EDITION = re.compile(r"(?<![0-9])20[0-9]{2}-(?:0[1-9]|1[0-2])(?![0-9])")

Row = tuple[int, Mapping[str, str]]
"""Its place in the file (line of a CSV, item of a JSON list), and its texts by column."""


class Sitadel:
    """One of the four files."""

    def __init__(self, base: str, family: codes.Family) -> None:
        self._base = base.rstrip("/")
        self._family = family
        typed = ("TYPE_DAU",) if family.fixed_type is None else ()
        pairs = tuple(column for pair in REFERENCE_COLUMNS for column in pair)
        self.columns = (
            *("COMM", *typed, family.number_column, family.state_column, "DATE_REELLE_AUTORISATION"),
            *pairs,
        )
        """The columns without which a file is refused."""

    def urls(self, commune_code: str) -> list[str]:
        """The permits filed in the commune: of all Paris for an arrondissement."""
        options = {
            "withColumnName": "true",
            "withColumnDescription": "false",
            "withColumnUnit": "false",
            "COMM": f"eq:{filing_commune(commune_code)}",
        }
        return [f"{self._base}/datafiles/{self._family.file_id}/csv?{urlencode(options, safe=':')}"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, PermitRecord]]:
        """As `Source.read`; an arrondissement selects its whole city, which is the unit that is filed and replaced.

        Rows of one number are folded into one permit where the commune's rows stand together, as published.
        """
        selection = Selection(commune and filing_commune(commune), department)
        here: list[PermitRecord] = []
        for place, row in self._rows(path, account):
            try:
                record = self._record(row, account)
            except ValueError as error:
                account.reject(place, str(error))
                continue
            if selection.includes(record.filing_commune):
                if here and here[0].filing_commune != record.filing_commune:
                    yield from _with_unit(fold(here))
                    here = []
                here.append(record)
        yield from _with_unit(fold(here))

    def edition(self, path: Path, name: str) -> str | None:
        """The month in the address or the name (`millesime=2026-01`)."""
        match = _EDITION.search(name)
        return match[0] if match else None

    def _rows(self, path: Path, account: Account) -> Iterator[Row]:
        with open_bytes(path, account.file) as content:
            start = content.peek(1).lstrip()[:1]
        if start == b"{":
            raise UnreadableFile(f"{account.file}: not a list of permits")
        return (_json_rows if start == b"[" else _csv_rows)(path, account, self.columns)

    def _record(self, row: Mapping[str, str], account: Account) -> PermitRecord:
        """One row's permit. Raises ValueError naming the column that cannot be read."""
        family = self._family

        def told(column: str, meaning: Callable[[str], str | None]) -> str | None:
            text = row.get(column, "")
            label = meaning(text) if text else None
            if text and label is None:
                account.unknown_values[column] += 1
            return label

        filing_commune = row["COMM"].upper().zfill(COMMUNE_LENGTH)
        if not is_commune_code(filing_commune):
            raise ValueError(f"COMM: {filing_commune[:20]!r} is no commune code")
        number = row[family.number_column].upper()
        if not (number.isascii() and number.isalnum() and len(number) <= MAX_NUMBER_LENGTH):
            raise ValueError(f"{family.number_column}: {number[:30]!r} is no permit number")
        number = number.zfill(NUMBER_LENGTH)
        references, unreadable = _references(row, commune_of(filing_commune, number, row.get("ADR_CODPOST_TER", "")))
        return PermitRecord(
            filing_commune=filing_commune,
            dataset=family.id,
            series=family.series,
            number=number,
            type_dau=family.fixed_type or told("TYPE_DAU", lambda text: codes.TYPE_DAU.get(text.upper())),
            etat_dau=told(family.state_column, codes.ETAT.get),
            date_reelle_autorisation=told("DATE_REELLE_AUTORISATION", _date),
            date_reelle_doc=told("DATE_REELLE_DOC", _date),
            date_reelle_daact=told("DATE_REELLE_DAACT", _date),
            nature_projet_declaree=told("NATURE_PROJET_DECLAREE", codes.NATURE_PROJET_DECLAREE.get),
            nature_projet_completee=told("NATURE_PROJET_COMPLETEE", codes.NATURE_PROJET_COMPLETEE.get),
            destination_principale=told("DESTINATION_PRINCIPALE", family.destinations.get),
            superficie_terrain=told("SUPERFICIE_TERRAIN", _area) or None,
            references=references,
            unreadable_references=unreadable,
        )


def _with_unit(records: Sequence[PermitRecord]) -> Iterator[tuple[Partition, PermitRecord]]:
    for record in records:
        yield Partition(record.filing_commune), record


def _references(row: Mapping[str, str], commune_code: str | None) -> tuple[tuple[ParcelReference, ...], int]:
    """The parcels a permit names, and how many of its references cannot be read or have no known commune."""
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


def _date(text: str) -> str | None:
    return text if is_date(text) else None


def _area(text: str) -> str | None:
    """A decimal string without needless zeros; empty for 0, which stands for unknown. None where it is no area."""
    try:
        area = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return None
    if not area.is_finite() or area < 0:
        return None
    return f"{area.normalize():f}" if area else ""


def _csv_rows(path: Path, account: Account, columns: Sequence[str]) -> Iterator[Row]:
    with open_csv(path, account.file, ";", header_with="COMM") as table:
        known = [*columns, *(name for name in OPTIONAL_COLUMNS if name in table.header)]
        pick = itemgetter(*table.positions(known))
        for row in table.rows(account):
            yield table.line, {name: text.strip() for name, text in zip(known, pick(row), strict=True)}


def _json_rows(path: Path, account: Account, columns: Sequence[str]) -> Iterator[Row]:
    """The objects of a JSON list; their first one is the header."""
    with open_json(path, account.file) as text:
        for place, item in enumerate(text.items(), start=1):
            account.row_count += 1
            if not isinstance(item, dict):
                account.reject(place, "not an object")
                continue
            row = {str(name).upper(): _text(value) for name, value in item.items()}
            missing = [name for name in columns if name not in row]
            if missing:
                raise WrongHeader(account.file, missing)
            yield place, row
        text.end()


def _text(value: Any) -> str:
    """A JSON value as the CSV would have it: numbers as their digits."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()
