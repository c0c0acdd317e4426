"""Keys as records: adds, finds, changes, suspends and revokes them in the caller's transaction.

A key that was created with an Idempotency-Key has a row for a day. With the pepper, the row derives the secret again,
so that a client can repeat a call whose answer was lost.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, delete, func, insert, or_, select, update

from keys.store import partner_records, rollups
from keys.store.database import among, insert_new
from keys.store.lease_states import assistant_of, counts_of, quota_of
from keys.store.price_terms import DatedTerms, terms_of
from keys.store.rollups import Scope
from keys.store.tables import (
    idempotent_creations,
    key_activity,
    key_months,
    key_secrets,
    key_terms,
    keys,
    leases,
    partners,
)
from keys.values import months
from keys.values.checks import Fault, folded, refuse
from keys.values.clock import day_of
from keys.values.hashing import HashedSecret
from keys.values.records import KeyDraft, KeyRecord, NamedKey
from keys.values.secret import KeyMode, KeyText
from servicekit.languages import Text

_k, _s, _i = keys.c, key_secrets.c, idempotent_creations.c

ACTIVITY_DAYS = 30
"""Length of `KeyRecord.daily_requests`."""
_NEWEST = and_(_s.key_id == _k.id, _s.expires_at.is_(None))


def add(
    connection: Connection, draft: KeyDraft, partner_id: str, key: KeyText, *, hashed: HashedSecret, now: datetime
) -> None:
    """Adds the key with its first secret. Raises IntegrityError if the id is taken."""
    values = {"id": key.key_id, "partner_id": partner_id, "mode": draft.mode, "created_at": now, **_columns(draft)}
    connection.execute(insert(keys).values(**values))
    _add_secret(connection, key, hashed, 1, now)


def put(connection: Connection, key_id: str, draft: KeyDraft) -> None:
    """Writes the editable columns of a locked key. Partner and mode do not change."""
    connection.execute(update(keys).where(_k.id == key_id).values(**_columns(draft)))


def _columns(draft: KeyDraft) -> dict[str, Any]:
    quota, assistant = draft.quota, draft.assistant
    return {
        "label": draft.label,
        "folded_label": folded(draft.label),
        "expires_at": draft.expires_at,
        "monthly_units": quota.monthly_units,
        "per_minute": quota.per_minute,
        "burst": quota.burst,
        "is_hard": quota.hard,
        "spend_cap": quota.spend_cap,
        "assistant_mode": assistant.mode,
        "assistant_monthly_calls": assistant.monthly_calls,
        "assistant_monthly_tokens": assistant.monthly_tokens,
        "scopes": list(draft.scopes),
        "allowed_cidrs": list(draft.allowed_cidrs),
        "metadata": dict(draft.metadata),
    }


def revoke(connection: Connection, key_id: str, now: datetime) -> bool:
    """Revokes the key. False if it was revoked before."""
    statement = update(keys).where(_k.id == key_id, _k.revoked_at.is_(None))
    return connection.execute(statement.values(revoked_at=now)).rowcount == 1


def with_usable_keys(connection: Connection, partner_ids: Collection[str], now: datetime) -> set[tuple[str, str]]:
    """Those of the partners that are active, and each mode in which they have a key that is neither revoked nor
    expired. A suspended key counts, since it can be resumed.
    """
    is_usable = (partners.c.is_active, _k.revoked_at.is_(None), or_(_k.expires_at.is_(None), _k.expires_at > now))
    statement = (
        select(_k.partner_id, _k.mode).join(partners).where(*is_usable, among(connection, _k.partner_id, partner_ids))
    )
    return {(row.partner_id, row.mode) for row in connection.execute(statement.distinct())}


def delete_expired(connection: Connection, partner_id: str, before: datetime, limit: int) -> int:
    """Deletes test keys of the partner that expired before, at most `limit`, and returns their number. Their counts
    stay, as those of the partner's id.
    """
    due = select(_k.id).where(_k.partner_id == partner_id, _k.mode == KeyMode.TEST, _k.expires_at < before).limit(limit)
    key_ids = list(connection.execute(due.with_for_update(skip_locked=True)).scalars())
    rollups.move(connection, key_ids, partner_id)
    for column in (leases.c.key_id, _s.key_id, key_activity.c.key_id, key_terms.c.key_id, _k.id):
        connection.execute(delete(column.table).where(among(connection, column, key_ids)))
    return len(key_ids)


def suspend(connection: Connection, key_id: str, suspended_at: datetime | None) -> None:
    """Suspends a locked key, or resumes it with None."""
    connection.execute(update(keys).where(_k.id == key_id).values(suspended_at=suspended_at))


def replace_secret(connection: Connection, key: KeyText, hashed: HashedSecret, grace: timedelta, now: datetime) -> None:
    """Gives a locked key a new secret. Older ones stay valid until the grace period ends, never longer than before."""
    newest = connection.execute(select(func.max(_s.version)).where(_s.key_id == key.key_id)).scalar_one()
    ends = now + grace
    older = update(key_secrets).where(_s.key_id == key.key_id, (_s.expires_at.is_(None)) | (_s.expires_at > ends))
    connection.execute(older.values(expires_at=ends))
    _add_secret(connection, key, hashed, newest + 1, now)


def valid_until(
    connection: Connection, partner_id: str, now: datetime, label: str | None = None
) -> tuple[int, datetime | None]:
    """Returns the number of the partner's keys that expire later than now, with this label if there is one, and when
    the first of them expires.
    """
    statement = select(func.count(), func.min(_k.expires_at)).where(_k.partner_id == partner_id, _k.expires_at > now)
    row = connection.execute(statement if label is None else statement.where(_k.label == label)).one()
    return row[0], row[1]


def id_of(connection: Connection, key_id: str) -> str:
    """Returns the id. Raises InvalidPayload for the id of an unknown key, but not for an empty one."""
    if key_id and connection.execute(select(_k.id).where(_k.id == key_id)).first() is None:
        raise refuse("/key_id", Fault("unknown_value", Text("cette clé est inconnue", "no such key")))
    return key_id


def live_keys_of(connection: Connection, partner_ids: Collection[str]) -> dict[str, str]:
    """Returns the partner of each live key of these partners, by the key's id."""
    of_partners = select(_k.id, _k.partner_id).where(_k.partner_id.in_(partner_ids))
    rows = connection.execute(of_partners.where(_k.mode == KeyMode.LIVE).order_by(_k.id))
    return {key_id: partner_id for key_id, partner_id in rows}  # noqa: C416 (typed rows)


