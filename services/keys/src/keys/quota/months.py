"""Months as quota and bill count them: calendar months in Europe/Paris, written YYYY-MM."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")


def month_of(instant: datetime) -> str:
    """The month that an instant falls in."""
    return instant.astimezone(PARIS).strftime("%Y-%m")


def start_of(month: str) -> datetime:
    """The first instant of a month, in UTC. Raises ValueError where the month is not YYYY-MM."""
    first = datetime.strptime(month, "%Y-%m").replace(tzinfo=PARIS)
    return first.astimezone(UTC)


def next_month(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def end_of(month: str) -> datetime:
    """The first instant after a month, in UTC."""
    return start_of(next_month(month))
