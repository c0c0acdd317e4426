"""Sessions and bearer tokens: identifies the caller of an admin call."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from keys.store import second_factors
from keys.store.admin_tables import admin_tokens, admins, sessions
from keys.store.admins import read as read_admin
from keys.store.audit_log import Actor
from keys.values.records import Admin, Role

IDLE = timedelta(minutes=30)
ABSOLUTE = timedelta(hours=12)
_SEEN_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class Principal:
    """The authenticated caller. `admin` is None for a bearer token."""

    actor: Actor
    role: Role
    seen_at: datetime | None
    """When the session or the token was used, to the minute."""
    admin: Admin | None = None
    expires_at: datetime | None = None
    """The latest end of the session; an idle session ends sooner."""
    is_totp_required: bool = False
    """Whether owners require a second factor of every admin."""

    @property
    def must_enrol(self) -> bool:
        """Whether the session may only enrol a second factor."""
        admin = self.admin
        return admin is not None and self.is_totp_required and not (admin.has_totp or admin.single_sign_on)

    def is_touch_due(self, now: datetime) -> bool:
        return self.seen_at is None or now - self.seen_at >= _SEEN_EVERY


def start(connection: Connection, digest: bytes, admin_id: str, client_address: str, now: datetime) -> datetime:
    """Starts a session and returns its latest end."""
    connection.execute(
        insert(sessions).values(
            digest=digest, admin_id=admin_id, created_at=now, seen_at=now, client_address=client_address
        )
    )
    connection.execute(update(admins).where(admins.c.id == admin_id).values(last_sign_in_at=now))
    return now + ABSOLUTE


def find(
    connection: Connection, digest: bytes, client_address: str, now: datetime, *, for_change: bool = False
) -> Principal | None:
    """Returns the active admin of a current session. For a change, the session is locked. A transaction that ends it,
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
    if row is None:
        return None
    admin, expires_at = read_admin(row), row["started_at"] + ABSOLUTE
    actor, is_totp_required = Actor(f"admin {admin.email}", client_address), second_factors.is_required(connection)
    return Principal(actor, admin.role, row["seen_at"], admin, expires_at, is_totp_required)


def find_bearer(
    connection: Connection, digest: bytes, client_address: str, now: datetime, *, for_change: bool = False
) -> Principal | None:
    """Returns a token that is neither revoked nor expired. For a change it is locked, like a session."""
    c = admin_tokens.c
    statement = select(c.id, c.label, c.role, c.last_used_at).where(
        c.digest == digest, c.revoked_at.is_(None), (c.expires_at.is_(None)) | (c.expires_at > now)
    )
    if for_change:
        statement = statement.with_for_update()
    row = connection.execute(statement).one_or_none()
    return row and Principal(Actor(f"token {row.label} ({row.id})", client_address), row.role, row.last_used_at)


def touch(connection: Connection, digest: bytes, now: datetime) -> None:
    connection.execute(update(sessions).where(sessions.c.digest == digest).values(seen_at=now))


def touch_bearer(connection: Connection, digest: bytes, now: datetime) -> None:
    connection.execute(update(admin_tokens).where(admin_tokens.c.digest == digest).values(last_used_at=now))


def end(connection: Connection, digest: bytes) -> None:
    connection.execute(delete(sessions).where(sessions.c.digest == digest))


def end_all(connection: Connection) -> None:
    connection.execute(delete(sessions))


def delete_ended(connection: Connection, now: datetime) -> int:
    over = (sessions.c.seen_at <= now - IDLE) | (sessions.c.created_at <= now - ABSOLUTE)
    return connection.execute(delete(sessions).where(over)).rowcount
