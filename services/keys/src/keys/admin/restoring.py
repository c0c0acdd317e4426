"""What a restored database brings back and what it loses, compared with the database that it replaces.

An access state is JSON without secrets: a password or a key's secret is a digest of its stored hash.
"""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from keys.access.passwords import Passwords
from keys.admin import administrators, key_changes
from keys.errors import Conflict
from keys.records import Role
from keys.store import admins
from keys.store.access_tables import admin_tokens, sessions
from keys.store.access_tables import admins as admin_table
from keys.store.change import Change, Transaction
from keys.store.tables import audit_entries, key_months, key_secrets, keys, partners

State = Mapping[str, Any]
MAX_LISTED = 1_000
"""Lost usage and changes that a comparison lists; the rest is counted."""


def access_state(transaction: Transaction) -> dict[str, Any]:
    """Returns who has access, what was counted, and the changes since any earlier state."""
    connection = transaction.connection
    return {
        "taken_at": transaction.now.isoformat(),
        "keys": _keys(connection),
        "admins": {row["email"]: _admin(row) for row in connection.execute(select(admin_table)).mappings()},
        "tokens": {
            row["id"]: {"label": row["label"], "role": row["role"], "is_revoked": row["revoked_at"] is not None}
            for row in connection.execute(select(admin_tokens)).mappings()
        },
        "usage": [list(row) for row in connection.execute(_USAGE).all()],
        "changes": [[row.id, row.occurred_at.isoformat(), row.action, row.subject] for row in _changes(connection)],
    }


_USAGE = select(key_months.c.key_id, key_months.c.month, key_months.c.requests, key_months.c.units)


def _changes(connection: Connection) -> list[Any]:
    """The newest changes, the newest first."""
    c = audit_entries.c
    statement = select(c.id, c.occurred_at, c.action, c.subject).order_by(c.id.desc()).limit(MAX_LISTED)
    return list(connection.execute(statement).all())


def _keys(connection: Connection) -> dict[str, Any]:
    digests: dict[str, list[bytes]] = {}
    for key_id, digest in connection.execute(select(key_secrets.c.key_id, key_secrets.c.digest)):
        digests.setdefault(key_id, []).append(bytes(digest))
    statement = select(keys.c.id, keys.c.label, keys.c.revoked_at, partners.c.name, partners.c.is_active)
    rows = connection.execute(statement.join(partners, partners.c.id == keys.c.partner_id)).mappings()
    return {
        row["id"]: {
            "partner": row["name"],
            "label": row["label"],
            "is_revoked": row["revoked_at"] is not None,
            "is_partner_active": row["is_active"],
            "secrets": sorted(_fingerprint(each) for each in digests.get(row["id"], [])),
        }
        for row in rows
    }


def _admin(row: RowMapping) -> dict[str, Any]:
    return {
        "role": row["role"],
        "is_active": row["is_active"],
        "password": _fingerprint(row["password_hash"].encode()),
        "has_totp": row["totp_confirmed_at"] is not None,
    }


def _fingerprint(of: bytes) -> str:
    return hashlib.sha256(b"access state" + of).hexdigest()[:16]


def differences(restored: State, replaced: State) -> dict[str, Any]:
    """Returns what the restored state brings back and what it loses. Both are states of the same installation."""
    old, new = restored["keys"], replaced["keys"]

    def named(key_ids: list[str], source: Mapping[str, Any]) -> list[dict[str, str]]:
        return [{"key_id": each, **{name: source[each][name] for name in ("partner", "label")}} for each in key_ids]

    both = sorted(old.keys() & new.keys())
    known_usage = {(key_id, month): (requests, units) for key_id, month, requests, units in restored["usage"]}
    lost = []
    for key_id, month, requests, units in sorted(replaced["usage"]):
        before = known_usage.get((key_id, month), (0, 0))
        if (requests, units) > before:
            lost.append(
                {"key_id": key_id, "month": month, "requests": requests - before[0], "units": units - before[1]}
            )
    last = max((change[0] for change in restored["changes"]), default=0)
    changes = [change for change in reversed(replaced["changes"]) if change[0] > last]
    return {
        "revoked_keys": named([each for each in both if new[each]["is_revoked"] > old[each]["is_revoked"]], old),
        "disabled_partners": sorted(
            {old[each]["partner"] for each in both if old[each]["is_partner_active"] > new[each]["is_partner_active"]}
        ),
        "rotated_keys": named([each for each in both if old[each]["secrets"] != new[each]["secrets"]], old),
        "unknown_keys": named(sorted(new.keys() - old.keys()), new),
        "admins": [
            {"email": email, "changed": changed}
            for email, admin in sorted(restored["admins"].items())
            if (changed := _changed(admin, replaced["admins"].get(email)))
        ],
        "revoked_tokens": sorted(
            token_id
            for token_id, token in restored["tokens"].items()
            if not token["is_revoked"] and replaced["tokens"].get(token_id, {"is_revoked": True})["is_revoked"]
        ),
        "lost_requests": sum(each["requests"] for each in lost),
        "lost_units": sum(each["units"] for each in lost),
        "lost_usage": lost[:MAX_LISTED],
        "lost_changes": changes,
    }


def _changed(restored: Mapping[str, Any], replaced: Mapping[str, Any] | None) -> list[str]:
    if replaced is None:
        return ["erased"]
    return [name for name in ("role", "is_active", "password", "has_totp") if restored[name] != replaced[name]]


def withdraw(change: Change, found: Mapping[str, Any], replaced: State) -> None:
    """Withdraws from a restored database what was withdrawn since its backup: revokes the keys and tokens, disables or
    downgrades the admins, and makes old passwords useless. The keys of disabled partners are revoked. All sessions end.
    """
    revoked = [each["key_id"] for each in found["revoked_keys"]]
    state = replaced["keys"]
    revoked += [key_id for key_id, key in state.items() if not key["is_partner_active"] and key_id not in revoked]
    for key_id in revoked:
        if change.connection.execute(select(keys.c.id).where(keys.c.id == key_id)).first() is not None:
            key_changes.revoke(change, key_id)
    for token_id in found["revoked_tokens"]:
        administrators.revoke_token(change, token_id)
    for each in found["admins"]:
        _withdraw_admin(change, each["email"], each["changed"], replaced["admins"].get(each["email"]))
    change.connection.execute(sessions.delete())
    change.audit("restore.withdraw", "restore", {"keys": revoked, "tokens": found["revoked_tokens"]})


def _withdraw_admin(change: Change, email: str, changed: list[str], now: Mapping[str, Any] | None) -> None:
    known = admins.find_by_email(change.connection, email)
    assert known is not None  # noqa: S101 (the difference names admins of this database)
    admin, _ = known
    is_active = now is not None and bool(now["is_active"])
    role = admin.role if now is None else min(admin.role, Role[now["role"].upper()])
    is_last_owner = False
    try:
        administrators.update_admin(change, admin.id, role, is_active and admin.is_active)
    except Conflict:
        is_last_owner = True  # stays active, so that somebody can sign in after `keys reset-password`
    if now is None or is_last_owner or "password" in changed:
        admins.set_password(change.connection, admin.id, Passwords().hash(secrets.token_urlsafe(32)))
