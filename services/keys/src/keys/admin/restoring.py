"""What a restored database brings back and what it loses, compared with the database that it replaces."""

import secrets
from collections.abc import Mapping
from typing import Any

from keys.access.passwords import Passwords
from keys.admin import administrators, inviting, key_changes
from keys.errors import Conflict
from keys.records import Role
from keys.store import admins, key_records, sessions
from keys.store.access_state import State
from keys.store.change import Change

MAX_LISTED = 1_000
"""Lost usage that a comparison lists; the rest is counted."""


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
    downgrades the admins, and makes old passwords useless. The keys of disabled partners are revoked. All sessions and
    invitations end.
    """
    revoked = [each["key_id"] for each in found["revoked_keys"]]
    state = replaced["keys"]
    revoked += [key_id for key_id, key in state.items() if not key["is_partner_active"] and key_id not in revoked]
    for key_id in revoked:
        if key_records.find(change.connection, key_id, change.now) is not None:
            key_changes.revoke(change, key_id)
    for token_id in found["revoked_tokens"]:
        administrators.revoke_token(change, token_id)
    for each in found["admins"]:
        _withdraw_admin(change, each["email"], each["changed"], replaced["admins"].get(each["email"]))
    inviting.revoke_all(change)
    sessions.end_all(change.connection)
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
