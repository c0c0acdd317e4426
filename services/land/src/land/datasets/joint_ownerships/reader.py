"""Registre national des copropriétés (ANAH): joint ownerships, and at most three parcels of each.

Format: headers of 2026 and before, as public code reads them. Columns were renamed in April 2026; both forms are
compared without accents, capitals and punctuation. For Paris, Lyon and Marseille, a reference has the code of the city
and the arrondissement in the place of the prefix. The column named code_officiel_commune holds a postcode, so the
commune is that of the references.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from land.datasets.columns import plain, positions
from land.datasets.joint_ownerships.records import JointOwnershipRecord, ManagerType
from land.datasets.parcels import ids as parcels
from land.datasets.partitions import Partition, arrondissements_of, department_of
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_csv
from land.sources.values import check, date_in, is_date

RESOURCE = "3ea8e2c3-0038-464a-b17e-cd5c91f65ce2"
COLUMNS: Sequence[Sequence[str]] = (
    ("numero_immatriculation", "numero_d_immatriculation"),
    ("nom_usage_copropriete", "nom_d_usage_de_la_copropriete"),
    ("nombre_total_lots", "nombre_total_de_lots"),
    ("nombre_lots_habitation", "nombre_de_lots_a_usage_d_habitation"),
    ("periode_construction", "periode_de_construction"),
    ("type_syndic", "type_de_syndic_benevole_professionnel_non_connu"),
    ("reference_cadastrale_1",),
    ("reference_cadastrale_2",),
    ("reference_cadastrale_3",),
)
"""The forms of each column's name, the newest first."""
_FILTER = "reference_cadastrale_1__"
_UNKNOWN = frozenset({"", "non connu", "non connue", "non_connue", "non_connu"})
_MANAGERS: dict[str, ManagerType] = {"professionnel": "professional", "benevole": "volunteer"}
_ID = re.compile(r"[0-9A-Z]{5,20}")
_PERIOD = re.compile(r"[0-9A-Z_]{1,40}")
_COUNT = re.compile(r"([0-9]{1,6})(?:\.0+)?")
_DAY = re.compile(r"(?<![0-9])(20[0-9]{2})([0-9]{2})([0-9]{2})(?![0-9])")
T = TypeVar("T")


class Rnic(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        """The rows whose first reference lies in the département."""
        code = request.partition_code
        query = {f"{_FILTER}greater": code, f"{_FILTER}less": f"{code}{'Z' * (14 - len(code))}"}
        return [f"{self._base}/resources/{RESOURCE}/data/csv/?{urlencode(query)}"]

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[JointOwnershipRecord]:
        """The partition is the département of the first reference. Rows without a reference are left out."""
        selection.refuse_commune(report.file)
        with open_csv(path, report.file, ",") as table:
            places = positions(table, COLUMNS)
            rows = ((table.line, [row[place].strip() for place in places]) for row in table.rows(report))
            for records in report.parse(rows, lambda values: _records(values, report)):
                if records and selection.includes(records[0].commune_code):
                    yield from ((Partition(record.department), record) for record in records)

    def edition(self, path: Path, name: str) -> str | None:
        """The day in the file's name or address (`20260915-rnc-data-gouv-with-qpv.csv`)."""
        days = ("-".join(match.groups()) for match in _DAY.finditer(name))
        return next(filter(is_date, days), None) or date_in(name)

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        """The département of an address: some have no joint ownership with a reference."""
        code = parse_qs(urlsplit(url).query).get(f"{_FILTER}greater")
        return Partition(code[0]) if code and url.startswith(f"{self._base}/resources/") else None


def _records(values: Sequence[str], report: ReadReport) -> list[JointOwnershipRecord]:
    """One record for each parcel. Raises ValueError if the number cannot be read."""
    number, name, lots, dwellings, period, manager, *references = values
    check(_ID.fullmatch(number.upper()), f"numero_immatriculation: {number[:30]!r} is no number of the register")

    def decode(column: str, text: str, meaning: Callable[[str], T | None]) -> T | None:
        return None if text.lower() in _UNKNOWN else report.known(column, meaning(text))

    ids = [decode("reference_cadastrale", reference.replace(" ", "0"), parcel_of) for reference in references]
    named = list(dict.fromkeys(parcel_id for parcel_id in ids if parcel_id is not None))
    record = JointOwnershipRecord(
        department=department_of(named[0][:5]) if named else "",
        commune_code="",
        parcel_id="",
        id=number.upper(),
        name=decode("nom_usage_copropriete", name, str),
        lot_count=decode("nombre_total_lots", lots, _count),
        dwelling_lot_count=decode("nombre_lots_habitation", dwellings, _count),
        construction_period=decode(
            "periode_construction", period, lambda text: text.upper() if _PERIOD.fullmatch(text.upper()) else None
        ),
        manager_type=decode("type_syndic", manager, lambda text: _MANAGERS.get(plain(text))),
    )
    return [record._replace(commune_code=parcel_id[:5], parcel_id=parcel_id) for parcel_id in named]


def parcel_of(reference: str) -> str | None:
    """The parcel of a reference; None if it cannot be read. `75056115DF0112` is 75115000DF0112."""
    parcel = parcels.parse(reference)
    if parcel is None:
        return None
    arrondissements = arrondissements_of(parcel.commune_code)
    if not arrondissements:
        return str(parcel)
    arrondissement = parcel.commune_code[:2] + parcel.prefix
    is_one = arrondissement in arrondissements
    return str(parcel._replace(commune_code=arrondissement, prefix="000")) if is_one else None


def _count(text: str) -> int | None:
    match = _COUNT.fullmatch(text)
    return int(match[1]) if match else None
