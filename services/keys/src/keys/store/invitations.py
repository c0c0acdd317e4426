"""Open invitations. An invitation that ends is deleted. The audit log states its end."""

import hmac
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, delete, func, select

from keys.store.admin_tables import invitations
from keys.store.database import upsert
from keys.values.records import Invitation

_i = invitations.c

_COLUMNS = [column for column in invitations.columns if column.name != "digest"]


def put(connection: Connection, invitation: Invitation, digest: bytes) -> None:
    """Adds the invitation. A concurrent one of the same address is replaced."""
    values = {**vars(invitation), "digest": digest}
    statement = upsert(connection, invitations).values(values)
    connection.execute(statement.on_conflict_do_update(index_elements=[_i.email], set_=values))


def find(connection: Connection, invitation_id: str, digest: bytes, now: datetime) -> Invitation | None:
    """Returns the open invitation of this id if the digest is right, which is compared in constant time."""
    row = connection.execute(select(invitations).where(_i.id == invitation_id, _i.expires_at > now)).mappings().first()
    is_right = row is not None and hmac.compare_digest(row["digest"], digest)
    return _read(row) if row is not None and is_right else None


def all_open(connection: Connection, now: datetime) -> list[Invitation]:
    statement = select(*_COLUMNS).where(_i.expires_at > now).order_by(_i.email)
    return [_read(row) for row in connection.execute(statement).mappings()]


def count(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(invitations)).scalar_one()


def take(connection: Connection, invitation_id: str, digest: bytes, now: datetime) -> Invitation | None:
    """Deletes the open invitation and returns it. Of several concurrent calls, one gets it."""
    taken = _delete(connection, _i.id == invitation_id, _i.digest == digest, _i.expires_at > now)
    return taken[0] if taken else None


def remove(connection: Connection, **values: str) -> list[Invitation]:
    """Deletes the invitations with these values of columns, or all, and returns them."""
    return _delete(connection, *(_i[name] == value for name, value in values.items()))


def remove_expired(connection: Connection, now: datetime) -> list[Invitation]:
    return _delete(connection, _i.expires_at <= now)


def _delete(connection: Connection, *which: ColumnElement[bool]) -> list[Invitation]:
    statement = delete(invitations).where(*which).returning(*_COLUMNS)
    return [_read(row) for row in connection.execute(statement).mappings()]


def _read(row: RowMapping) -> Invitation:
    return Invitation(**{column.name: row[column.name] for column in _COLUMNS})
