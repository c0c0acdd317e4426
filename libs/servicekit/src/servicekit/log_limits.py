"""Limits the log lines of a fault that repeats."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

FIRST_PAUSE_S, LAST_PAUSE_S = 60.0, 600.0
QUIET_S = 300.0
"""A fault that did not occur for so long is a new one. Longer than the pause between retries."""
MAX_NAMES = 1_000


@dataclass
class _Fault:
    logged_at: float
    seen_at: float
    pause_s: float = FIRST_PAUSE_S
    suppressed: int = 0


class LogLimit:
    """Lets through the first line of each fault, and then one line per pause. The pause doubles up to ten minutes
    while the fault lasts. Thread-safe.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._faults: dict[str, _Fault] = {}
        self._lock = threading.Lock()

    def take(self, name: str) -> int | None:
        """The number of lines that were suppressed since the last line of this fault; None to suppress this one too."""
        with self._lock:
            now = self._clock()
            fault = self._faults.get(name)
            if fault is None:
                if len(self._faults) >= MAX_NAMES:
                    del self._faults[next(iter(self._faults))]
                self._faults[name] = _Fault(now, now)
                return 0
            is_new, fault.seen_at = now - fault.seen_at > QUIET_S, now
            if not is_new and now - fault.logged_at < fault.pause_s:
                fault.suppressed += 1
                return None
            suppressed, fault.suppressed, fault.logged_at = fault.suppressed, 0, now
            fault.pause_s = FIRST_PAUSE_S if is_new else min(2 * fault.pause_s, LAST_PAUSE_S)
            return suppressed
