"""How often each service answered on each of the last days, as the edges that share a volume saw it.

The counts are in a file beside the spool, so that they survive restarts.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from edge.clients.states import HealthClient

log = logging.getLogger(__name__)

DAYS = 90
INTERVAL_S = 60.0
STARTS_WITHIN_S = 60.0
_TABLE = """
CREATE TABLE IF NOT EXISTS days (
  date TEXT, name TEXT, checks INTEGER, answered INTEGER, PRIMARY KEY (date, name)
) WITHOUT ROWID
"""
_COUNT = """
INSERT INTO days VALUES (?, ?, 1, ?)
ON CONFLICT DO UPDATE SET checks = checks + 1, answered = answered + excluded.answered
"""


class ServiceDay(NamedTuple):
    """`answered` of the `checks` of a service on a day (UTC) found it serving."""

    date: str
    name: str
    checks: int
    answered: int


class Availability:
    def __init__(self, folder: Path, health: HealthClient) -> None:
        self._path = folder / "availability.db"
        self._health = health
        self.days: Sequence[ServiceDay] = ()
        """Of the last DAYS days, in order."""

    async def follow(self) -> None:
        """Checks the services every INTERVAL_S, until it is cancelled. The first check waits for services that start
        with the edge, for STARTS_WITHIN_S at most.
        """
        started_at = time.monotonic()
        while True:
            serving = await self._health.serving()
            is_starting = time.monotonic() - started_at < STARTS_WITHIN_S and not all(serving.values())
            if not is_starting:
                await self._store(serving)
            await asyncio.sleep(1.0 if is_starting else INTERVAL_S)

    async def _store(self, serving: Mapping[str, bool]) -> None:
        try:
            self.days = await asyncio.to_thread(self.count, serving, datetime.now(UTC).date())
        except (OSError, sqlite3.Error) as error:
            log.warning("the availability was not counted", extra={"reason": f"{type(error).__name__}: {error}"})

    def count(self, serving: Mapping[str, bool], today: date) -> list[ServiceDay]:
        """Adds a check of each service, and returns all days. Raises OSError or sqlite3.Error."""
        first = today - timedelta(days=DAYS - 1)
        with closing(sqlite3.connect(self._path)) as database, database:
            database.execute(_TABLE)
            database.executemany(_COUNT, [(today.isoformat(), name, answers) for name, answers in serving.items()])
            database.execute("DELETE FROM days WHERE date < ?", (first.isoformat(),))
            return [ServiceDay(*row) for row in database.execute("SELECT * FROM days ORDER BY date, name")]
