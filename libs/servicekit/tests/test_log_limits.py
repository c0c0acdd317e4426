"""Log lines of faults that repeat, with a clock that the test sets."""

from servicekit.logs import PAUSE_S, LogLimit


class Clock:
    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def test_a_fault_is_logged_at_once_and_then_once_per_pause_with_the_number_of_suppressed_lines() -> None:
    clock = Clock()
    limit = LogLimit(clock)
    assert [limit.take("cog") for _ in range(4)] == [0, None, None, None]
    clock.now_s += PAUSE_S - 1
    assert limit.take("cog") is None
    clock.now_s += 1
    assert [limit.take("cog") for _ in range(2)] == [4, None]
    clock.now_s += PAUSE_S
    assert limit.take("cog") == 1


def test_each_fault_has_its_own_pauses() -> None:
    clock = Clock()
    limit = LogLimit(clock)
    assert limit.take("cog") == 0
    clock.now_s += 1
    assert (limit.take("gpu"), limit.take("cog")) == (0, None)
