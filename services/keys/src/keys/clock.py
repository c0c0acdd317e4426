"""Where the time comes from, so that tests can set it, and how it is counted."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")
Clock = Callable[[], datetime]
"""Gives the present instant, in UTC."""


def system_clock() -> datetime:
    return datetime.now(UTC)


def microseconds(instant: datetime) -> int:
    """Whole microseconds since 1970."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def hour_of(instant: datetime) -> int:
    """Whole hours since 1970 in UTC."""
    return (instant - _EPOCH) // timedelta(hours=1)


def start_of_hour(hour: int) -> datetime:
    return _EPOCH + timedelta(hours=hour)


def day_of(instant: datetime) -> int:
    """The ordinal of the instant's date in Europe/Paris."""
    return instant.astimezone(PARIS).toordinal()


def start_of_day(day: int) -> datetime:
    """The midnight, in UTC, that a day of Europe/Paris starts with."""
    return datetime.combine(date.fromordinal(day), time(), PARIS).astimezone(UTC)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
