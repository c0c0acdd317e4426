"""What a lease grants, and what is left of it."""

from dataclasses import dataclass, fields
from datetime import datetime


@dataclass(frozen=True)
class Counters:
    requests: int = 0
    units: int = 0
    suggestions: int = 0
    calls: int = 0
    """Calls of the assistant."""
    tokens: int = 0

    def __add__(self, other: "Counters") -> "Counters":
        return Counters(*(getattr(self, name) + getattr(other, name) for name in NAMES))

    def __sub__(self, other: "Counters") -> "Counters":
        return Counters(*(getattr(self, name) - getattr(other, name) for name in NAMES))

    def at_most(self, other: "Counters") -> "Counters":
        """The lesser of each counter, and nothing below 0."""
        return Counters(*(max(0, min(getattr(self, name), getattr(other, name))) for name in NAMES))


NAMES = tuple(field.name for field in fields(Counters))
NOTHING = Counters()


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
