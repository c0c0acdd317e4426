"""The setup token, with which the first owner is created, and whether setup is complete."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection, RowMapping, select, update

from keys.store.admin_tables import setup
from keys.store.database import insert_new, upsert

TOKEN_LIFETIME = timedelta(minutes=30)
_ROW = 1

PutToken = Callable[[Connection, bytes, datetime], datetime | None]


def is_open(connection: Connection) -> bool:
    row = _read(connection)
    return row is None or row["completed_at"] is None


def put_token(connection: Connection, digest: bytes, now: datetime) -> datetime | None:
    """Replaces the token and returns its end. None if setup is complete."""
    statement = upsert(connection, setup).values(id=_ROW, digest=digest, expires_at=now + TOKEN_LIFETIME)
    stored = connection.execute(
        statement.on_conflict_do_update(
            index_elements=[setup.c.id],
            set_={"digest": digest, "expires_at": now + TOKEN_LIFETIME},
            where=setup.c.completed_at.is_(None),
        ).returning(setup.c.id)
    )
    return now + TOKEN_LIFETIME if stored.first() is not None else None


def put_first_token(connection: Connection, digest: bytes, now: datetime) -> datetime | None:
    """Stores the first token and returns its end. None if there ever was a token."""
    values = {"id": _ROW, "digest": digest, "expires_at": now + TOKEN_LIFETIME}
    return now + TOKEN_LIFETIME if insert_new(connection, setup, values) else None


def is_token(connection: Connection, digest: bytes, now: datetime) -> bool:
    row = _read(connection)
    return row is not None and row["digest"] == digest and row["expires_at"] > now


def complete(connection: Connection, digest: bytes, now: datetime) -> bool:
    """Completes setup. False, without a change, if the token is wrong or expired."""
    c = setup.c
    statement = update(setup).where(c.id == _ROW, c.completed_at.is_(None), c.digest == digest, c.expires_at > now)
    return connection.execute(statement.values(digest=None, expires_at=None, completed_at=now)).rowcount == 1


def _read(connection: Connection) -> RowMapping | None:
    return connection.execute(select(setup).where(setup.c.id == _ROW)).mappings().one_or_none()
