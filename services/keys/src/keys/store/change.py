"""Transactions for the domain: to read, or to change records and write the audit log."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from keys.store import audit_log as audit
from keys.store.audit_log import Actor
from keys.store.database import Database
from keys.values.clock import Clock
from keys.values.errors import RoleDenied
from keys.values.records import Json, Role
from servicekit.languages import Text

LAST_LEASE_S = 1.05
"""After it, no lease from before a commit is open, by no edge's clock: a lease lasts a second at most."""
_ROLES = {
    Role.VIEWER: Text("lecteur", "viewer"),
    Role.OPERATOR: Text("opérateur", "operator"),
    Role.OWNER: Text("propriétaire", "owner"),
}


def role_denied(at_least: Role, action: Text = Text("Cette action", "This")) -> RoleDenied:  # noqa: B008 (constant)
    """Returns the refusal of a caller whose role is too low. `action` is the subject of its sentence."""
    sentence = Text("{action} exige le rôle {role}.", "{action} needs the role {role}.")
    return RoleDenied(sentence.format(action=action, role=_ROLES[at_least]))


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
    narrowed: set[str] = field(default_factory=set, compare=False)
    """The keys and partners whose earlier terms an edge may still act on. The change is answered when it cannot."""

    def require(self, at_least: Role, action: Text) -> None:
        """Raises RoleDenied if the actor's role is lower. `action` is named in the message."""
        if self.role < at_least:
            raise role_denied(at_least, action)

    def audit(self, action: str, subject: str, changes: Mapping[str, Json] | None = None) -> None:
        """Writes an entry in the audit log. `changes` must not hold a secret."""
        audit.write(self.connection, self.actor, action, subject, changes=changes or {}, now=self.now)


@contextmanager
def changing(database: Database, clock: Clock, actor: Actor) -> Iterator[Change]:
    """A change on the server itself, such as by the command line, with the rights of an owner. It commits when the
    block ends, and then waits until no edge acts on earlier terms.
    """
    with database.writing() as connection:
        change = Change(connection, clock(), actor, Role.OWNER)
        yield change
    if change.narrowed:
        time.sleep(LAST_LEASE_S)
