import pytest
from hypothesis import given
from hypothesis import strategies as st

from keys.values.rates import RateState

SECOND = 1_000_000
START = 1_800_000_000 * SECOND
MINUTE = START // (60 * SECOND)


def used(state: RateState, requests: int) -> RateState:
    """The state after a lease of so many requests that were all used."""
    return state.taken(requests).returned(requests, 0, state.minute, 1_000)


def test_a_burst_is_granted_and_refills_at_the_rate_per_minute() -> None:
    state = used(RateState.full(5, START), 5)
    assert state.wait_s(60) == 1
    assert state.at(START + SECOND - 1, 60, 5).wait_s(60) == 1
    assert state.at(START + SECOND, 60, 5).wait_s(60) == 0
    assert state.at(START + 3 * SECOND, 60, 5).burst_remaining == 3
    assert state.at(START + 3_600 * SECOND, 60, 5).burst_remaining == 5


def test_a_clock_minute_grants_no_more_than_its_count() -> None:
    state = used(RateState.full(100, START), 10)
    assert (state.wait_s(10), state.free_requests(10)) == (60, 0)
    assert state.at(START + 59 * SECOND, 10, 100).wait_s(10) == 1
    assert state.at(START + 60 * SECOND, 10, 100).wait_s(10) == 0


def test_the_free_requests_are_those_of_the_burst_and_of_the_minute() -> None:
    state = RateState.full(100, START).taken(30)
    assert state.free_requests(60) == 30
    assert state.free_requests(600) == 70
    assert state.at(START + SECOND, 60, 20).free_requests(600) == 0, "the burst was lowered below what is leased"


def test_what_is_leased_takes_its_place_in_the_bucket_until_it_ends() -> None:
    state = RateState.full(5, START).taken(3)
    assert state.leased == 3
    late = state.at(START + 3_600 * SECOND, 60, 5)
    assert late.burst_remaining == 2
    ended = late.returned(3, 0, MINUTE, 5)
    assert (ended.burst_remaining, ended.leased) == (2, 0)
    assert ended.at(START + 3_601 * SECOND, 60, 5).burst_remaining == 3


def test_what_is_unused_returns_to_the_bucket_and_to_its_minute() -> None:
    state = RateState.full(10, START).taken(4).taken(5)
    ended = state.returned(4, 3, MINUTE, 10)
    assert (ended.burst_remaining, ended.minute_count, ended.leased) == (4, 6, 5)
    refilled = state.at(START + 60 * SECOND, 600, 10)
    late = refilled.returned(4, 4, MINUTE, 10)
    assert (late.burst_remaining, late.minute_count, late.leased) == (5, 0, 5), "no more than the burst"


def test_a_clock_that_runs_behind_refills_nothing() -> None:
    state = used(RateState.full(5, START), 5)
    assert state.at(START - 20 * SECOND, 60, 5) == state


@pytest.mark.parametrize("jump_s", [21, 60, 3_600, 130 * 86_400, 365 * 86_400])
def test_a_state_from_the_future_counts_as_that_of_a_new_key(jump_s: int) -> None:
    state = RateState.full(5, START + jump_s * SECOND).taken(5)
    assert state.at(START, 60, 5) == RateState.full(5, START)
    assert state.at(START, 60, 5).wait_s(60) == 0


@given(st.integers(1, 50), st.integers(1, 600), st.lists(st.integers(0, 5 * SECOND), max_size=200))
def test_two_replicas_whose_clocks_differ_grant_no_more_than_one(burst: int, rate: int, gaps: list[int]) -> None:
    skew, now, state, granted = 20 * SECOND, START, RateState.full(burst, START), 0
    for turn, gap in enumerate(gaps):
        now += gap
        state = state.at(now + skew * (turn % 2), rate, burst)
        if not state.wait_s(rate):
            state, granted = used(state, 1), granted + 1
    assert granted <= burst + (now + skew - START) * rate / (60 * SECOND)


STEPS = st.lists(
    st.tuples(st.integers(0, 20 * SECOND), st.integers(1, 20), st.integers(0, 20), st.booleans()), max_size=100
)


@given(st.integers(1, 50), st.integers(1, 600), STEPS)
def test_no_pattern_of_leases_exceeds_the_burst_the_refill_and_the_minute(
    burst: int, rate: int, steps: list[tuple[int, int, int, bool]]
) -> None:
    """An edge may use all of a lease at any time before its end, so each instant counts the open ones as used."""
    now, state, spent = START, RateState.full(burst, START), 0
    by_minute: dict[int, int] = {}
    open_leases: list[tuple[int, int, int]] = []  # minute, requests, used
    for gap, expected, use, ends in steps:
        now += gap
        state = state.at(now, rate, burst)
        if not state.wait_s(rate):
            requests = max(1, min(expected, state.free_requests(rate) // 2))
            state = state.taken(requests)
            open_leases.append((state.minute, requests, min(use, requests)))
        if ends and open_leases:
            minute, requests, count = open_leases.pop(0)
            state = state.returned(requests, requests - count, minute, burst)
            spent += count
            by_minute[minute] = by_minute.get(minute, 0) + count
        leased = sum(requests for _, requests, _ in open_leases)
        assert state.leased == leased
        assert 0 <= state.burst_remaining <= burst - leased
        assert state.minute_count <= rate
        assert spent + leased <= burst + (now - START) * rate / (60 * SECOND)
        assert all(count <= rate for count in by_minute.values())


@given(st.integers(1, 50), st.integers(1, 600), st.integers(0, 60 * SECOND))
def test_a_request_after_the_wait_is_granted(burst: int, rate: int, later: int) -> None:
    state = used(RateState.full(burst, START), min(burst, rate)).at(START + later, rate, burst)
    wait = state.wait_s(rate)
    assert not state.at(START + later + wait * SECOND, rate, burst).wait_s(rate)
