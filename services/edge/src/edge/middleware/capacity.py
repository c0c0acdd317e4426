"""Limits the concurrent requests of this process. Requests above the limit get 503 immediately."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter as Metric
from prometheus_client import Gauge

from edge.problems import Problem
from servicekit.addresses import network_of
from servicekit.languages import Text

RETRY_S = 1
_BUSY = Text("Le service est saturé : réessayez.", "The service is at its limit: try again.")

_refused = Metric("edge_requests_over_capacity", "Requests refused because too many were under way.", ["reason"])
_in_flight = Gauge("edge_requests_in_flight", "Requests that count against EDGE_MAX_REQUESTS.")


class Capacity:
    """Counts concurrent requests: all of them, and per address those that need no credential."""

    def __init__(self, max_requests: int, max_open_per_address: int) -> None:
        self._max_requests = max_requests
        self._max_open_per_address = max_open_per_address
        self._count = 0
        self._open: Counter[str] = Counter()
        _in_flight.set_function(lambda: self._count)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Occupies a slot for one request. Raises Problem unavailable if none is free."""
        if self._count >= self._max_requests:
            _refused.labels("total").inc()
            raise Problem("unavailable", _BUSY, retry_after_s=RETRY_S)
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1

    @contextmanager
    def unauthenticated_slot(self, address: str) -> Iterator[None]:
        """Like `slot`, for a request without a credential, with the lower limit per address."""
        subject = network_of(address)
        if self._open[subject] >= self._max_open_per_address:
            _refused.labels("address").inc()
            raise Problem("unavailable", _BUSY, retry_after_s=RETRY_S)
        self._open[subject] += 1
        try:
            with self.slot():
                yield
        finally:
            self._open[subject] -= 1
            if not self._open[subject]:
                del self._open[subject]
