"""The outcome log of a running edge: a spool with its shipper."""

from collections.abc import Callable
from pathlib import Path

from prometheus_client import Gauge

from edge.metering.outcomes import Outcome
from edge.metering.shipper import Send, Shipper
from edge.metering.spool import Spool

_segments = Gauge("edge_spool_segments", "Segments of outcomes that this process holds.")

Encode = Callable[[Outcome], bytes]


class SpooledOutcomes:
    """Implements OutcomeLog."""

    def __init__(self, root: Path, max_bytes: int, encode: Encode, send: Send) -> None:
        self._spool = Spool.open(root, max_bytes)
        self._shipper = Shipper(self._spool, send)
        self._encode = encode
        _segments.set_function(self._spool.segment_count)

    def start(self) -> None:
        self._shipper.start()

    async def stop(self) -> None:
        await self._shipper.stop()

    def hold(self) -> None:
        self._spool.hold()

    def release(self) -> None:
        self._spool.release()

    def record(self, outcome: Outcome) -> None:
        self._spool.append(self._encode(outcome))
        self._shipper.notify()