def is_first_live_key(connection: Connection, partner_id: str, key_id: str) -> bool:
    """Whether the partner has no other live key."""
    is_other = (_k.partner_id == partner_id, _k.mode == KeyMode.LIVE, _k.id != key_id)
    return connection.execute(select(_k.id).where(*is_other).limit(1)).first() is None


def owners(connection: Connection, scope: Scope) -> dict[str, str]:
    """Returns the partner's id of each key, by the key's id."""
    statement = select(_k.id, _k.partner_id).where(scope.of(_k.id))
    return {key_id: partner_id for key_id, partner_id in connection.execute(statement)}  # noqa: C416 (typed rows)


def named(connection: Connection, key_ids: Collection[str]) -> dict[str, NamedKey]:
    """Returns the existing keys of any number of ids, by id."""
    statement = select(_k.id, _k.partner_id, _k.label, _k.mode, _s.ending).join(key_secrets, _NEWEST)
    rows = connection.execute(statement.where(among(connection, _k.id, key_ids))).all()
    partner_of = partner_records.find_all(connection, {row.partner_id for row in rows})
    return {
        row.id: NamedKey(row.id, partner_of[row.partner_id], row.label, KeyMode(row.mode), row.ending) for row in rows
    }


def find(connection: Connection, key_id: str, now: datetime) -> KeyRecord | None:
    records = read_all(connection, select_keys(now).where(_k.id == key_id), now)
    return records[0] if records else None


def of_partner(connection: Connection, partner_id: str, mode: KeyMode, now: datetime) -> list[KeyRecord]:
    """The keys of a partner in one mode, the oldest first."""
    statement = select_keys(now).where(_k.partner_id == partner_id, _k.mode == mode)
    return read_all(connection, statement.order_by(_k.created_at, _k.id), now)


