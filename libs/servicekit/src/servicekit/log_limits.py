"""Limits the log lines of a fault that repeats."""

import threading
import time
from collections.abc import Callable

PAUSE_S = 300.0


class LogLimit:
    """Lets through the first line of each fault, and then one line per pause. Thread-safe.

    It keeps the name of each fault, so there must be few of them.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_lines: dict[str, tuple[float, int]] = {}
        """The time of the last line by the name of the fault, and the number of lines suppressed since then."""
        self._lock = threading.Lock()

    def take(self, name: str) -> int | None:
        """The number of lines that were suppressed since the last line of this fault; None to suppress this one too."""
        with self._lock:
            now = self._clock()
            logged_at, suppressed = self._last_lines.get(name, (now - PAUSE_S, 0))
            if now - logged_at < PAUSE_S:
                self._last_lines[name] = logged_at, suppressed + 1
                return None
            self._last_lines[name] = now, 0
            return suppressed
