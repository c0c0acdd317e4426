"""The price terms of keys, their own or their plan's, by the month from which they hold."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from keys.pricing.terms import Terms, Tier
from keys.store.tables import key_terms, plan_terms, plans


def terms_of(connection: Connection, key_ids: Iterable[str], month: str) -> dict[str, Terms]:
    """The terms that hold for each key in a month; a key without any is left out."""
    wanted = select(key_terms).where(key_terms.c.key_id.in_(list(key_ids)), key_terms.c.from_month <= month)
    latest = {row["key_id"]: row for row in connection.execute(wanted.order_by(key_terms.c.from_month)).mappings()}
    plan_ids = {row["plan_id"] for row in latest.values() if row["plan_id"] is not None}
    of_plans = terms_of_plans(connection, plan_ids, month) if plan_ids else {}
    result = {}
    for key_id, row in latest.items():
        if row["plan_id"] is None:
            result[key_id] = read_terms(row)
        elif row["plan_id"] in of_plans:
            result[key_id] = of_plans[row["plan_id"]]
    return result


def terms_of_plans(connection: Connection, plan_ids: Iterable[str], month: str) -> dict[str, Terms]:
    """The terms of each plan in a month. A plan that starts later is left out."""
    wanted = (
        select(plan_terms, plans.c.name)
        .join(plans, plans.c.id == plan_terms.c.plan_id)
        .where(plan_terms.c.plan_id.in_(list(plan_ids)), plan_terms.c.from_month <= month)
        .order_by(plan_terms.c.from_month)
    )
    return {row["plan_id"]: read_terms(row, row["name"]) for row in connection.execute(wanted).mappings()}


def read_terms(row: RowMapping, plan: str = "") -> Terms:
    tiers = tuple(Tier(tier["up_to"], Decimal(tier["unit_price"])) for tier in row["tiers"])
    return Terms(row["monthly_fee"], row["included_units"], tiers, row["vat_rate"], row["currency"], plan)


def write_terms(terms: Terms) -> Mapping[str, Any]:
    """The columns of a row of terms."""
    return {
        "monthly_fee": terms.monthly_fee,
        "included_units": terms.included_units,
        "tiers": [{"up_to": tier.up_to, "unit_price": format(tier.unit_price, "f")} for tier in terms.tiers],
        "vat_rate": terms.vat_rate,
        "currency": terms.currency,
    }
