"""The clock's type, and conversions between instants, hours and days."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Clock = Callable[[], datetime]
"""Returns the current instant in UTC. Tests set it."""


def system_clock() -> datetime:
    return datetime.now(UTC)


EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""Callers may name instants, days and months between EARLIEST and LATEST, so that sums of them do not overflow."""


def checked(instant: datetime) -> datetime:
    """Returns the instant in UTC. Raises ValueError if it has no time zone, or lies outside EARLIEST to LATEST."""
    if instant.tzinfo is None:
        raise ValueError("an instant has a time zone")
    if not EARLIEST <= instant <= LATEST:
        raise ValueError("an instant is from 2000 to 2200")
    return instant.astimezone(UTC)


def read_instant(text: str) -> datetime:
    """Returns the RFC 3339 instant in UTC. Raises ValueError if the text is malformed, or not from 2000 to 2200."""
    return checked(datetime.fromisoformat(text))


def is_day(text: str) -> bool:
    """Whether the text has the form of a date, YYYY-MM-DD, and not of an instant."""
    return _DAY.fullmatch(text) is not None


def read_day(text: str) -> datetime:
    """Returns the first midnight of a date in Europe/Paris, in UTC. Raises ValueError for a date that does not exist,
    or is not from 2000 to 2199.
    """
    day = date.fromisoformat(text)
    if day.year >= LATEST.year:
        raise ValueError("a day is from 2000 to 2199")
    return checked(datetime.combine(day, time(), PARIS))


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
    """The first midnight of a day of Europe/Paris, in UTC."""
    return datetime.combine(date.fromordinal(day), time(), PARIS).astimezone(UTC)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
