"""Log lines of faults that repeat, with a clock that the test sets."""

from servicekit import log_limits
from servicekit.log_limits import LAST_PAUSE_S, MAX_NAMES, QUIET_S, LogLimit


class Clock:
    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def test_the_pause_between_lines_of_a_fault_doubles_up_to_ten_minutes() -> None:
    clock = Clock()
    limit = LogLimit(clock)
    logged = []
    for minute in range(36):
        clock.now_s = 1_000.0 + minute * 60
        if (suppressed := limit.take("cog")) is not None:
            logged.append((minute, suppressed))
    assert logged[:7] == [(0, 0), (1, 0), (3, 1), (7, 3), (15, 7), (25, 9), (35, 9)]


def test_a_fault_that_was_quiet_is_logged_at_once() -> None:
    clock = Clock()
    limit = LogLimit(clock)
    assert [limit.take("cog") for _ in range(4)] == [0, None, None, None]
    clock.now_s += QUIET_S + 1
    assert [limit.take("cog") for _ in range(2)] == [3, None]
    clock.now_s += 60
    assert limit.take("cog") == 1


def test_faults_are_limited_by_name_and_are_few() -> None:
    limit = LogLimit(Clock())
    assert [limit.take(str(number)) for number in range(MAX_NAMES)] == [0] * MAX_NAMES
    assert limit.take("0") is None
    assert limit.take("one more") == 0
    assert limit.take("0") == 0  # it was dropped
    assert len(limit._faults) == MAX_NAMES
    assert log_limits.FIRST_PAUSE_S < QUIET_S < LAST_PAUSE_S
