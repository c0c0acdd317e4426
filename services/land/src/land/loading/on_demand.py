"""On-demand loading: lists the partitions that a commune needs, and loads those that are missing.

Each partition is loaded once, even if several callers or replicas ask for it: a lock across replicas protects the load.
A caller waits for as long as it can; the load continues without it.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from land.datasets.communes import queries as communes
from land.datasets.dataset import Dataset
from land.datasets.partitions import COUNTRY
from land.datasets.planning import queries as planning
from land.errors import DiskSpaceLow, SourceError, SourceUnavailable
from land.loading.disk_space import DiskSpace, evict
from land.loading.download import delete_stale_parts
from land.loading.files import DownloadLimits
from land.loading.load_queue import INTERNAL, LoadKey, LoadQueue, LoadState
from land.loading.partition_loader import LoadCancelled, reason_of
from land.loading.publisher_calls import Breakers
from land.loading.regulation_loader import RegulationLoader
from land.loading.second_reader import SecondReader
from land.store import fetches
from land.store.snapshot import snapshot
from land.store.standbys import Servers
from land.store.unit_file import UnitFile
from servicekit import locks
from servicekit.clock import utc_now
from servicekit.database import for_writing
from servicekit.logs import LogLimit

log = logging.getLogger(__name__)

_STALE_PART_S = 24 * 3600.0

DOWNLOAD_LIMITS = DownloadLimits(512 * 1024**2, connect_s=2.0, read_s=10.0, total_s=120.0)
"""Stricter than for an import, since a caller waits and the download occupies a thread."""


@dataclass(frozen=True)
class LoadLimits:
    """Limits of on-demand loading."""

    max_concurrent: int = 4
    max_per_requester: int = 100
    """Loads of one requester that wait or run."""
    max_store_bytes: int = 0
    """Size of the store above which partitions are evicted; 0 for no limit."""
    min_free_bytes: int = 0
    """Disk space that loads leave free."""
    download: DownloadLimits = DOWNLOAD_LIMITS


class OnDemand:
    """Thread-safe. Its threads are daemons: the end of the process may interrupt a load, which a later load repairs."""

    def __init__(
        self,
        engine: Engine,
        datasets: Mapping[str, Dataset],
        folder: Path,
        limits: LoadLimits | None = None,
        breakers: Breakers | None = None,
        clock: Callable[[], float] = time.monotonic,
        servers: Servers | None = None,
        units: UnitFile | None = None,
        second_reader: SecondReader | None = None,
    ) -> None:
        """Only those standbys of `servers` answer afterwards that have what is loaded here. The file `units` counts as
        a part of the store.
        """
        limits = limits or LoadLimits()
        self._engine = engine
        self._servers = servers or Servers(engine)
        self._units = units
        self._datasets = datasets
        self._scratch = folder / "scratch"
        self._max_store_bytes = limits.max_store_bytes
        self._log_limit = LogLimit(clock)
        self._queue = LoadQueue(self._run, limits.max_concurrent, limits.max_per_requester, clock)
        self.has_failed = self._queue.has_failed
        self.end = self._queue.end
        disk = DiskSpace(engine, self._scratch, limits.min_free_bytes)
        self._loader = RegulationLoader(
            engine, self._scratch, limits.download, disk, breakers or Breakers(), self._is_ending, second_reader
        )

    def start(self) -> None:
        self._scratch.mkdir(parents=True, exist_ok=True)
        delete_stale_parts(self._scratch, _STALE_PART_S)
        self._queue.start()

    def keys(self, commune_code: str, only: Sequence[str] | None = None) -> list[LoadKey]:
        """The partitions of every dataset, or of the datasets `only`, that is published for the commune.

        They are in the order of their datasets: addresses and parcels come first. Of planning documents, only the
        commune's own is listed. Datasets that need the plan are in `later_keys`, unless they are named.
        """
        return [
            LoadKey(dataset.id, dataset.code_of(commune_code), commune_code)
            for dataset in self._datasets.values()
            if dataset.kind != "country"
            and (not dataset.needs_plan if only is None else dataset.id in only)
            and dataset.hosts
            and not dataset.is_asked
            and dataset.is_published(commune_code)
        ]

    def later_keys(self, commune_codes: Sequence[str]) -> dict[str, list[LoadKey]]:
        """What is loaded for each commune after all its `keys`: every planning document that may apply there, the
        permits filed in communes that merged into it, and what is asked for by the place of its parcels. Raises
        StoreUnavailable.
        """
        with snapshot(self._engine) as connection:
            documents = planning.partitions_of(connection, commune_codes)
            merged = communes.merged_communes(connection, commune_codes)
        readers = [dataset.id for dataset in self._datasets.values() if dataset.kind == "document"]
        permits = [dataset.id for dataset in self._datasets.values() if dataset.kind == "filing_commune"]
        by_place = [name for name, dataset in self._datasets.items() if dataset.needs_plan and name not in readers]
        return {
            code: [
                *(LoadKey(dataset, document, code) for document in documents[code] for dataset in readers),
                *(LoadKey(dataset, former, code) for former in merged[code] for dataset in permits),
                *self.keys(code, by_place),
            ]
            for code in commune_codes
        }

    def keys_in_use(self, commune_codes: Sequence[str]) -> list[LoadKey]:
        """All partitions that an answer about these communes may use. Raises StoreUnavailable."""
        later = self.later_keys(commune_codes)
        return [key for code in commune_codes for key in (*self.keys(code), *later[code])]

    def national_keys(self) -> list[LoadKey]:
        """The lists of communes."""
        national = (dataset.id for dataset in self._datasets.values() if dataset.kind == "country")
        return [LoadKey(dataset, COUNTRY, COUNTRY) for dataset in national]

    def missing(self, keys: Iterable[LoadKey]) -> list[LoadKey]:
        """The keys that are not loaded completely. Raises StoreUnavailable."""
        keys = list(keys)
        with snapshot(self._engine) as connection:
            present = fetches.present(connection, (key.partition for key in keys))
            self._servers.see(connection)
        return [key for key in keys if key.id not in present]

    def was_fetched(self, key: LoadKey) -> bool:
        """Whether the key was loaded on demand, if only in part, and not imported since. Raises StoreUnavailable."""
        with snapshot(self._engine) as connection:
            return fetches.find(connection, *key.id) is not None

    def load(self, keys: Sequence[LoadKey], wait_s: float, requester: str = INTERNAL) -> dict[LoadKey, LoadState]:
        """Loads missing keys for a requester. Returns the state of each after `wait_s` at most.

        Does not wait if one of the keys is refused, nor for keys whose previous load failed.
        """
        futures = {key: self._queue.submit(key, "", requester) for key in keys}
        is_refused = any(self._queue.state(key, future) == "refused" for key, future in futures.items())
        awaited = [future for key, future in futures.items() if future is not None and not self.has_failed(key)]
        if awaited and wait_s > 0 and not is_refused:
            wait(awaited, wait_s)
        return {key: self._queue.state(key, future) for key, future in futures.items()}

    def refresh(self, key: LoadKey, older_than: str) -> Future[None] | None:
        """Loads the key again unless its last load is newer than the instant.

        Returns None if the load is refused or failed recently.
        """
        return self._queue.submit(key, older_than, INTERNAL)

    def _is_ending(self) -> bool:
        return self._queue.is_ending

    def _run(self, key: LoadKey, older_than: str) -> Exception | None:
        """Runs one load of the queue. Returns its error.

        Logs the errors of a dataset at once, and then every five minutes while they last.
        """
        name = f"{key.dataset} {key.partition}"
        try:
            with locks.held(self._engine, name, self._is_ending) as is_held:
                if is_held and not self._is_done(key, older_than):
                    self._load(key)
            with snapshot(self._engine) as connection:
                self._servers.see(connection)
        except LoadCancelled as error:
            return error
        except (SourceUnavailable, SourceError, DiskSpaceLow) as error:
            if (suppressed := self._log_limit.take(key.dataset)) is not None:
                facts = {**key._asdict(), "reason": reason_of(error), "suppressed": suppressed}
                log.warning("load failed", extra=facts)
            return self._note(key, error)
        except Exception as error:
            # The thread must survive any error of a reader on an unexpected file, since it runs other loads too.
            log.exception("load failed", extra=key._asdict())
            return self._note(key, error)
        return None

    def _note(self, key: LoadKey, error: Exception) -> Exception:
        """Keeps why a load failed, for operators, unless the store fails. Returns the error."""
        with suppress(SQLAlchemyError), for_writing(self._engine).begin() as connection:
            fetches.begin(connection, *key, utc_now())
            fetches.fail(connection, *key.id, reason_of(error))
        return error

    def _load(self, key: LoadKey) -> None:
        dataset = self._datasets[key.dataset]
        if dataset.follows and (error := self._run(key._replace(dataset=dataset.follows), "")):
            raise error
        self._loader.load(dataset, key)
        self._evict(key.commune_code)

    def _is_done(self, key: LoadKey, older_than: str) -> bool:
        """Whether another process loaded the key while this one waited for the lock."""
        with self._engine.connect() as connection:
            if not older_than:
                return key.id in fetches.present(connection, [key.partition])
            fetch = fetches.find(connection, *key.id)
        return fetch is not None and fetch.is_complete and fetch.fetched_at >= older_than

    def _evict(self, commune_code: str) -> None:
        """Evicts partitions if the store is too large, except those of this commune, which was just loaded."""
        if not self._max_store_bytes:
            return
        with locks.held(self._engine, "eviction", self._is_ending) as is_held:
            if is_held:
                in_use = {key.partition for key in self.keys_in_use([commune_code])}
                max_bytes = self._max_store_bytes - (self._units.size_bytes if self._units else 0)
                for partition in evict(self._engine, max_bytes, in_use):
                    if self._units:
                        self._units.forget_commune(partition)
