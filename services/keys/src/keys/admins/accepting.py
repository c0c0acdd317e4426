"""Accepts invitations: the holder of a token becomes an admin, once, and is signed in.

Wrong tokens are slowed down as wrong setup tokens are. The caller hashes the password between two transactions.
"""

from typing import NamedTuple

from keys.admins import credentials
from keys.admins.authenticator import SIGNED_IN, SignedIn
from keys.store import admins, attempts, invitations, refused_access, second_factors, sessions
from keys.store.audit_log import Actor
from keys.store.change import Change
from keys.store.database import Database
from keys.store.refused_access import Refusal, RefusedAccess
from keys.values import texts, throttle
from keys.values.clock import Clock
from keys.values.errors import Conflict, InvalidInvitation, SignInThrottled
from keys.values.records import Invitation


class OpenInvitation(NamedTuple):
    invitation: Invitation
    is_totp_required: bool
    """Whether the new admin must enrol a second factor next."""


class Invitations:
    def __init__(self, database: Database, clock: Clock, refused: RefusedAccess) -> None:
        self._database = database
        self._clock = clock
        self._refused = refused

    def read(self, token: str, client_address: str) -> OpenInvitation:
        """Returns the open invitation of the token. Raises InvalidInvitation or SignInThrottled."""
        limits = throttle.limits_of_invitation(client_address)
        try:
            with self._database.writing() as connection:
                now = self._clock()
                attempts.begin(connection, limits, now)
                invitation = invitations.find(
                    connection, credentials.invitation_id(token), credentials.digest(token), now
                )
                if invitation is not None:
                    attempts.withdraw(connection, limits)
                is_totp_required = second_factors.is_required(connection)
            if invitation is None:
                raise InvalidInvitation(texts.WRONG_INVITATION)
        except (InvalidInvitation, SignInThrottled) as error:
            self._refused.note(Refusal(refused_access.INVITATION, "", Actor("nobody", client_address), error.detail))
            raise
        return OpenInvitation(invitation, is_totp_required)

    def accept(self, token: str, password_hash: str, client_address: str) -> SignedIn:
        """Creates the admin and starts a session, after `read`. Raises InvalidInvitation if the invitation ended in the
        meantime, or Conflict if the address has got an account.
        """
        session_token = credentials.new_token()
        with self._database.writing() as connection:
            now = self._clock()
            invitation = invitations.take(connection, credentials.invitation_id(token), credentials.digest(token), now)
            if invitation is None:
                raise InvalidInvitation(texts.WRONG_INVITATION)
            admin = admins.add(connection, invitation.email, password_hash, invitation.role, now)
            if admin is None:
                raise Conflict(texts.EMAIL_TAKEN)
            digest = credentials.digest(session_token)
            expires_at = sessions.start(connection, digest, admin.id, client_address, now)
            change = Change(connection, now, Actor(f"admin {admin.email}", client_address), admin.role)
            role = admin.role.name.lower()
            change.audit("invitation.accept", invitation.id, {"email": admin.email, "role": role})
            change.audit("admin.create", admin.id, {"email": admin.email, "role": role})
            change.audit(SIGNED_IN, admin.id)
        return SignedIn(admin, session_token, credentials.csrf_token(session_token), expires_at)
