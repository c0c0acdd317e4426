"""Spreads calls to a publisher over time."""

import time
from collections.abc import Callable
from threading import Lock


class Turns:
    """Safe for threads."""

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
