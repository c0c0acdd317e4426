"""Bills: a preview of the open month, and the stored bills of a closed one.

A month closes 72 hours after its end. Its bills never change after that. Units that are counted for it later are an
adjustment in the month that is open when they are billed. So are corrections.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Connection, and_, func, insert, or_, select, text

from keys.clock import Clock
from keys.issuing.secret import KeyMode
from keys.pricing import Adjustment, Bill, Line, Total, adjustment, bill
from keys.quota import months
from keys.store import corrections
from keys.store.database import Database, now_of
from keys.store.price_terms import terms_of
from keys.store.rollups import Scope
from keys.store.tables import adjustments, key_months, keys, month_bills, month_closings
from servicekit.database import is_sqlite
from servicekit.languages import Text

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
    """Returns the month's bills, in the order of key ids. A key without usage, fee or adjustment has no bill."""
    if connection.execute(select(month_closings).where(month_closings.c.month == month)).first() is not None:
        return Bills(month, _closed(connection, month, scope), False)
    late: list[Adjustment] = []
    if month == _next_to_close(connection):
        late = [*_late_units(connection, scope), *corrections.unbilled(connection, scope)]
    return Bills(month, _bills(connection, month, scope, late), True)


class MonthCloser:
    """Closes months that are over."""

    def __init__(
        self, database: Database, clock: Clock, database_clock: Callable[[Connection], datetime | None] = now_of
    ) -> None:
        """`database_clock` reads the clock of the database's host. It returns None for SQLite, which has no other
        clock.
        """
        self._database = database
        self._clock = clock
        self._database_clock = database_clock

    def close_next(self) -> str | None:
        """Closes the oldest month that is due by both clocks, and returns it. Any number of replicas may try. Each call
        closes one month, so that an undetected wrong clock does not close several at once.
        """
        with self._database.writing() as connection:
            now = self._clock()
            month = _next_to_close(connection)
            if month is None or months.end_of(month) + CLOSES_AFTER > min(now, self._database_clock(connection) or now):
                return None
            _lock_closings(connection)
            if _next_to_close(connection) != month:
                return None
            late = _late_units(connection, Scope())
            corrected = corrections.unbilled(connection, Scope())
            found = _bills(connection, month, Scope(), [*late, *corrected])
            connection.execute(insert(month_closings).values(month=month, closed_at=now))
            if late:
                connection.execute(insert(adjustments), [_adjustment_row(one, month, now) for one in late])
            corrections.mark_billed(connection, corrected, month)
            if found:
                connection.execute(insert(month_bills), [_bill_row(one) for one in found])
            return month

    def overdue_count(self) -> int:
        """Returns the number of months that are due for longer than OVERDUE_AFTER and not closed."""
        with self._database.reading() as connection:
            month = _next_to_close(connection)
        count, before = 0, self._clock() - CLOSES_AFTER - OVERDUE_AFTER
        while month is not None and months.end_of(month) < before:
            count, month = count + 1, months.next_month(month)
        return count


def _lock_closings(connection: Connection) -> None:
    """Only one transaction closes months at a time. A SQLite transaction already locks the whole database."""
    if not is_sqlite(connection):
        connection.execute(text("LOCK TABLE month_closings IN SHARE ROW EXCLUSIVE MODE"))


def _next_to_close(connection: Connection) -> str | None:
    """Returns the month after the last closed one, or the month of the first key."""
    last = connection.execute(select(func.max(month_closings.c.month))).scalar()
    if last is not None:
        return months.next_month(last)
    first = connection.execute(select(func.min(keys.c.created_at))).scalar()
    return None if first is None else months.month_of(first)


