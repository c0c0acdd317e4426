"""The outcome of a request, and its charge."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from keys.quota.policy import AssistantMode

COUNTED_UNKNOWN_DAYS = 3
"""The maximum age of an outcome that is counted without a known reservation or event. Retention keeps both for longer.
So an outcome of this age cannot have been counted before.
"""
CLIENT_LEFT = 499
FIRST_ERROR = 400


class AssistantUse(StrEnum):
    """Which part of the assistant answered, as far as the edge knows."""

    UNSPECIFIED = "unspecified"
    """Not an assistant call, or the edge does not report it."""
    NONE = "none"
    """The edge did not call the assistant."""
    RULES = "rules"
    MODEL = "model"
    UNKNOWN = "unknown"
    """The call ended before the edge knew which part answered and how many tokens it used."""


@dataclass(frozen=True)
class AnsweredLines:
    """Lines of a request that were answered with success: a bit for each, from `first_line` on. `request_id` is that of
    their reservation.
    """

    request_id: bytes
    run: int
    first_line: int
    succeeded: bytes
    is_last: bool = False


@dataclass(frozen=True)
class Outcome:
    """An edge's report of one granted request, or of some of its lines. `status` is HTTP's; 499 if the client
    disconnected after work began.
    """

    event_id: bytes
    reservation_id: bytes
    key_id: str
    endpoint: str
    status: int
    latency_us: int
    input_tokens: int
    output_tokens: int
    occurred_at: datetime
    assistant_use: AssistantUse = AssistantUse.UNSPECIFIED
    lines: AnsweredLines | None = None
    """Set if units were reserved by lines: those of a file, or the only one of a request with an Idempotency-Key."""
    request_id: str = ""
    code: str = ""
    """The code of the problem that was answered. Empty for a success, or if there is none."""

    @property
    def is_of_file(self) -> bool:
        """Whether it is the outcome of lines of a file, which counts no request."""
        return not self.reservation_id

    @property
    def is_error(self) -> bool:
        return self.status >= FIRST_ERROR

    @property
    def is_charged(self) -> bool:
        """Success is charged, and so is work for a client that disconnected. Everything else is free."""
        return 200 <= self.status < 300 or self.status == CLIENT_LEFT  # noqa: PLR2004 (HTTP's class of success)

    @property
    def tokens(self) -> int:
        """The tokens that the edge reports."""
        return self.input_tokens + self.output_tokens

    def uses_call(self, granted: str | None) -> bool:
        """Whether it uses one call of the key's allowance. `granted` is the assistant mode of the grant. A call that
        was granted a model and answered by the rules uses none.
        """
        if granted is None or not self.is_charged or self.assistant_use is AssistantUse.NONE:
            return False
        return not (granted == AssistantMode.MODEL and self.assistant_use is AssistantUse.RULES)

    def tokens_used(self, reserved: int) -> int:
        """The tokens that it uses of the allowance. If the client disconnected and the real number is unknown, the
        reserved tokens are used. A failure of the service uses the reported tokens.
        """
        if self.is_charged and self.assistant_use is AssistantUse.UNKNOWN:
            return max(self.tokens, reserved)
        return self.tokens
