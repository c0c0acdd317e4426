"""The outcome of one request whose key was granted, and who takes it."""

from dataclasses import dataclass
from typing import Literal, Protocol

AssistantUse = Literal["none", "rules", "model", "unknown"]
"""Who answered a call of the assistant: nobody was asked, the rules, a model, or it ended before that was known."""


@dataclass(frozen=True, slots=True)
class Outcome:
    reservation_id: bytes
    """16 random bytes of the edge's own; the event's id too, since a reservation has one outcome."""
    key_id: str
    endpoint: str
    status: int
    """HTTP status; 499 where the client left after work began."""
    latency_us: int
    input_tokens: int
    output_tokens: int
    occurred_at: str
    """RFC 3339 UTC."""
    assistant_use: AssistantUse | None = None
    """None for calls of other endpoints."""


class OutcomeLog(Protocol):
    """Takes outcomes for good. Room is held before work begins, so that no finished work lacks room for its outcome."""

    def hold(self) -> None:
        """Holds room for one outcome. Raises SpoolFull."""

    def release(self) -> None:
        """Gives the room back: there is nothing to count."""

    def record(self, outcome: Outcome) -> None:
        """Uses the room held. When it returns, the outcome outlives this process. Raises OSError."""
