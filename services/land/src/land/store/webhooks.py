"""The endpoints to which events are pushed, and how far each has got."""

from typing import NamedTuple

from sqlalchemy import BigInteger, Column, Connection, Index, Integer, String, Table, Text, delete, func, select, update

from land.store.events import event
from land.store.tables import metadata, upsert

webhook = Table(
    "webhook",
    metadata,
    Column("owner", String(80), primary_key=True),
    Column("webhook_id", String(40), primary_key=True),
    Column("url", Text, nullable=False),
    Column("salt", String(40), nullable=False),
    Column("created_at", String(20), nullable=False),
    Column("state", String(10), nullable=False, comment="unverified, active or paused"),
    Column("sent_id", BigInteger, nullable=False, comment="the last event that arrived"),
    Column("failures", Integer, nullable=False, comment="since the last message that arrived"),
    Column("failing_since", String(20)),
    Column("next_at", String(20), nullable=False, comment="no message is sent before"),
    Column("last_error", Text),
    Index("webhook_next", "next_at"),
)
_c = webhook.c


class Webhook(NamedTuple):
    owner: str
    webhook_id: str
    url: str
    salt: str
    created_at: str
    state: str
    sent_id: int
    failures: int
    failing_since: str | None
    next_at: str
    last_error: str | None


def put(connection: Connection, owner: str, webhook_id: str, url: str, salt: str, now: str) -> None:
    """Stores an unverified endpoint. A new one gets the events from now on."""
    newest = connection.scalar(select(func.max(event.c.id))) or 0
    row = Webhook(owner, webhook_id, url, salt, now, "unverified", newest, 0, None, now, None)
    kept = ("owner", "webhook_id", "created_at", "sent_id")
    again = {name: value for name, value in row._asdict().items() if name not in kept}
    connection.execute(upsert(connection, webhook, **again), row._asdict())


def of_owner(connection: Connection, owner: str) -> list[Webhook]:
    statement = select(webhook).where(_c.owner == owner).order_by(_c.created_at, _c.webhook_id)
    return [Webhook(*row) for row in connection.execute(statement)]


def find(connection: Connection, owner: str, webhook_id: str) -> Webhook | None:
    row = connection.execute(select(webhook).where(_c.owner == owner, _c.webhook_id == webhook_id)).first()
    return None if row is None else Webhook(*row)


def due(connection: Connection, now: str, limit: int) -> list[Webhook]:
    """The endpoints that have a message to get at this instant, those that wait longest first."""
    has_events = select(event.c.id).where(event.c.owner == _c.owner, event.c.id > _c.sent_id).exists()
    is_due = (_c.state == "unverified") | ((_c.state == "active") & has_events)
    statement = select(webhook).where(_c.next_at <= now, is_due).order_by(_c.next_at).limit(limit)
    return [Webhook(*row) for row in connection.execute(statement)]


def change(connection: Connection, endpoint: Webhook, **values: object) -> None:
    """Changes an endpoint, unless it was deleted or made again in the meantime."""
    is_same = (_c.owner == endpoint.owner, _c.webhook_id == endpoint.webhook_id, _c.salt == endpoint.salt)
    connection.execute(update(webhook).where(*is_same).values(**values))


def delete_webhook(connection: Connection, owner: str, webhook_id: str) -> bool:
    """Returns whether there was one."""
    return connection.execute(delete(webhook).where(_c.owner == owner, _c.webhook_id == webhook_id)).rowcount > 0
