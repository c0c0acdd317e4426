"""Locks keys in the order of their ids, and reads the state that a decision needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from ipaddress import ip_network
from typing import Any

from sqlalchemy import ARRAY, String, and_, any_, bindparam, func, or_, select, true

from keys.issuing.hashing import HashedSecret
from keys.issuing.secret import KeyMode
from keys.pricing import Terms
from keys.quota import months
from keys.quota.decision import MonthCounts
from keys.quota.policy import AssistantMode, AssistantPolicy, KeyPolicy, Quota
from keys.quota.rates import RateState
from keys.store import driver
from keys.store.driver import Store
from keys.store.price_terms import shares_plan, terms_of
from keys.store.tables import key_activity, key_months, key_secrets, keys, partners
from servicekit.database import is_sqlite

_LOCKED = keys.c.id == any_(bindparam("key_ids", type_=ARRAY(String)))
"""PostgreSQL only: in one statement for any number of keys, all are locked in the same order."""
_EXISTING = select(keys.c.id).where(_LOCKED)
_LOCK = _EXISTING.order_by(keys.c.id).with_for_update(key_share=True)
_BATCH_LOCK_MS = 300
"""The lock timeout of batches of several keys. Two such waits in a row are well below the 2 s that an edge waits."""
_SET_TIMEOUT = select(func.set_config("lock_timeout", str(_BATCH_LOCK_MS), True).label("timeout"))
_TIMEOUT = _SET_TIMEOUT.cte("brief")
_LOCK_BRIEFLY = (  # PostgreSQL joins before it locks, so the timeout applies to this lock
    select(keys.c.id, _TIMEOUT.c.timeout)
    .join(_TIMEOUT, true())
    .where(_LOCKED)
    .order_by(keys.c.id)
    .with_for_update(key_share=True, of=keys)
)
_LOCK_FREE = _EXISTING.order_by(keys.c.id).with_for_update(key_share=True, skip_locked=True)
_IS_VALID = or_(key_secrets.c.expires_at.is_(None), key_secrets.c.expires_at > bindparam("now"))
_KEY = (
    "id",
    "partner_id",
    "mode",
    "revoked_at",
    "expires_at",
    "monthly_units",
    "per_minute",
    "burst",
    "is_hard",
    "spend_cap",
    "assistant_mode",
    "assistant_monthly_calls",
    "assistant_monthly_tokens",
    "scopes",
    "allowed_cidrs",
)
_RATES = tuple(field.name for field in fields(RateState))
_COUNTS = tuple(field.name for field in fields(MonthCounts))
_STATES = (
    select(
        *(keys.c[name] for name in _KEY),
        partners.c.is_active,
        key_secrets.c.pepper_version,
        key_secrets.c.digest,
        *(key_activity.c[name] for name in _RATES),
        *(key_months.c[name] for name in _COUNTS),
    )
    .join(partners, partners.c.id == keys.c.partner_id)
    .outerjoin(key_secrets, and_(key_secrets.c.key_id == keys.c.id, _IS_VALID))
    .outerjoin(key_activity, key_activity.c.key_id == keys.c.id)
    .outerjoin(key_months, and_(key_months.c.key_id == keys.c.id, key_months.c.month == bindparam("month")))
    .where(keys.c.id.in_(bindparam("ids", expanding=True)))
)
_SECRET = len(_KEY) + 1
_RATE = _SECRET + 2
_COUNT = _RATE + len(_RATES)
_PARTNER = _KEY.index("partner_id")
_CAP = _KEY.index("spend_cap")
"""Positions in a row of _STATES."""


@dataclass(frozen=True)
class KeyState:
    """The state of a key that a decision needs. `rates` is None for an unused key. `secrets` are the valid ones: the
    newest, and older ones in their grace period.
    """

    secrets: Sequence[HashedSecret]
    policy: KeyPolicy
    rates: RateState | None
    month: MonthCounts


def lock(connection: Store, key_ids: Iterable[str]) -> None:
    """Locks the existing keys until the transaction ends. Later reads see what others committed before the lock. A
    SQLite transaction already locks the whole database. Raises after the lock timeout of `store.database.LIMITS`.
    """
    ids = sorted(set(key_ids))
    if ids and not is_sqlite(connection):
        driver.read(connection, _LOCK, {"key_ids": ids})


def lock_briefly(connection: Store, key_ids: Iterable[str]) -> None:
    """Locks the keys. This lock and the next ones of the transaction time out after _BATCH_LOCK_MS."""
    ids = sorted(set(key_ids))
    if not is_sqlite(connection):
        driver.read(connection, _LOCK_BRIEFLY if ids else _SET_TIMEOUT, {"key_ids": ids} if ids else {})


class TryLock:
    """Locks the unlocked keys, without waiting."""

    def __init__(self, connection: Store, key_ids: Iterable[str]) -> None:
        self._connection = connection
        self._ids = [] if is_sqlite(connection) else sorted(set(key_ids))
        self._rows = driver.read_each(connection, _LOCK_FREE, [{"key_ids": self._ids}] if self._ids else [])

    def failed(self) -> set[str]:
        """Returns the keys that another transaction has locked."""
        locked = {key_id for (key_id,) in self._rows}
        if len(locked) == len(self._ids):
            return set()
        return {key_id for (key_id,) in driver.read(self._connection, _EXISTING, {"key_ids": self._ids})} - locked


class ReadStates:
    """Reads the existing keys with their secrets, partners, activity and counts of the month."""

    def __init__(self, connection: Store, key_ids: Sequence[str], now: datetime) -> None:
        self._connection = connection
        self._month = months.month_of(now)
        values = {"ids": key_ids, "month": self._month, "now": now}
        self._rows = driver.read(connection, _STATES, values)

    def states(self) -> dict[str, KeyState]:
        rows_of: dict[str, list[Sequence[Any]]] = {}
        for row in self._rows:
            rows_of.setdefault(row[0], []).append(row)
        capped = [key_id for key_id, rows in rows_of.items() if rows[0][_CAP] is not None]
        dated = terms_of(self._connection, capped, self._month) if capped else {}
        shared = {key_id: rows_of[key_id][0][_PARTNER] for key_id, terms in dated.items() if terms.is_shared}
        terms = {key_id: dated_terms.terms for key_id, dated_terms in dated.items()}
        sharing = {
            key_id
            for key_id, partner_id in shared.items()
            if shares_plan(self._connection, key_id, partner_id, dated[key_id].plan_id, self._month)
        }
        return {
            key_id: _state(rows, terms.get(key_id), has_sharing_keys=key_id in sharing)
            for key_id, rows in rows_of.items()
        }


def _state(rows: Sequence[Sequence[Any]], terms: Terms | None, *, has_sharing_keys: bool) -> KeyState:
    """Reads the state of one key from its rows, one for each secret."""
    row = rows[0]
    *key, scopes, cidrs, is_partner_active = row[:_SECRET]
    policy = _policy(*key, tuple(scopes), tuple(cidrs), is_partner_active, terms, has_sharing_keys)
    secrets = [HashedSecret(version, digest) for version, digest in (r[_SECRET:_RATE] for r in rows) if digest]
    rates = None if row[_RATE] is None else RateState(*row[_RATE:_COUNT])
    return KeyState(secrets, policy, rates, MonthCounts() if row[_COUNT] is None else MonthCounts(*row[_COUNT:]))


@lru_cache(maxsize=1_024)
def _policy(
    key_id: str,
    partner_id: str,
    mode: str,
    revoked_at: datetime | None,
    expires_at: datetime | None,
    monthly_units: int | None,
    per_minute: int,
    burst: int,
    is_hard: bool,
    spend_cap: Decimal | None,
    assistant_mode: str,
    assistant_calls: int | None,
    assistant_tokens: int | None,
    scopes: tuple[str, ...],
    cidrs: tuple[str, ...],
    is_partner_active: bool,
    terms: Terms | None,
    has_sharing_keys: bool,
) -> KeyPolicy:
    """The policy of these values. Most requests of a key have the same."""
    return KeyPolicy(
        key_id=key_id,
        partner_id=partner_id,
        mode=KeyMode(mode),
        is_partner_active=is_partner_active,
        revoked_at=revoked_at,
        expires_at=expires_at,
        scopes=frozenset(scopes),
        networks=tuple(ip_network(cidr) for cidr in cidrs),
        quota=Quota(monthly_units, per_minute, burst, is_hard, spend_cap),
        assistant=AssistantPolicy(AssistantMode(assistant_mode), assistant_calls, assistant_tokens),
        terms=terms,
        has_sharing_keys=has_sharing_keys,
    )
