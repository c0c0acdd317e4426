"""Requests by day, status, problem code and latency class. Rows are added in the transaction that counts the requests.

Refused requests have no latency. What a version before this table counted is in the other rollups only: reports state
the difference as unknown.
"""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from keys.metering.buckets import Range
from keys.metering.latencies import UNTIMED
from keys.store.database import add_to_counts
from keys.store.driver import Store
from keys.store.rollups import Scope
from keys.store.tables import usage_outcomes
from servicekit.problem_codes import STATUSES

OTHER_CODE = "other"
"""Stands for each code that this version does not know, so that there are few rows."""
UNKNOWN_STATUS = 0
_STATUSES = range(100, 600)


class OutcomeKey(NamedTuple):
    """The primary key of a count."""

    day: int
    key_id: str
    endpoint: str
    status: int
    code: str
    """Empty without a problem."""
    latency_class: int


class OutcomeCount(NamedTuple):
    endpoint: str
    status: int
    code: str
    latency_class: int
    requests: int


def outcome_key(day: int, key_id: str, endpoint: str, status: int, code: str, latency_class: int) -> OutcomeKey:
    known_code = code if code in STATUSES or not code else OTHER_CODE
    known_status = status if status in _STATUSES else UNKNOWN_STATUS
    return OutcomeKey(day, key_id, endpoint, known_status, known_code, latency_class)


def refusal_key(day: int, key_id: str, endpoint: str, code: str) -> OutcomeKey:
    """The count of a request that keys refused with this code."""
    return outcome_key(day, key_id, endpoint, STATUSES.get(code, UNKNOWN_STATUS), code, UNTIMED)


def add(connection: Store, counts: Mapping[OutcomeKey, int]) -> None:
    """Adds the counts. Rows are written in one order, to prevent deadlocks."""
    rows = [{**each._asdict(), "requests": count} for each, count in sorted(counts.items())]
    add_to_counts(connection, usage_outcomes, rows)


def counts(connection: Connection, period: Range, scope: Scope) -> list[OutcomeCount]:
    """Returns the counts of all days that the range touches."""
    c = usage_outcomes.c
    first, end = period.touched_days()
    named = (c.endpoint, c.status, c.code, c.latency_class)
    statement = select(*named, func.sum(c.requests)).where(c.day >= first, c.day < end, scope.of(c.key_id))
    return [OutcomeCount(*row[:-1], int(row[-1])) for row in connection.execute(statement.group_by(*named))]
