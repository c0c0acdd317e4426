"""The system's clock. It refuses to give a time that may be wrong, since months, limits and bills depend on it.

Two checks: the clock is compared with the database's at intervals. Between two comparisons, a jump is detected against
the time since the machine started, which nobody can set. SQLite has no other clock, so only the second check applies
there.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from keys.values.clock import Clock
from keys.values.errors import ClockWrong
from servicekit.languages import Text

# Both continue while the machine sleeps, unlike time.monotonic on some systems.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

_NOT_COMPARED = Text(
    "L’horloge n’a pas encore été comparée à celle de la base de données.",
    "The clock was not compared with the database's yet.",
)
_JUMPED = Text("L’horloge a fait un saut.", "The clock has jumped.")


def steady_s() -> float:
    """Seconds since the machine started."""
    return time.clock_gettime(_STEADY)


class CheckedClock:
    """Raises ClockWrong before the first comparison, after a jump, and if it differs too much from the database's
    clock. Safe for threads.
    """

    def __init__(self, clock: Clock, allowed: timedelta, steady: Callable[[], float] = steady_s) -> None:
        self._clock = clock
        self._allowed = allowed
        self._steady = steady
        self._started = self._start(clock())
        self._fault: Text | None = _NOT_COMPARED

    def __call__(self) -> datetime:
        now = self._clock()
        if self._fault is not None:
            raise ClockWrong(self._fault, retry_after_s=5)
        if abs(now - self._expected()) > self._allowed:
            raise ClockWrong(_JUMPED, retry_after_s=5)
        return now

    def compare(self, read_other: Callable[[], datetime | None]) -> None:
        """Compares with the database's clock, which the function reads. None means that the database has no other
        clock. Raises ClockWrong if they differ by more than allowed. Every call then raises it until they agree.
        """
        before = self._clock()
        first_started = self._start(before)
        other = read_other()
        after = self._clock()
        started = self._start(after)
        if abs(started - first_started) > self._allowed:  # after a jump, the comparison proves nothing
            self._refuse(_JUMPED)
        if other is None:
            self._check_jump(after, started)
            return
        difference = max(before - other, other - after, timedelta(0))
        if difference > self._allowed:
            self._refuse(
                Text(
                    "Les horloges du service des clés et de sa base de données diffèrent de {seconds} s.",
                    "The clocks of keys and of its database differ by {seconds} s.",
                ).format(seconds=round(difference.total_seconds()))
            )
        self._accept(started)

    def _check_jump(self, now: datetime, started: datetime) -> None:
        """Follows slow corrections. Refuses a jump until the clock is set back or the process restarts."""
        if abs(now - self._expected()) > self._allowed:
            self._refuse(_JUMPED)
        self._accept(started)

    def _refuse(self, fault: Text) -> None:
        self._fault = fault
        raise ClockWrong(fault, retry_after_s=5)

    def _accept(self, started: datetime) -> None:
        self._started = started
        self._fault = None

    def _start(self, now: datetime) -> datetime:
        """The instant at which the steady clock was 0, according to this reading."""
        return now - timedelta(seconds=self._steady())

    def _expected(self) -> datetime:
        return self._started + timedelta(seconds=self._steady())
