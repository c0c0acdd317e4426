"""Background maintenance of data that was loaded on demand: records its use, and refreshes it when it is outdated."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from datetime import timedelta

from sqlalchemy import Engine

from land.loading.load_queue import LoadKey
from land.loading.on_demand import OnDemand
from land.store import fetches
from servicekit.background import Repeated
from servicekit.clock import utc_now
from servicekit.database import for_writing

INTERVAL_S = 60.0
RECORD_INTERVAL_S = 3600.0
"""The use of a commune is recorded at most this often. Eviction needs no finer order."""
MAX_RECORDED = 50_000
FLUSH_BATCH = 500
MAX_OUTDATED = 1_000
REFRESH_BATCH = 10
"""Partitions that one run refreshes."""


class UsageLog:
    """Collects the communes that answers were about. Thread-safe."""

    def __init__(self, engine: Engine, on_demand: OnDemand) -> None:
        self._engine = engine
        self._on_demand = on_demand
        self._recorded_at: dict[str, float] = {}
        self._pending: set[str] = set()
        self._lock = threading.Lock()

    def note(self, commune_code: str) -> None:
        now = time.monotonic()
        if now - self._recorded_at.get(commune_code, -RECORD_INTERVAL_S) < RECORD_INTERVAL_S:
            return
        with self._lock:
            if len(self._recorded_at) >= MAX_RECORDED:
                self._recorded_at.clear()
            self._recorded_at[commune_code] = now
            self._pending.add(commune_code)

    def flush(self) -> None:
        """Writes the use of these communes' partitions to the store."""
        with self._lock:
            pending, self._pending = self._pending, set()
        codes = sorted(pending)
        for start in range(0, len(codes), FLUSH_BATCH):
            used = self._on_demand.keys_in_use(codes[start : start + FLUSH_BATCH])
            with for_writing(self._engine).begin() as connection:
                fetches.use(connection, sorted({key.id for key in used}), utc_now())


class Maintenance(Repeated):
    """A background task that runs every INTERVAL_S: loads missing national lists, warms caches, writes the usage log,
    refreshes outdated partitions and purges.
    """

    def __init__(
        self,
        engine: Engine,
        on_demand: OnDemand,
        usage: UsageLog,
        warm_caches: Callable[[], None],
        refresh_days: int,
        purge: Callable[[], None] = lambda: None,
    ) -> None:
        """`refresh_days` 0 turns refreshing off. `purge` deletes what is too old."""
        super().__init__("maintenance", INTERVAL_S, self._maintain)
        self._purge = purge
        self._engine = engine
        self._warm_caches = warm_caches
        self._on_demand = on_demand
        self._usage = usage
        self._max_age = timedelta(days=refresh_days)

    def _maintain(self) -> None:
        self._on_demand.load(self._on_demand.missing(self._on_demand.national_keys()), INTERVAL_S)
        self._warm_caches()
        self._usage.flush()
        self.refresh_outdated()
        self._purge()

    def refresh_outdated(self) -> None:
        """Loads the oldest outdated partitions again, and waits for these loads to end."""
        if not self._max_age:
            return
        instant = utc_now(minus=self._max_age)
        with self._engine.connect() as connection:
            outdated = fetches.fetched_before(connection, instant, MAX_OUTDATED)
        keys = [LoadKey(fetch.dataset, fetch.partition, fetch.commune_code) for fetch in outdated]
        preferred = [key for key in keys if not self._on_demand.has_failed(key)] or keys
        futures = [self._on_demand.refresh(key, instant) for key in preferred[:REFRESH_BATCH]]
        wait([future for future in futures if future is not None])
