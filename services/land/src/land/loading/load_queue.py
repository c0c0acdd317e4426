"""Runs loads in a few threads: each key once however many ask for it, and shared fairly between those who ask."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from errno import ENOSPC
from typing import Literal, NamedTuple

from prometheus_client import Counter, Gauge

from land.errors import DiskSpaceLow, FileMissing
from land.loading.fair import FairQueue

_loads = Counter("land_loads_on_demand", "Loads that ended.", ["dataset", "outcome"])
_queued = Gauge("land_loads_queued", "Loads that wait for a thread.")
_refused = Counter("land_loads_refused", "Loads that were not queued, since too many waited.")

RETRY_S = 60.0
"""How long a failed load is left alone. After that it is tried again, and nobody waits for it until it works."""
RETRY_MISSING_S = 3600.0
"""The same where the publisher has no such file."""
MAX_QUEUED = 1_000
"""Loads that wait for a thread, of all requesters together."""
MAX_FAILURES_KEPT = 10_000
OWN = "(land)"
"""The requester of what land loads for itself: the lists of communes, and newer editions. No API key has this id."""

State = Literal["loaded", "loading", "refused", "failed", "missing", "no_space"]
"""`refused`: it was not queued, since too many loads wait. `missing`: the publisher answers, and has no such file.
`no_space`: there is too little disk space for it.
"""
LOADING = frozenset({"loading", "refused"})
FAILED = frozenset({"failed", "no_space"})


class Key(NamedTuple):
    """A dataset over one unit, and the commune by which its files are asked for."""

    dataset: str
    unit: str
    commune_code: str


class _Load(NamedTuple):
    key: Key
    older_than: str
    future: Future[None]


class _Failure(NamedTuple):
    retry_at: float
    state: State


_Name = tuple[str, str]
"""A dataset and a unit."""


class LoadQueue:
    """Safe for threads. Its threads end with the process, in the middle of whatever they do: a load stands that."""

    def __init__(
        self, load: Callable[[Key, str], Exception | None], threads: int, max_each: int, clock: Callable[[], float]
    ) -> None:
        """`load` does one load and returns what it failed with. `max_each` bounds the loads of one requester."""
        self._load = load
        self._clock = clock
        self._loads: dict[_Name, _Load] = {}
        self._started: set[_Name] = set()
        self._failures: dict[_Name, _Failure] = {}
        self._queue: FairQueue[_Name] = FairQueue(threads, max_each, MAX_QUEUED, {OWN})
        self._changed = threading.Condition()
        self.is_ending = False
        self._threads = [
            threading.Thread(target=self._work, name=f"on-demand-{number}", daemon=True) for number in range(threads)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Takes nothing more on, and lets what runs end soon."""
        with self._changed:
            self.is_ending = True
            self._changed.notify_all()

    def submit(self, key: Key, older_than: str, requester: str) -> Future[None] | None:
        """The load, which is queued unless it is already. None where it failed lately, or may not be queued."""
        name = (key.dataset, key.unit)
        with self._changed:
            load = self._loads.get(name)
            if load is not None:
                if name not in self._started:
                    self._queue.add(requester, name)  # so that it does not wait for the turns of another alone
                return load.future
            failure = self._failures.get(name)
            if self.is_ending or (failure is not None and self._clock() < failure.retry_at):
                return None
            if not self._queue.add(requester, name):
                _refused.inc()
                return None
            load = self._loads[name] = _Load(key, older_than, Future())
            _queued.set(len(self._queue))
            self._changed.notify()
            return load.future

    def has_failed(self, key: Key) -> bool:
        """Whether the last try failed, here."""
        return (key.dataset, key.unit) in self._failures

    def state(self, key: Key, future: Future[None] | None) -> State:
        """How far a key is whose `submit` returned the future."""
        if future is not None and future.done() and not future.exception():
            return "loaded"
        failure = self._failures.get((key.dataset, key.unit))
        if failure is not None:
            return failure.state
        return "refused" if future is None else "loading"

    def _work(self) -> None:
        while (taken := self._next()) is not None:
            requester, name = taken
            load = self._loads[name]
            error = self._load(load.key, load.older_than)
            with self._changed:
                self._note(load.key, error)
                self._started.discard(name)
                del self._loads[name]
                self._queue.release(requester)
                self._changed.notify()
            if error is None:
                load.future.set_result(None)
            else:
                load.future.set_exception(error)

    def _next(self) -> tuple[str, _Name] | None:
        """Waits until a load may start. None at the end."""
        with self._changed:
            while not self.is_ending:
                if taken := self._queue.take():
                    self._started.add(taken[1])
                    _queued.set(len(self._queue))
                    return taken
                self._changed.wait()
        return None

    def _note(self, key: Key, error: Exception | None) -> None:
        name = (key.dataset, key.unit)
        if error is None:
            _loads.labels(key.dataset, "loaded").inc()
            self._failures.pop(name, None)
            return
        if len(self._failures) >= MAX_FAILURES_KEPT:
            self._failures.pop(next(iter(self._failures)))
        state = _state_after(error)
        _loads.labels(key.dataset, state).inc()
        pause_s = RETRY_MISSING_S if state == "missing" else RETRY_S
        self._failures[name] = _Failure(self._clock() + pause_s, state)


def _state_after(error: Exception) -> State:
    if isinstance(error, FileMissing):
        return "missing"
    is_full = isinstance(error, DiskSpaceLow) or (isinstance(error, OSError) and error.errno == ENOSPC)
    return "no_space" if is_full else "failed"
