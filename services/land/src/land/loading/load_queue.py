"""Runs loads in a few threads. Callers that ask for the same partition share one load; callers share threads fairly."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, copy_context
from errno import ENOSPC
from typing import Literal, NamedTuple

from prometheus_client import Counter, Gauge, Histogram

from land.errors import DiskSpaceLow, FileMissing
from land.loading.fair_queue import FairQueue
from servicekit import tracing

_loads = Counter("land_loads_on_demand", "Loads that ended.", ["dataset", "outcome"])
_seconds = Histogram(
    "land_load_seconds",
    "Time of a load, with its waits for locks and slots.",
    ["dataset"],
    buckets=(0.25, 1, 4, 16, 60),
)
_queued = Gauge("land_loads_queued", "Loads that wait for a thread.")
_refused = Counter("land_loads_refused", "Loads that were refused because too many were waiting.")

RETRY_S = 60.0
"""Pause after a failed load. Until the retry succeeds, callers get the failure without waiting."""
RETRY_MISSING_S = 3600.0
"""Pause after a load for which the publisher has no file."""
MAX_QUEUED = 1_000
"""Loads that wait for a thread, of all requesters together."""
MAX_FAILURES_KEPT = 10_000
INTERNAL = "(land)"
"""The requester of land's own loads: national lists and refreshes. No API key has this id."""

LoadState = Literal["loaded", "loading", "refused", "failed", "missing", "no_space"]
"""`refused`: too many loads wait. `missing`: the publisher answers but has no such file. `no_space`: the disk has too
little free space.
"""
LOADING = frozenset({"loading", "refused"})
FAILED = frozenset({"failed", "no_space"})


class LoadKey(NamedTuple):
    """A partition of a dataset, and the commune whose files are requested to load it."""

    dataset: str
    partition: str
    commune_code: str

    @property
    def id(self) -> tuple[str, str]:
        """Identifies the load. Communes that share a partition share its load."""
        return self.dataset, self.partition


class _Load(NamedTuple):
    key: LoadKey
    older_than: str
    future: Future[None]
    context: Context
    """The context of the request that caused the load."""


class _Failure(NamedTuple):
    retry_at: float
    state: LoadState


class LoadQueue:
    """Thread-safe. Its threads are daemons: the end of the process may interrupt a load, which a later load repairs."""

    def __init__(
        self,
        load: Callable[[LoadKey, str], Exception | None],
        threads: int,
        max_per_requester: int,
        clock: Callable[[], float],
    ) -> None:
        """`load` runs one load and returns its error. `max_per_requester` limits loads that wait or run."""
        self._load = load
        self._clock = clock
        self._loads: dict[tuple[str, str], _Load] = {}
        self._started: set[tuple[str, str]] = set()
        self._failures: dict[tuple[str, str], _Failure] = {}
        self._queue: FairQueue[tuple[str, str]] = FairQueue(threads, max_per_requester, MAX_QUEUED, {INTERNAL})
        self._changed = threading.Condition()
        self.is_ending = False
        self._threads = [
            threading.Thread(target=self._work, name=f"on-demand-{number}", daemon=True) for number in range(threads)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Accepts no further loads. Running loads read `is_ending` and stop."""
        with self._changed:
            self.is_ending = True
            self._changed.notify_all()

    def submit(self, key: LoadKey, older_than: str, requester: str) -> Future[None] | None:
        """Queues the load unless it is queued already. Returns None if it failed recently or is refused."""
        with self._changed:
            load = self._loads.get(key.id)
            if load is not None:
                if key.id not in self._started:
                    self._queue.add(requester, key.id)  # the load may now also start in this requester's turn
                return load.future
            failure = self._failures.get(key.id)
            if self.is_ending or (failure is not None and self._clock() < failure.retry_at):
                return None
            if not self._queue.add(requester, key.id):
                _refused.inc()
                return None
            load = self._loads[key.id] = _Load(key, older_than, Future(), copy_context())
            _queued.set(len(self._queue))
            self._changed.notify()
            return load.future

    def has_failed(self, key: LoadKey) -> bool:
        """Whether the last load of the key failed in this process."""
        return key.id in self._failures

    def state(self, key: LoadKey, future: Future[None] | None) -> LoadState:
        """The state of a key for which `submit` returned `future`."""
        if future is not None and future.done() and not future.exception():
            return "loaded"
        failure = self._failures.get(key.id)
        if failure is not None:
            return failure.state
        return "refused" if future is None else "loading"

    def _work(self) -> None:
        while (taken := self._next()) is not None:
            requester, name = taken
            load = self._loads[name]
            began = time.perf_counter()
            with tracing.continued(f"load {load.key.dataset}", load.context):
                error = self._load(load.key, load.older_than)
            _seconds.labels(load.key.dataset).observe(time.perf_counter() - began)
            with self._changed:
                self._record(load.key, error)
                self._started.discard(name)
                del self._loads[name]
                self._queue.release(requester)
                self._changed.notify()
            if error is None:
                load.future.set_result(None)
            else:
                load.future.set_exception(error)

    def _next(self) -> tuple[str, tuple[str, str]] | None:
        """Waits until a load may start. Returns None when the queue ends."""
        with self._changed:
            while not self.is_ending:
                if taken := self._queue.take():
                    self._started.add(taken[1])
                    _queued.set(len(self._queue))
                    return taken
                self._changed.wait()
        return None

    def _record(self, key: LoadKey, error: Exception | None) -> None:
        if error is None:
            _loads.labels(key.dataset, "loaded").inc()
            self._failures.pop(key.id, None)
            return
        if len(self._failures) >= MAX_FAILURES_KEPT:
            self._failures.pop(next(iter(self._failures)))
        state = _state_after(error)
        _loads.labels(key.dataset, state).inc()
        pause_s = RETRY_MISSING_S if state == "missing" else RETRY_S
        self._failures[key.id] = _Failure(self._clock() + pause_s, state)


def _state_after(error: Exception) -> LoadState:
    if isinstance(error, FileMissing):
        return "missing"
    is_full = isinstance(error, DiskSpaceLow) or (isinstance(error, OSError) and error.errno == ENOSPC)
    return "no_space" if is_full else "failed"
