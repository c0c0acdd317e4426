"""Measures the time of a usage report over a month of 10 million requests, by day and by hour.

Runs on SQLite and, if Docker is available, on PostgreSQL. It fills the rollups directly, since reports never read raw
events.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from contestants import POSTGRES_IMAGE, database_server
from measuring import Figures, parser
from sqlalchemy import insert

from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE
from keys.api_keys import changes as key_changes
from keys.metering.reporting import report
from keys.store.audit_log import Actor
from keys.store.change import Transaction, changing
from keys.store.database import Database
from keys.store.rollups import Scope
from keys.store.tables import key_months, usage_days, usage_hours, usage_latencies, usage_outcomes
from keys.values.buckets import Bucket, Range
from keys.values.clock import day_of, hour_of, start_of_hour
from keys.values.hashing import Peppers
from keys.values.outcomes import LATENCY_CLASSES
from keys.values.policy import AssistantMode, AssistantPolicy, Quota
from keys.values.records import KeyDraft

KEYS = 300
START = datetime(2026, 10, 1, tzinfo=UTC)
END = datetime(2026, 10, 31, tzinfo=UTC)
NOW = END + timedelta(hours=12)
MONTH = "2026-10"
WEIGHTS = {RESOLVE: 1, GEOJSON: 2, DIVIDE_LAND: 10}
MOST_PER_HOUR = 31
BATCH = 50_000
RUNS = 9


def fill(database: Database) -> int:
    """Creates keys and the rollups of a month of requests. Returns the number of requests."""
    with changing(database, lambda: START, Actor("bench", "")) as change:
        draft = KeyDraft("Bench", "bench", Quota(None, 60_000, 1_000), AssistantPolicy(AssistantMode.RULES))
        ids = [key_changes.create(change, Peppers({1: b"0" * 32}), draft).record.id for _ in range(KEYS)]
    hours: list[dict[str, Any]] = []
    days: dict[tuple[int, str, str], dict[str, Any]] = {}
    months: dict[str, dict[str, Any]] = {}
    random = Random(1)  # noqa: S311 (deterministic)
    for hour in range(hour_of(START), hour_of(END)):
        day = day_of(start_of_hour(hour))
        for key_id in ids:
            for endpoint, weight in WEIGHTS.items():
                counts = _counts(random.randrange(MOST_PER_HOUR), weight)
                hours.append({"hour": hour, "key_id": key_id, "endpoint": endpoint, **counts})
                of_day = days.setdefault((day, key_id, endpoint), {"day": day, "key_id": key_id, "endpoint": endpoint})
                _add(of_day, counts)
                of_month = months.setdefault(key_id, {"key_id": key_id, "month": MONTH})
                _add(of_month, {name: counts[name] for name in ("requests", "errors", "units")})
    with database.writing() as connection:
        for start in range(0, len(hours), BATCH):
            connection.execute(insert(usage_hours), hours[start : start + BATCH])
        connection.execute(insert(usage_days), list(days.values()))
        connection.execute(insert(usage_outcomes), [row for counts in days.values() for row in _outcomes(counts)])
        connection.execute(insert(usage_latencies), [_latencies(counts) for counts in days.values()])
        connection.execute(insert(key_months), list(months.values()))
    return sum(month["requests"] for month in months.values())


def _counts(requests: int, weight: int) -> dict[str, int]:
    return {
        "requests": requests,
        "errors": requests // 20,
        "units": requests * weight,
        "timed_requests": requests,
        "latency_us": requests * 9_000,
        "input_tokens": 0,
        "output_tokens": 0,
    }


def _outcomes(of_day: dict[str, Any]) -> list[dict[str, Any]]:
    """The requests of a day with two statuses."""
    return [
        {**_place(of_day), "status": status, "code": code, "requests": of_day[count]}
        for status, code, count in ((200, "", "requests"), (404, "address_not_found", "errors"))
    ]


def _latencies(of_day: dict[str, Any]) -> dict[str, Any]:
    return {
        **_place(of_day),
        **{f"class_{number}": of_day["requests"] // LATENCY_CLASSES for number in range(LATENCY_CLASSES)},
    }


def _place(of_day: dict[str, Any]) -> dict[str, Any]:
    return {name: of_day[name] for name in ("day", "key_id", "endpoint")}


def _add(row: dict[str, Any], counts: dict[str, int]) -> None:
    for name, value in counts.items():
        row[name] = row.get(name, 0) + value


def times_ms(database: Database, bucket: Bucket) -> Iterator[float]:
    for _ in range(RUNS):
        started = time.perf_counter()
        with database.reading() as connection:
            report(Transaction(connection, NOW), Range(START, END), bucket, Scope(), MONTH)
        yield (time.perf_counter() - started) * 1_000


def measure(figures: Figures, name: str, url: str) -> None:
    database = Database(url)
    database.migrate()
    figures.note(f"{name}: {fill(database):,} requests of {KEYS} keys.")
    for bucket in (Bucket.DAY, Bucket.HOUR):
        figures.add(f"by {bucket.name.lower()}", name, {"ms": list(times_ms(database, bucket))})
    database.close()


def main() -> int:
    options = parser(__doc__).parse_args()
    figures = Figures.of(options)
    with tempfile.TemporaryDirectory() as folder:
        measure(figures, "SQLite", f"sqlite:///{Path(folder)}/keys.sqlite")
    try:
        with database_server(POSTGRES_IMAGE) as (url, _):
            measure(figures, "PostgreSQL", url)
    except Exception as error:
        figures.fail("start", "PostgreSQL", error)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
