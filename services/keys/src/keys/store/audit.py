"""The audit log: who changed what. It is only ever added to, in the transaction of the change."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert

from keys.admin.records import Json
from keys.store.tables import audit_entries


@dataclass(frozen=True)
class Actor:
    """Who makes a change, such as `admin:ann@example.org`, and from where."""

    name: str
    client_address: str = ""


COMMAND_LINE = Actor("command line")


def write(
    connection: Connection, actor: Actor, action: str, subject: str, *, changes: Mapping[str, Json], now: datetime
) -> None:
    """Adds an entry. `changes` never holds a secret."""
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
