"""The system's clock, refused where it cannot be relied on: it fixes months, limits and bills.

Two checks. The database's clock is compared again and again. In between, a jump shows against the steady clock, which
nobody can set; this is the only check on SQLite, whose clock is the same as ours.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from keys.clock import Clock
from keys.errors import ClockWrong

# Both go on while the machine sleeps, unlike time.monotonic on some systems.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady_s() -> float:
    """Seconds since the machine started."""
    return time.clock_gettime(_STEADY)


class CheckedClock:
    """A clock that raises ClockWrong before it was compared, where it differs from the database's by more than allowed,
    and where it jumped since. Safe for threads.
    """

    def __init__(self, clock: Clock, allowed: timedelta, steady: Callable[[], float] = steady_s) -> None:
        self._clock = clock
        self._allowed = allowed
        self._steady = steady
        self._started = self._start(clock())
        self._fault: str | None = "The clock was not compared with the database's yet."

    def __call__(self) -> datetime:
        now = self._clock()
        if self._fault is not None:
            raise ClockWrong(self._fault, retry_after_s=5)
        if abs(now - self._expected()) > self._allowed:
            raise ClockWrong("The clock has jumped.", retry_after_s=5)
        return now

    def compare(self, read_other: Callable[[], datetime | None]) -> None:
        """Compares with the database's clock, which the function reads; None is no clock of its own. Raises ClockWrong
        where they differ by more than allowed, and then every call does until they agree.
        """
        before = self._clock()
        first_started = self._start(before)
        other = read_other()
        after = self._clock()
        started = self._start(after)
        if abs(started - first_started) > self._allowed:  # with a jump in between, any time of the other would fit
            self._refuse("The clock has jumped.")
        if other is None:
            self._check_jump(after, started)
            return
        difference = max(before - other, other - after, timedelta(0))
        if difference > self._allowed:
            self._refuse(f"The clocks of keys and of its database differ by {difference.total_seconds():.0f} s.")
        self._accept(started)

    def _check_jump(self, now: datetime, started: datetime) -> None:
        """Slow corrections are followed; a jump is refused until the clock is set back or the process starts anew."""
        if abs(now - self._expected()) > self._allowed:
            self._refuse("The clock has jumped.")
        self._accept(started)

    def _refuse(self, fault: str) -> None:
        self._fault = fault
        raise ClockWrong(fault, retry_after_s=5)

    def _accept(self, started: datetime) -> None:
        self._started = started
        self._fault = None

    def _start(self, now: datetime) -> datetime:
        """When the steady clock was 0, by a reading of this clock just now."""
        return now - timedelta(seconds=self._steady())

    def _expected(self) -> datetime:
        return self._started + timedelta(seconds=self._steady())
