"""The bill of a key for a month, with what came later for months that were closed already."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from keys.pricing import rating
from keys.pricing.rating import Line, Total
from keys.pricing.terms import CURRENCY, Terms


@dataclass(frozen=True)
class Adjustment:
    """Units of a closed month that were counted after it closed, and what they cost by its terms."""

    key_id: str
    month: str
    units: int
    net: Decimal
    vat_rate: Decimal


@dataclass(frozen=True)
class Bill:
    key_id: str
    month: str
    units: int
    included_units: int
    lines: Sequence[Line]
    total: Total


def bill(key_id: str, month: str, units: int, terms: Terms | None, adjustments: Sequence[Adjustment]) -> Bill:
    """VAT is rounded once per rate, so that a month's own part costs the same with adjustments and without."""
    own = [] if terms is None else rating.lines(terms, units)
    late = [
        Line("adjustment", f"Units of {late.month} counted after it closed", late.units, Decimal(0), late.net)
        for late in adjustments
    ]
    vat = rating.total(own, terms.vat_rate).vat if terms else Decimal("0.00")
    vat += sum((rating.cents(late.net * late.vat_rate) for late in adjustments), Decimal("0.00"))
    net = sum((line.amount for line in (*own, *late)), Decimal("0.00"))
    currency = terms.currency if terms else CURRENCY
    included = terms.included_units if terms else 0
    return Bill(key_id, month, units, included, [*own, *late], Total(net, vat, net + vat, currency))


def adjustment(key_id: str, month: str, billed_units: int, units: int, terms: Terms | None) -> Adjustment:
    """What the units past those billed cost: the difference, so that all bills together are the price of all units."""
    if terms is None:
        return Adjustment(key_id, month, units - billed_units, Decimal("0.00"), Decimal(0))
    net = rating.net(terms, units) - rating.net(terms, billed_units)
    return Adjustment(key_id, month, units - billed_units, net, terms.vat_rate)
