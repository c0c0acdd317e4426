"""Loads one file of one dataset: reads the whole file, then replaces each partition in one transaction.

A reader of the store sees the previous edition of a partition or the new one. An unreadable file changes nothing. A
partition whose records have not changed is not replaced.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import cast

from sqlalchemy import Connection, Engine

from land import registry
from land.datasets.dataset import Dataset
from land.datasets.partitions import Partition
from land.errors import FileMissing, SourceUnavailable, UnreadableFile
from land.events.recording import load_events
from land.loading.files import IMPORT_LIMITS, DownloadLimits, LocalFile, OnDownload, is_url
from land.loading.record_spool import RecordSpool
from land.loading.row_version import row_version
from land.sources.base import CommuneFilter, FileReader, ReadReport
from land.store import fetches, loads
from land.store.repository import extent_of_inserts
from servicekit.clock import utc_now
from servicekit.database import for_writing
from servicekit.errors import expect

PROGRESS_RECORDS = 10_000
"""Records between two calls of `on_progress` while a file is read."""

LEAST_SHARE = 0.5
"""The rows of an edition, as a share of the last one: fewer are refused."""
MIN_COMPARED = 20
"""Rows of the last edition, from which on the numbers are compared."""
SAME_FOR = timedelta(hours=1)
"""A table with fewer rows than usual is believed if the publisher has given it for this time."""
MAX_PAGES = 100
"""Pages of one answer. Together they have at most the bytes that one file may have."""

OnProgress = Callable[[str, int, int], None]
"""Called with a phase, the count done and the total. "read" counts rows (total 0: unknown), "load" partitions."""


@dataclass(kw_only=True)
class LoadSummary(ReadReport):
    """What a load did: the reader's report, and what changed in the store."""

    dataset: str
    edition: str
    newer_count: int = 0
    """Partitions whose replaced edition was newer than this one."""
    changed: list[Partition] = field(default_factory=list)
    unchanged: list[Partition] = field(default_factory=list)
    size_bytes: int
    """Bytes of the records."""


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
    on_progress: OnProgress = lambda phase, done, total: None,
    limits: DownloadLimits = IMPORT_LIMITS,
    on_download: OnDownload = lambda done, total: None,
    is_import: bool = True,
) -> LoadSummary:
    """Loads a path or a URL, or only its rows of a `commune`, of a `department` or of the partition code `only`.

    `edition` replaces the edition that the file states. The partitions of an import count as complete, even if an
    on-demand load of them failed, and are never evicted. On-demand loading passes `is_import=False`.

    Raises SourceError or SourceUnavailable. The store is then unchanged.
    """
    reader, selection = dataset.reader, CommuneFilter(commune, department)
    queried = reader.asked_partition(location, commune)

    def read(file: LocalFile, report: ReadReport, spool: RecordSpool) -> None:
        for count, (partition, record) in enumerate(reader.read(file.path, report, selection), start=1):
            if queried is not None and partition.code == queried.code:
                partition = queried  # noqa: PLW2901 (the address tells the part better than a row)
            if only is None or partition.code == only:
                spool.add(partition, record)
            if count % PROGRESS_RECORDS == 0:
                on_progress("read", report.row_count, 0)

    with ExitStack() as stack:
        file = stack.enter_context(open_file(location, scratch, limits, on_download))
        report, spool = ReadReport(file.name), stack.enter_context(closing(RecordSpool(scratch)))
        read(file, report, spool)
        if report.expected_count is not None and report.row_count < report.expected_count:
            first = report
            if not reader.pages_continue:
                report, spool = ReadReport(file.name), stack.enter_context(closing(RecordSpool(scratch)))
            for url in _page_urls(reader, location, first, report):
                try:
                    with open_file(url, scratch, limits, on_download) as page:
                        limits = replace(limits, max_bytes=limits.max_bytes - page.path.stat().st_size)
                        read(page, report, spool)
                except FileMissing as error:  # the publisher has the file: a missing page is a failure
                    raise SourceUnavailable(error.detail) from error
        if report.row_count and report.rejected_count == report.row_count:  # an empty edition means: none exist
            raise UnreadableFile(f"every row was rejected, the first one as {report.rejections[0]}")
        on_progress("read", report.row_count, report.row_count)
        partitions = spool.partitions()
        if queried is not None and queried not in partitions:
            partitions.append(queried)
        summary = LoadSummary(
            **vars(report),
            dataset=dataset.id,
            edition=edition or reader.edition(file.path, file.edition_hint) or loads.UNKNOWN_EDITION,
            size_bytes=spool.size,
        )
        with engine.connect() as connection:
            summary.newer_count = loads.newer_count(connection, dataset.id, partitions, summary.edition)
            whole = Partition(only or commune or department or "")
            lost = [whole] if not (partitions or is_import) and loads.find(connection, dataset.id, whole) else []
            for partition in (*partitions, *lost):
                _refuse_loss(connection, dataset, partition, spool.count(partition), is_import=is_import)
        for done, load in enumerate(_loads(dataset, partitions, spool, file, summary), 1):
            is_changed = replace_partition(engine, load, spool.records(load.partition), is_import=is_import)
            (summary.changed if is_changed else summary.unchanged).append(load.partition)
            on_progress("load", done, len(partitions))
    return summary


