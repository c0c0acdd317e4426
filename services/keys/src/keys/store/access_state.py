"""Who has access, what was counted and the newest changes, read for a comparison of two databases."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from keys.store.admin_tables import admin_tokens, admins
from keys.store.audit_log import BACKUP
from keys.store.tables import audit_entries, key_months, key_secrets, keys, partners

State = Mapping[str, Any]
"""JSON without secrets: a password or a key's secret is a digest of its stored hash."""
MAX_CHANGES = 1_000


def access_state(connection: Connection, now: datetime) -> dict[str, Any]:
    """Returns who has access, what was counted, and the newest changes, the newest first."""
    return {
        "taken_at": now.isoformat(),
        "keys": _keys(connection),
        "admins": {row["email"]: _admin(row) for row in connection.execute(select(admins)).mappings()},
        "tokens": {
            row["id"]: {
                "label": row["label"],
                "role": row["role"].name.lower(),
                "is_revoked": row["revoked_at"] is not None,
            }
            for row in connection.execute(select(admin_tokens)).mappings()
        },
        "usage": [dict(row) for row in connection.execute(_USAGE).mappings()],
        "changes": [
            {**row, "occurred_at": row["occurred_at"].isoformat()} for row in connection.execute(_CHANGES).mappings()
        ],
    }


_USAGE = select(key_months.c.key_id, key_months.c.month, key_months.c.requests, key_months.c.units)
_CHANGES = (
    select(audit_entries.c.id, audit_entries.c.occurred_at, audit_entries.c.action, audit_entries.c.subject)
    .where(audit_entries.c.action != BACKUP)  # it follows the copy of the database
    .order_by(audit_entries.c.id.desc())
    .limit(MAX_CHANGES)
)


def _keys(connection: Connection) -> dict[str, Any]:
    digests: dict[str, list[bytes]] = {}
    for key_id, digest in connection.execute(select(key_secrets.c.key_id, key_secrets.c.digest)):
        digests.setdefault(key_id, []).append(bytes(digest))
    statement = select(
        keys.c.id, keys.c.label, keys.c.revoked_at, keys.c.suspended_at, partners.c.name, partners.c.is_active
    )
    return {
        row["id"]: {
            "partner": row["name"],
            "label": row["label"],
            "is_revoked": row["revoked_at"] is not None,
            "is_suspended": row["suspended_at"] is not None,
            "is_partner_active": row["is_active"],
            "secrets": sorted(_fingerprint(digest) for digest in digests.get(row["id"], [])),
        }
        for row in connection.execute(statement.join(partners, partners.c.id == keys.c.partner_id)).mappings()
    }


def _admin(row: RowMapping) -> dict[str, Any]:
    return {
        "role": row["role"].name.lower(),
        "is_active": row["is_active"],
        "password": _fingerprint(row["password_hash"].encode()),
        "has_totp": row["totp_confirmed_at"] is not None,
    }


def _fingerprint(stored_hash: bytes) -> str:
    return hashlib.sha256(b"access state" + stored_hash).hexdigest()[:16]
