"""Transactions as those who decide see them: to read in, or to change something in, with its line in the audit log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from keys.clock import Clock
from keys.errors import RoleDenied
from keys.records import Json, Role
from keys.store import audit
from keys.store.audit import Actor
from keys.store.database import Database


@dataclass(frozen=True)
class Transaction:
    """A transaction and its instant."""

    connection: Connection
    now: datetime


@dataclass(frozen=True)
class Change(Transaction):
    """A transaction in which somebody changes something."""

    actor: Actor
    role: Role

    def require(self, at_least: Role, what: str) -> None:
        """Raises RoleDenied where the actor's role is lower; `what` names what needs the role."""
        if self.role < at_least:
            raise RoleDenied(f"{what} needs the role {at_least.name.lower()}.")

    def audit(self, action: str, subject: str, changes: Mapping[str, Json] | None = None) -> None:
        """Notes what was done. `changes` never holds a secret."""
        audit.write(self.connection, self.actor, action, subject, changes=changes or {}, now=self.now)


@contextmanager
def changing(database: Database, clock: Clock, actor: Actor) -> Iterator[Change]:
    """A change by somebody on the server itself, such as the command line, who may do all that an owner may. Commits
    where the block ends.
    """
    with database.writing() as connection:
        yield Change(connection, clock(), actor, Role.OWNER)
