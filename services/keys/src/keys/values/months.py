"""Calendar months in Europe/Paris, written YYYY-MM, for quotas and bills."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from keys.values.clock import EARLIEST, LATEST, PARIS

_MONTH = re.compile(r"([0-9]{4}-(?:0[1-9]|1[0-2]))(?:-01)?")


def month_of(instant: datetime) -> str:
    """Returns the month that contains the instant."""
    local = instant.astimezone(PARIS)
    return f"{local.year:04}-{local.month:02}"


@lru_cache(maxsize=256)
def start_of(month: str) -> datetime:
    """Returns the first instant of a month, in UTC. Raises ValueError if the month is not YYYY-MM."""
    first = datetime.strptime(month, "%Y-%m").replace(tzinfo=PARIS)
    return first.astimezone(UTC)


def read_month(text: str) -> str:
    """Returns a month from 2000 to 2199, written as YYYY-MM or as the date of its first day. Raises ValueError."""
    match = _MONTH.fullmatch(text)
    if match is None or not month_of(EARLIEST) <= match[1] < month_of(LATEST):
        raise ValueError("a month is YYYY-MM, from 2000 to 2199")
    return match[1]


def next_month(month: str) -> str:
    year, number = map(int, month.split("-"))
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def previous_month(month: str) -> str:
    year, number = map(int, month.split("-"))
    return f"{year - (number == 1):04}-{(number - 2) % 12 + 1:02}"


def days_in(month: str, start: datetime, end: datetime | None) -> set[int]:
    """Returns the days of the month, in Paris, that a period touches, at least one. Without an end, it goes on."""
    first, last = start_of(month), end_of(month) - timedelta(microseconds=1)
    begin = min(max(start, first), last)
    finish = last if end is None else max(begin, min(end - timedelta(microseconds=1), last))
    return set(range(begin.astimezone(PARIS).day, finish.astimezone(PARIS).day + 1))


def day_count(month: str) -> int:
    return len(days_in(month, start_of(month), None))


@lru_cache(maxsize=256)
def end_of(month: str) -> datetime:
    """Returns the first instant after a month, in UTC."""
    return start_of(next_month(month))
