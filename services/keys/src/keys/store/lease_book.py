"""Collects changes of leases and of the counts that they reserve, and writes them together."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from contract.counters import NOTHING, Counters
from keys.store import rollups
from keys.store.database import put_rows
from keys.store.lease_states import RATES, lease_row
from keys.store.tables import key_activity, keys, leases
from keys.values import lease_rules, months
from keys.values.clock import microseconds
from keys.values.lease_rules import KeyState, Lease
from keys.values.rates import RateState

_ACTIVITY = (
    select(key_activity, keys.c.per_minute, keys.c.burst)
    .join(keys, keys.c.id == key_activity.c.key_id)
    .where(key_activity.c.key_id.in_(bindparam("key_ids", expanding=True)))
    .order_by(key_activity.c.key_id)
)


@dataclass(frozen=True)
class LeaseEnd:
    """`unused` is None if the edge never got the lease."""

    lease_id: bytes
    key_id: str
    unused: Counters | None


class LeaseBook:
    """The keys of the leases must be locked."""

    def __init__(self) -> None:
        self._leases: dict[bytes, Lease] = {}
        self._ended: dict[str, list[tuple[Lease, int]]] = defaultdict(list)
        """The leases that grant no more requests, by key, with their unused requests."""
        self.months: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """What to add to the counts of keys and months, by the names of their columns."""
        self._activity: dict[str, dict[str, Any]] = {}
        """The rows of keys that have a new lease."""

    def add(self, lease: Lease, rates: RateState) -> None:
        """Reserves the counters of a new lease. `rates` are those of its key after all leases of this book."""
        self.months[lease.key_id, lease.month].update(reserved_counts(lease.left))
        self._leases[lease.id] = lease
        self._activity[lease.key_id] = {"key_id": lease.key_id, "last_used_at": lease.leased_at, **vars(rates)}

    def use(self, lease: Lease, counters: Counters) -> None:
        """Takes what the request of an outcome used."""
        self._put(lease, lease_rules.used(self.current(lease), counters))

    def end_all(self, stored: Mapping[bytes, Lease], ended: Iterable[LeaseEnd], now: datetime) -> None:
        """Ends these leases, of existing keys. One that is not stored yet begins ended: its call may still arrive."""
        for end in ended:
            lease = stored.get(end.lease_id)
            if lease is None:
                self._leases[end.lease_id] = Lease(
                    id=end.lease_id,
                    key_id=end.key_id,
                    holder=b"",
                    month=months.month_of(now),
                    leased_at=now,
                    left=NOTHING,
                    is_ended=True,
                )
            elif lease.key_id == end.key_id:
                self.end(lease, end.unused)

    def end(self, lease: Lease, unused: Counters | None) -> None:
        """Ends a lease once. None: nothing was used."""
        current = self.current(lease)
        if current.is_ended:
            return
        returned = current.left if unused is None else unused.at_most(current.left)
        self._ended[lease.key_id].append((current, returned.requests))
        self._put(lease, lease_rules.end_of(current, returned))

    def expire(self, lease: Lease) -> None:
        """Ends the right to more requests, of a lease whose time is over and whose end has not arrived."""
        current = self.current(lease)
        self._ended[lease.key_id].append((current, 0))
        self._put(lease, replace(current, left=replace(current.left, requests=0)))

    def drop(self, lease: Lease) -> None:
        """Ends a lease of which no outcome will come, and returns all that is left, but no request: any may be used."""
        self.end(lease, replace(self.current(lease).left, requests=0))
        self._put(lease, replace(self.current(lease), left=NOTHING))

    @property
    def changed(self) -> Sequence[Lease]:
        """The leases as they are after this, in one order."""
        return [lease for _, lease in sorted(self._leases.items())]

    def rates_after(self, key_id: str, rates: RateState, now: datetime, per_minute: int, burst: int) -> RateState:
        """The rates of a key after its leases have ended."""
        rates = rates.at(microseconds(now), per_minute, burst)
        for lease, unused in self._ended[key_id]:
            rates = rates.returned(lease.left.requests, unused, lease_rules.minute_of(lease), burst)
        return rates

    def state_after(self, state: KeyState, now: datetime) -> KeyState:
        """The state of a key after its leases have ended."""
        key_id, quota = state.policy.key_id, state.policy.quota
        counts = self.months.get((key_id, state.month_name), Counter())
        month = replace(state.month, **{name: getattr(state.month, name) + counts[name] for name in counts})
        return replace(
            state, month=month, rates=self.rates_after(key_id, state.rates, now, quota.per_minute, quota.burst)
        )

    def write(self, connection: Connection, now: datetime) -> None:
        self._write_activity(connection, now)
        put_rows(connection, leases, [lease_row(lease) for lease in self.changed])
        rollups.add_months(connection, self.months)

    def current(self, lease: Lease) -> Lease:
        """The lease as it is after this."""
        return self._leases.get(lease.id, lease)

    def _put(self, lease: Lease, after: Lease) -> None:
        self.months[lease.key_id, lease.month].update(reserved_counts(after.left - self.current(lease).left))
        self._leases[lease.id] = after

    def _write_activity(self, connection: Connection, now: datetime) -> None:
        rows = dict(self._activity)
        if key_ids := sorted(self._ended.keys() - rows.keys()):
            for row in connection.execute(_ACTIVITY, {"key_ids": key_ids}).mappings():
                rates = RateState(*(row[name] for name in RATES))
                rates = self.rates_after(row["key_id"], rates, now, row["per_minute"], row["burst"])
                rows[row["key_id"]] = {"key_id": row["key_id"], "last_used_at": row["last_used_at"], **vars(rates)}
        put_rows(connection, key_activity, list(rows.values()))


def reserved_counts(counters: Counters) -> dict[str, int]:
    """The counters of a lease by the names of the columns of a month."""
    return {
        "reserved_units": counters.units,
        "reserved_calls": counters.calls,
        "reserved_tokens": counters.tokens,
        "reserved_suggestions": counters.suggestions,
    }
