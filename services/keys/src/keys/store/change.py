"""Transactions for the domain: to read, or to change records and write the audit log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from keys.clock import Clock
from keys.records import Json, Role
from keys.roles import role_denied
from keys.store import audit
from keys.store.audit import Actor
from keys.store.database import Database
from servicekit.languages import Text


@dataclass(frozen=True)
class Transaction:
    """A database transaction and its instant."""

    connection: Connection
    now: datetime


@dataclass(frozen=True)
class Change(Transaction):
    """A transaction in which an actor changes records."""

    actor: Actor
    role: Role

    def require(self, at_least: Role, what: Text) -> None:
        """Raises RoleDenied if the actor's role is lower. `what` names the action in the message."""
        if self.role < at_least:
            raise role_denied(at_least, what)

    def audit(self, action: str, subject: str, changes: Mapping[str, Json] | None = None) -> None:
        """Writes an entry in the audit log. `changes` must not hold a secret."""
        audit.write(self.connection, self.actor, action, subject, changes=changes or {}, now=self.now)


@contextmanager
def changing(database: Database, clock: Clock, actor: Actor) -> Iterator[Change]:
    """A change on the server itself, such as by the command line, with the rights of an owner. It commits when the
    block ends.
    """
    with database.writing() as connection:
        yield Change(connection, clock(), actor, Role.OWNER)
