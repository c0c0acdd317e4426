"""Stops asking a publisher that does not answer, for a while, so that nobody waits for it in vain."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from urllib.parse import urlsplit

FAILURES = 4
"""In a row, until a host is left alone."""
PAUSE_S = 30.0
MAX_HOSTS = 64


def host_of(url: str) -> str:
    return urlsplit(url).netloc.lower()


@dataclass
class _State:
    failures: int = 0
    open_until: float = 0.0


class Breakers:
    """One breaker for each host. Safe for threads.

    After FAILURES in a row a host is not asked for PAUSE_S; then one caller may try, and its success closes the
    breaker, its failure opens it again.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, publisher_of: Callable[[str], str] = host_of
    ) -> None:
        self._clock = clock
        self._publisher_of = publisher_of
        self._hosts: dict[str, _State] = {}
        self._lock = Lock()

    def allows(self, url: str) -> bool:
        """Whether the host may be asked now. Who is told so reports with `succeeded` or `failed`."""
        with self._lock:
            state = self._hosts.get(self._publisher_of(url))
            if state is None or state.failures < FAILURES:
                return True
            if self._clock() < state.open_until:
                return False
            state.open_until = self._clock() + PAUSE_S  # one may try, the others wait for what it finds
            return True

    def succeeded(self, url: str) -> None:
        """The host answered, if only that it has no such file."""
        with self._lock:
            self._hosts.pop(self._publisher_of(url), None)

    def failed(self, url: str) -> None:
        """The host did not answer, or not as it should."""
        with self._lock:
            if len(self._hosts) >= MAX_HOSTS:
                self._hosts.pop(next(iter(self._hosts)))
            state = self._hosts.setdefault(self._publisher_of(url), _State())
            state.failures += 1
            state.open_until = self._clock() + PAUSE_S
