"""Counts outcomes: the event, its reservation's settlement, the month and the hour, in one transaction.

The reservation's time fixes hour and month; an outcome without a known reservation has its own time, never a later
one than ours. An event id that was counted before is acknowledged and changes nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, select, update

from keys.clock import Clock, hour_of
from keys.metering.outcomes import Outcome
from keys.quota import months
from keys.quota.policy import Rules
from keys.store import rollups
from keys.store.database import Database, add_to_counts, upsert
from keys.store.locking import lock
from keys.store.rollups import Place
from keys.store.tables import events, key_months, reservations

RESERVATION_LIFETIME = timedelta(minutes=15)
_LAPSE_BATCH = 500
_RECORD_BATCH = 1_000


class Settler:
    """Settles reservations, with their outcome or without one."""

    def __init__(self, database: Database, rules: Rules, clock: Clock) -> None:
        self._database = database
        self._rules = rules
        self._clock = clock

    def record(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Counts the outcomes and returns their event ids, each once. Raises Unavailable, with some of them counted;
        all may be sent again.
        """
        by_event = {outcome.event_id: outcome for outcome in outcomes}
        for start in range(0, len(by_event), _RECORD_BATCH):
            self._record(dict(islice(by_event.items(), start, start + _RECORD_BATCH)))
        return list(by_event)

    def _record(self, by_event: dict[bytes, Outcome]) -> None:
        with self._database.writing() as connection:
            lock(connection, {outcome.key_id for outcome in by_event.values()})
            now = self._clock()
            reserved = _reservations_of(connection, by_event.values())
            self._count(connection, by_event, reserved, now)

    def lapse(self) -> int:
        """Gives back what requests without an outcome after 15 minutes hold, and flags them. Returns how many; more
        may be waiting where it is a full batch.
        """
        c = reservations.c
        with self._database.writing() as connection:
            overdue = (c.state == "held", c.reserved_at < self._clock() - RESERVATION_LIFETIME)
            wanted = select(c.id, c.key_id).where(*overdue).order_by(c.reserved_at).limit(_LAPSE_BATCH)
            candidates = list(connection.execute(wanted))
            lock(connection, {key_id for _, key_id in candidates})
            still = select(reservations).where(c.id.in_([row_id for row_id, _ in candidates]), c.state == "held")
            rows = list(connection.execute(still).mappings())
            counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
            for row in rows:
                counts[row["key_id"], row["month"]].subtract(_held(row))
            _set_states(connection, rows, "lapsed")
            _add_months(connection, counts)
        return len(rows)

    def _count(
        self,
        connection: Connection,
        by_event: dict[bytes, Outcome],
        reserved: dict[tuple[bytes, str], RowMapping],
        now: datetime,
    ) -> None:
        rows: dict[bytes, dict[str, Any]] = {}
        settled: dict[tuple[bytes, str], bytes] = {}
        for event_id, outcome in sorted(by_event.items()):
            reference = (outcome.reservation_id, outcome.key_id)
            reservation = reserved.get(reference)
            weight = reservation["units"] if reservation else self._rules.weight(outcome.endpoint)
            is_second = reference in settled or (reservation is not None and reservation["state"] == "settled")
            if reservation and not is_second:
                settled[reference] = event_id
            at = reservation["reserved_at"] if reservation else min(outcome.occurred_at, now)
            rows[event_id] = {
                "id": event_id,
                "reservation_id": outcome.reservation_id,
                "key_id": outcome.key_id,
                "endpoint": outcome.endpoint,
                "status": outcome.status,
                "latency_us": outcome.latency_us,
                "units": weight if outcome.is_charged and not is_second else 0,
                "input_tokens": outcome.input_tokens,
                "output_tokens": outcome.output_tokens,
                "month": months.month_of(at),
                "occurred_at": outcome.occurred_at,
                "recorded_at": now,
                "hour": hour_of(at),
            }
        new = _insert_events(connection, rows)
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        hours: dict[Place, Counter[str]] = defaultdict(Counter)
        for event_id in new:
            outcome, row = by_event[event_id], rows[event_id]
            hours[Place(row["hour"], outcome.key_id, outcome.endpoint)].update(
                requests=1,
                errors=int(outcome.is_error),
                units=row["units"],
                timed_requests=1,
                latency_us=outcome.latency_us,
                input_tokens=outcome.input_tokens,
                output_tokens=outcome.output_tokens,
            )
            counts[outcome.key_id, row["month"]].update(
                requests=1, errors=int(outcome.is_error), units=row["units"], tokens=outcome.tokens
            )
        closing = [reserved[reference] for reference, event_id in settled.items() if event_id in new]
        for reservation in closing:
            month = counts[reservation["key_id"], reservation["month"]]
            if reservation["state"] == "held":
                month.subtract(_held(reservation))
            charged = by_event[settled[bytes(reservation["id"]), reservation["key_id"]]].is_charged
            month["calls"] += int(charged and reservation["assistant_mode"] is not None)
        _set_states(connection, closing, "settled")
        _add_months(connection, counts)
        rollups.add(connection, hours)


def _reservations_of(connection: Connection, outcomes: Iterable[Outcome]) -> dict[tuple[bytes, str], RowMapping]:
    wanted = select(reservations).where(
        reservations.c.id.in_([outcome.reservation_id for outcome in outcomes]), reservations.c.state != "denied"
    )
    return {(bytes(row["id"]), row["key_id"]): row for row in connection.execute(wanted).mappings()}


def _insert_events(connection: Connection, rows: dict[bytes, dict[str, Any]]) -> set[bytes]:
    """Inserts those that are new and returns their ids."""
    if not rows:
        return set()
    statement = upsert(connection, events).on_conflict_do_nothing(index_elements=[events.c.id]).returning(events.c.id)
    values = [{name: value for name, value in row.items() if name != "hour"} for row in rows.values()]
    return {bytes(event_id) for event_id in connection.execute(statement, values).scalars()}


def _held(reservation: RowMapping) -> dict[str, int]:
    return {
        "reserved_units": reservation["units"],
        "reserved_calls": int(reservation["assistant_mode"] is not None),
        "reserved_tokens": reservation["token_limit"] or 0,
    }


def _set_states(connection: Connection, rows: Sequence[RowMapping], state: str) -> None:
    if rows:
        statement = update(reservations).where(reservations.c.id.in_(bindparam("ids", expanding=True)))
        connection.execute(statement.values(state=state), {"ids": [row["id"] for row in rows]})


def _add_months(connection: Connection, counts: dict[tuple[str, str], Counter[str]]) -> None:
    names = [column.name for column in key_months.c if not column.primary_key]
    add_to_counts(
        connection,
        key_months,
        [
            {"key_id": key_id, "month": month, **{name: count[name] for name in names}}
            for (key_id, month), count in sorted(counts.items())
        ],
    )
