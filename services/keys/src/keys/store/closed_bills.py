"""The bills of closed months, as they were stored. They never change.

A key that shared a plan has a row with its units, and the lines of its adjustments and corrections. The bill of the
plan has the lines of the units.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, insert, select

from keys.pricing import Bill, ChargedPer, KeyUnits, Line, Total, bill, cents
from keys.store.rollups import Scope
from keys.store.tables import keys, month_bills, plans, shared_bills
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
    found = []
    sharing: dict[tuple[str, str], list[KeyUnits]] = defaultdict(list)
    for row in sorted(connection.execute(of_keys).mappings(), key=itemgetter("key_id")):
        if row["charged_per"] != ChargedPer.PARTNER:
            found.append(_bill(row, row["key_id"], row["units"]))
            continue
        sharing[row["partner_id"], row["plan_id"]].append(KeyUnits(row["key_id"], row["units"]))
        if row["lines"]:
            found.append(_bill({**row, "plan_id": None, "name": None}, row["key_id"], 0))
    s = shared_bills.c
    of_plans = select(shared_bills, plans.c.name).join(plans, plans.c.id == s.plan_id)
    in_month = connection.execute(of_plans.where(s.month == month)).mappings()
    for row in sorted(in_month, key=itemgetter("partner_id", "plan_id")):  # as the preview: databases sort by language
        if members := sharing.get((row["partner_id"], row["plan_id"])):
            found.append(_bill(row, "", row["units"], row["partner_id"], members))
    return found


def add(connection: Connection, month: str, bills: Sequence[Bill]) -> None:
    own = {one.key_id: one for one in bills if one.key_id}
    shared = [one for one in bills if not one.key_id]
    rows = {key_id: {**_columns(one), "key_id": key_id, "charged_per": one.charged_per} for key_id, one in own.items()}
    for one in shared:
        for key in one.keys:
            adjusted = rows.get(key.key_id) or _columns(bill(key.key_id, month, 0, None, ()))
            of_plan = {"key_id": key.key_id, "units": key.units, "plan_id": one.plan_id}
            rows[key.key_id] = {**adjusted, **of_plan, "charged_per": ChargedPer.PARTNER}
    if rows:
        connection.execute(insert(month_bills), [rows[key_id] for key_id in sorted(rows)])
    if shared:
        connection.execute(insert(shared_bills), [{**_columns(one), "partner_id": one.partner_id} for one in shared])


def _bill(
    row: Mapping[Any, Any], key_id: str, units: int, partner_id: str = "", members: Sequence[KeyUnits] = ()
) -> Bill:
    return Bill(
        key_id,
        row["month"],
        units,
        row["included_units"],
        [_line(line) for line in row["lines"]],
        Total(row["net"], row["vat"], row["gross"], row["currency"]),
        row["plan_id"] or "",
        row["name"] or "",
        partner_id,
        members,
    )


def _line(stored: Mapping[str, Any]) -> Line:
    return Line(
        stored["kind"],
        Text(stored["description_fr"], stored["description_en"]),
        stored["units"],
        Decimal(stored["unit_price"]),
        cents(Decimal(stored["amount"])),
        Decimal(stored["vat_rate"]),
    )


def _columns(of: Bill) -> dict[str, object]:
    return {
        "month": of.month,
        "plan_id": of.plan_id or None,
        "units": of.units,
        "included_units": of.included_units,
        "lines": [
            {
                "kind": line.kind,
                "description_fr": line.description.fr,
                "description_en": line.description.en,
                "units": line.units,
                "unit_price": format(line.unit_price, "f"),
                "amount": format(line.amount, "f"),
                "vat_rate": format(line.vat_rate, "f"),
            }
            for line in of.lines
        ],
        "currency": of.total.currency,
        "net": of.total.net,
        "vat": of.total.vat,
        "gross": of.total.gross,
    }
