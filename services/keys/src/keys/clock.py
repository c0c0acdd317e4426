"""Where the time comes from, so that tests can set it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

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


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
