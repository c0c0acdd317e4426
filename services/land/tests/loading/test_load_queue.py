"""Loads in threads: one load for several requesters, its state, and its retry."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from errno import EIO, ENOSPC

import pytest

from land.errors import DiskSpaceLow, FileMissing, SourceUnavailable
from land.loading.load_queue import INTERNAL, RETRY_MISSING_S, RETRY_S, LoadKey, LoadQueue
from servicekit.context import request_id

KEY, OTHER = LoadKey("ban", "18033", "18033"), LoadKey("ban", "18050", "18050")


class Loads:
    """A queue whose loads wait for `may_go_on`, and then end with `error`."""

    def __init__(self) -> None:
        self.done: list[LoadKey] = []
        self.request_ids: list[str] = []
        self.error: Exception | None = None
        self.may_go_on = threading.Event()
        self.now = 0.0
        self.queue = LoadQueue(self._load, threads=2, max_per_requester=3, clock=lambda: self.now)
        self.queue.start()

    def _load(self, key: LoadKey, older_than: str) -> Exception | None:
        self.may_go_on.wait(60)
        self.done.append(key)
        self.request_ids.append(request_id.get())
        return self.error

    def submit(self, key: LoadKey = KEY, requester: str = "a") -> Future[None] | None:
        return self.queue.submit(key, "", requester)

    def finish(self, key: LoadKey = KEY) -> str:
        """Lets a load continue, and returns its final state."""
        future = self.submit(key)
        self.may_go_on.set()
        assert future is not None
        future.exception(30)
        return self.queue.state(key, future)


@pytest.fixture
def loads() -> Iterator[Loads]:
    loads = Loads()
    yield loads
    loads.may_go_on.set()
    loads.queue.end()


def test_several_requesters_share_one_load(loads: Loads) -> None:
    first, second = loads.submit(requester="a"), loads.submit(requester="b")
    assert first is second is not None
    assert loads.queue.state(KEY, first) == "loading"
    assert loads.finish() == "loaded"
    assert loads.done == [KEY]


@pytest.mark.parametrize(
    ("error", "state", "pause_s"),
    [
        (SourceUnavailable("down"), "failed", RETRY_S),
        (FileMissing("none"), "missing", RETRY_MISSING_S),
        (DiskSpaceLow("full"), "no_space", RETRY_S),
        (OSError(ENOSPC, "full"), "no_space", RETRY_S),
        (OSError(EIO, "broken"), "failed", RETRY_S),
    ],
)
def test_a_failed_load_is_retried_after_a_pause(loads: Loads, error: Exception, state: str, pause_s: float) -> None:
    loads.error = error
    assert loads.finish() == state
    loads.now = pause_s - 1
    assert loads.submit() is None
    assert loads.queue.state(KEY, None) == state
    loads.now, loads.error = pause_s, None
    assert loads.finish() == "loaded"
    assert not loads.queue.has_failed(KEY)


def test_a_requester_above_its_limit_is_refused_and_internal_loads_are_not(loads: Loads) -> None:
    keys = [LoadKey("ban", str(number), str(number)) for number in range(8)]
    futures = [loads.submit(key) for key in keys[:4]]
    assert [future is None for future in futures] == [False, False, False, True]
    assert loads.queue.state(keys[3], None) == "refused"
    assert loads.submit(keys[3], "b") is not None
    assert all(loads.submit(key, INTERNAL) is not None for key in keys[4:])


def test_a_queue_that_ends_accepts_no_load(loads: Loads) -> None:
    loads.queue.end()
    assert loads.submit(OTHER) is None


def test_a_load_has_the_id_of_the_request_that_caused_it(loads: Loads) -> None:
    request_id.set("cause")
    loads.submit()
    request_id.set("another")
    loads.submit()
    assert loads.finish() == "loaded"
    assert loads.request_ids == ["cause"]
