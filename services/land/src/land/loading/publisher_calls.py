"""Limits for calls to publishers: a circuit breaker for each host, turns that spread calls over time, and bounded
answers.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import httpx

from servicekit import tracing

FAILURES = 4
"""Consecutive failures that open the breaker of a host."""
PAUSE_S = 30.0
"""How long a breaker stays open before one caller may try the host again."""
MAX_HOSTS = 64
tls = cache(httpx.create_ssl_context)
"""The settings of connections, which are cached: reading all certificates takes longer than a small download."""


def host_of(url: str) -> str:
    return urlsplit(url).netloc.lower()


@dataclass
class _State:
    failures: int = 0
    open_until: float = 0.0


class Breakers:
    """One breaker for each host: after several failures, downloads from it fail at once. Thread-safe.

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


class Turns:
    """Spreads calls to a publisher over time. Safe for threads."""

    def __init__(self, per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval_s = 1 / per_s
        self._clock = clock
        self._next = 0.0
        self._lock = Lock()

    def take(self, max_pause_s: float) -> float | None:
        """Seconds until the caller's turn; None, without a turn, if these are more than the caller can wait."""
        with self._lock:
            now = self._clock()
            pause_s = max(0.0, self._next - now)
            if pause_s > max_pause_s:
                return None
            self._next = now + pause_s + self._interval_s
            return pause_s


def read_answer(
    method: str, url: str, *, max_bytes: int, total_s: float, client: httpx.Client | None = None, **options: Any
) -> bytes:
    """The body of an answer, read within these limits. `options` are those of `httpx.stream`.

    Raises httpx.HTTPError, also for an error status, and ValueError for a body that is too long.
    """
    ends = time.monotonic() + total_s
    stream = httpx.stream if client is None else client.stream
    content = b""
    with tracing.requested(url), stream(method, url, **options) as response:
        response.raise_for_status()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > max_bytes:
                raise ValueError("the answer is too long")
            if time.monotonic() > ends:
                raise httpx.ReadTimeout("the answer takes too long")
    return content
