"""From units to money: the lines of a bill, each rounded once (half up, to the cent), and their total."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from keys.pricing.terms import CURRENCY, Terms

_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Line:
    """One line: `monthly_fee`, `tier` or `adjustment`. The amount is net."""

    kind: str
    description: str
    units: int
    unit_price: Decimal
    amount: Decimal


@dataclass(frozen=True)
class Total:
    """The sum of the lines, its VAT (rounded once) and both together."""

    net: Decimal
    vat: Decimal
    gross: Decimal
    currency: str = CURRENCY


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, ROUND_HALF_UP)


def lines(terms: Terms, units: int) -> list[Line]:
    """What a month with so many units costs, line by line. Tiers that are not reached have no line."""
    result = []
    if terms.monthly_fee:
        fee = cents(terms.monthly_fee)
        result.append(Line("monthly_fee", "Monthly fee", 0, terms.monthly_fee, fee))
    counted = terms.included_units
    for tier in terms.tiers:
        until = units if tier.up_to is None else min(units, tier.up_to)
        if until <= counted:
            continue
        description = f"Units {counted + 1} to {until}"
        result.append(
            Line("tier", description, until - counted, tier.unit_price, cents((until - counted) * tier.unit_price))
        )
        counted = until
    return result


def total(of: Sequence[Line], vat_rate: Decimal, currency: str = CURRENCY) -> Total:
    net = sum((line.amount for line in of), Decimal("0.00"))
    vat = cents(net * vat_rate)
    return Total(net, vat, net + vat, currency)


def net(terms: Terms, units: int) -> Decimal:
    return sum((line.amount for line in lines(terms, units)), Decimal("0.00"))
