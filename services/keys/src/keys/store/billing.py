"""Bills: a preview of the open month, and the stored bills of a closed one.

A month closes 72 hours after its end. Its bills never change after that. Units that are counted for it later are an
adjustment in the month that is open when they are billed.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Connection, func, insert, select

from keys.store import buyers, closed_months, issued_bills, key_records, open_months, recording
from keys.store.database import Database, lock_table, now_of
from keys.store.rollups import Scope
from keys.store.tables import adjustments, keys, month_closings
from keys.values import months
from keys.values.clock import Clock
from keys.values.company_numbers import Seller
from keys.values.pricing import Bill, share_vat

CLOSES_AFTER = timedelta(hours=72)
OVERDUE_AFTER = timedelta(hours=2)
"""Housekeeping closes one month in ten minutes."""


@dataclass(frozen=True)
class Bills:
    """The bills of a month. Provisional bills may still change."""

    month: str
    bills: Sequence[Bill]
    is_provisional: bool


def bills_of(connection: Connection, month: str, scope: Scope) -> Bills:
    """Returns the month's bills: those of keys, in the order of their ids, and then those of shared plans. A key
    without usage, fee or adjustment has no bill. A scope of one key also has the bill of the plan that the key shares.
    """
    of_partner = _partner_of(connection, scope)
    is_closed = connection.execute(select(month_closings).where(month_closings.c.month == month)).first() is not None
    if is_closed:
        bills = closed_months.read(connection, month, of_partner)
    else:
        late = open_months.late_units(connection, of_partner) if month == _next_to_close(connection) else []
        bills = _taxed(connection, open_months.bills(connection, month, of_partner, late), of_partner)
    if scope.key_id:
        bills = [bill for bill in bills if scope.key_id in bill.key_ids]
    return Bills(month, bills, not is_closed)


@dataclass(frozen=True)
class MonthCloser:
    """Closes months that are over."""

    database: Database
    clock: Clock
    seller: Seller | None = None
    """Without one, no bills are issued."""
    database_clock: Callable[[Connection], datetime | None] = now_of
    """Reads the clock of the database's host. Returns None for SQLite, which has no other clock."""

    def close_next(self) -> str | None:
        """Closes the oldest month that is due by both clocks, and returns it. Any number of replicas may try. Each call
        closes one month, so that an undetected wrong clock does not close several at once.
        """
        with self.database.writing() as connection:
            now = self.clock()
            month = _next_to_close(connection)
            if month is None or months.end_of(month) + CLOSES_AFTER > min(now, self.database_clock(connection) or now):
                return None
            lock_table(connection, month_closings)
            if _next_to_close(connection) != month:
                return None
            late = open_months.late_units(connection, Scope())
            agreed = open_months.bills(connection, month, Scope(), late)
            bills = _taxed(connection, agreed, Scope())
            connection.execute(insert(month_closings).values(month=month, closed_at=now))
            if late:
                rows = [{**vars(adjustment), "billed_month": month, "created_at": now} for adjustment in late]
                connection.execute(insert(adjustments), rows)
            closed_months.add(connection, month, bills)
            recording.record_bills(connection, month, by_partner(connection, bills, Scope()), now)
            if self.seller is not None:
                issued_bills.issue(connection, self.seller, month, by_partner(connection, agreed, Scope()), now)
            return month

    def issue_held(self) -> None:
        """Issues the held bills of which nothing is missing any more."""
        if self.seller is not None:
            with self.database.writing() as connection:
                lock_table(connection, month_closings)
                issued_bills.issue_held(connection, self.seller, self.clock())

    def overdue_count(self) -> int:
        """Returns the number of months that are due for longer than OVERDUE_AFTER and not closed."""
        with self.database.reading() as connection:
            month = _next_to_close(connection)
        count, before = 0, self.clock() - CLOSES_AFTER - OVERDUE_AFTER
        while month is not None and months.end_of(month) < before:
            count, month = count + 1, months.next_month(month)
        return count


def by_partner(connection: Connection, bills: Sequence[Bill], scope: Scope) -> Mapping[str, list[Bill]]:
    """Returns the bills of each partner that has one, in the order of the partners' ids. The scope has all of them."""
    owners = key_records.owners(connection, scope)
    of_partners: defaultdict[str, list[Bill]] = defaultdict(list)
    for bill in bills:
        of_partners[bill.partner_id or owners[bill.key_id]].append(bill)
    return dict(sorted(of_partners.items()))


def _taxed(connection: Connection, bills: Sequence[Bill], scope: Scope) -> list[Bill]:
    """Returns the bills in their order, each with its share of the VAT of its partner's document. Lines of a buyer
    outside the area of French VAT have no rate.
    """
    of_partners = by_partner(connection, bills, scope)
    buyer_of = buyers.find(connection, of_partners)
    taxed: dict[int, Bill] = {}
    for partner_id, group in of_partners.items():
        charged: Sequence[Bill] = group
        if buyers.place_of(buyer_of[partner_id]).exemption:
            charged = [
                replace(bill, lines=[replace(line, vat_rate=Decimal(0)) for line in bill.lines]) for bill in group
            ]
        taxed |= {id(bill): shared for bill, shared in zip(group, share_vat(charged), strict=True)}
    return [taxed[id(bill)] for bill in bills]


def _next_to_close(connection: Connection) -> str | None:
    """Returns the month after the last closed one, or the month of the first key."""
    last = connection.execute(select(func.max(month_closings.c.month))).scalar()
    if last is not None:
        return months.next_month(last)
    first = connection.execute(select(func.min(keys.c.created_at))).scalar()
    return None if first is None else months.month_of(first)


def _partner_of(connection: Connection, scope: Scope) -> Scope:
    """Returns the scope of the key's partner, since the partner's keys may share a plan."""
    of_key = select(keys.c.partner_id).where(keys.c.id == scope.key_id)
    partner_id = connection.execute(of_key).scalar() if scope.key_id else None
    return Scope(partner_id=partner_id) if partner_id and scope.partner_id in ("", partner_id) else scope
