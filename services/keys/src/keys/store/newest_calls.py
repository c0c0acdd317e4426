"""The newest granted requests of a key, from the events that are kept."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, select

from keys.store.tables import events

NEWEST = 50


class KeyCall(NamedTuple):
    occurred_at: datetime
    request_id: str | None
    endpoint: str
    status: int
    code: str | None
    units: int
    latency_us: int
    input_tokens: int
    output_tokens: int


def newest_calls(connection: Connection, key_id: str) -> list[KeyCall]:
    """Returns at most 50 requests, the newest first."""
    c = events.c
    columns = [c[name] for name in KeyCall._fields]
    statement = select(*columns).where(c.key_id == key_id).order_by(c.occurred_at.desc(), c.id).limit(NEWEST)
    return [KeyCall(**row) for row in connection.execute(statement).mappings()]
