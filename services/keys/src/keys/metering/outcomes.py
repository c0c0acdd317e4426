"""The outcome of a request, and what it is charged."""

from dataclasses import dataclass
from datetime import datetime

CLIENT_LEFT = 499
_FIRST_ERROR = 400


@dataclass(frozen=True)
class Outcome:
    """What an edge reports of one granted request. `status` is HTTP's; 499 where the client left after work began."""

    event_id: bytes
    reservation_id: bytes
    key_id: str
    endpoint: str
    status: int
    latency_us: int
    input_tokens: int
    output_tokens: int
    occurred_at: datetime

    @property
    def is_error(self) -> bool:
        return self.status >= _FIRST_ERROR

    @property
    def is_charged(self) -> bool:
        """Success is charged, and so is work for a client that did not wait for it; everything else is free."""
        return 200 <= self.status < 300 or self.status == CLIENT_LEFT  # noqa: PLR2004 (HTTP's class of success)

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens
