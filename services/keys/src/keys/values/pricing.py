"""Prices: a monthly fee, included units, and a price per further unit in tiers. Decimal only, EUR.

Each line of a bill is rounded once, half up, to the cent.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, ROUND_HALF_UP, ROUND_UP, Decimal
from enum import StrEnum
from typing import Any, NamedTuple

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


class ChargedPer(StrEnum):
    """Who pays the terms of a plan in a month: each key, or the keys of a partner together. Then they share one fee,
    the included units and the tiers.
    """

    KEY = "key"
    PARTNER = "partner"


@dataclass(frozen=True)
class Terms:
    """Terms for whole months. `plan` is the name of their plan; empty for terms of the key itself, which are charged
    per key.
    """

    monthly_fee: Decimal
    included_units: int
    tiers: tuple[Tier, ...]
    vat_rate: Decimal
    currency: str = CURRENCY
    plan: str = ""
    charged_per: ChargedPer = ChargedPer.KEY
    is_pro_rata: bool = False
    """Whether the fee is due for the days on which a key that pays it could be used, not in full."""


class FeeDays(NamedTuple):
    """The days of a month on which a key that pays the fee could be used, and all its days."""

    used: int
    month: int


_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Line:
    """One line: `monthly_fee`, `tier` or `adjustment`, and `correction` in an issued bill. The amount is net."""

    kind: str
    description: Text
    units: int
    unit_price: Decimal
    amount: Decimal
    vat_rate: Decimal


@dataclass(frozen=True)
class Total:
    """The sum of the lines, its VAT, and both together."""

    net: Decimal
    vat: Decimal
    gross: Decimal
    currency: str = CURRENCY


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, ROUND_HALF_UP)


def fee(terms: Terms, days: FeeDays | None = None) -> Decimal:
    """Returns the fee of a month: in full without days, or if the terms are not pro rata."""
    if days is None or not terms.is_pro_rata:
        return cents(terms.monthly_fee)
    return cents(terms.monthly_fee * days.used / days.month)


def lines(terms: Terms, units: int, days: FeeDays | None = None) -> list[Line]:
    """Returns the lines of a month with this number of units. Tiers without units have no line."""
    result = []
    if terms.monthly_fee:
        description = Text("Abonnement mensuel", "Monthly fee")
        if terms.is_pro_rata and days and days.used < days.month:
            description = _PART_OF_FEE.format(used=days.used, month=days.month)
        result.append(
            Line(
                kind="monthly_fee",
                description=description,
                units=0,
                unit_price=terms.monthly_fee,
                amount=fee(terms, days),
                vat_rate=terms.vat_rate,
            )
        )
    counted = terms.included_units
    for tier in terms.tiers:
        until = units if tier.up_to is None else min(units, tier.up_to)
        if until <= counted:
            continue
        description = Text("Unités {first} à {last}", "Units {first} to {last}").format(first=counted + 1, last=until)
        result.append(
            Line(
                kind="tier",
                description=description,
                units=until - counted,
                unit_price=tier.unit_price,
                amount=cents((until - counted) * tier.unit_price),
                vat_rate=terms.vat_rate,
            )
        )
        counted = until
    return result


_PART_OF_FEE = Text("Abonnement mensuel, {used}/{month} jours", "Monthly fee, {used}/{month} days")


def write_line(line: Line) -> dict[str, Any]:
    """Returns the line as it is stored."""
    return {
        "kind": line.kind,
        "description_fr": line.description.fr,
        "description_en": line.description.en,
        "units": line.units,
        "unit_price": format(line.unit_price, "f"),
        "amount": format(line.amount, "f"),
        "vat_rate": format(line.vat_rate, "f"),
    }


def net_by_rate(bill_lines: Iterable[Line]) -> dict[Decimal, Decimal]:
    nets: dict[Decimal, Decimal] = defaultdict(lambda: Decimal("0.00"))
    for line in bill_lines:
        nets[line.vat_rate] += line.amount
    return nets


def vat_by_rate(bill_lines: Iterable[Line]) -> dict[Decimal, Decimal]:
    """Returns the VAT of a document with these lines: rounded once for each rate, as EN 16931 has it (BR-CO-17)."""
    return {rate: cents(amount * rate) for rate, amount in net_by_rate(bill_lines).items()}


def net(terms: Terms, units: int) -> Decimal:
    return sum((line.amount for line in lines(terms, units)), Decimal("0.00"))


def most(terms: Terms, units: int) -> Decimal:
    """Returns a limit of what these units and the fee cost on a shared bill, whatever the other keys use: none of the
    units is included, and each has the highest price. Each line adds at most a cent by its rounding.
    """
    further = [tier for tier in terms.tiers if tier.up_to is None or tier.up_to > terms.included_units]
    if not units or not further:
        return cents(terms.monthly_fee)
    highest = (units * max(tier.unit_price for tier in further)).quantize(_CENT, ROUND_UP)
    return cents(terms.monthly_fee) + highest + len(further) * _CENT


@dataclass(frozen=True)
class Adjustment:
    """Units of a closed month that were counted after its closing, and their cost by its terms."""

    key_id: str
    month: str
    units: int
    net: Decimal
    vat_rate: Decimal

    def line(self) -> Line:
        return Line(
            kind="adjustment",
            description=_LATE.format(month=self.month),
            units=self.units,
            unit_price=Decimal(0),
            amount=self.net,
            vat_rate=self.vat_rate,
        )


_LATE = Text("Unités de {month} comptées après sa clôture", "Units of {month} counted after it closed")


@dataclass(frozen=True)
class KeyUnits:
    key_id: str
    units: int


@dataclass(frozen=True)
class Bill:
    """The bill of a key for a month. Without a `key_id`: that of the keys of a partner which share a plan, with the
    units of each. The units are those that the bill's own lines charge.
    """

    key_id: str
    month: str
    units: int
    included_units: int
    lines: Sequence[Line]
    total: Total
    plan_id: str = ""
    plan: str = ""
    """The name of the plan. Empty for terms of the key itself."""
    partner_id: str = ""
    """The partner of a shared bill."""
    keys: Sequence[KeyUnits] = ()

    @property
    def charged_per(self) -> ChargedPer:
        return ChargedPer.KEY if self.key_id else ChargedPer.PARTNER

    @property
    def key_ids(self) -> Sequence[str]:
        return [self.key_id] if self.key_id else [key.key_id for key in self.keys]


def key_bill(
    key_id: str,
    month: str,
    units: int,
    terms: Terms | None,
    adjustments: Sequence[Adjustment],
    days: FeeDays | None = None,
) -> Bill:
    bill_lines = [] if terms is None else lines(terms, units, days)
    bill_lines += [adjustment.line() for adjustment in adjustments]
    vat = sum(vat_by_rate(bill_lines).values(), Decimal("0.00"))
    net = sum((line.amount for line in bill_lines), Decimal("0.00"))
    currency = terms.currency if terms else CURRENCY
    included = terms.included_units if terms else 0
    return Bill(
        key_id=key_id,
        month=month,
        units=units,
        included_units=included,
        lines=bill_lines,
        total=Total(net, vat, net + vat, currency),
        plan=terms.plan if terms else "",
    )


def shared_bill(
    month: str, partner_id: str, plan_id: str, keys: Sequence[KeyUnits], terms: Terms, days: FeeDays | None = None
) -> Bill:
    """The bill of a plan that is charged per partner: one fee, one number of included units and one ladder of tiers."""
    of_all = key_bill("", month, sum(key.units for key in keys), terms, (), days)
    return replace(of_all, partner_id=partner_id, plan_id=plan_id, keys=keys)


def share_vat(bills: Sequence[Bill]) -> list[Bill]:
    """Returns the bills of a partner's month with their shares of the VAT of the document that has all their lines. For
    each rate, the largest remainders get the cents that are left.
    """
    exact = [{rate: amount * rate for rate, amount in net_by_rate(bill.lines).items()} for bill in bills]
    shares = [Decimal("0.00")] * len(bills)
    for rate, document_vat in vat_by_rate(line for bill in bills for line in bill.lines).items():
        parts = {place: vat[rate].quantize(_CENT, ROUND_FLOOR) for place, vat in enumerate(exact) if rate in vat}
        remaining_cents = int((document_vat - sum(parts.values())).scaleb(2))
        first = set(sorted(parts, key=lambda place: parts[place] - exact[place][rate])[:remaining_cents])
        for place, part in parts.items():
            shares[place] += part + _CENT * (place in first)
    return [
        replace(bill, total=replace(bill.total, vat=vat, gross=bill.total.net + vat))
        for bill, vat in zip(bills, shares, strict=True)
    ]


def adjustment(key_id: str, month: str, billed_units: int, units: int, terms: Terms | None) -> Adjustment:
    """Returns the cost of the units beyond the billed ones. It is the price of all units minus that of the billed ones,
    so that all bills add up to the price of all units. Under a shared plan, both numbers are those of all its keys.
    """
    if terms is None:
        return Adjustment(key_id, month, units - billed_units, Decimal("0.00"), Decimal(0))
    difference = net(terms, units) - net(terms, billed_units)
    return Adjustment(key_id, month, units - billed_units, difference, terms.vat_rate)
