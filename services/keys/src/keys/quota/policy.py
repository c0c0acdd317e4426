"""What a key is allowed: its quota, its assistant policy, its scopes and networks, and what each endpoint weighs."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from keys.issuing.secret import KeyMode
from keys.pricing import Terms

RESOLVE = "addresses.resolve"
GEOJSON = "land-units.geojson"
DIVIDE_LAND = "assistant.divide-land"
USAGE = "usage"
COVERAGE = "coverage"
SCOPES = (RESOLVE, GEOJSON, DIVIDE_LAND, USAGE, COVERAGE)
"""Endpoints that a key can be narrowed to. Any other endpoint leads nowhere and needs a valid key only."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class AssistantMode(StrEnum):
    DISABLED = "disabled"
    RULES = "rules"
    MODEL = "model"


@dataclass(frozen=True)
class Quota:
    """None is no limit. A quota that is not hard counts and lets through; the spend cap always holds. It is EUR a month
    without VAT, the monthly fee included.
    """

    monthly_units: int | None
    per_minute: int
    burst: int
    hard: bool = True
    spend_cap: Decimal | None = None

    def is_lifted_by(self, after: "Quota") -> bool:
        """Whether a key may use more with the other quota: a hard one made soft, more or no monthly units where they
        are hard, a higher or no spend cap. Rates do not count.
        """
        is_hard_lifted = self.hard and (not after.hard or _is_higher(self.monthly_units, after.monthly_units))
        return is_hard_lifted or _is_higher(self.spend_cap, after.spend_cap)


def _is_higher(before: Decimal | int | None, after: Decimal | int | None) -> bool:
    """None is no limit."""
    return before is not None and (after is None or after > before)


@dataclass(frozen=True)
class AssistantPolicy:
    """The mode, and how many calls and tokens a month may take; None is no limit."""

    mode: AssistantMode
    monthly_calls: int | None = None
    monthly_tokens: int | None = None


@dataclass(frozen=True)
class KeyPolicy:
    """A key as it stands when a request is decided."""

    key_id: str
    partner_id: str
    mode: KeyMode
    is_partner_active: bool
    revoked_at: datetime | None
    expires_at: datetime | None
    scopes: frozenset[str]
    networks: tuple[Network, ...]
    quota: Quota
    assistant: AssistantPolicy
    terms: Terms | None = None


@dataclass(frozen=True)
class Rules:
    """What holds for all keys: units of each endpoint (0 where it is not listed) and tokens reserved per model call."""

    weights: Mapping[str, int] = field(default_factory=dict)
    tokens_per_call: int = 8_000

    def weight(self, endpoint: str) -> int:
        return self.weights.get(endpoint, 0)


def contains(networks: tuple[Network, ...], address: str) -> bool:
    """Whether an address is in one of the networks. An IPv4 address written as IPv6 counts as itself."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in network for network in networks)
