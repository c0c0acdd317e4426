"""Admins and their tokens."""

from dataclasses import fields
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, insert, select, update

from keys.store.admin_tables import admin_tokens, admins, sessions
from keys.store.database import insert_new
from keys.values.records import Admin, AdminToken, Role, new_record_id

_t, _a = admin_tokens.c, admins.c

_TOKENS = select(*(_t[field.name] for field in fields(AdminToken)))


def add(
    connection: Connection, email: str, password_hash: str, role: Role, now: datetime, subject: bytes | None = None
) -> Admin | None:
    """Returns the new admin, or None if the address is taken. An account of the provider has a subject, no password."""
    admin = Admin(
        id=new_record_id(),
        email=email,
        role=role,
        is_active=True,
        created_at=now,
        last_sign_in_at=None,
        single_sign_on=subject is not None,
    )
    values = {
        "id": admin.id,
        "email": email,
        "password_hash": password_hash,
        "role": role,
        "is_active": True,
        "created_at": now,
        "provider_subject": subject,
    }
    return admin if insert_new(connection, admins, values) else None


def find(connection: Connection, admin_id: str) -> Admin | None:
    row = connection.execute(select(admins).where(_a.id == admin_id)).mappings().one_or_none()
    return None if row is None else read(row)


class Login(NamedTuple):
    """An admin with the hash of the password."""

    admin: Admin
    password_hash: str


def find_by_email(connection: Connection, email: str) -> Login | None:
    row = connection.execute(select(admins).where(_a.email == email)).mappings().one_or_none()
    return None if row is None else Login(read(row), row["password_hash"])


def find_by_subject(connection: Connection, subject: bytes) -> Admin | None:
    """Returns the account of the provider, locked until the transaction ends."""
    statement = select(admins).where(_a.provider_subject == subject).with_for_update()
    row = connection.execute(statement).mappings().one_or_none()
    return None if row is None else read(row)


def all_admins(connection: Connection) -> list[Admin]:
    return [read(row) for row in connection.execute(select(admins).order_by(_a.email)).mappings()]


def lock_owners(connection: Connection) -> list[str]:
    """Returns the ids of the active owners with a password, and locks them until the transaction ends."""
    is_owner = (_a.role == Role.OWNER) & _a.is_active & _a.provider_subject.is_(None)
    return list(connection.execute(select(_a.id).where(is_owner).order_by(_a.id).with_for_update()).scalars())


def set_role(connection: Connection, admin_id: str, role: Role, is_active: bool) -> None:
    connection.execute(update(admins).where(_a.id == admin_id).values(role=role, is_active=is_active))


def set_password(connection: Connection, admin_id: str, password_hash: str) -> None:
    """Sets the password. The account is then no longer one of the provider."""
    statement = update(admins).where(_a.id == admin_id)
    connection.execute(statement.values(password_hash=password_hash, provider_subject=None))


def end_sessions(connection: Connection, admin_id: str, *, but: bytes = b"") -> int:
    """Ends the admin's sessions, except the one with this digest. Returns their number."""
    return connection.execute(
        sessions.delete().where(sessions.c.admin_id == admin_id, sessions.c.digest != but)
    ).rowcount


def add_token(connection: Connection, token: AdminToken, digest: bytes, created_by: str) -> None:
    connection.execute(insert(admin_tokens).values(**vars(token), digest=digest, created_by=created_by))


def all_tokens(connection: Connection) -> list[AdminToken]:
    return [AdminToken(**row) for row in connection.execute(_TOKENS.order_by(_t.created_at.desc(), _t.id)).mappings()]


def revoke_tokens_of(connection: Connection, created_by: str, now: datetime) -> list[str]:
    """Revokes the tokens that an author created, and returns the ids of those that were valid."""
    theirs = update(admin_tokens).where(_t.created_by == created_by, _t.revoked_at.is_(None))
    return sorted(connection.execute(theirs.values(revoked_at=now).returning(_t.id)).scalars())


def revoke_token(connection: Connection, token_id: str, now: datetime) -> AdminToken | None:
    """Returns the revoked token, or None if there is no such token. An earlier revocation stays."""
    connection.execute(update(admin_tokens).where(_t.id == token_id, _t.revoked_at.is_(None)).values(revoked_at=now))
    row = connection.execute(_TOKENS.where(_t.id == token_id)).mappings().one_or_none()
    return None if row is None else AdminToken(**row)


def read(row: RowMapping) -> Admin:
    return Admin(
        id=row[_a.id],
        email=row[_a.email],
        role=row[_a.role],
        is_active=row[_a.is_active],
        created_at=row[_a.created_at],
        last_sign_in_at=row[_a.last_sign_in_at],
        has_totp=row[_a.totp_confirmed_at] is not None,
        single_sign_on=row[_a.provider_subject] is not None,
    )
