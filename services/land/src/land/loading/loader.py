"""Loads one file of one dataset: reads it whole, then replaces unit by unit, each in one transaction.

A reader of the store sees a unit's old edition or its new one. A file that turns out to be unreadable changes nothing;
a unit whose records are the same as those loaded is left alone.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine

from land.loading.fetch import fetched
from land.loading.spool import Spool
from land.records import AddressRecord, DvfRow, ParcelRecord, ParcelReference, PermitRecord, Unit
from land.sources.base import Account, Source
from land.store import loads
from land.store.writing import REPLACE
from servicekit.database import for_writing

LAYOUT = 2
"""Goes up when the same records are kept in another form, so that loading a file again brings it about."""

_SHAPES: dict[str, Callable[[tuple[object, ...]], object]] = {
    "ban": AddressRecord._make,
    "cadastre-parcels": ParcelRecord._make,
    "dvf": DvfRow._make,
}


@dataclass
class Summary:
    """What a load did. `units` are the changed ones; rates are the caller's to compute."""

    dataset: str
    file: str
    edition: str
    row_count: int = 0
    rejected_count: int = 0
    repaired_count: int = 0
    rejections: list[str] = field(default_factory=list)
    unknown_values: Counter[str] = field(default_factory=Counter)
    """By column, codes and dates that the publisher's dictionary does not know."""
    units: list[Unit] = field(default_factory=list)
    unchanged: list[Unit] = field(default_factory=list)


Told = Callable[[str, int, int], None]
"""Told of a phase ("read" with rows, "load" with units), how many are done, and of how many (0: not known)."""


def load_file(
    engine: Engine,
    source: Source,
    location: str,
    scratch: Path,
    *,
    commune: str | None = None,
    department: str | None = None,
    told: Told = lambda phase, done, total: None,
) -> Summary:
    """Loads a path or an http(s) address. With `commune` or `department`, only theirs.

    Raises SourceError or SourceUnavailable, with the store as it was.
    """
    with fetched(location, scratch) as file, Spool(scratch) as spool:
        account = Account(file.name)
        for unit, record in source.read(file.path, account, commune, department):
            spool.add(unit, record)
            if account.row_count % 10_000 == 0:
                told("read", account.row_count, 0)
        told("read", account.row_count, account.row_count)
        summary = Summary(
            source.id,
            file.name,
            source.edition(file.path, file.name),
            account.row_count,
            account.rejected_count,
            account.repaired_count,
            account.rejections,
            account.unknown_values,
        )
        units = spool.units()
        for done, unit in enumerate(units, 1):
            records = [_shape(source.id)(record) for record in spool.records(unit)]
            load = loads.Load(
                dataset=source.id,
                unit=unit,
                edition=summary.edition,
                url=file.url,
                retrieved_at=file.retrieved_at,
                loaded_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
                row_count=len(records),
                rejected_count=account.rejected_count if len(units) == 1 else 0,
                digest=f"{spool.digest(unit)}-{LAYOUT}",
            )
            changed = replace_unit(engine, load, records)
            (summary.units if changed else summary.unchanged).append(unit)
            told("load", done, len(units))
    return summary


def replace_unit(engine: Engine, load: loads.Load, records: list[object]) -> bool:
    """Puts the records in the place of the unit's loaded ones. False where they are the same, edition and all."""
    with for_writing(engine).begin() as connection:
        loads.lock(connection, f"{load.dataset} {load.unit.code} {load.unit.part}")
        present = loads.find(connection, load.dataset, load.unit)
        if present and (present.digest, present.edition) == (load.digest, load.edition):
            return False
        REPLACE[load.dataset](connection, load.dataset, load.unit, records)
        loads.put(connection, load)
    return True


def _shape(dataset: str) -> Callable[[tuple[object, ...]], object]:
    return _SHAPES.get(dataset, _permit)


def _permit(values: tuple[object, ...]) -> PermitRecord:
    record = PermitRecord._make(values)
    return record._replace(references=tuple(ParcelReference._make(r) for r in record.references))
