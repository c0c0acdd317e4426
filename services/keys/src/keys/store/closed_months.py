"""The bills of closed months, as they were stored. They never change.

A key that shared a plan has a row with its units, and the lines of its adjustments. The bill of the
plan has the lines of the units.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, insert, select

from keys.store.rollups import Scope
from keys.store.tables import keys, month_bills, plans, shared_bills
from keys.values.pricing import Bill, ChargedPer, KeyUnits, Line, Total, cents, key_bill, write_line
from servicekit.languages import Text


def read(connection: Connection, month: str, scope: Scope) -> list[Bill]:
    """Returns the bills of keys, in the order of their ids, and then those of shared plans."""
    c = month_bills.c
    of_keys = (
        select(month_bills, keys.c.partner_id, plans.c.name)
        .join(keys, keys.c.id == c.key_id)
        .outerjoin(plans, plans.c.id == c.plan_id)
        .where(c.month == month, scope.of(c.key_id))
    )
    bills = []
    sharing: dict[tuple[str, str], list[KeyUnits]] = defaultdict(list)
    for row in sorted(connection.execute(of_keys).mappings(), key=itemgetter("key_id")):
        if row["charged_per"] != ChargedPer.PARTNER:
            bills.append(_bill(row, row["key_id"], row["units"]))
            continue
        sharing[row["partner_id"], row["plan_id"]].append(KeyUnits(row["key_id"], row["units"]))
        if row["lines"]:
            bills.append(_bill({**row, "plan_id": None, "name": None}, row["key_id"], 0))
    s = shared_bills.c
    of_plans = select(shared_bills, plans.c.name).join(plans, plans.c.id == s.plan_id)
    in_month = connection.execute(of_plans.where(s.month == month)).mappings()
    for row in sorted(in_month, key=itemgetter("partner_id", "plan_id")):  # as the preview: databases sort by language
        if members := sharing.get((row["partner_id"], row["plan_id"])):
            bills.append(_bill(row, "", row["units"], row["partner_id"], members))
    return bills


def add(connection: Connection, month: str, bills: Sequence[Bill]) -> None:
    own_bills = [bill for bill in bills if bill.key_id]
    plan_bills = [bill for bill in bills if not bill.key_id]
    rows = {bill.key_id: {**_columns(bill), "key_id": bill.key_id, "charged_per": ChargedPer.KEY} for bill in own_bills}
    for bill in plan_bills:
        for key in bill.keys:
            own_columns = rows.get(key.key_id) or _columns(key_bill(key.key_id, month, 0, None, ()))
            shared = {"key_id": key.key_id, "units": key.units, "plan_id": bill.plan_id}
            rows[key.key_id] = {**own_columns, **shared, "charged_per": ChargedPer.PARTNER}
    if rows:
        connection.execute(insert(month_bills), [rows[key_id] for key_id in sorted(rows)])
    if plan_bills:
        shared_rows = [{**_columns(bill), "partner_id": bill.partner_id} for bill in plan_bills]
        connection.execute(insert(shared_bills), shared_rows)


def _bill(
    row: Mapping[Any, Any], key_id: str, units: int, partner_id: str = "", members: Sequence[KeyUnits] = ()
) -> Bill:
    return Bill(
        key_id=key_id,
        month=row["month"],
        units=units,
        included_units=row["included_units"],
        lines=[_line(line) for line in row["lines"]],
        total=Total(row["net"], row["vat"], row["gross"], row["currency"]),
        plan_id=row["plan_id"] or "",
        plan=row["name"] or "",
        partner_id=partner_id,
        keys=members,
    )


def _line(stored: Mapping[str, Any]) -> Line:
    return Line(
        kind=stored["kind"],
        description=Text(stored["description_fr"], stored["description_en"]),
        units=stored["units"],
        unit_price=Decimal(stored["unit_price"]),
        amount=cents(Decimal(stored["amount"])),
        vat_rate=Decimal(stored["vat_rate"]),
    )


def _columns(bill: Bill) -> dict[str, object]:
    return {
        "month": bill.month,
        "plan_id": bill.plan_id or None,
        "units": bill.units,
        "included_units": bill.included_units,
        "lines": [write_line(line) for line in bill.lines],
        "currency": bill.total.currency,
        "net": bill.total.net,
        "vat": bill.total.vat,
        "gross": bill.total.gross,
    }
