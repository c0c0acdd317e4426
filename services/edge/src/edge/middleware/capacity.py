"""Limits the concurrent requests, in total and for each key and partner. Refuses requests above a limit immediately.

A request of a partner occupies a slot while the edge works on it, and none while the edge waits for its body. So bodies
that arrive slowly refuse nobody else. Admins have slots of their own. Probes need none.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from weakref import WeakValueDictionary

from prometheus_client import Counter as Metric
from prometheus_client import Gauge

from edge.problems import Problem
from edge.settings import EdgeSettings
from servicekit.languages import Text
from servicekit.limits import counted, network_of

RETRY_S = 1
MAX_TILES_PER_KEY = 4
"""Tiles that land draws at a time for one key. They cost no units, and a map asks for many at once."""
REFUSING_S = 2.0
"""How long after a refusal the edge is not ready."""
_BUSY = Text("Le service est saturé : réessayez.", "The service is at its limit: try again.")
_SHARE_TAKEN = Text(
    "Trop de requêtes de cette clé ou de ce partenaire sont en cours : réessayez quand l’une d’elles a pris fin.",
    "Too many requests of this key or partner are under way: try again when one of them has ended.",
)

_refused = Metric("edge_requests_over_capacity", "Requests refused because too many were under way.", ["reason"])
for _reason in ("total", "admin", "open", "address", "key", "partner", "files", "file_bodies"):
    _refused.labels(_reason)  # from 0, so that a rate includes the first one
_in_flight = Gauge("edge_requests_in_flight", "Requests that count against EDGE_MAX_REQUESTS.")
_allowed = Gauge("edge_requests_max", "Requests under way, at most.")


class Pool:
    """A number of slots. `refused_at` is the monotonic time of the last refusal."""

    def __init__(
        self, reason: str, size: int, gauge: Gauge | None = None, *, message: Text = _BUSY, retry_s: int = RETRY_S
    ) -> None:
        """A refusal carries the message and Retry-After, and is counted under the reason."""
        self.size = size
        self._message, self._retry_s = message, retry_s
        self.refused_at = float("-inf")
        self._count = 0
        self._reason = reason
        self._gauge = gauge

    @contextmanager
    def slot(self) -> Iterator["Slot"]:
        """Occupies a slot for one request. Raises Problem unavailable if none is free."""
        slot = Slot(self)
        slot.take()
        try:
            yield slot
        finally:
            slot.release()

    def add(self, change: int) -> None:
        """Raises Problem unavailable above the size."""
        if change > 0 and self._count >= self.size:
            self.refused_at = time.monotonic()
            _refused.labels(self._reason).inc()
            raise Problem("unavailable", self._message, retry_after_s=self._retry_s)
        self._count += change
        if self._gauge is not None:
            self._gauge.set(self._count)


class Slot:
    """The slot of one request, which it may release and take again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._is_taken = False

    def take(self) -> None:
        """Raises Problem unavailable if no slot is free."""
        if not self._is_taken:
            self._pool.add(1)
            self._is_taken = True

    def release(self) -> None:
        if self._is_taken:
            self._pool.add(-1)
            self._is_taken = False


class Shares:
    """Counts what is under way for each key, partner or address, so that none takes everything."""

    def __init__(
        self, most: Mapping[str, int], code: str = "rate_limited", detail: Text = _SHARE_TAKEN, retry_s: int = RETRY_S
    ) -> None:
        """`most` is the limit of each kind of subject. `code` and `detail` are those of a refusal."""
        self._most = most
        self._code, self._detail, self._retry_s = code, detail, retry_s
        self._counts: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def share(self, **subjects: str) -> Iterator[None]:
        """Counts one request of these subjects. Raises Problem if one of them has no share left."""
        for kind, subject in subjects.items():
            if self._counts[kind, subject] >= self._most[kind]:
                _refused.labels(kind).inc()
                raise Problem(self._code, self._detail, retry_after_s=self._retry_s)
        with counted(self._counts, *subjects.items()):
            yield


class Turns:
    """Lets each key have so many requests worked on at a time. Its further requests wait, in their order."""

    def __init__(self, most: int, wait_s: float) -> None:
        self._most, self._wait_s = most, wait_s
        self._semaphores: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Raises Problem deadline_exceeded if the request would wait longer than `wait_s`."""
        semaphore = self._semaphores.setdefault(key, asyncio.Semaphore(self._most))
        try:
            async with asyncio.timeout(self._wait_s):
                await semaphore.acquire()
        except TimeoutError:
            raise Problem("deadline_exceeded") from None
        try:
            yield
        finally:
            semaphore.release()


class Capacity:
    """The limits on concurrent requests."""

    def __init__(self, settings: EdgeSettings) -> None:
        self.requests = Pool("total", settings.max_requests, _in_flight)
        self.admin = Pool("admin", settings.max_admin_requests)
        self.shares = Shares({"key": settings.max_requests_per_key, "partner": settings.max_requests_per_partner})
        self.undecided = Shares({"key": settings.max_requests_per_key})
        """Requests of one key text that wait for a decision of keys, each with a slot."""
        self.agents = Shares({"key": settings.max_requests_per_key})
        """Messages of agents by key text, also while their body arrives."""
        self.tiles = Turns(MAX_TILES_PER_KEY, settings.geojson_deadline_s)
        self._open = Pool("open", settings.max_admin_requests)
        self._open_shares = Shares({"address": settings.max_open_requests_per_address}, "unavailable", _BUSY)
        _allowed.set(self.requests.size)

    def is_refusing(self) -> bool:
        """Whether requests of partners were refused in the last seconds because no slot was free."""
        return time.monotonic() - self.requests.refused_at < REFUSING_S

    @contextmanager
    def unauthenticated_slot(self, address: str) -> Iterator[None]:
        """A slot for a request without a credential, with a limit for each address. Raises Problem unavailable."""
        with self._open_shares.share(address=network_of(address)), self._open.slot():
            yield
