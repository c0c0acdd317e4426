"""The outcome of a request, its charge, and classes of latencies.

Each class is 2^(1/4) = 1.19 times as wide as the one before. A class stands for the geometric middle of its bounds. So
a percentile between 1 ms and 32 s is at most 10 % too high or too low (2^(1/8) = 1.09).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import accumulate
from math import ceil, log2

from contract.counters import Counters
from contract.endpoints import SUGGEST
from keys.values.policy import AssistantMode

KEPT_LONGER_DAYS = 1
"""How much longer retention keeps an event than an outcome of its age is counted without a known event. So such an
outcome cannot have been counted before.
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
    lease_id: bytes
    key_id: str
    endpoint: str
    status: int
    latency_us: int
    input_tokens: int
    output_tokens: int
    occurred_at: datetime
    leased_at: datetime
    """When the lease began that the request took its counters from. For lines of a file, when they were answered."""
    units: int = 0
    """The units that it took of its lease. A suggestion takes none."""
    assistant_mode: AssistantMode | None = None
    """The mode that was granted to a call of the assistant."""
    token_limit: int = 0
    """The tokens that were granted to it. 0 if they are not limited."""
    assistant_use: AssistantUse = AssistantUse.UNSPECIFIED
    lines: AnsweredLines | None = None
    """Set if units were reserved by lines: those of a file, or the only one of a request with an Idempotency-Key."""
    request_id: str = ""
    code: str = ""
    """The code of the problem that was answered. Empty for a success, or if there is none."""
    is_free: bool = False
    """Whether it costs nothing, although it succeeded."""

    @property
    def is_of_file(self) -> bool:
        """Whether it is the outcome of lines of a file, which counts no request."""
        return not self.lease_id

    @property
    def is_error(self) -> bool:
        return self.status >= FIRST_ERROR

    @property
    def is_charged(self) -> bool:
        """Success is charged unless it is free, and so is work for a client that disconnected. Nothing else is."""
        return not self.is_free and (200 <= self.status < 300 or self.status == CLIENT_LEFT)  # noqa: PLR2004 (HTTP's class)

    @property
    def charged_units(self) -> int:
        """The units that it is charged, unless it is a suggestion or has a line."""
        return self.units if self.is_charged else 0

    @property
    def taken(self) -> Counters:
        """What it took of its lease."""
        is_suggestion, is_call = self.endpoint == SUGGEST, self.assistant_mode is not None
        return Counters(1, self.units, int(is_suggestion), int(is_call), self.token_limit)

    @property
    def uses_call(self) -> bool:
        """Whether it uses one call of the key's allowance. A call that was granted a model and answered by the rules
        uses none.
        """
        if self.assistant_mode is None or not self.is_charged or self.assistant_use is AssistantUse.NONE:
            return False
        return not (self.assistant_mode is AssistantMode.MODEL and self.assistant_use is AssistantUse.RULES)

    @property
    def tokens_used(self) -> int:
        """The tokens that it uses of the allowance. If the client disconnected and the real number is unknown, the
        granted tokens are used. A failure of the service uses the reported tokens.
        """
        reported = self.input_tokens + self.output_tokens
        if self.is_charged and self.assistant_use is AssistantUse.UNKNOWN:
            return max(reported, self.token_limit)
        return reported


_PER_DOUBLING = 4
_DOUBLINGS = 15
LATENCY_CLASSES = _DOUBLINGS * _PER_DOUBLING + 2
"""The first class ends at 1 ms. The last one begins at 32,768 ms and has no end."""
_MS_US = 1_000


def latency_class_of(latency_us: int) -> int:
    if latency_us < _MS_US:
        return 0
    return min(LATENCY_CLASSES - 1, 1 + int(_PER_DOUBLING * log2(latency_us / _MS_US)))


def percentile_ms(counts: Sequence[int], share: float) -> float | None:
    """The latency that this share of the requests does not exceed: 1 in the first class, 32,768 in the last one. None
    without a request. `counts` has a number for each class.
    """
    total = sum(counts)
    if not total:
        return None
    rank = ceil(share * total)
    latency_class = next(number for number, reached in enumerate(accumulate(counts)) if reached >= rank)
    if latency_class in (0, LATENCY_CLASSES - 1):
        return 1.0 if latency_class == 0 else float(2**_DOUBLINGS)
    return round(float(2 ** ((latency_class - 0.5) / _PER_DOUBLING)), 3)
