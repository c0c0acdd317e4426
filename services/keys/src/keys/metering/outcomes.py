"""The outcome of a request, and what it is charged."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from keys.quota.policy import AssistantMode

COUNTED_UNKNOWN_DAYS = 3
"""How old an outcome may be that is counted although neither its reservation nor its event is known. Retention keeps
both for longer, so that an outcome that is not older was not counted before.
"""
CLIENT_LEFT = 499
_FIRST_ERROR = 400


class AssistantUse(StrEnum):
    """Who answered a call of the assistant, as far as the edge knows."""

    UNSPECIFIED = "unspecified"
    """Not an assistant call, or an edge that does not say."""
    NONE = "none"
    """The assistant was not asked."""
    RULES = "rules"
    MODEL = "model"
    UNKNOWN = "unknown"
    """The call ended before the edge knew who answered and how many tokens it took."""


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
    assistant_use: AssistantUse = AssistantUse.UNSPECIFIED

    @property
    def is_error(self) -> bool:
        return self.status >= _FIRST_ERROR

    @property
    def is_charged(self) -> bool:
        """Success is charged, and so is work for a client that did not wait for it; everything else is free."""
        return 200 <= self.status < 300 or self.status == CLIENT_LEFT  # noqa: PLR2004 (HTTP's class of success)

    @property
    def tokens(self) -> int:
        """The tokens that the edge knows of."""
        return self.input_tokens + self.output_tokens

    def takes_call(self, granted: str | None) -> bool:
        """Whether it takes one call of the allowance of a key whose request was granted this assistant mode. A call
        that was granted a model and answered by the rules does not.
        """
        if granted is None or not self.is_charged or self.assistant_use is AssistantUse.NONE:
            return False
        return not (granted == AssistantMode.MODEL and self.assistant_use is AssistantUse.RULES)

    def tokens_taken(self, reserved: int) -> int:
        """The tokens that it takes of the allowance. The reserved ones where the client did not wait for the answer,
        so that nobody knows what it took. An error of ours takes what is known.
        """
        if self.is_charged and self.assistant_use is AssistantUse.UNKNOWN:
            return max(self.tokens, reserved)
        return self.tokens
