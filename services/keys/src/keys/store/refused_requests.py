"""Counts refused requests in memory and writes them in batches. So a refused request needs no write.

A killed process loses its counts since the last batch. Refused requests are never billed.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import NamedTuple

import prometheus_client
from sqlalchemy import Connection

from keys.clock import day_of, start_of_hour
from keys.errors import Blocked
from keys.store import rollups
from keys.store.database import Database
from keys.store.rollups import RollupKey
from keys.store.usage_outcomes import OutcomeCounts, Place

MAX_REFUSED_KEYS = 10_000
MAX_COUNTS = 50_000
"""The maximum number of counts in memory while the database cannot be written."""

_dropped = prometheus_client.Counter("keys_refusals_dropped", "Refused requests that were not counted.")


class RefusedKeys:
    """The most recent keys whose last requests were refused. Safe for threads."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key_id: object) -> bool:
        return key_id in self._keys

    def note(self, key_id: str, *, is_refused: bool) -> None:
        with self._lock:
            self._keys.pop(key_id, None)
            if is_refused:
                self._keys[key_id] = None
            if len(self._keys) > MAX_REFUSED_KEYS:
                self._keys.popitem(last=False)


class RefusedRequest(NamedTuple):
    """The counters of a refused request: its month, its hour, key and endpoint, and the code of its denial."""

    month: str
    rollup_key: RollupKey
    code: str


class RefusedRequests:
    """Safe for threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counts: Counter[RefusedRequest] = Counter()
        self._lock = Lock()
        self._flushing = Lock()

    @property
    def is_empty(self) -> bool:
        """Whether all counts are written."""
        return not self._counts

    def count(self, refused: Iterable[RefusedRequest]) -> None:
        self._add(Counter(refused))

    def flush(self) -> int:
        """Writes the counts and returns the number of requests. Waits for a flush in progress. Counts that cannot be
        written stay for the next flush. Raises Unavailable if the database does not answer.
        """
        with self._flushing:
            return self._flush()

    def _flush(self) -> int:
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if not counts:
            return 0
        try:
            self._write(counts)
        except Blocked:
            return self._write_each(counts)
        except Exception:
            self._add(counts)
            raise
        return counts.total()

    def _write_each(self, counts: Counter[RefusedRequest]) -> int:
        """Writes key by key, so that a locked key delays only its own counts."""
        written_count = 0
        unwritten = Counter(counts)
        try:
            for key_id in sorted({refusal.rollup_key.key_id for refusal in counts}):
                of_key = Counter(
                    {refusal: count for refusal, count in counts.items() if refusal.rollup_key.key_id == key_id}
                )
                try:
                    self._write(of_key)
                except Blocked:
                    continue
                unwritten -= of_key
                written_count += of_key.total()
        finally:
            self._add(unwritten)
        return written_count

    def _write(self, counts: Mapping[RefusedRequest, int]) -> None:
        with self._database.writing() as connection:
            _add(connection, counts)

    def _add(self, counts: Counter[RefusedRequest]) -> None:
        with self._lock:
            for refusal, count in counts.items():
                if refusal in self._counts or len(self._counts) < MAX_COUNTS:
                    self._counts[refusal] += count
                else:
                    _dropped.inc(count)


def _add(connection: Connection, counts: Mapping[RefusedRequest, int]) -> None:
    months: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    hours: dict[RollupKey, Counter[str]] = defaultdict(Counter)
    outcomes = OutcomeCounts()
    for (month, rollup_key, code), count in counts.items():
        for counter in (months[rollup_key.key_id, month], hours[rollup_key]):
            counter.update(requests=count, errors=count)
        day = day_of(start_of_hour(rollup_key.hour))
        outcomes.count_refusals(Place(day, rollup_key.key_id, rollup_key.endpoint), code, count)
    rollups.add_months(connection, months)
    rollups.add(connection, hours)
    outcomes.add(connection)
