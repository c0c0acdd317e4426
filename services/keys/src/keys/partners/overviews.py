"""Partners with their keys, usage and amounts of this month: lists, one partner, and its last bills."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from keys.store import billing, buyers, issued_bills, partner_pages, partner_records, tables
from keys.store.change import Transaction
from keys.store.issued_bills import IssuedBill
from keys.store.paging import Cursor, Page, PageRequest
from keys.store.partner_pages import Counts, PartnerSort
from keys.store.rollups import Scope
from keys.values import months
from keys.values.errors import NotFound
from keys.values.records import PartnerOverview, PartnerRecord
from servicekit.errors import expect
from servicekit.languages import Text

LAST_BILLS = 12
"""Months in a partner's list of bills."""


@dataclass(frozen=True)
class PartnerBill:
    """The sum of a partner's bills of a month, in EUR, the documents that it was issued, and why it was issued none."""

    month: str
    is_provisional: bool
    units: int
    net: Decimal
    vat: Decimal
    gross: Decimal
    issued: Sequence[IssuedBill]
    held_reasons: Sequence[Text]


def page(transaction: Transaction, search: str, requested: PageRequest[PartnerSort]) -> Page[PartnerRecord]:
    connection = transaction.connection
    if requested.order.by is PartnerSort.NET:
        records, end = _page_by_net(transaction, search, requested)
    else:
        records, end = partner_pages.page(connection, search, requested, transaction.now)
    return Page(records, end, partner_pages.count(connection, search))


def find(transaction: Transaction, partner_id: str) -> PartnerRecord:
    """Raises NotFound."""
    missing = NotFound(Text("Ce partenaire n’existe pas.", "There is no such partner."))
    return expect(partner_records.find_record(transaction.connection, partner_id), missing)


def overviews(transaction: Transaction, partner_ids: Sequence[str], *, has_seller: bool) -> dict[str, PartnerOverview]:
    """Returns the overview of each of the partners, with the same number of statements for any number of them."""
    if not partner_ids:
        return {}
    month = months.month_of(transaction.now)
    counts = partner_pages.counts_of(transaction.connection, partner_ids, transaction.now)
    nets = _nets(transaction, month, Scope(partner_ids=tuple(partner_ids)))
    reasons = buyers.reasons(transaction.connection, partner_ids, month, has_seller=has_seller)
    return {
        id_: PartnerOverview(
            **counts.get(id_, Counts())._asdict(), month=month, net=nets[id_], held_reasons=reasons.get(id_, ())
        )
        for id_ in partner_ids
    }


def last_bills(transaction: Transaction, partner_id: str, *, has_seller: bool) -> list[PartnerBill]:
    """Returns the newest first. Months without an amount or units are left out. Raises NotFound."""
    partner = find(transaction, partner_id).partner
    month, first = months.month_of(transaction.now), months.month_of(partner.created_at)
    issued: dict[str, list[IssuedBill]] = defaultdict(list)
    for document in issued_bills.find_all(transaction.connection, tables.issued_bills.c.partner_id == partner.id):
        issued[document.month].append(document)
    partner_bills = []
    for _ in range(LAST_BILLS):
        bills = billing.bills_of(transaction.connection, month, Scope(partner_id=partner_id))
        if bills.bills:
            reasons = buyers.reasons(transaction.connection, [partner_id], month, has_seller=has_seller)
            totals = [bill.total for bill in bills.bills]
            partner_bills.append(
                PartnerBill(
                    month,
                    bills.is_provisional,
                    sum(bill.units for bill in bills.bills),
                    sum((total.net for total in totals), Decimal("0.00")),
                    sum((total.vat for total in totals), Decimal("0.00")),
                    sum((total.gross for total in totals), Decimal("0.00")),
                    issued[month],
                    reasons.get(partner_id, ()),
                )
            )
        if month <= first:
            break
        month = months.previous_month(month)
    return partner_bills


def _page_by_net(
    transaction: Transaction, search: str, requested: PageRequest[PartnerSort]
) -> tuple[list[PartnerRecord], Cursor | None]:
    """The bills of all partners decide the order."""
    order, after, limit = requested
    nets = _nets(transaction, months.month_of(transaction.now), Scope())
    ids = partner_pages.matching_ids(transaction.connection, search)
    places = sorted(((nets[partner_id], partner_id) for partner_id in ids), reverse=order.is_descending)
    if after is not None:
        start = (Decimal(str(after.value)), after.row_id)
        places = [place for place in places if (place < start if order.is_descending else place > start)]
    records = partner_pages.records_of(transaction.connection, [partner_id for _, partner_id in places[:limit]])
    net, last = places[min(limit, len(places)) - 1] if places else (Decimal(), "")
    return records, Cursor(str(net), last) if len(places) > limit else None


def _nets(transaction: Transaction, month: str, scope: Scope) -> defaultdict[str, Decimal]:
    """Returns the net amount of the month's bills of each partner; 0.00 without one."""
    bills = billing.bills_of(transaction.connection, month, scope).bills
    of_partners = billing.by_partner(transaction.connection, bills, scope)
    nets = {
        partner_id: sum((bill.total.net for bill in partner_bills), Decimal())
        for partner_id, partner_bills in of_partners.items()
    }
    return defaultdict(lambda: Decimal("0.00"), nets)
