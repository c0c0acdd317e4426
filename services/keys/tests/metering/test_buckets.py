from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keys.values.buckets import Bucket, Range, read_range
from keys.values.clock import hour_of, read_day, start_of_day, start_of_hour
from servicekit.errors import InvalidPayload

NOW = datetime(2026, 3, 29, 10, 30, tzinfo=UTC)


def test_a_day_of_a_clock_change_has_23_or_25_hours() -> None:
    spring = Range(datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC))
    autumn = Range(datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC))
    for day, hours in ((spring, 23), (autumn, 25)):
        assert list(day.buckets(Bucket.DAY)) == [day.start]
        assert len(list(day.buckets(Bucket.HOUR))) == hours


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [
        ("2026-03-29", "2026-03-30", 47),
        ("2026-03-29", "2026-03-29", 23),
        ("2026-10-25", "2026-10-25", 25),
        ("2026-03-28", "2026-03-29T00:00:00+01:00", 24),
        ("2199-12-31", "2199-12-31", 24),
    ],
)
def test_a_date_as_the_end_counts_as_a_whole_day_of_paris_and_an_instant_is_exclusive(
    start: str, end: str, hours: int
) -> None:
    period = read_range(start, end, Bucket.DAY, NOW)
    assert period.start == read_day(start)
    assert period.end - period.start == timedelta(hours=hours)


def test_the_default_range_is_this_month_until_now() -> None:
    period = read_range("", "", Bucket.DAY, NOW)
    assert (period.start, period.end) == (datetime(2026, 2, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 11, tzinfo=UTC))


def test_a_range_is_widened_to_whole_hours() -> None:
    period = read_range("2026-03-01T00:59:59+01:00", "2026-03-01T02:00:00.5Z", Bucket.HOUR, NOW)
    assert (period.start, period.end) == (datetime(2026, 2, 28, 23, tzinfo=UTC), datetime(2026, 3, 1, 3, tzinfo=UTC))


@pytest.mark.parametrize(
    ("start", "end", "pointer"),
    [
        ("2026-03-02", "2026-03-01", "/to"),
        ("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", "/to"),
        ("2020-01-01", "2026-01-01", "/bucket"),
    ],
)
def test_invalid_ranges_are_refused_with_a_pointer(start: str, end: str, pointer: str) -> None:
    with pytest.raises(InvalidPayload) as caught:
        read_range(start, end, Bucket.DAY, NOW)
    assert [violation.pointer for violation in caught.value.violations] == [pointer]


@given(
    st.integers(430_000, 520_000).map(start_of_hour),
    st.integers(1, 60 * 24),
    st.sampled_from(Bucket),
)
def test_buckets_cover_the_range_without_gap_or_overlap(first: datetime, hours: int, bucket: Bucket) -> None:
    period = Range(first, first + timedelta(hours=hours))
    starts = list(period.buckets(bucket))
    assert starts[0] == period.start
    assert starts == sorted(set(starts))
    for hour in range(hours):
        instant = period.start + timedelta(hours=hour)
        assert max(period.start, bucket.start(instant)) in starts
    parts = [part for _, part in period.months()]
    assert (parts[0].start, parts[-1].end) == (period.start, period.end)
    assert all(first.end == right.start for first, right in pairwise(parts))


@given(st.integers(430_000, 520_000), st.integers(1, 24 * 400))
def test_whole_days_and_odd_hours_are_the_range(first: int, length: int) -> None:
    period = Range(start_of_hour(first), start_of_hour(first + length))
    start, end = period.whole_days()
    covered = [(hour_of(start_of_day(start)), hour_of(start_of_day(end)))] if start < end else []
    parts = sorted([*covered, *period.odd_hours()])
    assert (parts[0][0], parts[-1][1]) == (first, first + length)
    assert all(first[1] == right[0] for first, right in pairwise(parts))
