"""Locks keys in the one order that everybody keeps, and reads what a decision needs of them."""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BindParameter, Connection, RowMapping, and_, bindparam, select

from keys.issuing.hashing import HashedSecret
from keys.issuing.secret import KeyMode
from keys.quota.decision import MonthCounts
from keys.quota.policy import AssistantMode, AssistantPolicy, KeyPolicy, Quota
from keys.quota.rates import RateState
from keys.store.price_terms import Dated, terms_of
from keys.store.tables import key_activity, key_months, key_secrets, keys, partners

_IDS: BindParameter[list[str]] = bindparam("ids", expanding=True)
_LOCK = select(keys.c.id).where(keys.c.id.in_(_IDS)).order_by(keys.c.id).with_for_update(key_share=True)
_SECRETS = select(key_secrets.c.key_id, key_secrets.c.pepper_version, key_secrets.c.digest).where(
    key_secrets.c.key_id.in_(_IDS), (key_secrets.c.expires_at.is_(None)) | (key_secrets.c.expires_at > bindparam("now"))
)
_STATES = (
    select(keys, partners.c.is_active, key_activity, key_months)
    .join(partners, partners.c.id == keys.c.partner_id)
    .outerjoin(key_activity, key_activity.c.key_id == keys.c.id)
    .outerjoin(key_months, and_(key_months.c.key_id == keys.c.id, key_months.c.month == bindparam("month")))
    .where(keys.c.id.in_(_IDS))
)


@dataclass(frozen=True)
class KeyState:
    """All that a decision on a key needs. `rates` is None where the key was never used."""

    policy: KeyPolicy
    rates: RateState | None
    month: MonthCounts


def lock(connection: Connection, key_ids: Iterable[str]) -> list[str]:
    """Locks the keys until the transaction ends and returns those that exist, in order. What is read after it is what
    others committed. SQLite's transaction holds the whole database already.
    """
    return list(connection.execute(_LOCK, {"ids": sorted(set(key_ids))}).scalars())


def secrets_of(connection: Connection, key_ids: Sequence[str], now: datetime) -> dict[str, list[HashedSecret]]:
    """The secrets that are taken now: the newest of each key, and older ones in their grace period."""
    known: dict[str, list[HashedSecret]] = {}
    for key_id, version, digest in connection.execute(_SECRETS, {"ids": key_ids, "now": now}):
        known.setdefault(key_id, []).append(HashedSecret(version, digest))
    return known


def read_states(connection: Connection, key_ids: Sequence[str], month: str) -> dict[str, KeyState]:
    """The keys with their partners, activity and counts of the month."""
    rows = list(connection.execute(_STATES, {"ids": key_ids, "month": month}).mappings())
    capped = [row[keys.c.id] for row in rows if row[keys.c.spend_cap] is not None]
    terms = terms_of(connection, capped, month) if capped else {}
    return {row[keys.c.id]: _state(row, terms.get(row[keys.c.id])) for row in rows}


def read_counts(row: RowMapping) -> MonthCounts:
    """The counts of a row that has the columns of `key_months`, empty where none was joined."""
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


def read_quota(row: RowMapping) -> Quota:
    c = keys.c
    return Quota(row[c.monthly_units], row[c.per_minute], row[c.burst], row[c.is_hard], row[c.spend_cap])


def read_assistant_policy(row: RowMapping) -> AssistantPolicy:
    c = keys.c
    return AssistantPolicy(
        AssistantMode(row[c.assistant_mode]), row[c.assistant_monthly_calls], row[c.assistant_monthly_tokens]
    )


def _state(row: RowMapping, dated: Dated | None) -> KeyState:
    c, a = keys.c, key_activity.c
    policy = KeyPolicy(
        key_id=row[c.id],
        partner_id=row[c.partner_id],
        mode=KeyMode(row[c.mode]),
        is_partner_active=row[partners.c.is_active],
        revoked_at=row[c.revoked_at],
        expires_at=row[c.expires_at],
        scopes=frozenset(row[c.scopes]),
        networks=tuple(ipaddress.ip_network(cidr) for cidr in row[c.allowed_cidrs]),
        quota=read_quota(row),
        assistant=read_assistant_policy(row),
        terms=dated.terms if dated else None,
    )
    rates = None
    if row[a.bucket] is not None:
        rates = RateState(row[a.bucket], row[a.bucket_at_us], row[a.minute], row[a.minute_count])
    return KeyState(policy, rates, read_counts(row))
