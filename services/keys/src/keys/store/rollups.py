"""Adds to the rollups by hour and by day."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from keys.clock import day_of, start_of_hour
from keys.store.database import add_to_counts
from keys.store.tables import usage_days, usage_hours


class Place(NamedTuple):
    """Where usage is counted. The hour is the number of hours since 1970."""

    hour: int
    key_id: str
    endpoint: str


def add(connection: Connection, counts: Mapping[Place, Mapping[str, int]]) -> None:
    """Adds the counts, each of the same names, in one order for everybody."""
    days: dict[tuple[int, str, str], Counter[str]] = defaultdict(Counter)
    for place, count in counts.items():
        days[day_of(start_of_hour(place.hour)), place.key_id, place.endpoint].update(count)
    add_to_counts(connection, usage_hours, [{**place._asdict(), **count} for place, count in sorted(counts.items())])
    add_to_counts(
        connection,
        usage_days,
        [
            {"day": day, "key_id": key_id, "endpoint": endpoint, **count}
            for (day, key_id, endpoint), count in sorted(days.items())
        ],
    )
