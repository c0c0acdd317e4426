"""What a restored database brings back and what it loses, compared with the database that it replaces."""

import secrets
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from keys.admins import changes as administrators
from keys.admins import inviting
from keys.admins.passwords import Passwords
from keys.api_keys import changes as key_changes
from keys.store import admins, key_records, sessions
from keys.store.access_state import State
from keys.store.change import Change
from keys.values.errors import Conflict
from keys.values.records import KeyStatus, Role

MAX_LISTED = 1_000
"""Lost usage that a comparison lists; the rest is counted."""


def differences(restored: State, replaced: State) -> dict[str, Any]:
    """Returns what the restored state brings back and what it loses. Both are states of the same installation."""
    old, new = restored["keys"], replaced["keys"]

    def named(key_ids: list[str], keys: Mapping[str, Any]) -> list[dict[str, str]]:
        return [{"key_id": id_, "partner": keys[id_]["partner"], "label": keys[id_]["label"]} for id_ in key_ids]

    both = sorted(old.keys() & new.keys())
    lost_usage = _lost_usage(restored, replaced)
    last_change_id = max((change["id"] for change in restored["changes"]), default=0)
    return {
        "revoked_keys": named([id_ for id_ in both if new[id_]["is_revoked"] > old[id_]["is_revoked"]], old),
        "suspended_keys": named([id_ for id_ in both if new[id_]["is_suspended"] > old[id_]["is_suspended"]], old),
        "disabled_partners": sorted(
            {old[id_]["partner"] for id_ in both if old[id_]["is_partner_active"] > new[id_]["is_partner_active"]}
        ),
        "rotated_keys": named([id_ for id_ in both if old[id_]["secrets"] != new[id_]["secrets"]], old),
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
        "lost_requests": sum(usage["requests"] for usage in lost_usage),
        "lost_units": sum(usage["units"] for usage in lost_usage),
        "lost_usage": lost_usage[:MAX_LISTED],
        "lost_changes": [change for change in reversed(replaced["changes"]) if change["id"] > last_change_id],
    }


def _lost_usage(restored: State, replaced: State) -> list[dict[str, Any]]:
    """Returns what the replaced database counted and the restored one did not, by key and month."""
    counted = {(usage["key_id"], usage["month"]): usage for usage in restored["usage"]}
    lost = []
    for usage in sorted(replaced["usage"], key=itemgetter("key_id", "month")):
        before = counted.get((usage["key_id"], usage["month"]), {"requests": 0, "units": 0})
        difference = {name: usage[name] - before[name] for name in ("requests", "units")}
        if any(count > 0 for count in difference.values()):
            lost.append({"key_id": usage["key_id"], "month": usage["month"], **difference})
    return lost


def _changed(restored: Mapping[str, Any], replaced: Mapping[str, Any] | None) -> list[str]:
    if replaced is None:
        return ["erased"]
    return [name for name in ("role", "is_active", "password", "has_totp") if restored[name] != replaced[name]]


def withdraw(change: Change, differences: Mapping[str, Any], replaced: State) -> None:
    """Withdraws from a restored database what was withdrawn since its backup: revokes the keys and tokens, suspends
    keys, disables or downgrades the admins, and makes old passwords useless. The keys of disabled partners are revoked.
    All sessions and invitations end.
    """
    revoked = [key["key_id"] for key in differences["revoked_keys"]]
    keys = replaced["keys"]
    revoked += [key_id for key_id, key in keys.items() if not key["is_partner_active"] and key_id not in revoked]
    for key_id in revoked:
        if key_records.find(change.connection, key_id, change.now) is not None:
            key_changes.revoke(change, key_id)
    for key in differences["suspended_keys"]:
        record = key_records.find(change.connection, key["key_id"], change.now)
        if record is not None and record.status(change.now) is KeyStatus.ACTIVE:
            key_changes.suspend(change, key["key_id"])
    for token_id in differences["revoked_tokens"]:
        administrators.revoke_token(change, token_id)
    for admin in differences["admins"]:
        _withdraw_admin(change, admin["email"], admin["changed"], replaced["admins"].get(admin["email"]))
    inviting.revoke_all(change)
    sessions.end_all(change.connection)
    change.audit("restore.withdraw", "restore", {"keys": revoked, "tokens": differences["revoked_tokens"]})


def _withdraw_admin(change: Change, email: str, changed: list[str], replaced: Mapping[str, Any] | None) -> None:
    record = admins.find_by_email(change.connection, email)
    assert record is not None  # noqa: S101 (the difference names admins of this database)
    admin, _ = record
    is_active = replaced is not None and bool(replaced["is_active"])
    role = admin.role if replaced is None else min(admin.role, Role[replaced["role"].upper()])
    is_last_owner = False
    try:
        administrators.update_admin(change, admin.id, role, is_active and admin.is_active)
    except Conflict:
        is_last_owner = True  # stays active, so that somebody can sign in after `keys reset-password`
    if replaced is None or is_last_owner or "password" in changed:
        admins.set_password(change.connection, admin.id, Passwords().hash(secrets.token_urlsafe(32)))
