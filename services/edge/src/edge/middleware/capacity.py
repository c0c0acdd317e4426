"""Limits the concurrent requests. Requests above the limit get 503 immediately."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter as Metric
from prometheus_client import Gauge

from edge.middleware.shared_table import SharedCounts
from edge.problems import Problem
from servicekit.addresses import network_of
from servicekit.languages import Text
from servicekit.processes import Process

RETRY_S = 1
_BUSY = Text("Le service est saturé : réessayez.", "The service is at its limit: try again.")

_refused = Metric("edge_requests_over_capacity", "Requests refused because too many were under way.", ["reason"])
_in_flight = Gauge(
    "edge_requests_in_flight", "Requests that count against EDGE_MAX_REQUESTS.", multiprocess_mode="livesum"
)
_allowed = Gauge("edge_requests_max", "Requests under way, at most.", multiprocess_mode="livesum")


class Capacity:
    """Counts concurrent requests: those of this process, and by address those without a credential in all processes."""

    def __init__(self, process: Process, max_requests: int, max_open_per_address: int) -> None:
        """The processes divide `max_requests` among them."""
        self._max_requests = process.share(max_requests)
        self._max_open_per_address = max_open_per_address
        _allowed.set(self._max_requests)
        self._count = 0
        self._open = SharedCounts(process, "open-requests")

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Occupies a slot for one request. Raises Problem unavailable if none is free."""
        if self._count >= self._max_requests:
            _refused.labels("total").inc()
            raise Problem("unavailable", _BUSY, retry_after_s=RETRY_S)
        self._count += 1
        _in_flight.inc()
        try:
            yield
        finally:
            self._count -= 1
            _in_flight.dec()

    @contextmanager
    def unauthenticated_slot(self, address: str) -> Iterator[None]:
        """Like `slot`, for a request without a credential, with the lower limit per address."""
        subject = network_of(address)
        count = self._open.add(subject)
        try:
            if count > self._max_open_per_address:
                _refused.labels("address").inc()
                raise Problem("unavailable", _BUSY, retry_after_s=RETRY_S)
            with self.slot():
                yield
        finally:
            self._open.remove(subject)
