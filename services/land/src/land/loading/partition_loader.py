"""Downloads and loads every file of a partition. A load that was interrupted runs again from the start."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import chain
from pathlib import Path

from sqlalchemy import Engine

from land.datasets.communes import queries as communes
from land.datasets.dataset import Dataset
from land.datasets.parcels import queries as parcels
from land.errors import DiskSpaceLow, FileMissing, SourceError, SourceUnavailable
from land.loading.disk_space import DiskSpace
from land.loading.download import download
from land.loading.files import DownloadLimits
from land.loading.load_queue import LoadKey
from land.loading.loader import load_empty, load_file
from land.loading.publisher_calls import Breakers
from land.sources.base import PartitionRequest
from land.sources.values import is_commune_code
from land.store import fetches, loads
from servicekit.clock import utc_now
from servicekit.database import for_writing
from servicekit.errors import expect

log = logging.getLogger(__name__)

MAX_LIST_BYTES = 4 * 1024**2
"""The largest size of a publisher's list of files."""
LINKED_AGE = timedelta(days=1)
"""What several partitions refer to is loaded again after this time."""
MAX_LINKED = 50
"""Files of one partition. A commune has easements of some 20 documents."""
GAP_AGE = timedelta(days=7)
"""A missing file means that there are no rows only if another file of its kind was downloaded in this time. Otherwise
the publisher may have moved all of them.
"""


class LoadCancelled(Exception):
    """The process ends."""


@dataclass(frozen=True)
class PartitionLoader:
    """Thread-safe."""

    engine: Engine
    scratch: Path
    limits: DownloadLimits
    disk: DiskSpace
    breakers: Breakers
    is_cancelled: Callable[[], bool]

    def load(self, dataset: Dataset, key: LoadKey) -> None:
        """Loads the files of a partition. If one fails, the others are loaded before the first error is raised.

        Files may be missing where the publisher leaves out what has no rows. Raises FileMissing if all are,
        SourceUnavailable, SourceError, DiskSpaceLow or LoadCancelled.
        """
        with for_writing(self.engine).begin() as connection:
            fetches.begin(connection, *key, utc_now())
        size_bytes = self._load_files(dataset, key)
        with for_writing(self.engine).begin() as connection:
            fetches.complete(connection, *key.id, utc_now(), size_bytes)
            loads.next_revision(connection, key.dataset)

    def _load_files(self, dataset: Dataset, key: LoadKey) -> int:
        """Returns the size of the records in bytes. Raises as `load`."""
        locate, box = partial(self._locate, key.commune_code), partial(self._box, key.commune_code)
        request = PartitionRequest(key.commune_code, key.partition, locate, self._read_list, box)
        urls = dataset.reader.urls(request)
        size_bytes = 0
        errors: list[SourceUnavailable | SourceError] = []
        for url in chain(urls, self._linked_urls(dataset, key)):
            try:
                size_bytes += self._load_found(dataset, url, key)
            except (SourceUnavailable, SourceError) as error:
                errors.append(error)
        failures = [error for error in errors if not isinstance(error, FileMissing)]
        if failures or len(errors) == len(urls):
            first, *others = failures or errors
            for other in others:
                first.add_note(reason_of(other))
            raise first
        if is_commune_code(key.partition) or dataset.is_never_empty:
            load_empty(self.engine, dataset, key.partition, urls[0])
        return size_bytes

    def _load_found(self, dataset: Dataset, url: str, key: LoadKey) -> int:
        """Loads a file, or the same rows of one for more partitions. Raises FileMissing if there are none, and
        SourceUnavailable if the publisher has none of these files.
        """
        try:
            return self._load_file(dataset, url, key)
        except FileMissing as error:
            if self._is_gap(dataset, url):
                raise
            for wider_url in dataset.reader.wider_urls(url):
                with suppress(FileMissing):
                    return self._load_file(dataset, wider_url, key)
            raise SourceUnavailable(error.detail) from error

    def _is_gap(self, dataset: Dataset, url: str) -> bool:
        """Whether the publisher has no rows for a file that is missing."""
        part = dataset.reader.part_with_gaps(url)
        with self.engine.connect() as connection:
            return part is not None and loads.has_rows_since(connection, dataset.id, part, utc_now(minus=GAP_AGE))

    def _locate(self, commune_code: str) -> tuple[float, float]:
        """The commune's centre, as longitude and latitude. Raises SourceUnavailable if no loaded list has it."""
        with self.engine.connect() as connection:
            return expect(
                communes.centre(connection, commune_code),
                SourceUnavailable(f"{commune_code}: no loaded list of communes gives its coordinates"),
            )

    def _read_list(self, url: str) -> bytes:
        limits = replace(self.limits, max_bytes=MAX_LIST_BYTES)
        try:
            with self._requested(url), download(url, self.scratch, limits) as file:
                return file.path.read_bytes()
        except FileMissing as error:  # a list that has moved says nothing of the files
            raise SourceUnavailable(error.detail) from error

    def _box(self, commune_code: str, metres: float) -> Sequence[float]:
        """The box around the commune's parcels. Raises SourceUnavailable if its plan is not loaded."""
        with self.engine.connect() as connection:
            return expect(
                parcels.box_of(connection, commune_code, metres),
                SourceUnavailable(f"{commune_code}: no loaded plan tells its place"),
            )

    def _linked_urls(self, dataset: Dataset, key: LoadKey) -> Iterator[str]:
        """The further files of what the loaded rows refer to. They are looked up after the partition's own files."""
        if dataset.linked is not None:
            with self.engine.connect() as connection:
                names = dataset.linked(connection, key.partition, utc_now(minus=LINKED_AGE))
            yield from dataset.reader.linked_urls(names[:MAX_LINKED])

    def _load_file(self, dataset: Dataset, url: str, key: LoadKey) -> int:
        """Returns the size of the records in bytes. Raises as `load_file`, and DiskSpaceLow."""
        self.disk.require()
        with self._requested(url):
            summary = load_file(
                self.engine,
                dataset,
                url,
                self.scratch,
                commune=key.partition if dataset.kind in ("commune", "filing_commune") else None,
                department=key.partition if dataset.kind == "department" else None,
                only=key.partition if dataset.kind == "document" else None,
                limits=self.limits,
                on_download=self._check,
                is_import=False,
            )
        log.info(
            "file loaded on demand",
            extra={**key._asdict(), "edition": summary.edition, "rows": summary.row_count, "url": url},
        )
        return summary.size_bytes

    @contextmanager
    def _requested(self, url: str) -> Iterator[None]:
        """Tells the breaker of the host how a request ended. Raises SourceUnavailable if the host failed repeatedly."""
        if not self.breakers.allows(url):
            raise SourceUnavailable(f"{url}: not requested, since its host failed repeatedly")
        try:
            yield
        except (FileMissing, SourceError):  # the host answered
            self.breakers.succeeded(url)
            raise
        except SourceUnavailable:
            self.breakers.failed(url)
            raise
        self.breakers.succeeded(url)

    def _check(self, done_bytes: int, total_bytes: int | None) -> None:
        if self.is_cancelled():
            raise LoadCancelled
        self.disk.require(done_bytes, total_bytes)


def reason_of(error: Exception) -> str:
    """Why a load failed, for operators."""
    is_known = isinstance(error, SourceUnavailable | SourceError | DiskSpaceLow)
    detail = str(getattr(error, "detail", error)) if is_known else f"a defect of the program: {error!r}, see the log"
    return "; ".join((detail, *getattr(error, "__notes__", ())))
