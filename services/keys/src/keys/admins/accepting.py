"""Accepts invitations: the holder of a token becomes an admin, once, and is signed in.

Wrong tokens are slowed down as wrong setup tokens are. The caller hashes the password between two transactions.
"""

from keys.admins import credentials
from keys.admins.access_control import AccessControl
from keys.admins.signed_in import SignedIn, start_session
from keys.store import admins, attempts, invitations, refused_access, second_factors
from keys.store.audit_log import Actor
from keys.store.change import Change
from keys.values import texts, throttle
from keys.values.errors import Conflict, InvalidInvitation, SignInThrottled, expect
from keys.values.records import Invitation


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
