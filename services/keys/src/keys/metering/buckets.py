"""Ranges and buckets of a usage report: hours, or days and months of Europe/Paris."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from keys.clock import PARIS, checked, day_of, hour_of, read_instant, start_of_day, start_of_hour
from keys.quota import months
from servicekit.errors import InvalidPayload, Violation

MAX_BUCKETS = 1_000


class Bucket(StrEnum):
    HOUR = "hour"
    DAY = "day"
    MONTH = "month"

    def start(self, instant: datetime) -> datetime:
        """Returns the start, in UTC, of the bucket that contains the instant."""
        if self is Bucket.HOUR:
            return start_of_hour(hour_of(instant))
        if self is Bucket.MONTH:
            return months.start_of(months.month_of(instant))
        return start_of_day(day_of(instant))

    def next(self, start: datetime) -> datetime:
        """Returns the start, in UTC, of the bucket after the one with this start."""
        if self is Bucket.HOUR:
            return start + timedelta(hours=1)
        if self is Bucket.MONTH:
            return months.end_of(months.month_of(start))
        return start_of_day(day_of(start) + 1)


@dataclass(frozen=True)
class Range:
    """Whole hours from `start` to `end`, without `end`."""

    start: datetime
    end: datetime

    def whole_days(self) -> tuple[int, int]:
        """Returns the first whole day of Europe/Paris in the range, and the first day after them."""
        first = day_of(self.start)
        if start_of_day(first) < self.start:
            first += 1
        return first, max(first, day_of(self.end))

    def odd_hours(self) -> list[tuple[int, int]]:
        """Returns the hours before and after the whole days, as pairs. The second hour of a pair is excluded."""
        first, last = self.whole_days()
        if first == last:
            return [(hour_of(self.start), hour_of(self.end))]
        parts = [(self.start, start_of_day(first)), (start_of_day(last), self.end)]
        return [(hour_of(start), hour_of(end)) for start, end in parts if start < end]

    def buckets(self, bucket: Bucket) -> Iterator[datetime]:
        """The start of each bucket that overlaps the range. The first is the start of the range."""
        at = self.start
        while at < self.end:
            yield at
            at = bucket.next(bucket.start(at))

    def months(self) -> Iterator[tuple[str, "Range"]]:
        """Each month that overlaps the range, with its part of the range."""
        for start in self.buckets(Bucket.MONTH):
            month = months.month_of(start)
            yield month, Range(start, min(self.end, months.end_of(month)))


def read_range(start: str, end: str, bucket: Bucket, now: datetime) -> Range:
    """Returns the range of two instants or Europe/Paris dates, widened to whole hours. An empty start is the start of
    this month, and an empty end is the end of this hour. Raises InvalidPayload, also for more than 1,000 buckets.
    """
    first = _read(start, "/from") if start else months.start_of(months.month_of(now))
    last = _read(end, "/to") if end else start_of_hour(hour_of(now) + 1)
    until = start_of_hour(hour_of(last))
    found = Range(start_of_hour(hour_of(first)), until if until == last else until + timedelta(hours=1))
    if found.start >= found.end:
        raise _invalid("/to", "is after from")
    for count, _ in enumerate(found.buckets(bucket)):
        if count >= MAX_BUCKETS:
            raise _invalid("/bucket", f"gives more than {MAX_BUCKETS} buckets in this range")
    return found


def _read(text: str, pointer: str) -> datetime:
    try:
        if len(text) != len("2026-01-01"):
            return read_instant(text)
        day = date.fromisoformat(text)
        return checked(datetime(day.year, day.month, day.day, tzinfo=PARIS))
    except ValueError:
        raise _invalid(pointer, "is an RFC 3339 instant or a date, from 2000 to 2200") from None


def _invalid(pointer: str, detail: str) -> InvalidPayload:
    return InvalidPayload("The range cannot be read.", violations=[Violation(pointer, "malformed", detail)])
