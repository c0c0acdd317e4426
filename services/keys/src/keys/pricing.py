"""Prices: a monthly fee, included units, and a price per further unit in tiers. Decimal only, EUR.

Each line of a bill is rounded once, half up, to the cent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from servicekit.languages import Text

CURRENCY = "EUR"


@dataclass(frozen=True)
class Tier:
    """A price per unit for the month's units up to and including `up_to`; None has no end. Included units count."""

    up_to: int | None
    unit_price: Decimal


@dataclass(frozen=True)
class PlanChoice:
    """The terms of a plan, by its id or name."""

    plan: str


@dataclass(frozen=True)
class Terms:
    """Terms for whole months. `plan` is the name of their plan; empty for terms of the key itself."""

    monthly_fee: Decimal
    included_units: int
    tiers: tuple[Tier, ...]
    vat_rate: Decimal
    currency: str = CURRENCY
    plan: str = ""


_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Line:
    """One line: `monthly_fee`, `tier`, `adjustment` or `correction`. The amount is net. Lines of months that closed
    before rates were stored have no VAT rate.
    """

    kind: str
    description: Text
    units: int
    unit_price: Decimal
    amount: Decimal
    vat_rate: Decimal | None


@dataclass(frozen=True)
class Total:
    """The sum of the lines, its VAT (rounded once), and both together."""

    net: Decimal
    vat: Decimal
    gross: Decimal
    currency: str = CURRENCY


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, ROUND_HALF_UP)


def lines(terms: Terms, units: int) -> list[Line]:
    """Returns the lines of a month with this number of units. Tiers without units have no line."""
    result = []
    if terms.monthly_fee:
        fee = cents(terms.monthly_fee)
        description = Text("Abonnement mensuel", "Monthly fee")
        result.append(Line("monthly_fee", description, 0, terms.monthly_fee, fee, terms.vat_rate))
    counted = terms.included_units
    for tier in terms.tiers:
        until = units if tier.up_to is None else min(units, tier.up_to)
        if until <= counted:
            continue
        description = Text("Unités {first} à {last}", "Units {first} to {last}").format(first=counted + 1, last=until)
        amount = cents((until - counted) * tier.unit_price)
        result.append(Line("tier", description, until - counted, tier.unit_price, amount, terms.vat_rate))
        counted = until
    return result


def total(of: Sequence[Line], vat_rate: Decimal, currency: str = CURRENCY) -> Total:
    net = sum((line.amount for line in of), Decimal("0.00"))
    vat = cents(net * vat_rate)
    return Total(net, vat, net + vat, currency)


def net(terms: Terms, units: int) -> Decimal:
    return sum((line.amount for line in lines(terms, units)), Decimal("0.00"))


@dataclass(frozen=True)
class Adjustment:
    """Units of a closed month that were counted after its closing, and their cost by its terms. With a reason: the
    correction of a bill, of any sign and without units.
    """

    key_id: str
    month: str
    units: int
    net: Decimal
    vat_rate: Decimal
    reason: Text | None = None

    def line(self) -> Line:
        if self.reason is None:
            return Line("adjustment", _LATE.format(month=self.month), self.units, Decimal(0), self.net, self.vat_rate)
        description = Text(
            f"{_CORRECTION.fr.format(month=self.month)}{self.reason.fr}",
            f"{_CORRECTION.en.format(month=self.month)}{self.reason.en}",
        )
        return Line("correction", description, 0, Decimal(0), self.net, self.vat_rate)


_LATE = Text("Unités de {month} comptées après sa clôture", "Units of {month} counted after it closed")
_CORRECTION = Text("Rectification de {month}\N{NO-BREAK SPACE}: ", "Correction of {month}: ")


@dataclass(frozen=True)
class Bill:
    key_id: str
    month: str
    units: int
    included_units: int
    lines: Sequence[Line]
    total: Total


def bill(key_id: str, month: str, units: int, terms: Terms | None, adjustments: Sequence[Adjustment]) -> Bill:
    """VAT is rounded once per rate. So adjustments do not change the VAT of the month's own lines."""
    own = [] if terms is None else lines(terms, units)
    late = [each.line() for each in adjustments]
    vat = total(own, terms.vat_rate).vat if terms else Decimal("0.00")
    vat += sum((cents(each.net * each.vat_rate) for each in adjustments), Decimal("0.00"))
    net = sum((line.amount for line in (*own, *late)), Decimal("0.00"))
    currency = terms.currency if terms else CURRENCY
    included = terms.included_units if terms else 0
    return Bill(key_id, month, units, included, [*own, *late], Total(net, vat, net + vat, currency))


def adjustment(key_id: str, month: str, billed_units: int, units: int, terms: Terms | None) -> Adjustment:
    """Returns the cost of the units beyond the billed ones. It is the price of all units minus that of the billed ones,
    so that all bills add up to the price of all units.
    """
    if terms is None:
        return Adjustment(key_id, month, units - billed_units, Decimal("0.00"), Decimal(0))
    difference = net(terms, units) - net(terms, billed_units)
    return Adjustment(key_id, month, units - billed_units, difference, terms.vat_rate)
