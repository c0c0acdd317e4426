"""Chooses the database server that a request reads from: a standby that is recent enough, else the primary.

Dataset revisions measure how recent a standby is. A process knows which revisions it requires: those of the loads that
it waited for, and those that the primary had `max_lag_s` ago. It uses no standby whose revisions are older.
"""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from prometheus_client import Counter
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from land.errors import StoreUnavailable
from land.store import loads
from land.store.snapshot import STANDBY, StandbyFailed, snapshot
from servicekit.background import Repeated

log = logging.getLogger(__name__)

_reads = Counter("land_reads", "Requests by the kind of server that they read from.", ["server"])
_failures = Counter("land_standby_failures", "Times that a standby was set aside.", ["reason"])

POLL_S = 0.5
"""Interval at which the primary's revisions are read, and at which a standby that was set aside is tried again."""

T = TypeVar("T")


class Standby:
    """One standby. After a failure it is set aside until it answers with the required revisions."""

    def __init__(self, engine: Engine, servers: "Servers") -> None:
        self.engine = engine.execution_options(**{STANDBY: self})
        self.is_usable = False
        self._servers = servers

    def require_recent(self, revisions: Mapping[str, int]) -> None:
        """Raises StandbyFailed if the standby with these revisions is too old."""
        if not self._servers.are_recent(revisions):
            self.set_aside("behind")
            raise StandbyFailed

    def set_aside(self, reason: str) -> None:
        if self.is_usable:
            self.is_usable = False
            _failures.labels(reason).inc()
            log.warning("standby set aside", extra={"host": self.engine.url.host, "reason": reason})

    def poll(self) -> None:
        """Uses the standby again if it answers and is recent."""
        if self.is_usable:
            return
        try:
            with snapshot(self.engine) as connection:
                loads.revisions(connection)
        except (StandbyFailed, SQLAlchemyError):
            return
        self.is_usable = True
        log.info("standby in use", extra={"host": self.engine.url.host})


class Servers:
    """The primary and its standbys, which `start` begins to use. Safe for threads."""

    def __init__(
        self,
        primary: Engine,
        standbys: Sequence[Engine] = (),
        max_lag_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.primary = primary
        self.standbys = [Standby(engine, self) for engine in standbys]
        self._max_lag_s = max_lag_s
        self._clock = clock
        self._lock = threading.Lock()
        self._required: dict[str, int] | None = None
        self._later: deque[tuple[float, Mapping[str, int]]] = deque()
        """Revisions of the primary, by the instant from which they are required."""
        polls = [self.poll_primary, *(standby.poll for standby in self.standbys)] if self.standbys else []
        self._polls = [Repeated("standbys", POLL_S, poll) for poll in polls]

    def start(self) -> None:
        for task in self._polls:
            task.start()

    def end(self) -> None:
        for task in self._polls:
            task.end()

    def read(self, work: Callable[[Engine], T]) -> T:
        """The result of `work` with one server, which it reads only. If a standby fails, it runs again with the
        primary.
        """
        usable = [standby for standby in self.standbys if standby.is_usable]
        if usable:
            try:
                result = work(random.choice(usable).engine)  # noqa: S311 (spreads load)
            except StandbyFailed:
                pass
            else:
                _reads.labels("standby").inc()
                return result
        _reads.labels("primary").inc()
        return work(self.primary)

    def see(self, connection: Connection) -> None:
        """Requires the revisions of this connection to the primary from now on."""
        if self.standbys:
            self._require(loads.revisions(connection))

    def are_recent(self, revisions: Mapping[str, int]) -> bool:
        """Whether a server with these revisions may answer. False until the primary was read once."""
        required = self._required
        return required is not None and all(revisions.get(name, 0) >= value for name, value in required.items())

    def poll_primary(self) -> None:
        """Reads the primary's revisions, which are required after the largest lag."""
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            self._require(self._later.popleft()[1])
        try:
            with snapshot(self.primary) as connection:
                revisions = loads.revisions(connection)
        except (StoreUnavailable, SQLAlchemyError):
            return  # no loads can commit until it answers
        if self._required is None:
            self._require(revisions)
        elif not self._later or self._later[-1][1] != revisions:
            self._later.append((now + self._max_lag_s, revisions))

    def _require(self, revisions: Mapping[str, int]) -> None:
        with self._lock:
            required = self._required or {}
            newest = {name: max(value, required.get(name, 0)) for name, value in revisions.items()}
            self._required = {**required, **newest}
