"""The outcome of one authorized request, and the log that keeps it until keys has counted it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from edge.metering.refused import Send
from edge.metering.shipper import Shipper
from edge.metering.spool import Spool

AssistantUse = Literal["none", "rules", "model", "unknown"]
"""What wrote the assistant's answer: nothing, the rules, or a model. Unknown if the call ended early."""


class LineRun(NamedTuple):
    """The run of a request that reserved its units as one line."""

    request_id: bytes
    run: int


@dataclass(frozen=True, slots=True)
class Outcome:
    reservation_id: bytes
    """16 random bytes from the edge. Also the id of the event, since a reservation has one outcome."""
    key_id: str
    endpoint: str
    status: int
    """HTTP status; 499 if the client disconnected after work began."""
    latency_us: int
    input_tokens: int
    output_tokens: int
    occurred_at: str
    """RFC 3339 UTC."""
    assistant_use: AssistantUse | None = None
    """None for calls of other endpoints."""
    request_id: str = ""
    """The X-Request-Id of the answer."""
    code: str = ""
    """The code of the problem that was sent. Empty for a success, or if no problem was sent."""
    line: LineRun | None = None
    """The outcome ends this run."""


class OutcomeLog:
    """A spool and its shipper. Space is held before work begins, so that every finished request can be recorded."""

    def __init__(
        self, root: Path, max_bytes: int, encode: Callable[[Outcome], bytes], send: Send, interval_s: float
    ) -> None:
        self._spool = Spool.open(root, max_bytes)
        self._shipper = Shipper(self._spool, send, interval_s)
        self._encode = encode

    def start(self) -> None:
        self._shipper.start()

    def sample(self) -> None:
        """Sets the metrics of what waits for keys."""
        self._shipper.sample()

    async def stop(self) -> None:
        await self._shipper.stop()

    def hold(self) -> None:
        """Holds space for one outcome. Raises SpoolFull."""
        self._spool.hold()

    def release(self) -> None:
        """Releases the space: the request has no outcome."""
        self._spool.release()

    def record(self, outcome: Outcome) -> None:
        """Writes the outcome into the held space. It then survives the end of this process. Raises OSError."""
        self.record_encoded(self._encode(outcome))

    def record_encoded(self, payload: bytes) -> None:
        """Like `record`, for an outcome that is encoded already."""
        self._spool.append(payload)
        self._shipper.notify()
