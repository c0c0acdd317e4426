import pytest
from hypothesis import given
from hypothesis import strategies as st

from keys.quota.rates import RateState

SECOND = 1_000_000
START = 1_800_000_000 * SECOND


def taken(state: RateState, times: int) -> RateState:
    for _ in range(times):
        state = state.taken()
    return state


def test_a_burst_is_granted_and_refills_at_the_rate_per_minute() -> None:
    state = taken(RateState.full(5, START), 5)
    assert state.wait_s(60) == 1
    assert state.at(START + SECOND - 1, 60, 5).wait_s(60) == 1
    assert state.at(START + SECOND, 60, 5).wait_s(60) == 0
    assert state.at(START + 3 * SECOND, 60, 5).burst_remaining == 3
    assert state.at(START + 3_600 * SECOND, 60, 5).burst_remaining == 5


def test_a_clock_minute_grants_no_more_than_its_count() -> None:
    state = taken(RateState.full(100, START), 10)
    assert state.wait_s(10) == 60
    assert state.at(START + 59 * SECOND, 10, 100).wait_s(10) == 1
    assert state.at(START + 60 * SECOND, 10, 100).wait_s(10) == 0


def test_a_clock_that_runs_behind_refills_nothing() -> None:
    state = taken(RateState.full(5, START), 5)
    assert state.at(START - 20 * SECOND, 60, 5) == state


@pytest.mark.parametrize("jump_s", [21, 60, 3_600, 130 * 86_400, 365 * 86_400])
def test_a_state_from_the_future_counts_as_that_of_a_new_key(jump_s: int) -> None:
    state = taken(RateState.full(5, START + jump_s * SECOND), 5)
    assert state.at(START, 60, 5) == RateState.full(5, START)
    assert state.at(START, 60, 5).wait_s(60) == 0


@given(st.integers(1, 50), st.integers(1, 600), st.lists(st.integers(0, 5 * SECOND), max_size=200))
def test_two_replicas_whose_clocks_differ_grant_no_more_than_one(burst: int, rate: int, gaps: list[int]) -> None:
    skew, now, state, granted = 20 * SECOND, START, RateState.full(burst, START), 0
    for turn, gap in enumerate(gaps):
        now += gap
        state = state.at(now + skew * (turn % 2), rate, burst)
        if not state.wait_s(rate):
            state, granted = state.taken(), granted + 1
    assert granted <= burst + (now + skew - START) * rate / (60 * SECOND)


@given(st.integers(1, 50), st.integers(1, 600), st.lists(st.integers(0, 20 * SECOND), max_size=200))
def test_no_pattern_exceeds_the_burst_and_the_refill(burst: int, rate: int, gaps: list[int]) -> None:
    now, state, granted = START, RateState.full(burst, START), 0
    for gap in gaps:
        now += gap
        state = state.at(now, rate, burst)
        if not state.wait_s(rate):
            state, granted = state.taken(), granted + 1
        assert 0 <= state.burst_remaining <= burst
        assert state.minute_count <= rate
    assert granted <= burst + (now - START) * rate / (60 * SECOND)


@given(st.integers(1, 50), st.integers(1, 600), st.integers(0, 60 * SECOND))
def test_a_request_after_the_wait_is_granted(burst: int, rate: int, later: int) -> None:
    state = taken(RateState.full(burst, START), min(burst, rate)).at(START + later, rate, burst)
    wait = state.wait_s(rate)
    assert not state.at(START + later + wait * SECOND, rate, burst).wait_s(rate)
