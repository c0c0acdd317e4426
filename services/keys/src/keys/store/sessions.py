"""Sessions and bearer tokens: identifies the caller of an admin call."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from keys.store.admin_tables import admin_tokens, admins, sessions
from keys.store.admins import read as read_admin
from keys.values.records import Admin, Role

IDLE = timedelta(minutes=30)
ABSOLUTE = timedelta(hours=12)
_SEEN_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class AdminSession:
    """An admin who signed in. `expires_at` is the latest end; an idle session ends sooner."""

    admin: Admin
    seen_at: datetime
    expires_at: datetime

    def is_touch_due(self, now: datetime) -> bool:
        return now - self.seen_at >= _SEEN_EVERY


def start(connection: Connection, digest: bytes, admin_id: str, client_address: str, now: datetime) -> datetime:
    """Starts a session and returns its latest end."""
    connection.execute(
        insert(sessions).values(
            digest=digest, admin_id=admin_id, created_at=now, seen_at=now, client_address=client_address
        )
    )
    connection.execute(update(admins).where(admins.c.id == admin_id).values(last_sign_in_at=now))
    return now + ABSOLUTE


def find(connection: Connection, digest: bytes, now: datetime, *, for_change: bool = False) -> AdminSession | None:
    """Returns the current session of an active admin. For a change, the session is locked. A transaction that ends it,
    such as a role change, waits for the change.
    """
    statement = (
        select(admins, sessions.c.created_at.label("started_at"), sessions.c.seen_at)
        .join(sessions, sessions.c.admin_id == admins.c.id)
        .where(
            sessions.c.digest == digest,
            sessions.c.seen_at > now - IDLE,
            sessions.c.created_at > now - ABSOLUTE,
            admins.c.is_active,
        )
    )
    if for_change:
        statement = statement.with_for_update(of=sessions)
    row = connection.execute(statement).mappings().one_or_none()
    return None if row is None else AdminSession(read_admin(row), row["seen_at"], row["started_at"] + ABSOLUTE)


def touch(connection: Connection, digest: bytes, now: datetime) -> None:
    connection.execute(update(sessions).where(sessions.c.digest == digest).values(seen_at=now))


def end(connection: Connection, digest: bytes) -> None:
    connection.execute(delete(sessions).where(sessions.c.digest == digest))


def end_all(connection: Connection) -> None:
    connection.execute(delete(sessions))


def delete_ended(connection: Connection, now: datetime) -> int:
    over = (sessions.c.seen_at <= now - IDLE) | (sessions.c.created_at <= now - ABSOLUTE)
    return connection.execute(delete(sessions).where(over)).rowcount


@dataclass(frozen=True)
class BearerToken:
    """A token that is neither revoked nor expired."""

    id: str
    label: str
    role: Role
    last_used_at: datetime | None

    def is_touch_due(self, now: datetime) -> bool:
        return self.last_used_at is None or now - self.last_used_at >= _SEEN_EVERY


def find_bearer(
    connection: Connection, digest: bytes, now: datetime, *, for_change: bool = False
) -> BearerToken | None:
    """Returns a token that is neither revoked nor expired. For a change it is locked, like a session."""
    c = admin_tokens.c
    statement = select(c.id, c.label, c.role, c.last_used_at).where(
        c.digest == digest, c.revoked_at.is_(None), (c.expires_at.is_(None)) | (c.expires_at > now)
    )
    if for_change:
        statement = statement.with_for_update()
    row = connection.execute(statement).one_or_none()
    return None if row is None else BearerToken(*row)


def touch_bearer(connection: Connection, token_id: str, now: datetime) -> None:
    connection.execute(update(admin_tokens).where(admin_tokens.c.id == token_id).values(last_used_at=now))
