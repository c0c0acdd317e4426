"""Sessions and bearer tokens: who a caller is, as of now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from keys.records import Admin, Role
from keys.store.access_tables import admin_tokens, admins, sessions
from keys.store.admins import read as read_admin

IDLE = timedelta(minutes=30)
ABSOLUTE = timedelta(hours=12)
_SEEN_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class Session:
    """An admin who signed in. `expires_at` is the end whatever happens; it ends sooner where it is idle."""

    admin: Admin
    seen_at: datetime
    expires_at: datetime

    def is_touch_due(self, now: datetime) -> bool:
        return now - self.seen_at >= _SEEN_EVERY


def start(connection: Connection, digest: bytes, admin_id: str, client_address: str, now: datetime) -> datetime:
    """Starts a session and returns when it ends at the latest."""
    connection.execute(
        insert(sessions).values(
            digest=digest, admin_id=admin_id, created_at=now, seen_at=now, client_address=client_address
        )
    )
    connection.execute(update(admins).where(admins.c.id == admin_id).values(last_sign_in_at=now))
    return now + ABSOLUTE


def find(connection: Connection, digest: bytes, now: datetime, *, for_change: bool = False) -> Session | None:
    """The session that is not over, of an admin who is active. For a change it is locked: whoever ends it, as a change
    of the admin's role does, waits until the change is made.
    """
    wanted = (
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
        wanted = wanted.with_for_update(of=sessions)
    row = connection.execute(wanted).mappings().one_or_none()
    return None if row is None else Session(read_admin(row), row["seen_at"], row["started_at"] + ABSOLUTE)


def touch(connection: Connection, digest: bytes, now: datetime) -> None:
    connection.execute(update(sessions).where(sessions.c.digest == digest).values(seen_at=now))


def end(connection: Connection, digest: bytes) -> None:
    connection.execute(delete(sessions).where(sessions.c.digest == digest))


def delete_ended(connection: Connection, now: datetime) -> int:
    over = (sessions.c.seen_at <= now - IDLE) | (sessions.c.created_at <= now - ABSOLUTE)
    return connection.execute(delete(sessions).where(over)).rowcount


@dataclass(frozen=True)
class BearerToken:
    """A token that is neither revoked nor over."""

    id: str
    label: str
    role: Role
    last_used_at: datetime | None

    def is_touch_due(self, now: datetime) -> bool:
        return self.last_used_at is None or now - self.last_used_at >= _SEEN_EVERY


def find_bearer(
    connection: Connection, digest: bytes, now: datetime, *, for_change: bool = False
) -> BearerToken | None:
    """The token that is neither revoked nor over; locked for a change, as a session is."""
    c = admin_tokens.c
    wanted = select(c.id, c.label, c.role, c.last_used_at).where(
        c.digest == digest, c.revoked_at.is_(None), (c.expires_at.is_(None)) | (c.expires_at > now)
    )
    if for_change:
        wanted = wanted.with_for_update()
    row = connection.execute(wanted).one_or_none()
    return None if row is None else BearerToken(row.id, row.label, Role[row.role.upper()], row.last_used_at)


def touch_bearer(connection: Connection, token_id: str, now: datetime) -> None:
    connection.execute(update(admin_tokens).where(admin_tokens.c.id == token_id).values(last_used_at=now))
