"""Requests by day, status and problem code, and their latencies by class. Rows are added in the transaction that counts
the requests.

Refused requests have no latency. The newest granted requests of a key are read from the events that are kept.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, Row, select

from contract.problem_codes import PROBLEMS
from keys.store.database import add_to_counts, summed
from keys.store.rollups import Scope
from keys.store.tables import events, usage_latencies, usage_outcomes
from keys.values.buckets import Range
from keys.values.outcomes import LATENCY_CLASSES, latency_class_of

OutcomeCount: TypeAlias = Row[Any]
"""A row with `endpoint`, `status`, `code`, which is empty without a problem, and `requests`."""
KeyCall: TypeAlias = Row[Any]
"""A row of `events`."""
OTHER_CODE = "other"
"""Stands for each code that keys does not know, so that there are few rows."""
UNKNOWN_STATUS = 0
NEWEST = 50
_STATUSES = range(100, 600)


class Place(NamedTuple):
    """The day, key and endpoint of a count."""

    day: int
    key_id: str
    endpoint: str


class OutcomeCounts:
    """Counts to add to the tables."""

    def __init__(self) -> None:
        self._statuses: Counter[tuple[Place, int, str]] = Counter()
        self._latencies: dict[Place, Counter[str]] = defaultdict(Counter)

    def count(self, place: Place, status: int, code: str, latency_us: int) -> None:
        self._count(place, status, code, 1)
        self._latencies[place][f"class_{latency_class_of(latency_us)}"] += 1

    def count_refusals(self, place: Place, code: str, requests: int) -> None:
        """Counts requests that keys refused with this code."""
        self._count(place, PROBLEMS[code].status if code in PROBLEMS else UNKNOWN_STATUS, code, requests)

    def _count(self, place: Place, status: int, code: str, requests: int) -> None:
        known_code = code if code in PROBLEMS or not code else OTHER_CODE
        self._statuses[place, status if status in _STATUSES else UNKNOWN_STATUS, known_code] += requests

    def add(self, connection: Connection) -> None:
        """Adds the counts. Rows are written in one order, to prevent deadlocks."""
        statuses = [
            {**place._asdict(), "status": status, "code": code, "requests": requests}
            for (place, status, code), requests in sorted(self._statuses.items())
        ]
        add_to_counts(connection, usage_outcomes, statuses)
        latencies = [{**place._asdict(), **counts} for place, counts in sorted(self._latencies.items())]
        add_to_counts(connection, usage_latencies, latencies)


def counts(connection: Connection, period: Range, scope: Scope) -> Sequence[OutcomeCount]:
    """Returns the endpoint, status, code and requests of each count of all days that the range touches. The code is
    empty without a problem.
    """
    c = usage_outcomes.c
    first, end = period.touched_days()
    groups = (c.endpoint, c.status, c.code)
    statement = select(*groups, summed(c.requests).label("requests")).group_by(*groups)
    return connection.execute(statement.where(c.day >= first, c.day < end, scope.of(c.key_id))).all()


def latencies(connection: Connection, period: Range, scope: Scope) -> dict[str, list[int]]:
    """Returns the requests of each latency class by endpoint, of all days that the range touches."""
    c = usage_latencies.c
    first, end = period.touched_days()
    sums = (summed(c[f"class_{number}"]) for number in range(LATENCY_CLASSES))
    statement = select(c.endpoint, *sums).where(c.day >= first, c.day < end, scope.of(c.key_id)).group_by(c.endpoint)
    return {endpoint: counts for endpoint, *counts in connection.execute(statement)}


def newest_calls(connection: Connection, key_id: str) -> Sequence[KeyCall]:
    """Returns at most 50 requests, the newest first, by the columns of `events`."""
    statement = select(events).where(events.c.key_id == key_id).order_by(events.c.occurred_at.desc(), events.c.id)
    return connection.execute(statement.limit(NEWEST)).all()
