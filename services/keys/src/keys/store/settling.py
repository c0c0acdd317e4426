"""Counts outcomes: the event, the settlement of its reservation, the month and the hour, in one transaction.

The reservation's time decides hour and month. Without a known reservation, the outcome's own time does, but never a
later one than ours. A repeated event id is acknowledged and changes nothing. Outcomes of a locked key are queued in the
database and counted later.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, bindparam, select, update

from keys.clock import Clock, day_of, hour_of, start_of_hour
from keys.errors import Blocked
from keys.metering.outcomes import COUNTED_UNKNOWN_DAYS, Outcome
from keys.quota import months
from keys.quota.policy import Rules
from keys.store import driver, line_requests, rollups, waiting_outcomes
from keys.store.database import Database, add_missing
from keys.store.driver import Rows, Store
from keys.store.locking import TryLock, lock
from keys.store.rollups import RollupKey
from keys.store.tables import events, keys, reservations
from keys.store.usage_outcomes import OutcomeCounts, Place

log = logging.getLogger(__name__)

RESERVATION_LIFETIME = timedelta(minutes=15)
_LAPSE_BATCH = 500
_RECORD_BATCH = 1_000


class _Reservation(NamedTuple):
    """A granted request."""

    id: bytes
    key_id: str
    reserved_at: datetime
    month: str
    state: str
    units: int
    assistant_mode: str | None
    token_limit: int | None


class _Event(NamedTuple):
    """An outcome, its units, and its month and hour. `settles` is the reservation that it closes."""

    outcome: Outcome
    units: int
    month: str
    hour: int
    settles: _Reservation | None


_IDS: BindParameter[list[bytes]] = bindparam("ids", expanding=True)
_GRANTED = select(*(reservations.c[name] for name in _Reservation._fields)).where(reservations.c.id.in_(_IDS))
_EVENTS = select(events.c.id).where(events.c.id.in_(_IDS))
_OVERDUE = (
    select(reservations.c.id)
    .join(keys, keys.c.id == reservations.c.key_id)
    .where(reservations.c.state == "held", reservations.c.reserved_at < bindparam("before"))
    .order_by(reservations.c.reserved_at)
    .limit(_LAPSE_BATCH)
    .with_for_update(key_share=True, skip_locked=True, of=keys)
)
_SET_STATES = update(reservations).where(reservations.c.id.in_(_IDS)).values(state=bindparam("new_state"))


class Settler:
    """Settles reservations, with their outcome or without one."""

    def __init__(self, database: Database, rules: Rules, clock: Clock) -> None:
        self._database = database
        self._rules = rules
        self._clock = clock

    def record(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Locks every key, counts the outcomes, and returns the event ids that the caller need not send again. An
        outcome that may have been counted before, and is too old to know, is not among them. Raises Blocked if a lock
        times out, and Unavailable if the database does not answer. Some outcomes may then be counted; the caller may
        send all of them again.
        """
        recorded = []
        for batch in _batches(outcomes):
            with self._database.pipelined() as connection:
                lock(connection, {outcome.key_id for outcome in batch})
                recorded += self._count_known(connection, batch, _granted(connection, _references(batch)))
        return recorded

    def try_record(self, outcomes: Sequence[Outcome]) -> tuple[list[bytes], list[Outcome]]:
        """Does what `record` does without waiting for locks. Also returns the outcomes of locked keys, which are not
        counted.
        """
        recorded: list[bytes] = []
        uncounted: list[Outcome] = []
        for batch in _batches(outcomes):
            with self._database.pipelined() as connection:
                locking = TryLock(connection, {outcome.key_id for outcome in batch})
                granted = _granted(connection, _references(batch))
                locked = locking.failed()
                free = [outcome for outcome in batch if outcome.key_id not in locked]
                recorded += self._count_known(connection, free, granted)
            uncounted += [outcome for outcome in batch if outcome.key_id in locked]
        return recorded, uncounted

    def queue(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Stores the outcomes for `count_queued` and returns the event ids, like `record`. Locks no key."""
        with self._database.writing() as connection:
            queued = self._without_too_old(connection, outcomes, _read(_granted(connection, _references(outcomes))))
            waiting_outcomes.add(connection, queued)
        return [outcome.event_id for outcome in queued]

    def count_queued(self) -> int:
        """Counts the queued outcomes of unlocked keys and returns their number."""
        with self._database.reading() as connection:
            key_ids = waiting_outcomes.key_ids(connection)
        return sum(map(self._count_queued_of, key_ids))

    def _count_queued_of(self, key_id: str) -> int:
        try:
            with self._database.writing() as connection:
                if TryLock(connection, [key_id]).failed():
                    return 0
                queued = waiting_outcomes.of_key(connection, key_id)
                self._count(connection, queued, _read(_granted(connection, _references(queued))))
                waiting_outcomes.remove(connection, queued)
                return len(queued)
        except Blocked:
            return 0

    def _count_known(self, connection: Store, outcomes: Sequence[Outcome], granted: Rows) -> list[bytes]:
        """Counts the outcomes, except those that are too old, and returns their event ids."""
        reservations_ = _read(granted)
        counted = self._without_too_old(connection, outcomes, reservations_)
        self._count(connection, counted, reservations_)
        return [outcome.event_id for outcome in counted]

    def _without_too_old(
        self, connection: Store, outcomes: Sequence[Outcome], granted: Sequence[_Reservation]
    ) -> Sequence[Outcome]:
        too_old = _too_old(connection, outcomes, granted, self._clock())
        if not too_old:
            return outcomes
        log.error("outcomes refused: too old to know whether they were counted", extra={"count": len(too_old)})
        return [outcome for outcome in outcomes if outcome.event_id not in too_old]

    def _count(self, connection: Store, outcomes: Sequence[Outcome], granted: Sequence[_Reservation]) -> None:
        now = self._clock()
        line_units = line_requests.charge(connection, outcomes, self._rules, now)
        of_requests = [outcome for outcome in outcomes if not outcome.is_of_file]
        _count(connection, self._events(of_requests, granted, line_units, now), now)

    def lapse(self) -> int:
        """Releases and marks the reservations that have no outcome after 15 minutes. Returns their number. After a full
        batch, more may remain. Reservations of locked keys lapse in a later call.
        """
        with self._database.writing() as connection:
            before = self._clock() - RESERVATION_LIFETIME
            candidates = list(connection.execute(_OVERDUE, {"before": before}).scalars())
            granted = _read(_granted(connection, candidates))
            lapsed = [reservation for reservation in granted if reservation.state == "held"]
            counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
            for reservation in lapsed:
                _release(counts[reservation.key_id, reservation.month], reservation)
            _set_states(connection, lapsed, "lapsed")
            rollups.add_months(connection, counts)
        return len(lapsed)

    def _events(
        self,
        outcomes: Sequence[Outcome],
        granted: Sequence[_Reservation],
        line_units: Mapping[bytes, int],
        now: datetime,
    ) -> list[_Event]:
        """Returns the outcomes as events, in the order of their ids. The first event of a reservation settles it.
        Further events of it cost nothing. `line_units` has the units of the outcomes with a line, by event id.
        """
        by_reference = {(reservation.id, reservation.key_id): reservation for reservation in granted}
        settled: set[tuple[bytes, str]] = set()
        new_events = []
        for outcome in sorted(outcomes, key=attrgetter("event_id")):
            reference = (outcome.reservation_id, outcome.key_id)
            reservation = by_reference.get(reference)
            if reservation is None:
                at = min(outcome.occurred_at, now)
                weight = self._rules.weight(outcome.endpoint) if outcome.is_charged else 0
                units = line_units.get(outcome.event_id, weight)
                new_events.append(_Event(outcome, units, months.month_of(at), hour_of(at), None))
                continue
            settles = None if reservation.state == "settled" or reference in settled else reservation
            settled.add(reference)
            reserved = reservation.units if settles and outcome.is_charged else 0
            units = line_units.get(outcome.event_id, reserved)
            new_events.append(_Event(outcome, units, reservation.month, hour_of(reservation.reserved_at), settles))
        return new_events


def _batches(outcomes: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    """Splits the outcomes into batches, with each event once."""
    in_order = iter({outcome.event_id: outcome for outcome in outcomes}.values())
    while batch := list(islice(in_order, _RECORD_BATCH)):
        yield batch


def _references(outcomes: Sequence[Outcome]) -> list[bytes]:
    return [outcome.reservation_id for outcome in outcomes]


def _granted(connection: Store, ids: Sequence[bytes]) -> Rows:
    """Starts to read the reservations that were granted."""
    return driver.read(connection, _GRANTED, {"ids": ids})


def _read(granted: Rows) -> list[_Reservation]:
    return [_Reservation._make(row) for row in granted]


def _too_old(
    connection: Store, outcomes: Sequence[Outcome], granted: Sequence[_Reservation], now: datetime
) -> set[bytes]:
    """Returns the event ids of outcomes that are old and have neither a known reservation nor a known event. Retention
    may have deleted what shows that they were counted before.
    """
    references = {(reservation.id, reservation.key_id) for reservation in granted}
    before = now - timedelta(days=COUNTED_UNKNOWN_DAYS)
    suspect = {
        outcome.event_id
        for outcome in outcomes
        if outcome.occurred_at < before and (outcome.reservation_id, outcome.key_id) not in references
    }
    if not suspect:
        return suspect
    of_lines = {outcome.event_id: outcome.lines.request_id for outcome in outcomes if outcome.lines is not None}
    stored_requests = line_requests.known_ids(
        connection, [id_ for event_id, id_ in of_lines.items() if event_id in suspect]
    )
    suspect.difference_update(event_id for event_id, request_id in of_lines.items() if request_id in stored_requests)
    return suspect.difference(event_id for (event_id,) in driver.read(connection, _EVENTS, {"ids": list(suspect)}))


def _count(connection: Store, new_events: Sequence[_Event], now: datetime) -> None:
    """Stores and counts the new events."""
    new = add_missing(connection, events, [_row(event, now) for event in new_events])
    by_month: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    by_hour: dict[RollupKey, Counter[str]] = defaultdict(Counter)
    outcome_counts = OutcomeCounts()
    settled = []
    for event in new_events:
        outcome = event.outcome
        if outcome.event_id not in new:
            continue
        is_error = outcome.is_error
        hour = by_hour[RollupKey(event.hour, outcome.key_id, outcome.endpoint)]
        hour["requests"] += 1
        hour["errors"] += is_error
        hour["units"] += event.units
        hour["timed_requests"] += 1
        hour["latency_us"] += outcome.latency_us
        hour["input_tokens"] += outcome.input_tokens
        hour["output_tokens"] += outcome.output_tokens
        place = Place(day_of(start_of_hour(event.hour)), outcome.key_id, outcome.endpoint)
        outcome_counts.count(place, outcome.status, outcome.code, outcome.latency_us)
        month = by_month[outcome.key_id, event.month]
        month["requests"] += 1
        month["errors"] += is_error
        month["units"] += event.units
        month["tokens"] += outcome.tokens_used((event.settles and event.settles.token_limit) or 0)
        if event.settles is not None:
            settled.append(event.settles)
            month["calls"] += outcome.uses_call(event.settles.assistant_mode)
            if event.settles.state == "held":
                _release(month, event.settles)
    _set_states(connection, settled, "settled")
    rollups.add_months(connection, by_month)
    rollups.add(connection, by_hour)
    outcome_counts.add(connection)


def _row(event: _Event, now: datetime) -> dict[str, Any]:
    outcome = event.outcome
    return {
        "id": outcome.event_id,
        "reservation_id": outcome.reservation_id,
        "key_id": outcome.key_id,
        "endpoint": outcome.endpoint,
        "status": outcome.status,
        "latency_us": outcome.latency_us,
        "units": event.units,
        "input_tokens": outcome.input_tokens,
        "output_tokens": outcome.output_tokens,
        "month": event.month,
        "occurred_at": outcome.occurred_at,
        "recorded_at": now,
        "request_id": outcome.request_id or None,
        "code": outcome.code or None,
    }


def _release(month: Counter[str], reservation: _Reservation) -> None:
    """Subtracts the reservation from a month's counts."""
    month["reserved_units"] -= reservation.units
    month["reserved_calls"] -= reservation.assistant_mode is not None
    month["reserved_tokens"] -= reservation.token_limit or 0


def _set_states(connection: Store, changed: Sequence[_Reservation], state: str) -> None:
    if changed:
        ids = [reservation.id for reservation in changed]
        driver.read(connection, _SET_STATES, {"ids": ids, "new_state": state})
