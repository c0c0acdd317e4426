"""Counts outcomes and ends leases: the events, what they took of their leases, the months and the hours, together.

The beginning of its lease decides the month and the hour of an outcome, but never a later time than ours. A repeated
event id is acknowledged and changes nothing. Outcomes of a locked key are left for the next call.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select

from contract.endpoints import SUGGEST
from keys.store import leasing, request_lines, rollups
from keys.store.answered_requests import OutcomeCounts, Place
from keys.store.database import Database, add_missing
from keys.store.lease_book import LeaseBook, LeaseEnd
from keys.store.lease_states import existing, lock_free, lock_soon, read_leases
from keys.store.recording import Use, record_limits
from keys.store.rollups import RollupKey
from keys.store.tables import events, key_months, leases
from keys.values import months
from keys.values.clock import Clock, day_of, hour_of, start_of_hour
from keys.values.errors import Unavailable
from keys.values.lease_rules import Lease, units_of_suggestions
from keys.values.outcomes import KEPT_LONGER_DAYS, Outcome
from keys.values.policy import Rules

log = logging.getLogger(__name__)

_EVENTS = select(events.c.id).where(events.c.id.in_(bindparam("ids", expanding=True)))
_OF_HOLDERS = select(leases.c.id, leases.c.key_id, leases.c.holder).where(
    leases.c.holder.in_(bindparam("holders", expanding=True))
)
_SUGGESTIONS = select(key_months.c.key_id, key_months.c.month, key_months.c.suggestions).where(
    key_months.c.key_id.in_(bindparam("key_ids", expanding=True))
)


@dataclass(frozen=True)
class RefusedRequests:
    """How many requests of a key an edge refused, with the same code, until an instant."""

    key_id: str
    endpoint: str
    code: str
    requests: int
    occurred_at: datetime


@dataclass(frozen=True)
class Settlement:
    """What an edge reports together. The dead holders have no outcome any more."""

    outcomes: Sequence[Outcome] = ()
    ended: Sequence[LeaseEnd] = ()
    refused: Sequence[RefusedRequests] = ()
    dead_holders: Sequence[bytes] = ()

    def of_keys(self, key_ids: Collection[str]) -> "Settlement":
        """What of it belongs to these keys."""
        return Settlement(
            [outcome for outcome in self.outcomes if outcome.key_id in key_ids],
            [end for end in self.ended if end.key_id in key_ids],
            [refusal for refusal in self.refused if refusal.key_id in key_ids],
        )


class Settled(NamedTuple):
    """Ids of counted events and of ended leases, and of both those whose key is locked. Nothing of a locked key is
    counted.
    """

    counted: Sequence[bytes]
    ended: Sequence[bytes]
    postponed: Sequence[bytes]
    locked_keys: Sequence[str]


class _Event(NamedTuple):
    """An outcome, the instant that decides its month and hour, and its units."""

    outcome: Outcome
    at: datetime
    units: int


class Settler:
    def __init__(self, database: Database, rules: Rules, clock: Clock, *, raw_days: int) -> None:
        """`raw_days` is that of retention."""
        self._database = database
        self._rules = rules
        self._clock = clock
        self._counted_age = timedelta(days=raw_days - KEPT_LONGER_DAYS)

    def settle(self, settlement: Settlement) -> Settled:
        """Counts all of it but for locked keys. An outcome that is too old to know whether it was counted before is
        neither acknowledged nor postponed. Raises Unavailable; the caller may then send all of it again.

        Locked keys do not delay the others. They get a second transaction, which waits shortly: a key that each lease
        locks again would else never be counted.
        """
        settled = self._settle(settlement, lock_free)
        if settled.locked_keys:
            try:
                waited = self._settle(settlement.of_keys(set(settled.locked_keys)), lock_soon)
                settled = Settled([*settled.counted, *waited.counted], [*settled.ended, *waited.ended], [], [])
            except Unavailable:
                log.info("outcomes postponed: their keys are locked", extra={"count": len(settled.locked_keys)})
        return settled._replace(postponed=[*settled.postponed, *self._release(settlement.dead_holders)])

    def _settle(self, settlement: Settlement, locking: Callable[[Connection, Iterable[str]], set[str]]) -> Settled:
        outcomes = {outcome.event_id: outcome for outcome in settlement.outcomes}.values()
        refused = [refusal for refusal in settlement.refused if refusal.requests > 0]
        with self._database.writing() as connection:
            key_ids = [part.key_id for parts in (outcomes, settlement.ended, refused) for part in parts]
            locked = locking(connection, key_ids)
            now = self._clock()
            unlocked = [outcome for outcome in outcomes if outcome.key_id not in locked]
            counted = self._without_too_old(connection, unlocked, now)
            ended = [end for end in settlement.ended if end.key_id not in locked]
            lease_ids = {*(outcome.lease_id for outcome in counted), *(end.lease_id for end in ended)}
            stored_leases = read_leases(connection, lease_ids)
            counts = self._count(connection, counted, stored_leases, now)
            issued = existing(connection, (end.key_id for end in ended if end.lease_id not in stored_leases))
            known_ends = (end for end in ended if end.lease_id in stored_leases or end.key_id in issued)
            counts.book.end_all(stored_leases, known_ends, now)
            uses = [Use(outcome.key_id, months.month_of(min(outcome.leased_at, now))) for outcome in counted]
            for refusal in refused:
                if refusal.key_id not in locked:
                    counts.refuse(refusal, now)
                    month = months.month_of(min(refusal.occurred_at, now))
                    least = max(1, self._rules.line_weight(refusal.endpoint))
                    uses.append(Use(refusal.key_id, month, refusal.code, least))
            counts.write(connection, now)
            record_limits(connection, uses, now)
        postponed = [
            *(outcome.event_id for outcome in outcomes if outcome.key_id in locked),
            *(end.lease_id for end in settlement.ended if end.key_id in locked),
        ]
        return Settled(
            [outcome.event_id for outcome in counted], [end.lease_id for end in ended], postponed, sorted(locked)
        )

    def _release(self, holders: Sequence[bytes]) -> set[bytes]:
        """Ends the leases of dead edges. Returns the edges that still have one, of a locked key."""
        if not holders:
            return set()
        with self._database.writing() as connection:
            rows = connection.execute(_OF_HOLDERS, {"holders": list(holders)}).all()
            locked = leasing.drop(connection, [(lease_id, key_id) for lease_id, key_id, _ in rows], self._clock())
        return {row.holder for row in rows if row.key_id in locked}

    def _without_too_old(self, connection: Connection, outcomes: Sequence[Outcome], now: datetime) -> Sequence[Outcome]:
        """The outcomes, except old ones whose event is unknown. Retention may have deleted what shows that they were
        counted before.
        """
        before = now - self._counted_age
        suspects = {outcome.event_id: outcome for outcome in outcomes if outcome.occurred_at < before}
        if not suspects:
            return outcomes
        stored_events = set(connection.execute(_EVENTS, {"ids": list(suspects)}).scalars())
        of_lines = [outcome.lines.request_id for outcome in suspects.values() if outcome.lines is not None]
        stored_requests = request_lines.read_rows(connection, of_lines)
        too_old = {
            event_id
            for event_id, outcome in suspects.items()
            if event_id not in stored_events
            and (outcome.lines is None or outcome.lines.request_id not in stored_requests)
        }
        if too_old:
            log.error("outcomes refused: too old to know whether they were counted", extra={"count": len(too_old)})
        return [outcome for outcome in outcomes if outcome.event_id not in too_old]

    def _count(
        self, connection: Connection, outcomes: Sequence[Outcome], stored_leases: Mapping[bytes, Lease], now: datetime
    ) -> "_Counts":
        line_units = request_lines.charge(connection, outcomes, self._rules, now)
        of_requests = sorted((outcome for outcome in outcomes if not outcome.is_of_file), key=attrgetter("event_id"))
        new_events = [
            _Event(outcome, min(outcome.leased_at, now), line_units.get(outcome.event_id, outcome.charged_units))
            for outcome in of_requests
        ]
        if any(event.outcome.endpoint == SUGGEST for event in new_events):
            new_events = self._with_tenths(connection, new_events)
        new_ids = add_missing(connection, events, [_row(event, now) for event in new_events])
        counts = _Counts()
        for event in new_events:
            if event.outcome.event_id in new_ids:
                counts.count(event, stored_leases.get(event.outcome.lease_id))
        return counts

    def _with_tenths(self, connection: Connection, new_events: Sequence[_Event]) -> list[_Event]:
        """The events that are not stored yet, with the units of suggestions: each tenth beyond the free ones costs."""
        stored_ids = connection.execute(_EVENTS, {"ids": [event.outcome.event_id for event in new_events]}).scalars()
        known_ids = set(stored_ids)
        key_ids = {event.outcome.key_id for event in new_events}
        rows = connection.execute(_SUGGESTIONS, {"key_ids": sorted(key_ids)})
        suggestions = Counter({(key_id, month): count for key_id, month, count in rows})
        with_units = []
        for event in new_events:
            outcome = event.outcome
            if outcome.event_id in known_ids:
                continue
            units = event.units
            if outcome.endpoint == SUGGEST:
                place = outcome.key_id, months.month_of(event.at)
                units = units_of_suggestions(suggestions[place], 1, self._rules) if outcome.is_charged else 0
                suggestions[place] += 1
            with_units.append(event._replace(units=units))
        return with_units


class _Counts:
    """What the events of a transaction add to the tables."""

    def __init__(self) -> None:
        self.book = LeaseBook()
        self._hours: dict[RollupKey, Counter[str]] = defaultdict(Counter)
        self._outcomes = OutcomeCounts()

    def count(self, event: _Event, lease: Lease | None) -> None:
        outcome = event.outcome
        rollup_key = self._add(outcome.key_id, outcome.endpoint, event.at, int(outcome.is_error), 1)
        hour = self._hours[rollup_key]
        hour["units"] += event.units
        hour["timed_requests"] += 1
        hour["latency_us"] += outcome.latency_us
        hour["input_tokens"] += outcome.input_tokens
        hour["output_tokens"] += outcome.output_tokens
        place = Place(day_of(start_of_hour(rollup_key.hour)), outcome.key_id, outcome.endpoint)
        self._outcomes.count(place, outcome.status, outcome.code, outcome.latency_us)
        month = self.book.months[outcome.key_id, months.month_of(event.at)]
        month["units"] += event.units
        month["tokens"] += outcome.tokens_used
        month["calls"] += outcome.uses_call
        month["suggestions"] += outcome.endpoint == SUGGEST
        if lease is not None and lease.key_id == outcome.key_id:
            self.book.use(lease, outcome.taken)

    def refuse(self, refused: RefusedRequests, now: datetime) -> None:
        at = min(refused.occurred_at, now)
        rollup_key = self._add(refused.key_id, refused.endpoint, at, refused.requests, refused.requests)
        place = Place(day_of(start_of_hour(rollup_key.hour)), refused.key_id, refused.endpoint)
        self._outcomes.count_refusals(place, refused.code, refused.requests)

    def write(self, connection: Connection, now: datetime) -> None:
        """Writes rows of each table in one order, to prevent deadlocks."""
        self.book.write(connection, now)
        rollups.add(connection, self._hours)
        self._outcomes.add(connection)

    def _add(self, key_id: str, endpoint: str, at: datetime, errors: int, requests: int) -> RollupKey:
        """Counts requests of a month and an hour. Returns the hour."""
        rollup_key = RollupKey(hour_of(at), key_id, endpoint)
        for counts in (self._hours[rollup_key], self.book.months[key_id, months.month_of(at)]):
            counts["requests"] += requests
            counts["errors"] += errors
        return rollup_key


def _row(event: _Event, now: datetime) -> dict[str, Any]:
    outcome = event.outcome
    return {
        "id": outcome.event_id,
        "key_id": outcome.key_id,
        "endpoint": outcome.endpoint,
        "status": outcome.status,
        "latency_us": outcome.latency_us,
        "units": event.units,
        "input_tokens": outcome.input_tokens,
        "output_tokens": outcome.output_tokens,
        "month": months.month_of(event.at),
        "occurred_at": outcome.occurred_at,
        "recorded_at": now,
        "request_id": outcome.request_id or None,
        "code": outcome.code or None,
    }