def select_keys(now: datetime) -> Select[tuple[object, ...]]:
    """The statement of `read_all`: keys with partner, newest secret, activity and the month's counts."""
    in_month = and_(key_months.c.key_id == _k.id, key_months.c.month == months.month_of(now))
    return (
        select(keys, partners, _s.ending, key_activity.c.last_used_at, key_months)
        .join(partners, partners.c.id == _k.partner_id)
        .join(key_secrets, _NEWEST)
        .outerjoin(key_activity, key_activity.c.key_id == _k.id)
        .outerjoin(key_months, in_month)
    )


def read_all(connection: Connection, statement: Select[tuple[object, ...]], now: datetime) -> list[KeyRecord]:
    return read_rows(connection, connection.execute(statement).mappings().all(), now)


def read_rows(connection: Connection, rows: Sequence[RowMapping], now: datetime) -> list[KeyRecord]:
    ids = [row[_k.id] for row in rows]
    if not ids:
        return []
    month = months.month_of(now)
    terms, grace = terms_of(connection, ids, month), _grace_ends(connection, ids, now)
    days = range(day_of(now) - ACTIVITY_DAYS + 1, day_of(now) + 1)
    daily = rollups.requests_by_day(connection, days, ids)
    return [_read(row, month, terms.get(row[_k.id]), grace.get(row[_k.id]), daily) for row in rows]


def _grace_ends(connection: Connection, key_ids: Sequence[str], now: datetime) -> dict[str, datetime]:
    statement = select(_s.key_id, func.max(_s.expires_at)).where(
        among(connection, _s.key_id, key_ids), _s.expires_at > now
    )
    return {key_id: ends for key_id, ends in connection.execute(statement.group_by(_s.key_id))}  # noqa: C416 (typed rows)


def _add_secret(connection: Connection, key: KeyText, hashed: HashedSecret, version: int, now: datetime) -> None:
    connection.execute(
        insert(key_secrets).values(
            key_id=key.key_id,
            version=version,
            pepper_version=hashed.pepper_version,
            digest=hashed.digest,
            ending=key.ending,
            created_at=now,
        )
    )


def _read(
    row: RowMapping,
    month: str,
    dated: DatedTerms | None,
    grace_ends: datetime | None,
    daily: Mapping[str, tuple[int, ...]],
) -> KeyRecord:
    return KeyRecord(
        id=row[_k.id],
        partner=partner_records.read(row),
        label=row[_k.label],
        mode=KeyMode(row[_k.mode]),
        ending=row[_s.ending],
        quota=quota_of(row),
        assistant=assistant_of(row),
        scopes=tuple(row[_k.scopes]),
        allowed_cidrs=tuple(row[_k.allowed_cidrs]),
        created_at=row[_k.created_at],
        expires_at=row[_k.expires_at],
        revoked_at=row[_k.revoked_at],
        suspended_at=row[_k.suspended_at],
        last_used_at=row[key_activity.c.last_used_at],
        previous_secret_expires_at=grace_ends,
        metadata=row[_k.metadata],
        month=month,
        counts=counts_of(row),
        terms=dated.terms if dated else None,
        terms_from=dated.from_month if dated else None,
        daily_requests=daily[row[_k.id]],
    )


CREATION_LIFETIME = timedelta(days=1)


@dataclass(frozen=True)
class Creation:
    actor: str
    idempotency_key: str
    request_digest: bytes
    key_id: str
    pepper_version: int
    salt: bytes = field(repr=False)


def put_creation(connection: Connection, creation: Creation, now: datetime) -> Creation:
    """Returns this creation, or the earlier one of the same actor and Idempotency-Key."""
    if insert_new(connection, idempotent_creations, {**vars(creation), "created_at": now}):
        return creation
    statement = select(*(_i[column.name] for column in fields(Creation)))
    of_creation = statement.where(_i.actor == creation.actor, _i.idempotency_key == creation.idempotency_key)
    return Creation(**connection.execute(of_creation).mappings().one())


def delete_old_creations(connection: Connection, now: datetime) -> int:
    return connection.execute(delete(idempotent_creations).where(_i.created_at <= now - CREATION_LIFETIME)).rowcount
