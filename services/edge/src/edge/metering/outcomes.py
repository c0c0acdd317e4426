"""The log that keeps the outcomes of authorized requests until keys has counted them."""

from pathlib import Path
from typing import Literal

from edge.metering.refused import Send
from edge.metering.shipper import Shipper
from edge.metering.spool import Spool
from landpartner.keys.v1.keys_pb2 import Outcome

AssistantUse = Literal["none", "rules", "model", "unknown"]
"""What wrote the assistant's answer: nothing, the rules, or a model. Unknown if the call ended early."""


class OutcomeLog(Shipper):
    """A spool and its shipper. Space is held before work begins, so that every finished request can be recorded."""

    def __init__(self, root: Path, max_bytes: int, send: Send, interval_s: float) -> None:
        super().__init__(Spool.open(root, max_bytes), send, interval_s)

    def hold(self) -> None:
        """Holds space for one outcome. Raises SpoolFull."""
        self._spool.hold()

    def release(self) -> None:
        """Releases the space: the request has no outcome."""
        self._spool.release()

    def record(self, outcome: Outcome) -> None:
        """Writes the outcome into the held space. It then survives the end of this process. Raises OSError."""
        self._spool.append(outcome.SerializeToString())
        self.notify()
