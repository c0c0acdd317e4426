"""Admins and their tokens, managed by owners."""

from dataclasses import replace
from datetime import datetime, timedelta

from keys.admins import credentials
from keys.admins.passwords import normalized_email
from keys.audit.differences import differences
from keys.store import admins, second_factors, setup
from keys.store.change import Change
from keys.values import texts
from keys.values.checks import check_expiry
from keys.values.errors import Conflict, NotFound
from keys.values.records import Admin, AdminToken, Json, Role, new_record_id
from servicekit.errors import expect
from servicekit.languages import Text

TOKEN_LIFETIME = timedelta(days=90)
TOKEN_MAX_LIFETIME = timedelta(days=366)


def create_admin(change: Change, email: str, password_hash: str, role: Role) -> Admin:
    """Raises Conflict if the address is taken."""
    created = admins.add(change.connection, email, password_hash, role, change.now)
    admin = expect(created, Conflict(texts.EMAIL_TAKEN))
    change.audit("admin.create", admin.id, {"email": email, "role": role.name.lower()})
    return admin


def update_admin(change: Change, admin_id: str, role: Role | None, is_active: bool | None) -> Admin:
    """Changes the role or disables the admin, and ends the admin's sessions. Raises NotFound, or Conflict for the last
    active owner.
    """
    owners = admins.lock_owners(change.connection)
    missing = NotFound(Text("Cet administrateur n’existe pas.", "There is no such admin."))
    admin = expect(admins.find(change.connection, admin_id), missing)
    new_role = admin.role if role is None else role
    new_activity = admin.is_active if is_active is None else is_active
    if (new_role, new_activity) == (admin.role, admin.is_active):
        return admin
    if owners == [admin_id] and not (new_role is Role.OWNER and new_activity):
        raise Conflict(Text("Le dernier propriétaire actif doit le rester.", "The last active owner stays one."))
    admins.set_role(change.connection, admin_id, new_role, new_activity)
    admins.end_sessions(change.connection, admin_id)
    before: dict[str, Json] = {"role": admin.role.name.lower(), "is_active": admin.is_active}
    after: dict[str, Json] = {"role": new_role.name.lower(), "is_active": new_activity}
    change.audit("admin.update", admin_id, differences(before, after))
    return replace(admin, role=new_role, is_active=new_activity)


def create_token(change: Change, label: str, role: Role, expires_at: datetime | None) -> tuple[AdminToken, str]:
    """Returns the token's record and the token itself, which is shown only once. It expires in 90 days by default and
    in 366 at most. Raises InvalidPayload for another expiry.
    """
    expires_at = expires_at or change.now + TOKEN_LIFETIME
    check_expiry(expires_at, change.now, TOKEN_MAX_LIFETIME)
    text = credentials.new_bearer_token()
    token = AdminToken(
        id=new_record_id(),
        label=label.strip(),
        role=role,
        created_at=change.now,
        expires_at=expires_at,
        last_used_at=None,
        revoked_at=None,
    )
    admins.add_token(change.connection, token, credentials.digest(text), change.actor.name)
    noted: dict[str, Json] = {"label": token.label, "role": role.name.lower(), "expires_at": str(expires_at)}
    change.audit("token.create", token.id, noted)
    return token, text


def require_totp(change: Change, *, is_required: bool) -> None:
    """Requires a second factor of every admin, or stops requiring it. Raises Conflict if no active owner has one, since
    nobody could then manage the others.
    """
    before = second_factors.is_required(change.connection)
    if is_required == before:
        return
    owners = [admin for admin in admins.all_admins(change.connection) if admin.role is Role.OWNER and admin.is_active]
    if is_required and not any(owner.has_totp for owner in owners):
        raise Conflict(Text("Activez d’abord votre propre second facteur.", "Enrol a second factor yourself first."))
    second_factors.set_required(change.connection, is_required=is_required)
    change.audit(
        "access_policy.update",
        "access_policy",
        differences({"is_totp_required": before}, {"is_totp_required": is_required}),
    )


def revoke_token(change: Change, token_id: str) -> AdminToken:
    """Revokes the token. A revoked token stays as it is. Raises NotFound."""
    missing = NotFound(Text("Ce jeton n’existe pas.", "There is no such token."))
    token = expect(admins.revoke_token(change.connection, token_id, change.now), missing)
    if token.revoked_at == change.now:
        change.audit("token.revoke", token_id)
    return token


def reset_password(change: Change, email: str, password_hash: str, *, remove_totp: bool = False) -> Admin:
    """Sets an admin's password, removes the second factor if asked, and ends the admin's sessions. Raises NotFound or
    InvalidPayload.
    """
    login = admins.find_by_email(change.connection, normalized_email(email))
    admin = expect(login, NotFound("There is no admin of that address.")).admin
    admins.set_password(change.connection, admin.id, password_hash)
    admins.end_sessions(change.connection, admin.id)
    change.audit("admin.reset_password", admin.id)
    if remove_totp:
        second_factors.remove(change.connection, admin.id)
        change.audit("admin.remove_totp", admin.id)
    return admin


def setup_token(change: Change, put: setup.PutToken = setup.put_token) -> tuple[str, timedelta] | None:
    """Returns a new setup token and its lifetime. None if an owner was created before. With `put_first_token`, None if
    there ever was a token.
    """
    token = credentials.new_token()
    expires_at = put(change.connection, credentials.digest(token), change.now)
    if expires_at is None:
        return None
    change.audit("setup.token", "setup")
    return token, expires_at - change.now
