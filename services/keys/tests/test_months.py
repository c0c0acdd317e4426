from datetime import UTC, datetime

import pytest

from keys.values import months


@pytest.mark.parametrize(
    ("instant", "month"),
    [
        (datetime(2026, 3, 31, 21, 59, 59, tzinfo=UTC), "2026-03"),  # summer time: Paris is two hours ahead
        (datetime(2026, 3, 31, 22, 0, tzinfo=UTC), "2026-04"),
        (datetime(2026, 10, 31, 22, 59, 59, tzinfo=UTC), "2026-10"),  # winter time: one hour
        (datetime(2026, 10, 31, 23, 0, tzinfo=UTC), "2026-11"),
        (datetime(2028, 2, 29, 22, 59, 59, tzinfo=UTC), "2028-02"),
        (datetime(2028, 2, 29, 23, 0, tzinfo=UTC), "2028-03"),
        (datetime(2026, 12, 31, 23, 0, tzinfo=UTC), "2027-01"),
    ],
)
def test_a_month_turns_at_midnight_in_paris(instant: datetime, month: str) -> None:
    assert months.month_of(instant) == month


def test_a_month_starts_where_the_one_before_ends() -> None:
    month = "2025-11"
    for _ in range(30):
        assert months.end_of(month) == months.start_of(months.next_month(month))
        assert months.month_of(months.start_of(month)) == month
        month = months.next_month(month)
    assert month == "2028-05"


def test_the_months_of_the_clock_changes_are_an_hour_off() -> None:
    march = months.end_of("2026-03") - months.start_of("2026-03")
    october = months.end_of("2026-10") - months.start_of("2026-10")
    assert march.total_seconds() == (31 * 24 - 1) * 3600
    assert october.total_seconds() == (31 * 24 + 1) * 3600
