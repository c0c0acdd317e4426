"""The terms of a price: a monthly fee, units included in it, and a price per further unit in tiers."""

from dataclasses import dataclass
from decimal import Decimal

CURRENCY = "EUR"


@dataclass(frozen=True)
class Tier:
    """A price per unit for the month's units up to and with `up_to`, the included ones counted; None is without end."""

    up_to: int | None
    unit_price: Decimal


@dataclass(frozen=True)
class PlanChoice:
    """The terms of a plan, by its id or its name."""

    plan: str


@dataclass(frozen=True)
class Terms:
    """Terms that hold for whole months. `plan` names where they come from; empty where they are the key's own."""

    monthly_fee: Decimal
    included_units: int
    tiers: tuple[Tier, ...]
    vat_rate: Decimal
    currency: str = CURRENCY
    plan: str = ""