def _bills(connection: Connection, month: str, scope: Scope, adjusted: Sequence[Adjustment]) -> list[Bill]:
    """Returns the bills, by the current counts, of the live keys that existed in the month."""
    usage = and_(key_months.c.key_id == keys.c.id, key_months.c.month == month)
    statement = (
        select(keys.c.id, func.coalesce(key_months.c.units, 0))
        .outerjoin(key_months, usage)
        .where(
            scope.of(keys.c.id),
            keys.c.mode == KeyMode.LIVE,
            keys.c.created_at < months.end_of(month),
            or_(keys.c.revoked_at.is_(None), keys.c.revoked_at >= months.start_of(month), key_months.c.units > 0),
            or_(keys.c.expires_at.is_(None), keys.c.expires_at >= months.start_of(month), key_months.c.units > 0),
        )
        .order_by(keys.c.id)
    )
    units = {key_id: count for key_id, count in connection.execute(statement)}  # noqa: C416 (typed rows)
    late: dict[str, list[Adjustment]] = defaultdict(list)
    for one in adjusted:
        late[one.key_id].append(one)
    ids = sorted({*units, *late})
    terms = terms_of(connection, ids, month)
    found = []
    for key_id in ids:
        dated = terms.get(key_id)
        made = bill(key_id, month, units.get(key_id, 0), dated.terms if dated else None, late[key_id])
        if made.units or made.lines:
            found.append(made)
    return found


def _late_units(connection: Connection, scope: Scope) -> list[Adjustment]:
    """Returns the units that were counted for closed months after their billing."""
    a, k = adjustments.c, key_months.c
    adjusted = (
        select(a.key_id, a.month, func.sum(a.units).label("units")).group_by(a.key_id, a.month).subquery("adjusted")
    )
    billed = func.coalesce(month_bills.c.units, 0) + func.coalesce(adjusted.c.units, 0)
    statement = (
        select(k.key_id, k.month, billed.label("billed"), k.units)
        .join(month_closings, month_closings.c.month == k.month)
        .join(keys, keys.c.id == k.key_id)
        .outerjoin(month_bills, and_(month_bills.c.key_id == k.key_id, month_bills.c.month == k.month))
        .outerjoin(adjusted, and_(adjusted.c.key_id == k.key_id, adjusted.c.month == k.month))
        .where(k.units > billed, keys.c.mode == KeyMode.LIVE, scope.of(k.key_id))
        .order_by(k.key_id, k.month)
    )
    found = []
    for key_id, month, billed_units, units in connection.execute(statement).all():
        dated = terms_of(connection, [key_id], month).get(key_id)
        found.append(adjustment(key_id, month, int(billed_units), units, dated.terms if dated else None))
    return found


def _closed(connection: Connection, month: str, scope: Scope) -> list[Bill]:
    c = month_bills.c
    statement = select(month_bills).where(c.month == month, scope.of(c.key_id)).order_by(c.key_id)
    return [
        Bill(
            row["key_id"],
            row["month"],
            row["units"],
            row["included_units"],
            [
                Line(
                    line["kind"],
                    Text(line.get("description_fr", line["description"]), line["description"]),
                    line["units"],
                    Decimal(line["unit_price"]),
                    Decimal(line["amount"]),
                    Decimal(line["vat_rate"]) if "vat_rate" in line else None,
                )
                for line in row["lines"]
            ],
            Total(row["net"], row["vat"], row["gross"], row["currency"]),
        )
        for row in connection.execute(statement).mappings()
    ]


def _bill_row(of: Bill) -> dict[str, object]:
    return {
        "key_id": of.key_id,
        "month": of.month,
        "units": of.units,
        "included_units": of.included_units,
        "lines": [
            {
                "kind": line.kind,
                "description": line.description.en,
                "description_fr": line.description.fr,
                "units": line.units,
                "unit_price": format(line.unit_price, "f"),
                "amount": format(line.amount, "f"),
                **({} if line.vat_rate is None else {"vat_rate": format(line.vat_rate, "f")}),
            }
            for line in of.lines
        ],
        "currency": of.total.currency,
        "net": of.total.net,
        "vat": of.total.vat,
        "gross": of.total.gross,
    }


def _adjustment_row(of: Adjustment, billed_month: str, now: datetime) -> dict[str, object]:
    return {
        "key_id": of.key_id,
        "month": of.month,
        "billed_month": billed_month,
        "units": of.units,
        "net": of.net,
        "vat_rate": of.vat_rate,
        "created_at": now,
    }
