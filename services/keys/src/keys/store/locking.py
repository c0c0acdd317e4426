"""Locks keys in the order of their ids, and reads the state that a decision needs."""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, Column, Connection, RowMapping, and_, bindparam, or_, select

from keys.issuing.hashing import HashedSecret
from keys.issuing.secret import KeyMode
from keys.quota import months
from keys.quota.decision import MonthCounts
from keys.quota.policy import AssistantMode, AssistantPolicy, KeyPolicy, Network, Quota
from keys.quota.rates import RateState
from keys.store import driver
from keys.store.price_terms import DatedTerms, terms_of
from keys.store.tables import key_activity, key_months, key_secrets, keys, partners
from servicekit.database import is_sqlite

_IDS: BindParameter[list[str]] = bindparam("ids", expanding=True)
_EXISTING = select(keys.c.id).where(keys.c.id.in_(_IDS))
_LOCK = _EXISTING.order_by(keys.c.id).with_for_update(key_share=True)
_LOCK_FREE = _EXISTING.order_by(keys.c.id).with_for_update(key_share=True, skip_locked=True)
_IS_VALID = or_(key_secrets.c.expires_at.is_(None), key_secrets.c.expires_at > bindparam("now"))
_STATES = (
    select(
        *(column for column in keys.c if column not in {keys.c.label, keys.c.created_at, keys.c.metadata}),
        partners.c.is_active,
        key_secrets.c.pepper_version,
        key_secrets.c.digest,
        *(column for column in key_activity.c if column.name not in {"key_id", "last_used_at"}),
        *(column for column in key_months.c if column.name != "key_id"),
    )
    .join(partners, partners.c.id == keys.c.partner_id)
    .outerjoin(key_secrets, and_(key_secrets.c.key_id == keys.c.id, _IS_VALID))
    .outerjoin(key_activity, key_activity.c.key_id == keys.c.id)
    .outerjoin(key_months, and_(key_months.c.key_id == keys.c.id, key_months.c.month == bindparam("month")))
    .where(keys.c.id.in_(_IDS))
)
_Row = RowMapping | Mapping[Column[Any], Any]


@dataclass(frozen=True)
class KeyState:
    """The state of a key that a decision needs. `rates` is None for an unused key. `secrets` are the valid ones: the
    newest, and older ones in their grace period.
    """

    secrets: Sequence[HashedSecret]
    policy: KeyPolicy
    rates: RateState | None
    month: MonthCounts


def lock(connection: Connection, key_ids: Iterable[str]) -> None:
    """Locks the existing keys until the transaction ends. Later reads see what others committed before the lock. A
    SQLite transaction already locks the whole database. Raises after the lock timeout of `store.database.LIMITS`.
    """
    ids = sorted(set(key_ids))
    if not is_sqlite(connection):
        driver.read(connection, _LOCK, {"ids": ids})


class TryLock:
    """Like `lock`, without waiting."""

    def __init__(self, connection: Connection, key_ids: Iterable[str]) -> None:
        self._connection = connection
        self._ids = [] if is_sqlite(connection) else sorted(set(key_ids))
        self._rows = driver.read(connection, _LOCK_FREE, {"ids": self._ids})

    def failed(self) -> set[str]:
        """Returns the keys that another transaction has locked."""
        locked = {key_id for (key_id,) in self._rows}
        if len(locked) == len(self._ids):
            return set()
        return {key_id for (key_id,) in driver.read(self._connection, _EXISTING, {"ids": self._ids})} - locked


class ReadStates:
    """Reads the existing keys with their secrets, partners, activity and counts of the month."""

    def __init__(self, connection: Connection, key_ids: Sequence[str], now: datetime) -> None:
        self._connection = connection
        self._month = months.month_of(now)
        values = {"ids": key_ids, "month": self._month, "now": now}
        self._rows = driver.read(connection, _STATES, values)

    def states(self) -> dict[str, KeyState]:
        rows_of: dict[str, list[_Row]] = {}
        for row in self._rows.mappings():
            rows_of.setdefault(row[keys.c.id], []).append(row)
        capped = [key_id for key_id, rows in rows_of.items() if rows[0][keys.c.spend_cap] is not None]
        terms = terms_of(self._connection, capped, self._month) if capped else {}
        return {key_id: _state(rows, terms.get(key_id)) for key_id, rows in rows_of.items()}


def read_counts(row: _Row) -> MonthCounts:
    """Reads the columns of `key_months`. The counts are 0 if the key has no row."""
    c = key_months.c
    if row[c.month] is None:
        return MonthCounts()
    return MonthCounts(
        row[c.requests],
        row[c.errors],
        row[c.units],
        row[c.reserved_units],
        row[c.calls],
        row[c.reserved_calls],
        row[c.tokens],
        row[c.reserved_tokens],
    )


def read_quota(row: _Row) -> Quota:
    c = keys.c
    return Quota(row[c.monthly_units], row[c.per_minute], row[c.burst], row[c.is_hard], row[c.spend_cap])


def read_assistant_policy(row: _Row) -> AssistantPolicy:
    c = keys.c
    return AssistantPolicy(
        AssistantMode(row[c.assistant_mode]), row[c.assistant_monthly_calls], row[c.assistant_monthly_tokens]
    )


def _state(rows: Sequence[_Row], dated: DatedTerms | None) -> KeyState:
    """Reads the state of one key from its rows, one for each secret."""
    row, c, a, s = rows[0], keys.c, key_activity.c, key_secrets.c
    secrets = [HashedSecret(row[s.pepper_version], row[s.digest]) for row in rows if row[s.digest] is not None]
    policy = KeyPolicy(
        key_id=row[c.id],
        partner_id=row[c.partner_id],
        mode=KeyMode(row[c.mode]),
        is_partner_active=row[partners.c.is_active],
        revoked_at=row[c.revoked_at],
        expires_at=row[c.expires_at],
        scopes=frozenset(row[c.scopes]),
        networks=tuple(_network(cidr) for cidr in row[c.allowed_cidrs]),
        quota=read_quota(row),
        assistant=read_assistant_policy(row),
        terms=dated.terms if dated else None,
    )
    rates = None
    if row[a.bucket] is not None:
        rates = RateState(row[a.bucket], row[a.bucket_at_us], row[a.minute], row[a.minute_count])
    return KeyState(secrets, policy, rates, read_counts(row))


@lru_cache(maxsize=1_024)
def _network(cidr: str) -> Network:
    return ipaddress.ip_network(cidr)
