"""Fetches a commune's files from their publishers when somebody asks for its land, once, however many ask.

A job is one dataset over one publisher's unit. Jobs run in a few threads of their own; who needs one waits for it as
long as he can, and the job goes on without him. Across replicas a lock lets one fetch; the others then find it done.
A job that was ended midway is done again by the next who asks, from where its download stopped.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from land import registry
from land.errors import DiskSpaceLow, FileMissing, SourceError, SourceUnavailable
from land.loading.breaker import Breakers
from land.loading.disk import DiskSpace, folders_of
from land.loading.eviction import evict
from land.loading.fetch import Limits, forget_parts
from land.loading.load_queue import OWN, Key, LoadQueue, State
from land.loading.loader import load_empty, load_file
from land.partitions import COUNTRY
from land.registry import Dataset
from land.sources.base import DocumentSource, NationalSource, PlaceSource, Source
from land.sources.selection import is_commune_code
from land.store import communes, fetches, locks, planning
from land.store.snapshot import snapshot
from servicekit.database import for_writing

log = logging.getLogger(__name__)

_ABANDONED_S = 24 * 3600.0

ON_DEMAND_LIMITS = Limits(512 * 1024**2, connect_s=2.0, read_s=10.0, total_s=120.0)
"""A caller waits, and a thread is held: shorter than for an import by hand."""


@dataclass(frozen=True)
class Bounds:
    """What loading on demand may take."""

    at_once: int = 4
    per_requester: int = 100
    """Loads of one requester that wait or run."""
    store_bytes: int = 0
    """That the store may occupy before what was fetched on demand is dropped; 0 for no bound."""
    kept_free_bytes: int = 0
    """Of disk space."""
    download: Limits = ON_DEMAND_LIMITS


def connections_of(at_once: int) -> int:
    """How many connections that many loads hold at most: each one for its lock and one to write, and one of them
    another for the lock under which room is made.
    """
    return 2 * at_once + 1


class Ending(Exception):
    """The process ends, and its jobs with it."""


class OnDemand:
    """Safe for threads. Its threads end with the process, in the middle of whatever they do: a job stands that."""

    def __init__(
        self,
        engine: Engine,
        datasets: Mapping[str, Dataset],
        folder: Path,
        bounds: Bounds | None = None,
        breakers: Breakers | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._datasets = datasets
        self._scratch = folder / "scratch"
        self._lock_folder = folder / "locks"
        self._bounds = bounds or Bounds()
        self._breakers = breakers or Breakers()
        self._disk = DiskSpace(folders_of(engine, self._scratch), self._bounds.kept_free_bytes)
        self._loads = LoadQueue(self._failure_of, self._bounds.at_once, self._bounds.per_requester, clock)

    def start(self) -> None:
        self._scratch.mkdir(parents=True, exist_ok=True)
        forget_parts(self._scratch, _ABANDONED_S)
        self._loads.start()

    def end(self) -> None:
        """Takes nothing more on, and lets what runs end soon."""
        self._loads.end()

    def keys(self, commune_code: str, only: Sequence[str] | None = None) -> list[Key]:
        """Every dataset that has files of this commune, addresses and parcels first, the others as they are listed. Of
        planning documents, the commune's own.
        """
        found = [
            Key(dataset.id, dataset.code_of(commune_code), commune_code)
            for dataset in self._datasets.values()
            if dataset.kind != "country"
            and (only is None or dataset.id in only)
            and dataset.hosts
            and dataset.is_published(commune_code)
        ]
        first = (*registry.ADDRESSES, registry.PARCELS.id)
        return sorted(found, key=lambda key: first.index(key.dataset) if key.dataset in first else len(first))

    def shared_plan_keys(self, commune_codes: Sequence[str]) -> dict[str, list[Key]]:
        """By commune, the planning documents that it may share with others, as far as is known: who has the datasets of
        `keys` brought in knows all. Raises StoreUnavailable.
        """
        with snapshot(self._engine) as connection:
            found = planning.partitions_of(connection, commune_codes)
        readers = [dataset.id for dataset in self._datasets.values() if dataset.kind == "document"]
        return {
            code: [Key(dataset, partition, code) for partition in partitions for dataset in readers]
            for code, partitions in found.items()
        }

    def keys_in_use(self, commune_codes: Sequence[str]) -> list[Key]:
        """Everything that an answer on land in these communes may draw on. Raises StoreUnavailable."""
        shared = self.shared_plan_keys(commune_codes)
        return [key for code in commune_codes for key in (*self.keys(code), *shared[code])]

    def national_keys(self) -> list[Key]:
        """The lists of communes."""
        return [Key(dataset.id, COUNTRY, COUNTRY) for dataset in self._datasets.values() if dataset.kind == "country"]

    def missing(self, keys: Iterable[Key]) -> list[Key]:
        """Those that are not wholly there. Raises StoreUnavailable."""
        wanted = list(keys)
        with snapshot(self._engine) as connection:
            present = fetches.present(connection, (key.unit for key in wanted))
        return [key for key in wanted if (key.dataset, key.unit) not in present]

    def was_fetched(self, key: Key) -> bool:
        """Whether it came, or began to come, on demand. Raises StoreUnavailable."""
        with snapshot(self._engine) as connection:
            return fetches.find(connection, key.dataset, key.unit) is not None

    def bring(self, keys: Sequence[Key], wait_s: float, requester: str = OWN) -> dict[Key, State]:
        """Loads these keys, which are missing, for a requester. Returns the state of each after at most so long; at
        once where one of them is refused.
        """
        futures = {key: self._loads.submit(key, "", requester) for key in keys}
        is_refused = any(self._loads.state(key, future) == "refused" for key, future in futures.items())
        awaited = [future for key, future in futures.items() if future is not None and not self.has_failed(key)]
        if awaited and wait_s > 0 and not is_refused:
            wait(awaited, wait_s)
        return {key: self._loads.state(key, future) for key, future in futures.items()}

    def refresh(self, key: Key, older_than: str) -> Future[None] | None:
        """Has it fetched again where that was not done since the instant; None where too much waits already."""
        return self._loads.submit(key, older_than, OWN)

    def has_failed(self, key: Key) -> bool:
        """Whether the last try failed, here."""
        return self._loads.has_failed(key)

    def _failure_of(self, key: Key, older_than: str) -> Exception | None:
        """Does the job. What went wrong, which is in the log too."""
        try:
            with locks.held(
                self._engine, f"{key.dataset} {key.unit}", self._lock_folder, lambda: self._loads.is_ending
            ) as is_held:
                if is_held and not self._is_done(key, older_than):
                    self._load(key)
        except (SourceUnavailable, SourceError, DiskSpaceLow) as error:
            log.warning("a file could not be loaded", extra={**key._asdict(), "reason": str(error)})
            return error
        except (OSError, SQLAlchemyError) as error:
            log.exception("a load failed", extra=key._asdict())
            return error
        except Ending as error:
            return error
        except Exception as error:
            # A reader may fail in ways of its own on a file that nobody has seen; the thread serves others too.
            log.exception("a load failed", extra=key._asdict())
            return error
        return None

    def _is_done(self, key: Key, older_than: str) -> bool:
        """Whether another process did it while we waited for the lock."""
        with self._engine.connect() as connection:
            if not older_than:
                return (key.dataset, key.unit) in fetches.present(connection, [key.unit])
            found = fetches.find(connection, key.dataset, key.unit)
        return found is not None and found.is_complete and found.fetched_at >= older_than

    def _load(self, key: Key) -> None:
        """Loads every file of the key that can be had. Raises what the first of the others failed with."""
        with for_writing(self._engine).begin() as connection:
            fetches.begin(connection, key.dataset, key.unit, key.commune_code, now())
        dataset = self._datasets[key.dataset]
        urls = self._urls(dataset.source, key)
        size_bytes = 0
        missing: list[FileMissing] = []
        failed: list[SourceUnavailable | SourceError] = []
        for url in urls:
            try:
                size_bytes += self._load_one(dataset, url, key)
            except FileMissing as error:
                missing.append(error)
            except (SourceUnavailable, SourceError) as error:
                failed.append(error)
        if failed:
            raise failed[0]
        if len(missing) == len(urls):
            raise missing[0]
        if is_commune_code(key.unit):
            load_empty(self._engine, dataset, key.unit, urls[0])
        with for_writing(self._engine).begin() as connection:
            fetches.complete(connection, key.dataset, key.unit, now(), size_bytes)
        if self._bounds.store_bytes:
            with locks.held(self._engine, "eviction", self._lock_folder, lambda: self._loads.is_ending) as is_held:
                if is_held:
                    used = {each.unit for each in self.keys_in_use([key.commune_code])}
                    evict(self._engine, self._bounds.store_bytes, keep=used)

    def _urls(self, source: Source, key: Key) -> list[str]:
        if key.unit == COUNTRY and isinstance(source, NationalSource):
            return source.national_urls()
        if isinstance(source, DocumentSource):
            return source.document_urls(key.unit)
        if isinstance(source, PlaceSource):
            with self._engine.connect() as connection:
                middle = communes.middle(connection, key.commune_code)
            if middle is None:
                raise SourceUnavailable(f"{key.commune_code}: no list of communes that is loaded says where it lies")
            return source.place_urls(*middle)
        return source.urls(key.commune_code)

    def _load_one(self, dataset: Dataset, url: str, key: Key) -> int:
        """Returns the size of the records in bytes. Raises as `load_file`, and DiskSpaceLow."""
        self._disk.require()
        if not self._breakers.allows(url):
            raise SourceUnavailable(f"{url}: its host has not answered of late")
        is_document = dataset.kind == "document"
        commune = None if is_document or key.unit == COUNTRY else key.commune_code
        try:
            summary = load_file(
                self._engine,
                dataset,
                url,
                self._scratch,
                commune=commune,
                only=key.unit if is_document else None,
                limits=self._bounds.download,
                downloaded=self._check,
                is_import=False,
            )
        except (FileMissing, SourceError):
            self._breakers.succeeded(url)
            raise
        except SourceUnavailable:
            self._breakers.failed(url)
            raise
        self._breakers.succeeded(url)
        log.info(
            "loaded on demand",
            extra={**key._asdict(), "edition": summary.edition, "rows": summary.row_count, "url": url},
        )
        return summary.size_bytes

    def _check(self, done: int, total: int | None) -> None:
        if self._loads.is_ending:
            raise Ending
        self._disk.require(done, total)


def now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
