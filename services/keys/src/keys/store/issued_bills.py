"""Issued bills: the numbered documents that partners get. None ever changes.

The closing of a month issues one bill to each partner: all its bills of the month, with the facts about seller and
buyer at that time. A bill whose buyer has a fault (`buyers`) is held: it gets its number once the fault is corrected. A
correction is a document of its own that names the bill: a credit note, or a further bill. All take the next
number of the seller and year in the transaction that adds them, so no number is missing.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import chain
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select

from keys.store import buyers, key_records, mails, partner_records
from keys.store.change import Change
from keys.store.database import lock_table
from keys.store.tables import held_bills, issued_bills, month_closings
from keys.values import texts
from keys.values.checks import MAX_PRICE, Fault, name, out_of_range, refuse, require
from keys.values.clock import PARIS
from keys.values.company_numbers import Seller
from keys.values.errors import NotFound
from keys.values.pricing import CURRENCY, Bill, Line, cents, write_line
from keys.values.records import Partner, new_record_id
from servicekit.languages import Text

_h, _b = held_bills.c, issued_bills.c

BILL, CREDIT_NOTE = "bill", "credit_note"
_ZERO = Decimal("0.00")
_MAX_DRIFT = Decimal("0.50")
"""The rules of EN 16931 accept a VAT amount that is less than 1 from the product of net amount and rate."""


@dataclass(frozen=True)
class IssuedBill:
    """A document. `content` is all that it states, as JSON. The amounts of a credit note are positive."""

    id: str
    partner: Partner
    number: str
    content: Mapping[str, Any]

    @property
    def month(self) -> str:
        return str(self.content["month"])

    def part(self, rate: Decimal, name: str) -> Decimal:
        """Returns the `net` or `vat` that the document adds to a rate of its bill."""
        parts = (Decimal(part[name]) for part in self.content["vat_rates"] if Decimal(part["rate"]) == rate)
        return sum(parts, _ZERO) * self._sign

    @property
    def net(self) -> Decimal:
        """What the document adds to the sum of its bill."""
        return Decimal(self.content["net"]) * self._sign

    @property
    def _sign(self) -> int:
        return -1 if self.content["kind"] == CREDIT_NOTE else 1


def issue(
    connection: Connection, seller: Seller, month: str, of_partners: Mapping[str, Sequence[Bill]], now: datetime
) -> None:
    """Issues the bills of a month that closes, which have the rates of their terms. A partner without an amount gets
    none. The closings are locked.
    """
    bills = chain.from_iterable(of_partners.values())
    labels = key_records.named(connection, [bill.key_id for bill in bills if bill.key_id])
    for partner_id, partner_bills in of_partners.items():
        charged = [
            (f"{labels[bill.key_id].label} ({bill.key_id})" if bill.key_id else bill.plan, line)
            for bill in partner_bills
            for line in bill.lines
            if line.amount
        ]
        charged.sort(key=lambda item: item[0].casefold())
        if charged:
            lines = [{**write_line(line), "payer": payer} for payer, line in charged]
            if not _issue(connection, seller, partner_id, month, lines, now):
                row = {"month": month, "partner_id": partner_id, "content": {"lines": lines}}
                connection.execute(insert(held_bills).values(row))
                mails.add_of_held_bill(connection, partner_id, month, now)


def issue_held(connection: Connection, seller: Seller, now: datetime) -> None:
    """Issues the held bills whose buyers have no fault any more, the oldest month first. The closings are locked."""
    for row in connection.execute(select(held_bills).order_by(_h.month, _h.partner_id)).mappings().all():
        if _issue(connection, seller, row["partner_id"], row["month"], row["content"]["lines"], now):
            connection.execute(delete(held_bills).where(_h.month == row["month"], _h.partner_id == row["partner_id"]))
            mails.add_of_issued_bill(connection, row["partner_id"], row["month"], now)


def _issue(
    connection: Connection,
    seller: Seller,
    partner_id: str,
    month: str,
    lines: Sequence[Mapping[str, Any]],
    now: datetime,
) -> bool:
    """Issues the bill unless its buyer has a fault. The lines of a buyer outside the area of French VAT have no VAT."""
    buyer = buyers.find(connection, [partner_id])[partner_id]
    if buyers.faults(buyer, {Decimal(line["vat_rate"]) for line in lines}):
        return False
    stated = {"kind": BILL, "seller": seller.model_dump(mode="json", exclude={"logo"}), "buyer": buyer}
    if exemption := buyers.place_of(buyer).exemption:
        lines = [{**line, "vat_rate": "0"} for line in lines]
        stated["exemption"] = exemption
    _add(connection, partner_id, month, {**stated, **_amounts(lines)}, now)
    return True


def correct(change: Change, id_or_number: str, net: Decimal, reason: Text, vat_rate: Decimal | None) -> IssuedBill:
    """Issues a credit note for the bill if the net amount is negative, else a further bill. The VAT rate is that of the
    bill; it is required if the bill has several. Raises NotFound or InvalidPayload.
    """
    lock_table(change.connection, month_closings)
    bills = find_all(
        change.connection, or_(_b.id == id_or_number, _b.number == id_or_number), _b.corrected_id.is_(None)
    )
    if len(bills) != 1:
        raise NotFound(texts.NO_SUCH_BILL)
    bill = bills[0]
    require(name, reason.fr, "/reason_fr")
    require(name, reason.en, "/reason_en")
    rates = [Decimal(part["rate"]) for part in bill.content["vat_rates"]]
    rate = rates[0] if vat_rate is None and len(rates) == 1 else vat_rate
    if rate not in rates:
        detail = Text("un taux de la facture est requis", "a rate of the bill is required")
        raise refuse("/vat_rate", Fault("unknown_value", detail))
    documents = [bill, *find_all(change.connection, _b.corrected_id == bill.id)]
    left, left_vat = (sum((document.part(rate, name) for document in documents), _ZERO) for name in ("net", "vat"))
    if not net or net != cents(net) or not -left <= net <= MAX_PRICE:
        raise refuse("/amount", out_of_range(-left, MAX_PRICE))
    amount = abs(net)
    line = {
        **write_line(
            Line(kind="correction", description=reason, units=0, unit_price=amount, amount=amount, vat_rate=rate)
        ),
        "payer": "",
    }
    content = {
        **{name: bill.content[name] for name in ("seller", "buyer", "exemption") if name in bill.content},
        "kind": BILL if net > 0 else CREDIT_NOTE,
        "corrects": {"number": bill.number, "issued_on": bill.content["issued_on"]},
        **_amounts([line], {rate: cents(net * rate) if net > 0 else _credited_vat(amount, rate, left, left_vat)}),
    }
    bill_id = _add(change.connection, bill.partner.id, bill.month, content, change.now, corrected_id=bill.id)
    (correction,) = find_all(change.connection, _b.id == bill_id)
    stated = {"net": str(net), "vat_rate": str(rate), "reason_fr": reason.fr, "reason_en": reason.en}
    change.audit("bill.correct", bill.partner.id, {"bill": bill.number, "number": correction.number, **stated})
    return correction


def _credited_vat(amount: Decimal, rate: Decimal, left: Decimal, left_vat: Decimal) -> Decimal:
    """Returns the VAT of a credit of this net amount, from what is left of a rate of its bill: none of them exceeds it,
    and the credit of all that is left gets all of the VAT. Roundings of many small credits would leave more for the
    last one than BR-CO-17 tolerates. So a credit takes their sum once it reaches `_MAX_DRIFT`.
    """
    vat, remaining = cents(amount * rate), (left - amount) * rate
    if amount == left or abs(left_vat - vat - remaining) > _MAX_DRIFT:
        vat = left_vat - cents(remaining)
    return min(max(vat, _ZERO), left_vat)


def find_all(connection: Connection, *conditions: ColumnElement[bool]) -> list[IssuedBill]:
    """Returns the issued bills in the order of their numbers."""
    rows = connection.execute(select(issued_bills).where(*conditions).order_by(_b.number)).mappings().all()
    partners = partner_records.find_all(connection, {row["partner_id"] for row in rows})
    return [
        IssuedBill(id=row["id"], partner=partners[row["partner_id"]], number=row["number"], content=row["content"])
        for row in rows
    ]


def _add(
    connection: Connection,
    partner_id: str,
    month: str,
    content: Mapping[str, Any],
    now: datetime,
    corrected_id: str | None = None,
) -> str:
    """Adds a document with the next number of its seller and year, and returns its id."""
    seller = content["seller"]
    today = now.astimezone(PARIS).date()
    of_year = select(func.max(_b.number)).where(
        _b.seller_siren == seller["siren"], _b.number.startswith(f"{today.year}-")
    )
    last = connection.execute(of_year).scalar() or "-0"
    number = f"{today.year}-{int(last.split('-')[1]) + 1:06}"
    due_on = today if content["kind"] == CREDIT_NOTE else today + timedelta(days=seller["payment_days"])
    dated = {"number": number, "issued_on": today.isoformat(), "due_on": due_on.isoformat(), "month": month}
    row = {
        "id": new_record_id(),
        "seller_siren": seller["siren"],
        "number": number,
        "partner_id": partner_id,
        "issued_on": today.isoformat(),
        "corrected_id": corrected_id,
        "content": {**dated, **content},
    }
    connection.execute(insert(issued_bills).values(row))
    return str(row["id"])


def _amounts(lines: Sequence[Mapping[str, Any]], charged: Mapping[Decimal, Decimal] | None = None) -> dict[str, Any]:
    """Returns the lines with their sums. By default, the VAT that is `charged` for a rate is that of its net amount."""
    basis: dict[Decimal, Decimal] = defaultdict(Decimal)
    for line in lines:
        basis[Decimal(line["vat_rate"])] += Decimal(line["amount"])
    vat = charged or {rate: cents(net * rate) for rate, net in basis.items()}
    net, tax = sum(basis.values(), Decimal("0.00")), sum(vat.values(), Decimal("0.00"))
    return {
        "lines": list(lines),
        "vat_rates": [
            {"rate": format(rate, "f"), "net": format(basis[rate], "f"), "vat": format(vat[rate], "f")}
            for rate in sorted(basis)
            if basis[rate]
        ],
        "net": format(net, "f"),
        "vat": format(tax, "f"),
        "gross": format(net + tax, "f"),
        "currency": CURRENCY,
    }
