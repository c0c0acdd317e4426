"""Loads one file of one dataset: reads it whole, then replaces unit by unit, each in one transaction.

A reader of the store sees a unit's old edition or its new one. A file that turns out to be unreadable changes nothing;
a unit whose records are the same as those loaded is left alone.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from sqlalchemy import Engine

from land import registry
from land.errors import FileMissing, SourceUnavailable, UnreadableFile
from land.loading.fetch import Fetched, Limits, Progress, fetched, is_address
from land.loading.spool import Spool, digest
from land.partitions import Partition
from land.records.parcels import ParcelRecord
from land.registry import Dataset
from land.sources.base import Account, ServiceSource, Source
from land.store import fetches, loads
from land.store.parcels import keep_vanished
from servicekit.database import for_writing

LAYOUT = 6
"""Goes up when the same records are kept in another form, so that loading a file again brings it about."""

TOLD_RECORDS = 10_000
"""After so many more a reading's progress is told."""

MAX_PAGED_ROWS = 50_000
"""Of one answer that comes in pages, which is held in memory as it is written: several times what the layers of the
largest plans have."""
MAX_PAGES = 50
"""Of one answer. Together they are no larger than one file may be."""


@dataclass
class Summary:
    """What a load did. `units` are the changed ones; rates are the caller's to compute."""

    dataset: str
    file: str
    edition: str
    newer_count: int = 0
    """Units of which a newer edition was loaded, whose place this one took."""
    row_count: int = 0
    rejected_count: int = 0
    repaired_count: int = 0
    rejections: list[str] = field(default_factory=list)
    unknown_values: Counter[str] = field(default_factory=Counter)
    """By column, codes and dates that the publisher's dictionary does not know."""
    units: list[Partition] = field(default_factory=list)
    unchanged: list[Partition] = field(default_factory=list)
    size_bytes: int = 0
    """Of the records."""


Told = Callable[[str, int, int], None]
"""Told of a phase ("read" with rows, "load" with units), how many are done, and of how many (0: not known)."""


def load_file(
    engine: Engine,
    dataset: Dataset,
    location: str,
    scratch: Path,
    *,
    commune: str | None = None,
    department: str | None = None,
    only: str | None = None,
    edition: str | None = None,
    told: Told = lambda phase, done, total: None,
    limits: Limits | None = None,
    downloaded: Progress = lambda done, total: None,
    is_import: bool = True,
) -> Summary:
    """Loads a path or an http(s) address. With `commune`, `department` or `only`, a unit's code, only theirs. `edition`
    counts more than what the file states.

    With `is_import` its units count as loaded, whatever a fetch on demand missed, and are never evicted. Loading on
    demand passes False, since it records its own fetches.

    Raises SourceError or SourceUnavailable, with the store as it was.
    """

    source = dataset.source

    def read(file: Fetched, account: Account, spool: Spool) -> None:
        for count, (unit, record) in enumerate(source.read(file.path, account, commune, department), start=1):
            if only is None or unit.code == only:
                spool.add(unit, record)
            if count % TOLD_RECORDS == 0:
                told("read", account.row_count, 0)

    with fetched(location, scratch, limits, downloaded) as file, ExitStack() as spools:
        account, spool = Account(file.name), spools.enter_context(Spool(scratch))
        read(file, account, spool)
        if account.expected_count is not None and account.row_count < account.expected_count:
            first, account, spool = account, Account(file.name), spools.enter_context(Spool(scratch))
            left = limits or Limits()
            for page in _pages(source, location, first, account):
                try:
                    with fetched(page, scratch, left, downloaded) as part:
                        left = replace(left, max_bytes=left.max_bytes - part.path.stat().st_size)
                        read(part, account, spool)
                except FileMissing as error:  # of an answer that the publisher has
                    raise SourceUnavailable(error.detail) from error
        told("read", account.row_count, account.row_count)
        summary = Summary(
            dataset.id,
            file.name,
            edition or source.edition(file.path, file.edition_hint) or loads.UNKNOWN_EDITION,
            row_count=account.row_count,
            rejected_count=account.rejected_count,
            repaired_count=account.repaired_count,
            rejections=account.rejections,
            unknown_values=account.unknown_values,
        )
        units = spool.units()
        asked = source.unit_asked(location, commune) if isinstance(source, ServiceSource) else None
        if asked is not None and asked not in units:
            units.append(asked)
        summary.size_bytes = spool.size
        with engine.connect() as connection:
            summary.newer_count = loads.newer_count(connection, dataset.id, units, summary.edition)
        for done, unit in enumerate(units, 1):
            records: Iterable[object]
            if dataset.is_streamed:
                mark, records = digest(spool.records(unit)), map(dataset.record, spool.records(unit))
            else:
                values = list(spool.records(unit))
                mark, records = digest(values), list(map(dataset.record, values))
            load = loads.Load(
                dataset=dataset.id,
                partition=unit,
                edition=summary.edition,
                url=file.url,
                retrieved_at=file.retrieved_at,
                loaded_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
                row_count=spool.count(unit),
                rejected_count=account.rejected_count if len(units) == 1 else 0,
                digest=f"{mark}-{LAYOUT}",
            )
            changed = replace_unit(engine, load, records, is_import=is_import)
            (summary.units if changed else summary.unchanged).append(unit)
            told("load", done, len(units))
    return summary


