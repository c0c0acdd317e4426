"""A circuit breaker for each publisher's host: after several failures, downloads from it fail at once."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from urllib.parse import urlsplit

FAILURES = 4
"""Consecutive failures that open the breaker of a host."""
PAUSE_S = 30.0
"""How long a breaker stays open before one caller may try the host again."""
MAX_HOSTS = 64


def host_of(url: str) -> str:
    return urlsplit(url).netloc.lower()


@dataclass
class _State:
    failures: int = 0
    open_until: float = 0.0


class Breakers:
    """One breaker for each host. Thread-safe.

    When the pause of an open breaker ends, one caller may try the host. Its success closes the breaker; its failure
    starts another pause.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, publisher_of: Callable[[str], str] = host_of
    ) -> None:
        self._clock = clock
        self._publisher_of = publisher_of
        self._hosts: dict[str, _State] = {}
        self._lock = Lock()

    def allows(self, url: str) -> bool:
        """Whether the host may be requested now. If so, the caller reports the result to `succeeded` or `failed`."""
        with self._lock:
            state = self._hosts.get(self._publisher_of(url))
            if state is None or state.failures < FAILURES:
                return True
            if self._clock() < state.open_until:
                return False
            state.open_until = self._clock() + PAUSE_S  # other callers wait for the result of this one
            return True

    def succeeded(self, url: str) -> None:
        """Records that the host answered. "No such file" is an answer."""
        with self._lock:
            self._hosts.pop(self._publisher_of(url), None)

    def failed(self, url: str) -> None:
        """Records that the host did not answer, or answered with an error."""
        with self._lock:
            if len(self._hosts) >= MAX_HOSTS:
                self._hosts.pop(next(iter(self._hosts)))
            state = self._hosts.setdefault(self._publisher_of(url), _State())
            state.failures += 1
            state.open_until = self._clock() + PAUSE_S
