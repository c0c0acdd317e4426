"""What goes on beside requests: noting what was used, and fetching again what has become old."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from land.errors import StoreUnavailable
from land.loading.load_queue import Key
from land.loading.on_demand import OnDemand, now
from land.store import fetches
from servicekit.database import for_writing

log = logging.getLogger(__name__)

INTERVAL_S = 60.0
NOTED_S = 3600.0
"""A commune's use is written at most this often: enough to tell what is used from what is not."""
MAX_NOTED = 50_000
WRITTEN_AT_ONCE = 500
MAX_LOOKED_AT = 1_000
AT_A_TIME = 10
"""Outdated fetches that are done again each time."""


class UsageLog:
    """Collects the communes that served answers. Safe for threads."""

    def __init__(self, engine: Engine, on_demand: OnDemand, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._on_demand = on_demand
        self._clock = clock
        self._noted: dict[str, float] = {}
        self._pending: set[str] = set()
        self._lock = threading.Lock()

    def note(self, commune_code: str) -> None:
        at = self._clock()
        if at - self._noted.get(commune_code, -NOTED_S) < NOTED_S:
            return
        with self._lock:
            if len(self._noted) >= MAX_NOTED:
                self._noted.clear()
            self._noted[commune_code] = at
            self._pending.add(commune_code)

    def write(self) -> None:
        with self._lock:
            pending, self._pending = self._pending, set()
        if not pending:
            return
        codes = sorted(pending)
        for start in range(0, len(codes), WRITTEN_AT_ONCE):
            used = self._on_demand.keys_in_use(codes[start : start + WRITTEN_AT_ONCE])
            with for_writing(self._engine).begin() as connection:
                fetches.use(connection, sorted({(key.dataset, key.unit) for key in used}), now())


class Upkeep:
    """A thread that does it, from `start` to the end of the process."""

    def __init__(
        self, engine: Engine, on_demand: OnDemand, usage: UsageLog, prepare: Callable[[], None], refresh_days: int
    ) -> None:
        """With `refresh_days` 0 nothing is fetched again. `prepare` reads what somebody would otherwise wait for."""
        self._engine = engine
        self._prepare = prepare
        self._on_demand = on_demand
        self._usage = usage
        self._age = timedelta(days=refresh_days)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ending.set()

    def _run(self) -> None:
        while True:
            try:
                self._on_demand.bring(self._on_demand.missing(self._on_demand.national_keys()), INTERVAL_S)
                self._prepare()
                self._usage.write()
                self.refresh_outdated()
            except (SQLAlchemyError, StoreUnavailable):
                log.exception("upkeep was put off")
            if self._ending.wait(INTERVAL_S):
                return

    def refresh_outdated(self) -> None:
        """Has the oldest of what is outdated fetched again, and waits until that has ended."""
        if not self._age:
            return
        instant = f"{datetime.now(UTC) - self._age:%Y-%m-%dT%H:%M:%SZ}"
        with self._engine.connect() as connection:
            outdated = fetches.fetched_before(connection, instant, MAX_LOOKED_AT)
        keys = [Key(each.dataset, each.partition, each.commune_code) for each in outdated]
        promising = [key for key in keys if not self._on_demand.has_failed(key)] or keys
        futures = [self._on_demand.refresh(key, instant) for key in promising[:AT_A_TIME]]
        wait([future for future in futures if future is not None])
