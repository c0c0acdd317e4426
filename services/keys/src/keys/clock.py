"""Where the time comes from, so that tests can set it, and how it is counted and read."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")
Clock = Callable[[], datetime]
"""Gives the present instant, in UTC."""


def system_clock() -> datetime:
    return datetime.now(UTC)


EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""Instants, days and months that a caller names lie between these two, so that no sum of them overflows."""


def checked(instant: datetime) -> datetime:
    """The instant in UTC. Raises ValueError where it has no time zone, or lies outside EARLIEST to LATEST."""
    if instant.tzinfo is None:
        raise ValueError("an instant has a time zone")
    try:
        at = instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("an instant is from 2000 to 2200") from None
    if not EARLIEST <= at <= LATEST:
        raise ValueError("an instant is from 2000 to 2200")
    return at


def read_instant(text: str) -> datetime:
    """The RFC 3339 instant in UTC. Raises ValueError where the text is none, or it is not from 2000 to 2200."""
    return checked(datetime.fromisoformat(text))


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
