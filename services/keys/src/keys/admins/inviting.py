"""Invitations of new admins. Owners make and withdraw them; the holder of a token becomes an admin, once.

Wrong tokens are slowed down as wrong setup tokens are. The caller hashes the password between two transactions.
"""

from datetime import timedelta

from keys.admins import credentials
from keys.admins.access_control import AccessControl
from keys.admins.authenticator import SignedIn, start_session
from keys.store import admins, attempts, invitations, mails, refused_access, second_factors
from keys.store.audit_log import Actor
from keys.store.change import Change
from keys.values import texts, throttle
from keys.values.errors import Conflict, InvalidInvitation, NotFound, SignInThrottled
from keys.values.records import Invitation, Json, Role, new_record_id
from servicekit.errors import expect
from servicekit.languages import Text

DEFAULT_HOURS = 72
MAX_HOURS = 168
MAX_OPEN = 100


def invite(change: Change, email: str, role: Role, lifetime: timedelta) -> tuple[Invitation, str]:
    """Returns the invitation and its token, which is shown only once. An earlier invitation of the address ends. Raises
    Conflict if the address has an account, or if too many invitations are open.
    """
    if admins.find_by_email(change.connection, email) is not None:
        raise Conflict(texts.EMAIL_TAKEN)
    revoke_all(change, email=email)
    if invitations.count(change.connection) >= MAX_OPEN:
        raise Conflict(
            Text(
                "{most} invitations sont ouvertes : révoquez-en d’abord.",
                "{most} invitations are open: revoke some first.",
            ).format(most=MAX_OPEN)
        )
    invitation = Invitation(
        id=new_record_id(),
        email=email,
        role=role,
        created_by=change.actor.name,
        created_at=change.now,
        expires_at=change.now + lifetime,
    )
    token = credentials.new_invitation_token(invitation.id)
    invitations.put(change.connection, invitation, credentials.digest(token))
    mails.add(change.connection, [{"invitation_id": invitation.id}], change.now)
    change.audit("invitation.create", invitation.id, {**_values(invitation), "expires_at": str(invitation.expires_at)})
    return invitation, token


def revoke(change: Change, invitation_id: str) -> None:
    """Raises NotFound if no such invitation is open."""
    if not revoke_all(change, id=invitation_id):
        raise NotFound(Text("Cette invitation n’est pas ouverte.", "There is no such open invitation."))


def expire(change: Change) -> int:
    """Ends the invitations past their time and returns their number."""
    expired = invitations.remove_expired(change.connection, change.now)
    for invitation in expired:
        change.audit("invitation.expire", invitation.id, _values(invitation))
    return len(expired)


def revoke_all(change: Change, **values: str) -> bool:
    """Revokes the invitations with these values of columns, or all. Returns whether there was one."""
    removed = invitations.remove(change.connection, **values)
    for invitation in removed:
        change.audit("invitation.revoke", invitation.id, _values(invitation))
    return bool(removed)


def _values(invitation: Invitation) -> dict[str, Json]:
    """The address is kept, since the record is deleted."""
    return {"email": invitation.email, "role": invitation.role.name.lower()}


def read(access: AccessControl, token: str, client_address: str) -> tuple[Invitation, bool]:
    """Returns the open invitation of the token, and whether the new admin must enrol a second factor next. Raises
    InvalidInvitation or SignInThrottled.
    """
    limits = throttle.limits_of("invitation", client_address)
    with access.noting(refused_access.INVITATION, "", client_address, InvalidInvitation, SignInThrottled):
        with access.database.writing() as connection:
            now = access.clock()
            attempts.begin(connection, limits, now)
            invitation = invitations.find(connection, credentials.invitation_id(token), credentials.digest(token), now)
            if invitation is not None:
                attempts.withdraw(connection, limits)
            is_totp_required = second_factors.is_required(connection)
        return expect(invitation, InvalidInvitation(texts.WRONG_INVITATION)), is_totp_required


def accept(access: AccessControl, token: str, password_hash: str, client_address: str) -> SignedIn:
    """Creates the admin and starts a session, after `read`. Raises InvalidInvitation if the invitation ended in the
    meantime, or Conflict if the address has got an account.
    """
    with access.database.writing() as connection:
        now = access.clock()
        taken = invitations.take(connection, credentials.invitation_id(token), credentials.digest(token), now)
        invitation = expect(taken, InvalidInvitation(texts.WRONG_INVITATION))
        created = admins.add(connection, invitation.email, password_hash, invitation.role, now)
        admin = expect(created, Conflict(texts.EMAIL_TAKEN))
        change = Change(connection, now, Actor(f"admin {admin.email}", client_address), admin.role)
        role = admin.role.name.lower()
        change.audit("invitation.accept", invitation.id, {"email": admin.email, "role": role})
        change.audit("admin.create", admin.id, {"email": admin.email, "role": role})
        return start_session(change, admin)
