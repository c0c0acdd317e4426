"""The audit log: every change and its author, written in the transaction of the change. Entries are only added."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, insert, select

from keys.store.database import among
from keys.store.tables import audit_entries
from keys.values.records import Json
from servicekit.limits import network_of

_e = audit_entries.c


@dataclass(frozen=True)
class Actor:
    """The author of a change, such as `admin ann@example.org`, and the client's address."""

    name: str
    client_address: str = ""


COMMAND_LINE = Actor("command line")
VISITOR = "visitor"
BACKUP = "setup.backup"


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


@dataclass(frozen=True)
class Filter:
    """An empty member accepts all entries, but those of visitors are only among theirs and those of a subject."""

    subjects: Collection[str] = ()
    actor: str = ""
    """An admin's address, or an actor as it is stored."""
    action: str = ""
    """An action, or the first part of actions."""
    start: datetime | None = None
    end: datetime | None = None
    """Exclusive."""

    def conditions(self, connection: Connection) -> Iterator[ColumnElement[bool]]:
        if self.subjects:
            yield among(connection, _e.subject, self.subjects)
        if self.actor:
            yield _e.actor.in_([self.actor, f"admin {self.actor.lower()}"])
        elif not self.subjects:
            yield _e.actor != VISITOR
        if self.action:
            yield (_e.action == self.action) | _e.action.startswith(f"{self.action}.", autoescape=True)
        if self.start is not None:
            yield _e.occurred_at >= self.start
        if self.end is not None:
            yield _e.occurred_at < self.end


def entries(connection: Connection, entry_filter: Filter, before: int | None, limit: int) -> list[AuditEntry]:
    """Returns the newest entries first, older than the entry `before`."""
    statement = select(audit_entries).where(*entry_filter.conditions(connection))
    if before is not None:
        statement = statement.where(_e.id < before)
    return [AuditEntry(**row) for row in connection.execute(statement.order_by(_e.id.desc()).limit(limit)).mappings()]


def was_seen(connection: Connection, action: str, subject: str, client_address: str) -> bool:
    """Whether the log has an entry of this action and subject from the network of the address."""
    statement = select(_e.client_address).where(_e.subject == subject, _e.action == action).distinct()
    networks = {network_of(address) for address in connection.execute(statement).scalars()}
    return network_of(client_address) in networks
