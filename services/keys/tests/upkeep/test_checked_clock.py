import contextlib
from datetime import datetime, timedelta

import pytest
from keys_world import NOON, SetClock

from keys.upkeep.checked_clock import CheckedClock
from keys.values.errors import ClockWrong

JUMPS = [
    timedelta(hours=1),
    timedelta(hours=-1),
    timedelta(days=130),
    timedelta(days=365),
    timedelta(seconds=5.1),
    timedelta(seconds=-5.1),
]


class Machine:
    """A machine whose clock the test sets. The database's clock is right."""

    def __init__(self, *, has_database_clock: bool = True) -> None:
        self.clock = SetClock()
        self.steady_s = 1_000.0
        self.has_database_clock = has_database_clock
        self.database_skew = timedelta(0)
        self.checked = CheckedClock(self.clock, timedelta(seconds=5), lambda: self.steady_s)

    def pass_(self, seconds: float) -> None:
        self.clock.advance(seconds=seconds)
        self.steady_s += seconds

    def compare(self) -> None:
        right = NOON + timedelta(seconds=self.steady_s - 1_000) + self.database_skew
        self.checked.compare(lambda: right if self.has_database_clock else None)

    def is_refused(self) -> bool:
        try:
            self.checked()
        except ClockWrong:
            return True
        return False


def test_a_clock_is_refused_until_it_was_compared() -> None:
    machine = Machine()
    assert machine.is_refused()
    machine.compare()
    assert machine.checked() == NOON
    machine.pass_(3_600)
    assert machine.checked() == NOON + timedelta(hours=1)


@pytest.mark.parametrize("jump", JUMPS)
def test_a_jump_is_refused_at_once_and_by_each_later_comparison(jump: timedelta) -> None:
    machine = Machine()
    machine.compare()
    machine.clock.now += jump
    assert machine.is_refused()
    with pytest.raises(ClockWrong):
        machine.compare()
    assert machine.is_refused()
    machine.clock.now -= jump
    assert machine.is_refused()  # until it is compared
    machine.compare()
    assert not machine.is_refused()


@pytest.mark.parametrize("jump", JUMPS)
def test_a_clock_that_was_wrong_from_the_start_is_refused(jump: timedelta) -> None:
    machine = Machine()
    machine.clock.now += jump
    with pytest.raises(ClockWrong):
        machine.compare()
    assert machine.is_refused()


@pytest.mark.parametrize("jump", JUMPS)
def test_a_database_whose_clock_jumps_is_refused(jump: timedelta) -> None:
    machine = Machine()
    machine.compare()
    machine.database_skew = jump
    with pytest.raises(ClockWrong):
        machine.compare()
    assert machine.is_refused()


@pytest.mark.parametrize("jump", JUMPS)
def test_without_a_second_clock_a_jump_is_refused_until_it_is_reversed(jump: timedelta) -> None:
    machine = Machine(has_database_clock=False)
    machine.compare()
    machine.clock.now += jump
    assert machine.is_refused()
    for _ in range(3):
        machine.pass_(60)
        with pytest.raises(ClockWrong):
            machine.compare()
    machine.clock.now -= jump
    machine.compare()
    assert not machine.is_refused()


def test_a_clock_that_is_corrected_slowly_is_followed() -> None:
    machine = Machine(has_database_clock=False)
    for _ in range(100):
        machine.compare()
        machine.clock.advance(seconds=1)
        assert not machine.is_refused()


def test_a_difference_within_the_allowed_one_and_a_slow_answer_are_accepted() -> None:
    machine = Machine()
    machine.database_skew = timedelta(seconds=4)
    machine.compare()
    assert not machine.is_refused()

    def slow() -> datetime:
        right = machine.clock()
        machine.pass_(60)
        return right

    machine.checked.compare(slow)
    assert not machine.is_refused()


@pytest.mark.parametrize("has_database_clock", [True, False])
@pytest.mark.parametrize("readings_before", [0, 1, 2])
@pytest.mark.parametrize("jump", JUMPS)
def test_a_jump_while_the_clocks_are_compared_is_refused(
    has_database_clock: bool, readings_before: int, jump: timedelta
) -> None:
    machine = Machine(has_database_clock=has_database_clock)
    machine.compare()
    readings = 0

    def jumping() -> datetime:
        nonlocal readings
        readings += 1
        return machine.clock() + (jump if readings > readings_before else timedelta(0))

    machine.checked._clock = jumping
    with contextlib.suppress(ClockWrong):
        machine.compare()
    assert machine.is_refused()
