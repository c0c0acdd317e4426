"""The limits of a key: its quota, assistant policy, scopes and networks, and the weight of each endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from contract.endpoints import LINE_ENDPOINTS
from keys.values.pricing import Terms
from keys.values.secret import KeyMode
from servicekit.limits import Network

SUGGESTIONS_PER_UNIT = 10


class AssistantMode(StrEnum):
    DISABLED = "disabled"
    RULES = "rules"
    MODEL = "model"


@dataclass(frozen=True)
class Quota:
    """None is no limit. A soft quota counts and grants; the spend cap always applies. The spend cap is in EUR per month
    without VAT, and includes the monthly fee.
    """

    monthly_units: int | None
    per_minute: int
    burst: int
    hard: bool = True
    spend_cap: Decimal | None = None

    def is_lifted_by(self, after: "Quota") -> bool:
        """Whether the other quota allows more use. Rates do not count. That is a hard quota made soft, more or
        unlimited monthly units of a hard quota, a higher spend cap, or none.
        """
        is_hard_lifted = self.hard and (not after.hard or _is_higher(self.monthly_units, after.monthly_units))
        return is_hard_lifted or _is_higher(self.spend_cap, after.spend_cap)


def _is_higher(before: Decimal | int | None, after: Decimal | int | None) -> bool:
    """None is no limit."""
    return before is not None and (after is None or after > before)


@dataclass(frozen=True)
class AssistantPolicy:
    """The mode, and the monthly allowance of calls and tokens. None is no limit."""

    mode: AssistantMode
    monthly_calls: int | None = None
    monthly_tokens: int | None = None


@dataclass(frozen=True)
class KeyPolicy:
    """The limits of a key at the time of a decision."""

    key_id: str
    partner_id: str
    mode: KeyMode
    is_partner_active: bool
    revoked_at: datetime | None
    suspended_at: datetime | None
    expires_at: datetime | None
    scopes: frozenset[str]
    networks: tuple[Network, ...]
    quota: Quota
    assistant: AssistantPolicy
    terms: Terms | None = None
    """Only read for a key with a spend cap."""
    has_sharing_keys: bool = False
    """Whether other keys of the partner pay the terms together with this one. Only read for a key with a spend cap."""


@dataclass(frozen=True)
class Rules:
    """The rules of all keys: units of each endpoint (0 if it is not listed), reserved tokens per model call, and the
    suggestions of a month that are free for each key.
    """

    weights: Mapping[str, int] = field(default_factory=dict)
    tokens_per_call: int = 8_000
    free_suggestions: int = 10_000

    def weight(self, endpoint: str) -> int:
        return self.weights.get(endpoint, 0)

    def line_weight(self, endpoint: str) -> int:
        """The units of one line of a file, or of a single request with an Idempotency-Key."""
        return self.weight(LINE_ENDPOINTS.get(endpoint, endpoint))
