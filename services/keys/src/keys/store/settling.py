"""Counts outcomes: the event, its reservation's settlement, the month and the hour, in one transaction.

The reservation's time fixes hour and month; an outcome without a known reservation has its own time, never a later
one than ours. An event id that was counted before is acknowledged and changes nothing. Outcomes of a key that another
transaction holds are kept as they came and counted later.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, select, update

from keys.clock import Clock, hour_of
from keys.errors import Blocked
from keys.metering.outcomes import COUNTED_UNKNOWN_DAYS, Outcome
from keys.quota import months
from keys.quota.policy import Rules
from keys.store import rollups, waiting_outcomes
from keys.store.database import Database, add_missing, add_to_counts
from keys.store.locking import lock, try_lock
from keys.store.rollups import RollupKey
from keys.store.tables import events, key_months, keys, reservations

log = logging.getLogger(__name__)

RESERVATION_LIFETIME = timedelta(minutes=15)
_LAPSE_BATCH = 500
_RECORD_BATCH = 1_000


class _Reservation(NamedTuple):
    """A request that was granted."""

    id: bytes
    key_id: str
    reserved_at: datetime
    month: str
    state: str
    units: int
    assistant_mode: str | None
    token_limit: int | None


class _Event(NamedTuple):
    """An outcome, what it costs, and where it is counted. `settles` is the reservation that it closes."""

    outcome: Outcome
    units: int
    month: str
    hour: int
    settles: _Reservation | None


_IDS: BindParameter[list[bytes]] = bindparam("ids", expanding=True)
_GRANTED = select(*(reservations.c[name] for name in _Reservation._fields)).where(
    reservations.c.id.in_(_IDS), reservations.c.state != "denied"
)
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
_MONTH_COUNTS = [column.name for column in key_months.c if not column.primary_key]


class Settler:
    """Settles reservations, with their outcome or without one."""

    def __init__(self, database: Database, rules: Rules, clock: Clock) -> None:
        self._database = database
        self._rules = rules
        self._clock = clock

    def record(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Counts the outcomes once every key's lock is had, and returns the event ids of those that need not be sent
        again. The id of an outcome that may have been counted before, and is too old to know, is not among them. Raises
        Blocked where a lock is not had in time, Unavailable where the database does not answer. Some of them may be
        counted then; all may be sent again.
        """
        recorded = []
        for batch in _batches(outcomes):
            with self._database.writing() as connection:
                lock(connection, {outcome.key_id for outcome in batch})
                recorded += self._count_known(connection, batch)
        return recorded

    def try_record(self, outcomes: Sequence[Outcome]) -> tuple[list[bytes], list[Outcome]]:
        """As `record`, without waiting for keys that others hold. Returns the outcomes of those besides, which are not
        counted.
        """
        recorded: list[bytes] = []
        left: list[Outcome] = []
        for batch in _batches(outcomes):
            with self._database.writing() as connection:
                held = try_lock(connection, {outcome.key_id for outcome in batch})
                recorded += self._count_known(connection, [each for each in batch if each.key_id not in held])
            left += [outcome for outcome in batch if outcome.key_id in held]
        return recorded, left

    def queue(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Keeps the outcomes for `count_queued` and returns the event ids, as `record`. Needs no key's lock."""
        with self._database.writing() as connection:
            kept, _ = self._without_too_old(connection, outcomes)
            waiting_outcomes.add(connection, kept)
        return [outcome.event_id for outcome in kept]

    def count_queued(self) -> int:
        """Counts the outcomes that were kept, but those of keys that others still hold. Returns how many."""
        with self._database.reading() as connection:
            key_ids = waiting_outcomes.key_ids(connection)
        return sum(map(self._count_queued_of, key_ids))

    def _count_queued_of(self, key_id: str) -> int:
        try:
            with self._database.writing() as connection:
                if try_lock(connection, [key_id]):
                    return 0
                kept = waiting_outcomes.of_key(connection, key_id)
                granted = _granted(connection, [outcome.reservation_id for outcome in kept])
                self._count(connection, kept, granted)
                waiting_outcomes.remove(connection, kept)
                return len(kept)
        except Blocked:
            return 0

    def _count_known(self, connection: Connection, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Counts those that are not too old to know whether they were counted, and returns their event ids."""
        if not outcomes:
            return []
        counted, granted = self._without_too_old(connection, outcomes)
        self._count(connection, counted, granted)
        return [outcome.event_id for outcome in counted]

    def _without_too_old(
        self, connection: Connection, outcomes: Sequence[Outcome]
    ) -> tuple[list[Outcome], list[_Reservation]]:
        """The outcomes that are not too old to know whether they were counted, and the reservations of all."""
        granted = _granted(connection, [outcome.reservation_id for outcome in outcomes])
        too_old = _too_old(connection, outcomes, granted, self._clock())
        if too_old:
            log.error("outcomes refused: too old to know whether they were counted", extra={"count": len(too_old)})
        return [outcome for outcome in outcomes if outcome.event_id not in too_old], granted

    def _count(self, connection: Connection, outcomes: Sequence[Outcome], granted: Sequence[_Reservation]) -> None:
        now = self._clock()
        _count(connection, self._events(outcomes, granted, now), now)

    def lapse(self) -> int:
        """Gives back what requests without an outcome after 15 minutes hold, and flags them. Returns how many; more
        may be waiting where it is a full batch. Those of keys that others hold lapse another time.
        """
        with self._database.writing() as connection:
            before = self._clock() - RESERVATION_LIFETIME
            candidates = list(connection.execute(_OVERDUE, {"before": before}).scalars())
            granted = _granted(connection, candidates)
            lapsed = [reservation for reservation in granted if reservation.state == "held"]
            counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
            for reservation in lapsed:
                _give_back(counts[reservation.key_id, reservation.month], reservation)
            _set_states(connection, lapsed, "lapsed")
            _add_months(connection, counts)
        return len(lapsed)

    def _events(self, outcomes: Sequence[Outcome], granted: Sequence[_Reservation], now: datetime) -> list[_Event]:
        """The outcomes as events, in the order of their ids. The first that comes of a reservation settles it; those
        after it cost nothing.
        """
        by_reference = {(reservation.id, reservation.key_id): reservation for reservation in granted}
        settled: set[tuple[bytes, str]] = set()
        made = []
        for outcome in sorted(outcomes, key=attrgetter("event_id")):
            reference = (outcome.reservation_id, outcome.key_id)
            reservation = by_reference.get(reference)
            if reservation is None:
                at = min(outcome.occurred_at, now)
                units = self._rules.weight(outcome.endpoint) if outcome.is_charged else 0
                made.append(_Event(outcome, units, months.month_of(at), hour_of(at), None))
                continue
            settles = None if reservation.state == "settled" or reference in settled else reservation
            settled.add(reference)
            units = reservation.units if settles and outcome.is_charged else 0
            made.append(_Event(outcome, units, reservation.month, hour_of(reservation.reserved_at), settles))
        return made


def _batches(outcomes: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    """The outcomes by event, each event once."""
    in_order = iter({outcome.event_id: outcome for outcome in outcomes}.values())
    while batch := list(islice(in_order, _RECORD_BATCH)):
        yield batch


def _granted(connection: Connection, ids: Sequence[bytes]) -> list[_Reservation]:
    """Those of the reservations that were granted."""
    return [_Reservation._make(row) for row in connection.execute(_GRANTED, {"ids": ids})]


def _too_old(
    connection: Connection, outcomes: Sequence[Outcome], granted: Sequence[_Reservation], now: datetime
) -> set[bytes]:
    """Event ids of those that may have been counted and deleted since: old, and neither reservation nor event known."""
    references = {(reservation.id, reservation.key_id) for reservation in granted}
    before = now - timedelta(days=COUNTED_UNKNOWN_DAYS)
    suspect = {
        outcome.event_id
        for outcome in outcomes
        if outcome.occurred_at < before and (outcome.reservation_id, outcome.key_id) not in references
    }
    if not suspect:
        return suspect
    return suspect.difference(connection.execute(_EVENTS, {"ids": list(suspect)}).scalars())


def _count(connection: Connection, made: Sequence[_Event], now: datetime) -> None:
    """Keeps and counts those of the events that are new."""
    new = add_missing(connection, events, [_row(event, now) for event in made])
    by_month: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    by_hour: dict[RollupKey, Counter[str]] = defaultdict(Counter)
    settled = []
    for event in made:
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
        month = by_month[outcome.key_id, event.month]
        month["requests"] += 1
        month["errors"] += is_error
        month["units"] += event.units
        month["tokens"] += outcome.tokens_taken((event.settles and event.settles.token_limit) or 0)
        if event.settles is not None:
            settled.append(event.settles)
            month["calls"] += outcome.takes_call(event.settles.assistant_mode)
            if event.settles.state == "held":
                _give_back(month, event.settles)
    _set_states(connection, settled, "settled")
    _add_months(connection, by_month)
    rollups.add(connection, by_hour)


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
    }


def _give_back(month: Counter[str], reservation: _Reservation) -> None:
    """Takes from a month's counts what the reservation holds of them."""
    month["reserved_units"] -= reservation.units
    month["reserved_calls"] -= reservation.assistant_mode is not None
    month["reserved_tokens"] -= reservation.token_limit or 0


def _set_states(connection: Connection, changed: Sequence[_Reservation], state: str) -> None:
    if changed:
        connection.execute(_SET_STATES, {"ids": [reservation.id for reservation in changed], "new_state": state})


def _add_months(connection: Connection, counts: Mapping[tuple[str, str], Counter[str]]) -> None:
    add_to_counts(
        connection,
        key_months,
        [
            {"key_id": key_id, "month": month, **{name: count[name] for name in _MONTH_COUNTS}}
            for (key_id, month), count in sorted(counts.items())
        ],
    )
