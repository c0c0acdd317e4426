"""The audit log: who changed what. It is only ever added to, in the transaction of the change."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from keys.records import Json
from keys.store.tables import audit_entries
from servicekit.addresses import network_of


@dataclass(frozen=True)
class Actor:
    """Who makes a change, such as `admin ann@example.org`, and from where."""

    name: str
    client_address: str = ""


COMMAND_LINE = Actor("command line")


@dataclass(frozen=True)
class AuditEntry:
    id: int
    occurred_at: datetime
    actor: str
    action: str
    subject: str
    changes: Mapping[str, Json]
    client_address: str


def write(
    connection: Connection, actor: Actor, action: str, subject: str, *, changes: Mapping[str, Json], now: datetime
) -> None:
    connection.execute(
        insert(audit_entries).values(
            occurred_at=now,
            actor=actor.name,
            action=action,
            subject=subject,
            changes=dict(changes),
            client_address=actor.client_address,
        )
    )


def entries(connection: Connection, subject: str, before: int | None, limit: int) -> list[AuditEntry]:
    """The newest entries first, of one subject where it is given, older than the entry `before`."""
    wanted = select(audit_entries).order_by(audit_entries.c.id.desc()).limit(limit)
    if subject:
        wanted = wanted.where(audit_entries.c.subject == subject)
    if before is not None:
        wanted = wanted.where(audit_entries.c.id < before)
    return [AuditEntry(**row) for row in connection.execute(wanted).mappings()]


def was_seen(connection: Connection, action: str, subject: str, client_address: str) -> bool:
    """Whether this was done to the subject from the network of that address, as the log still knows."""
    c = audit_entries.c
    wanted = select(c.client_address).where(c.subject == subject, c.action == action).distinct()
    networks = {network_of(address) for address in connection.execute(wanted).scalars()}
    return network_of(client_address) in networks
