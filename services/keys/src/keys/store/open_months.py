"""The bills of a month by its current counts, and the units that were counted for closed months after their billing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select

from keys.store.price_terms import days_of_existing, existed_in, fee_days, terms_of
from keys.store.rollups import Scope
from keys.store.tables import adjustments, key_months, keys, month_bills, month_closings
from keys.values.pricing import Adjustment, Bill, KeyUnits, Terms, adjustment, key_bill, shared_bill
from keys.values.secret import KeyMode


def bills(connection: Connection, month: str, scope: Scope, adjusted: Sequence[Adjustment]) -> list[Bill]:
    """Returns the bills of the live keys that existed in the month, and of those with an adjustment: first those of
    keys, in the order of their ids, then those of shared plans. A bill without units or lines is left out.
    """
    usage = and_(key_months.c.key_id == keys.c.id, key_months.c.month == month)
    statement = (
        select(keys.c.id, keys.c.partner_id, func.coalesce(key_months.c.units, 0))
        .outerjoin(key_months, usage)
        .where(
            scope.of(keys.c.id),
            keys.c.mode == KeyMode.LIVE,
            or_(existed_in(month), key_months.c.units > 0),
        )
    )
    existing = {key_id: (partner_id, units) for key_id, partner_id, units in connection.execute(statement)}
    terms = terms_of(connection, existing, month)  # an ended key with an adjustment has no terms, so it pays no fee
    days_of = days_of_existing(connection, existing, month)
    late: dict[str, list[Adjustment]] = defaultdict(list)
    for late_units_ in adjusted:
        late[late_units_.key_id].append(late_units_)
    sharing: dict[tuple[str, str], list[KeyUnits]] = defaultdict(list)
    shared_terms: dict[str, Terms] = {}
    bills_of_month = []
    for key_id in sorted({*existing, *late}):
        partner_id, units = existing.get(key_id, ("", 0))
        dated = terms.get(key_id)
        if dated is not None and dated.is_shared:
            sharing[partner_id, dated.plan_id].append(KeyUnits(key_id, units))
            shared_terms[dated.plan_id] = dated.terms
            dated, units = None, 0
        days = fee_days(days_of, [key_id], month)
        own_bill = key_bill(key_id, month, units, dated.terms if dated else None, late[key_id], days)
        bills_of_month.append(replace(own_bill, plan_id=dated.plan_id if dated else ""))
    for (partner_id, plan_id), members in sorted(sharing.items()):
        days = fee_days(days_of, [member.key_id for member in members], month)
        bills_of_month.append(shared_bill(month, partner_id, plan_id, members, shared_terms[plan_id], days))
    return [bill for bill in bills_of_month if bill.units or bill.lines]


def late_units(connection: Connection, scope: Scope) -> list[Adjustment]:
    """Returns the units that were counted for closed months after their billing, with the price that they add. Under a
    shared plan, they come after the billed units of all its keys, in the order of the keys' ids.
    """
    statement = _counted().where(key_months.c.units > _BILLED, scope.of(key_months.c.key_id))
    late_adjustments = []
    already: dict[tuple[str, str, str], int] = {}
    for key_id, partner_id, month, billed, units in sorted(connection.execute(statement).all()):
        dated = terms_of(connection, [key_id], month).get(key_id)
        before, late = int(billed), units - int(billed)
        if dated is not None and dated.is_shared:
            plan = (partner_id, dated.plan_id, month)
            before = already[plan] if plan in already else _billed_of_plan(connection, *plan)
            already[plan] = before + late
        late_adjustments.append(adjustment(key_id, month, before, before + late, dated.terms if dated else None))
    return late_adjustments


_ADJUSTED = (
    select(adjustments.c.key_id, adjustments.c.month, func.sum(adjustments.c.units).label("units"))
    .group_by(adjustments.c.key_id, adjustments.c.month)
    .subquery("adjusted")
)
_BILLED = func.coalesce(month_bills.c.units, 0) + func.coalesce(_ADJUSTED.c.units, 0)


def _counted() -> Select[Any]:
    """Selects key, partner, month, billed units and counted units of live keys in closed months."""
    k, m = key_months.c, month_bills.c
    return (
        select(k.key_id, keys.c.partner_id, k.month, _BILLED.label("billed"), k.units)
        .join(month_closings, month_closings.c.month == k.month)
        .join(keys, keys.c.id == k.key_id)
        .outerjoin(month_bills, and_(m.key_id == k.key_id, m.month == k.month))
        .outerjoin(_ADJUSTED, and_(_ADJUSTED.c.key_id == k.key_id, _ADJUSTED.c.month == k.month))
        .where(keys.c.mode == KeyMode.LIVE)
    )


def _billed_of_plan(connection: Connection, partner_id: str, plan_id: str, month: str) -> int:
    """Returns the billed units of all keys of the partner that shared the plan in a closed month."""
    statement = _counted().where(key_months.c.month == month, keys.c.partner_id == partner_id)
    billed = {key_id: int(units) for key_id, _, _, units, _ in connection.execute(statement).all()}
    terms = terms_of(connection, billed, month)
    return sum(billed[key_id] for key_id, dated in terms.items() if dated.plan_id == plan_id)