def _loads(
    dataset: Dataset, partitions: Sequence[Partition], spool: RecordSpool, file: LocalFile, summary: LoadSummary
) -> Iterator[loads.Load]:
    version = row_version(dataset)
    for partition in partitions:
        yield loads.Load(
            dataset.id,
            partition,
            summary.edition,
            file.url,
            file.retrieved_at,
            loaded_at=utc_now(),
            row_count=spool.count(partition),
            rejected_count=summary.rejected_count if len(partitions) == 1 else 0,
            digest=f"{spool.digest(partition)}-{version}",
        )


def _refuse_loss(
    connection: Connection, dataset: Dataset, partition: Partition, count: int, *, is_import: bool
) -> None:
    """Raises UnreadableFile if a partition lacks most of its rows: a publisher's file was cut, or a layer failed.

    The first edition that is loaded on demand is compared with what else is known of the partition. A commune has at
    least a few lieux-dits and permits, but some have none. An operator may import a sample.
    """
    previous = loads.find(connection, dataset.id, partition)
    before = previous.row_count if previous else 0
    name = f"{partition.code} {partition.part}".rstrip()
    if dataset.is_never_empty and not count:
        raise UnreadableFile(f"{name}: no rows, which cannot be")
    if before >= MIN_COMPARED and count < before * LEAST_SHARE:
        raise UnreadableFile(f"{name}: {count} rows, after {before} of the last edition")
    least = 0 if previous or is_import else dataset.least_rows(connection, partition)
    if count < least:
        reason = f"{name}: {count} rows, where at least {least} are usual"
        last = fetches.find(connection, dataset.id, partition.code) if dataset.is_believed_twice else None
        if last is None or last.reason != reason or last.fetched_at > utc_now(minus=SAME_FOR):
            raise UnreadableFile(reason)


@contextmanager
def open_file(
    location: str,
    folder: Path,
    limits: DownloadLimits = IMPORT_LIMITS,
    on_download: OnDownload = lambda done, total: None,
) -> Iterator[LocalFile]:
    """Opens a path, or downloads a URL into `folder` and deletes the download at the end.

    Raises UnreadableFile if the path does not exist, FileMissing if the publisher has no such file, and
    SourceUnavailable if the download fails.
    """
    if is_url(location):
        from land.loading.download import download  # noqa: PLC0415 (httpx is a sixth of all imports of a command)

        with download(location, folder, limits, on_download) as file:
            yield file
        return
    path = Path(location)
    if not path.is_file():
        raise UnreadableFile(f"{location}: no such file")
    yield LocalFile(path, path.name, path.name, path.name, utc_now())


def _page_urls(reader: FileReader, location: str, first: ReadReport, report: ReadReport) -> Iterator[str]:
    """The URLs of the pages of an answer whose first response was incomplete. Before it asks for the next URL, the
    caller reads each page and adds its rows to `report`.

    Raises UnreadableFile if the source has no pages, if there are too many rows, or if their number changes.
    """
    expected = first.expected_count or 0
    incomplete = f"{first.file}: only {first.row_count} of the {expected} features that the publisher has"
    if expected > reader.max_paged_rows:
        raise UnreadableFile(f"{incomplete}, which are more than {reader.max_paged_rows}")
    for _ in range(MAX_PAGES):
        start = report.row_count
        yield expect(reader.page_url(location, report), UnreadableFile(incomplete))
        if report.row_count == start or report.expected_count not in (None, expected):
            raise UnreadableFile(
                f"{first.file}: {report.row_count} of {expected} features: it changed while it was read"
            )
        if report.row_count >= expected:
            return
    raise UnreadableFile(f"{incomplete}, in more than {MAX_PAGES} pages")


def load_empty(engine: Engine, dataset: Dataset, code: str, url: str, *, is_import: bool = False) -> None:
    """Records that the publisher has nothing for a partition, unless a part of it is loaded. Raises UnreadableFile if
    there should be something: an import may have less than is usual.
    """
    with engine.connect() as connection:
        if loads.parts_of(connection, dataset.id, code):
            return
        _refuse_loss(connection, dataset, Partition(code), 0, is_import=is_import)
    now = utc_now()
    load = loads.Load(dataset.id, Partition(code), loads.UNKNOWN_EDITION, url, now, now, 0, 0, digest="empty")
    replace_partition(engine, load, [], is_import=False)


def replace_partition(engine: Engine, load: loads.Load, records: Iterable[object], *, is_import: bool = True) -> bool:
    """Replaces the partition's records and its load, in one transaction.

    Returns False if the records are equal and the edition is equal or unknown: then only `retrieved_at` may change.
    """
    with for_writing(engine).begin() as connection:
        loads.lock(connection, f"{load.dataset} {load.partition.code} {load.partition.part}")
        previous = loads.find(connection, load.dataset, load.partition)
        is_same = previous is not None and previous.digest == load.digest
        is_changed = not (previous and is_same and load.edition in (previous.edition, loads.UNKNOWN_EDITION))
        if is_changed:
            dataset = registry.DATASETS[load.dataset]
            if not dataset.is_streamed:
                records = list(records)
            with load_events(connection, dataset, previous, load), extent_of_inserts(connection) as extent:
                if previous and dataset.keep and loads.is_newer(load.edition, previous.edition):
                    dataset.keep(connection, previous, load, cast(Sequence[object], records))
                registry.replace_rows(connection, dataset.id, load.partition, records)
            loads.put(connection, load, extent.box)
        elif previous and is_url(load.url) and load.retrieved_at > previous.retrieved_at:
            loads.put_retrieval(connection, previous, load.retrieved_at)
        if is_import:  # last, in the same order as eviction, so that the two cannot deadlock
            fetches.forget(connection, load.dataset, load.partition.code)
    return is_changed