def _pages(source: Source, location: str, first: Account, account: Account) -> Iterator[str]:
    """The addresses of the pages that together have what the first answer gave a part of. The reader of each adds its
    rows to `account` before the next is asked for.

    Raises UnreadableFile where there are no such pages, too many rows, or other rows than there should be.
    """
    whole = first.expected_count or 0
    part = f"{first.file}: only {first.row_count} of the {whole} features that the publisher has"
    if whole > MAX_PAGED_ROWS:
        raise UnreadableFile(f"{part}, which are more than {MAX_PAGED_ROWS}")
    for _ in range(MAX_PAGES):
        start = account.row_count
        page = source.page_url(location, start) if isinstance(source, ServiceSource) else None
        if page is None:
            raise UnreadableFile(part)
        yield page
        if account.row_count == start or account.expected_count not in (None, whole):
            raise UnreadableFile(f"{first.file}: {account.row_count} of {whole} features: it changed while it was read")
        if account.row_count >= whole:
            return
    raise UnreadableFile(f"{part}, in more than {MAX_PAGES} pages")


def load_empty(engine: Engine, dataset: Dataset, unit: str, url: str) -> None:
    """Notes that the publisher has nothing of a unit of which no part is loaded: none is a fact, and not a gap."""
    with engine.connect() as connection:
        if loads.parts_of(connection, dataset.id, unit):
            return
    now = datetime.now(UTC)
    empty = loads.Load(
        dataset=dataset.id,
        partition=Partition(unit),
        edition=loads.UNKNOWN_EDITION,
        url=url,
        retrieved_at=f"{now:%Y-%m-%dT%H:%M:%SZ}",
        loaded_at=f"{now:%Y-%m-%dT%H:%M:%SZ}",
        row_count=0,
        rejected_count=0,
        digest="empty",
    )
    replace_unit(engine, empty, [], is_import=False)


def replace_unit(engine: Engine, load: loads.Load, records: Iterable[object], *, is_import: bool = True) -> bool:
    """Puts the records in the place of the unit's loaded ones.

    False where they are the same and of the same edition, or of one that is not known. Of a download it is then noted
    that they were retrieved again.
    """
    with for_writing(engine).begin() as connection:
        loads.lock(connection, f"{load.dataset} {load.partition.code} {load.partition.part}")
        present = loads.find(connection, load.dataset, load.partition)
        is_same = present is not None and present.digest == load.digest
        is_changed = not (present and is_same and load.edition in (present.edition, loads.UNKNOWN_EDITION))
        if is_changed:
            if present and load.dataset == registry.PARCELS.id:
                keep_vanished(connection, present, load, cast(list[ParcelRecord], records))
            registry.DATASETS[load.dataset].replace(connection, load.partition, records)
            loads.put(connection, load)
        elif present and is_address(load.url) and load.retrieved_at > present.retrieved_at:
            loads.put(connection, replace(present, retrieved_at=load.retrieved_at))
        if is_import:  # last, as eviction does it, so that the two cannot deadlock
            fetches.forget(connection, load.dataset, load.partition.code)
    return is_changed
