"""Starts the sessions of admins, however they have signed in."""

from dataclasses import dataclass, field
from datetime import datetime

from keys.admins import credentials
from keys.store import sessions
from keys.store.change import Change
from keys.values.records import Admin

SIGNED_IN = "session.start"


@dataclass(frozen=True)
class SignedIn:
    admin: Admin
    session_token: str = field(repr=False)
    csrf_token: str = field(repr=False)
    expires_at: datetime


def start_session(change: Change, admin: Admin) -> SignedIn:
    """Starts a session at the address of the actor, who is the admin."""
    token, address = credentials.new_token(), change.actor.client_address
    expires_at = sessions.start(change.connection, credentials.digest(token), admin.id, address, change.now)
    change.audit(SIGNED_IN, admin.id)
    return SignedIn(admin, token, credentials.csrf_token(token), expires_at)
