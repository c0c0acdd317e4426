"""What owners demand of every admin."""

from sqlalchemy import Connection, select

from keys.store.access_tables import access_policy
from keys.store.database import upsert

_ROW = 1


def is_totp_required(connection: Connection) -> bool:
    found = connection.execute(select(access_policy.c.is_totp_required).where(access_policy.c.id == _ROW)).scalar()
    return bool(found)


def put(connection: Connection, *, is_totp_required: bool) -> None:
    statement = upsert(connection, access_policy).values(id=_ROW, is_totp_required=is_totp_required)
    changed = {"is_totp_required": is_totp_required}
    connection.execute(statement.on_conflict_do_update(index_elements=[access_policy.c.id], set_=changed))
