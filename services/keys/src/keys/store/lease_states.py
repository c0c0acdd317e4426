"""Locks keys, and reads and writes what leases need of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Any

from sqlalchemy import ARRAY, Connection, RowMapping, String, and_, any_, bindparam, or_, select, text

from contract.counters import NAMES, Counters
from keys.store.price_terms import shares_plan, terms_of
from keys.store.tables import key_activity, key_months, key_secrets, keys, leases, partners
from keys.values import months
from keys.values.clock import microseconds
from keys.values.hashing import HashedSecret
from keys.values.lease_rules import KeyState, Lease, MonthCounts
from keys.values.policy import AssistantMode, AssistantPolicy, KeyPolicy, Quota
from keys.values.rates import RateState
from keys.values.secret import KeyMode
from servicekit.database import is_sqlite

_s, _k, _m = key_secrets.c, keys.c, key_months.c

_OF_KEYS = _k.id == any_(bindparam("key_ids", type_=ARRAY(String)))
"""PostgreSQL only: in one statement for any number of keys, all are locked in the same order."""
_EXISTING = select(_k.id).where(_OF_KEYS)
_KEYS = select(_k.id).where(_k.id.in_(bindparam("key_ids", expanding=True)))
_LOCK = _EXISTING.order_by(_k.id).with_for_update(key_share=True)
_LOCK_FREE = _EXISTING.order_by(_k.id).with_for_update(key_share=True, skip_locked=True)
_IS_VALID = or_(_s.expires_at.is_(None), _s.expires_at > bindparam("now"))
LOCK_SOON_MS = 200
"""Many times as long as a lease locks its key."""
RATES = tuple(field.name for field in fields(RateState))
_UNUSED = {_k.label, _k.metadata}
_STATES = (
    select(
        *(column for column in _k if column not in _UNUSED),
        partners.c.is_active,
        _s.pepper_version,
        _s.digest,
        _s.expires_at,
        key_activity,
        key_months,
    )
    .join(partners, partners.c.id == _k.partner_id)
    .outerjoin(key_secrets, and_(_s.key_id == _k.id, _IS_VALID))
    .outerjoin(key_activity, key_activity.c.key_id == _k.id)
    .outerjoin(key_months, and_(_m.key_id == _k.id, _m.month == bindparam("month")))
    .where(_k.id == bindparam("key_id"))
)


@dataclass(frozen=True)
class ValidSecret:
    """A secret of a key: the newest, or an older one in its grace period, which ends."""

    hashed: HashedSecret
    ends_at: datetime | None


@dataclass(frozen=True)
class StoredKey:
    secrets: Sequence[ValidSecret]
    state: KeyState


def lock(connection: Connection, key_ids: Iterable[str]) -> None:
    """Locks the existing keys until the transaction ends. Later reads see what others committed before the lock. A
    SQLite transaction already locks the whole database. Raises after the lock timeout of `store.database.LIMITS`.
    """
    ids = sorted(set(key_ids))
    if ids and not is_sqlite(connection):
        connection.execute(_LOCK, {"key_ids": ids})


def lock_free(connection: Connection, key_ids: Iterable[str]) -> set[str]:
    """Locks the keys that no other transaction has locked, without waiting. Returns the others."""
    ids = sorted(set(key_ids))
    if not ids or is_sqlite(connection):
        return set()
    locked = set(connection.execute(_LOCK_FREE, {"key_ids": ids}).scalars())
    if len(locked) == len(ids):
        return set()
    return set(connection.execute(_EXISTING, {"key_ids": ids}).scalars()) - locked


def lock_soon(connection: Connection, key_ids: Iterable[str]) -> set[str]:
    """Locks the existing keys like `lock`, but waits for LOCK_SOON_MS at most. Raises Blocked. Returns no key."""
    if not is_sqlite(connection):
        connection.execute(text(f"SET LOCAL lock_timeout = {LOCK_SOON_MS}"))
    lock(connection, key_ids)
    return set()


def existing(connection: Connection, key_ids: Iterable[str]) -> set[str]:
    """Returns those of the keys that exist."""
    ids = sorted(set(key_ids))
    return set(connection.execute(_KEYS, {"key_ids": ids}).scalars()) if ids else set()


def read_key(connection: Connection, key_id: str, now: datetime) -> StoredKey | None:
    """Returns the key with its secrets, its activity as of now, and its counts of the month. None if it is unknown."""
    month = months.month_of(now)
    rows = connection.execute(_STATES, {"key_id": key_id, "month": month, "now": now}).mappings().all()
    if not rows:
        return None
    policy = _policy(rows[0])
    if policy.quota.spend_cap is not None and (dated := terms_of(connection, [key_id], month).get(key_id)):
        has_sharing_keys = dated.is_shared and shares_plan(connection, key_id, policy.partner_id, dated.plan_id, month)
        policy = replace(policy, terms=dated.terms, has_sharing_keys=has_sharing_keys)
    secrets = [
        ValidSecret(HashedSecret(row[_s.pepper_version], row[_s.digest]), row[_s.expires_at])
        for row in rows
        if row[_s.digest]
    ]
    return StoredKey(
        secrets,
        KeyState(policy=policy, rates=_rates(rows[0], policy.quota, now), month=counts_of(rows[0]), month_name=month),
    )


def has_open_lease(connection: Connection, key_id: str, now: datetime) -> bool:
    """Whether an edge may still act on a lease of the key, which must be locked."""
    is_open = and_(leases.c.is_ended.is_(False), leases.c.leased_at > now - LAST_USE)
    return connection.execute(OF_KEY.where(is_open).limit(1), {"key_id": key_id}).first() is not None


def read_leases(connection: Connection, ids: Iterable[bytes]) -> dict[bytes, Lease]:
    """The stored leases with these ids."""
    return {row["id"]: lease_of(row) for row in connection.execute(_LEASES, {"ids": list(ids)}).mappings()}


def lease_of(row: RowMapping) -> Lease:
    return Lease(
        id=row["id"],
        key_id=row["key_id"],
        holder=row["holder"],
        month=row["month"],
        leased_at=row["leased_at"],
        left=Counters(*(row[name] for name in NAMES)),
        is_ended=row["is_ended"],
    )


def lease_row(lease: Lease) -> dict[str, Any]:
    row = {**vars(lease), **vars(lease.left)}
    del row["left"]
    return row


OF_KEY = select(leases).where(leases.c.key_id == bindparam("key_id"))
LAST_USE = timedelta(seconds=21)
"""No edge acts on an older lease: it lasts a second at most, and the clocks of two replicas differ by at most 20 s."""
_LEASES = select(leases).where(leases.c.id.in_(bindparam("ids", expanding=True)))


def quota_of(row: RowMapping) -> Quota:
    return Quota(
        monthly_units=row[_k.monthly_units],
        per_minute=row[_k.per_minute],
        burst=row[_k.burst],
        hard=row[_k.is_hard],
        spend_cap=row[_k.spend_cap],
    )


def assistant_of(row: RowMapping) -> AssistantPolicy:
    return AssistantPolicy(
        AssistantMode(row[_k.assistant_mode]), row[_k.assistant_monthly_calls], row[_k.assistant_monthly_tokens]
    )


def counts_of(row: RowMapping) -> MonthCounts:
    """Reads the columns of `key_months`. The counts are 0 if the key has no row."""
    if row[_m.month] is None:
        return MonthCounts()
    return MonthCounts(**{field.name: row[_m[field.name]] for field in fields(MonthCounts)})


def _rates(row: RowMapping, quota: Quota, now: datetime) -> RateState:
    now_us = microseconds(now)
    if row[key_activity.c.bucket] is None:
        return RateState.full(quota.burst, now_us)
    return RateState(*(row[key_activity.c[name]] for name in RATES)).at(now_us, quota.per_minute, quota.burst)


def _policy(row: RowMapping) -> KeyPolicy:
    return KeyPolicy(
        key_id=row[_k.id],
        partner_id=row[_k.partner_id],
        mode=KeyMode(row[_k.mode]),
        is_partner_active=row[partners.c.is_active],
        revoked_at=row[_k.revoked_at],
        suspended_at=row[_k.suspended_at],
        expires_at=row[_k.expires_at],
        scopes=frozenset(row[_k.scopes]),
        networks=tuple(ip_network(cidr) for cidr in row[_k.allowed_cidrs]),
        quota=quota_of(row),
        assistant=assistant_of(row),
    )
