"""A lease, and what is left of it."""

from dataclasses import dataclass
from datetime import datetime

from contract.counters import NOTHING, Counters


@dataclass(frozen=True)
class Lease:
    """A lease of one key to one edge. `left` is what is reserved by it: what no outcome has used and the edge has not
    returned. Its requests are the leased ones until it ends, and none after.
    """

    id: bytes
    key_id: str
    holder: bytes
    month: str
    leased_at: datetime
    left: Counters
    is_ended: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing is reserved by it: its edge has ended it, and all its outcomes are counted."""
        return self.is_ended and self.left == NOTHING
