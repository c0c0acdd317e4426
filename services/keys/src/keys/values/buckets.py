"""Ranges and buckets of a usage report: hours, or days and months of Europe/Paris."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from keys.values import months
from keys.values.checks import Fault, refuse, too_many
from keys.values.clock import day_of, hour_of, is_day, read_day, read_instant, start_of_day, start_of_hour
from servicekit.languages import Text

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
        return self.start(start + _INTO_NEXT[self])


_INTO_NEXT = {Bucket.HOUR: timedelta(hours=1), Bucket.DAY: timedelta(hours=26), Bucket.MONTH: timedelta(days=32)}
"""From the start of any bucket into the next one: a day of Paris has 23 to 25 hours, a month 28 to 31 days."""


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

    def touched_days(self) -> tuple[int, int]:
        """Returns the first day of Europe/Paris with an hour in the range, and the first day after the last one."""
        return day_of(self.start), day_of(self.end - timedelta(hours=1)) + 1

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
    """Returns the range of two well-formed instants or Europe/Paris dates, widened to whole hours. An end that is a
    date is the end of that day. An empty start is the start of this month, and an empty end is the end of this hour.
    Raises InvalidPayload if the range is empty or has more than 1,000 buckets.
    """
    first = read_start(start) if start else months.start_of(months.month_of(now))
    last = read_end(end) if end else start_of_hour(hour_of(now) + 1)
    until = start_of_hour(hour_of(last))
    period = Range(start_of_hour(hour_of(first)), until if until == last else until + timedelta(hours=1))
    if period.start >= period.end:
        raise refuse("/to", Fault("out_of_range", Text("la fin doit suivre from", "the end must be after from")))
    for count, _ in enumerate(period.buckets(bucket)):
        if count >= MAX_BUCKETS:
            raise refuse("/bucket", too_many(MAX_BUCKETS))
    return period


def read_start(text: str) -> datetime:
    return read_day(text) if is_day(text) else read_instant(text)


def read_end(text: str) -> datetime:
    return start_of_day(day_of(read_day(text)) + 1) if is_day(text) else read_instant(text)
