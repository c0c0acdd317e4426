"""Keys that were created with an Idempotency-Key. Rows are deleted after a day.

With the pepper, the row derives the secret again, so that a client can repeat a call whose answer was lost.
"""

from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from keys.store.database import insert_new
from keys.store.tables import idempotent_creations

LIFETIME = timedelta(days=1)


@dataclass(frozen=True)
class Creation:
    actor: str
    idempotency_key: str
    request_digest: bytes
    key_id: str
    pepper_version: int
    salt: bytes = field(repr=False)


def put(connection: Connection, creation: Creation, now: datetime) -> Creation:
    """Returns this creation, or the earlier one of the same actor and Idempotency-Key."""
    c = idempotent_creations.c
    if insert_new(connection, idempotent_creations, {**vars(creation), "created_at": now}):
        return creation
    statement = select(*(c[column.name] for column in fields(Creation)))
    of_creation = statement.where(c.actor == creation.actor, c.idempotency_key == creation.idempotency_key)
    return Creation(**connection.execute(of_creation).mappings().one())


def delete_old(connection: Connection, now: datetime) -> int:
    c = idempotent_creations.c
    return connection.execute(delete(idempotent_creations).where(c.created_at <= now - LIFETIME)).rowcount
