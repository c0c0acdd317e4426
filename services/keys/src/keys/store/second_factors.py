"""Second factors of admins, without their secrets, which are derived from a salt and the pepper."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, select, update

from keys.store.admin_tables import access_policy, admins
from keys.store.database import put_rows

_a = admins.c

_POLICY_ROW = 1


@dataclass(frozen=True)
class SecondFactor:
    """The values from which the secret is derived. Only a confirmed factor is required at the sign-in."""

    admin_id: str
    pepper_version: int
    salt: bytes = field(repr=False)
    is_confirmed: bool


def find(connection: Connection, admin_id: str) -> SecondFactor | None:
    statement = select(_a.totp_pepper_version, _a.totp_salt, _a.totp_confirmed_at).where(_a.id == admin_id)
    row = connection.execute(statement).one_or_none()
    if row is None or row.totp_salt is None:
        return None
    return SecondFactor(admin_id, row.totp_pepper_version, bytes(row.totp_salt), row.totp_confirmed_at is not None)


def begin(connection: Connection, factor: SecondFactor) -> bool:
    """Stores a factor to confirm, and replaces an unconfirmed one. False if one is confirmed."""
    statement = update(admins).where(_a.id == factor.admin_id, _a.totp_confirmed_at.is_(None))
    stored = statement.values(totp_pepper_version=factor.pepper_version, totp_salt=factor.salt, totp_last_step=None)
    return connection.execute(stored).rowcount == 1


def confirm(connection: Connection, factor: SecondFactor, now: datetime) -> bool:
    """Confirms the factor. False if it was replaced or confirmed before."""
    statement = update(admins).where(
        _a.id == factor.admin_id, _a.totp_salt == factor.salt, _a.totp_confirmed_at.is_(None)
    )
    return connection.execute(statement.values(totp_confirmed_at=now)).rowcount == 1


def use_step(connection: Connection, admin_id: str, step: int) -> bool:
    """Records the use of this time step's code. False if this or a later code was used before."""
    is_new = _a.totp_last_step.is_(None) | (_a.totp_last_step < step)
    return connection.execute(update(admins).where(_a.id == admin_id, is_new).values(totp_last_step=step)).rowcount == 1


def remove(connection: Connection, admin_id: str) -> None:
    statement = update(admins).where(_a.id == admin_id)
    connection.execute(
        statement.values(totp_pepper_version=None, totp_salt=None, totp_confirmed_at=None, totp_last_step=None)
    )


def is_required(connection: Connection) -> bool:
    policy = connection.execute(
        select(access_policy.c.is_totp_required).where(access_policy.c.id == _POLICY_ROW)
    ).scalar()
    return bool(policy)


def set_required(connection: Connection, *, is_required: bool) -> None:
    put_rows(connection, access_policy, [{"id": _POLICY_ROW, "is_totp_required": is_required}])
