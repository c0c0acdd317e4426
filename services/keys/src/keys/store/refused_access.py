"""Refused access in the audit log: failed sign-ins, and calls that an admin may not make.

A flood must not fill the database or the memory. In a minute, each process writes at most ten entries per action at
once. Repetitions and further refusals are counted. Each count becomes one entry at the end of the minute.
"""

import logging
import threading
from collections import Counter
from dataclasses import dataclass

from keys.store import audit_log as audit
from keys.store.audit_log import Actor
from keys.store.database import Database
from keys.values.clock import Clock
from keys.values.errors import Unavailable
from keys.values.records import Json
from servicekit.languages import Text

log = logging.getLogger(__name__)

PREFIX = "refused."
SIGN_IN = f"{PREFIX}sign_in"
THROTTLED = f"{PREFIX}throttled"
SETUP = f"{PREFIX}setup"
INVITATION = f"{PREFIX}invitation"
ROLE = f"{PREFIX}role"
CSRF = f"{PREFIX}csrf"
AT_ONCE = 10
_OTHERS = Actor("several")


@dataclass(frozen=True)
class Refusal:
    action: str
    subject: str
    actor: Actor
    reason: Text | str


class RefusedAccess:
    """Call it outside of transactions: it opens its own."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._repeated: dict[Refusal, int] = {}
        self._others: Counter[str] = Counter()

    def note(self, refusal: Refusal) -> None:
        """Writes the refusal, or counts it."""
        with self._lock:
            if refusal in self._repeated:
                self._repeated[refusal] += 1
                return
            if sum(noted.action == refusal.action for noted in self._repeated) >= AT_ONCE:
                self._others[refusal.action] += 1
                return
            self._repeated[refusal] = 0
        self._write([(refusal, 1)])

    def flush(self) -> None:
        """Writes the counts and starts the next minute."""
        with self._lock:
            repeated, other_counts = self._repeated, self._others
            self._repeated, self._others = {}, Counter()
        counted = [(refusal, count) for refusal, count in repeated.items() if count]
        counted += [
            (Refusal(action, "", _OTHERS, Text("autres", "others")), count) for action, count in other_counts.items()
        ]
        if counted:
            self._write(counted)

    def _write(self, counted: list[tuple[Refusal, int]]) -> None:
        try:
            with self._database.writing() as connection:
                for refusal, count in counted:
                    changes: dict[str, Json] = {"reason": _written(refusal.reason), "count": count}
                    audit.write(
                        connection, refusal.actor, refusal.action, refusal.subject, changes=changes, now=self._clock()
                    )
        except Unavailable:
            log.warning("refusals could not be written to the audit log", extra={"count": len(counted)})


def _written(reason: Text | str) -> Json:
    """Both languages, for the language of the reader."""
    return {"fr": reason.fr, "en": reason.en} if isinstance(reason, Text) else reason
