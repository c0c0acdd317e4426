"""The price terms of keys and plans, by their first month."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    bindparam,
    exists,
    func,
    not_,
    or_,
    select,
)

from keys.store.database import among, put_rows
from keys.store.tables import key_months, key_terms, keys, plan_terms, plans
from keys.values import months
from keys.values.pricing import ChargedPer, FeeDays, Terms, Tier
from keys.values.secret import KeyMode

_k, _t, _m = keys.c, key_terms.c, key_months.c

_KEY_TERMS = select(key_terms).where(_t.from_month <= bindparam("month")).order_by(_t.from_month)
_PLAN_TERMS = (
    select(plan_terms, plans.c.name)
    .join(plans, plans.c.id == plan_terms.c.plan_id)
    .where(plan_terms.c.from_month <= bindparam("month"))
    .order_by(plan_terms.c.from_month)
)


def _existed(start: Any, end: Any) -> ColumnElement[bool]:
    """Whether a key could be used between two instants. A key that ends at the start could not."""
    return and_(
        _k.created_at < end,
        or_(_k.revoked_at.is_(None), _k.revoked_at > start),
        or_(_k.expires_at.is_(None), _k.expires_at > start),
    )


_LATER = key_terms.alias()
_SHARING = (
    select(_k.id)
    .join(key_terms, _t.key_id == _k.id)
    .where(
        _k.partner_id == bindparam("partner_id"),
        _k.id != bindparam("key_id"),
        _k.mode == KeyMode.LIVE,
        _existed(bindparam("start"), bindparam("end")),
        _t.plan_id == bindparam("plan_id"),
        _t.from_month <= bindparam("month"),
        not_(
            exists().where(
                _LATER.c.key_id == _k.id,
                _LATER.c.from_month <= bindparam("month"),
                _LATER.c.from_month > _t.from_month,
            )
        ),
    )
    .limit(1)
)


@dataclass(frozen=True)
class DatedTerms:
    """Terms, their first month and the id of their plan."""

    terms: Terms
    from_month: str
    plan_id: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether the keys of a partner that are on the plan pay together."""
        return self.terms.charged_per is ChargedPer.PARTNER


def existed_in(month: str) -> ColumnElement[bool]:
    """Whether a key could be used in the month, so that it pays the fee of its terms."""
    return _existed(months.start_of(month), months.end_of(month))


def days_of_existing(connection: Connection, key_ids: Collection[str], month: str) -> dict[str, set[int]]:
    """Returns the days of the month on which each of the keys could be used. Others are left out."""
    statement = select(_k.id, _k.created_at, _k.revoked_at, _k.expires_at)
    rows = connection.execute(statement.where(among(connection, _k.id, key_ids), existed_in(month)))
    return {
        key_id: months.days_in(month, created_at, min(filter(None, ends), default=None))
        for key_id, created_at, *ends in rows
    }


def fee_days(days_of: Mapping[str, set[int]], key_ids: Iterable[str], month: str) -> FeeDays:
    """Returns the days on which at least one of the keys could be used. The whole month if none could."""
    days = set().union(*(days_of.get(key_id, set()) for key_id in key_ids))
    return FeeDays(len(days) or months.day_count(month), months.day_count(month))


def terms_of(connection: Connection, key_ids: Iterable[str], month: str) -> dict[str, DatedTerms]:
    """Returns the terms of each key in a month. Keys without terms are left out."""
    rows = connection.execute(_KEY_TERMS.where(among(connection, _t.key_id, key_ids)), {"month": month}).mappings()
    latest = {row["key_id"]: row for row in rows}
    plan_ids = {row["plan_id"] for row in latest.values() if row["plan_id"] is not None}
    of_plans = terms_of_plans(connection, plan_ids, month) if plan_ids else {}
    result = {}
    for key_id, row in latest.items():
        if row["plan_id"] is None:
            result[key_id] = DatedTerms(_read(row), row["from_month"])
        elif row["plan_id"] in of_plans:
            plan = of_plans[row["plan_id"]]
            result[key_id] = DatedTerms(plan.terms, max(plan.from_month, row["from_month"]), row["plan_id"])
    return result


def terms_of_plans(connection: Connection, plan_ids: Iterable[str], month: str) -> dict[str, DatedTerms]:
    """Returns the terms of each plan in a month. A plan that starts later is left out."""
    statement = _PLAN_TERMS.where(among(connection, plan_terms.c.plan_id, plan_ids))
    rows = connection.execute(statement, {"month": month}).mappings()
    return {row["plan_id"]: DatedTerms(_read(row, row["name"]), row["from_month"], row["plan_id"]) for row in rows}


def shares_plan(connection: Connection, key_id: str, partner_id: str, plan_id: str, month: str) -> bool:
    """Whether another live key of the partner is on the plan in the month and may have units in it."""
    values = {"key_id": key_id, "partner_id": partner_id, "plan_id": plan_id, "month": month}
    within = {"start": months.start_of(month), "end": months.end_of(month)}
    return connection.execute(_SHARING, {**values, **within}).first() is not None


def has_terms(connection: Connection, key_id: str) -> bool:
    return connection.execute(select(_t.key_id).where(_t.key_id == key_id).limit(1)).first() is not None


def keys_on_plan(connection: Connection, plan_id: str, month: str) -> list[str]:
    """Returns the keys that use the plan's terms in a month."""
    latest = select(_t.key_id, func.max(_t.from_month).label("month")).where(_t.from_month <= month).group_by(_t.key_id)
    in_force = latest.subquery("in_force")
    statement = select(_t.key_id).join(
        in_force, and_(in_force.c.key_id == _t.key_id, in_force.c.month == _t.from_month)
    )
    return list(connection.execute(statement.where(_t.plan_id == plan_id)).scalars())


def is_used(connection: Connection, key_ids: Iterable[str], month: str) -> bool:
    """Whether any of the keys used or reserved units in the month."""
    counted = (_m.units > 0) | (_m.reserved_units > 0) | (_m.reserved_suggestions > 0)
    statement = select(_m.key_id).where(among(connection, _m.key_id, key_ids), _m.month == month, counted)
    return connection.execute(statement.limit(1)).first() is not None


def put_key_terms(
    connection: Connection, key_id: str, from_month: str, terms: Terms | None, plan_id: str | None
) -> None:
    """Sets the terms of a key from a month on: terms of the key itself, or a plan's."""
    values = {"plan_id": plan_id, **(_NO_TERMS if terms is None else write_terms(terms))}
    put_rows(connection, key_terms, [{"key_id": key_id, "from_month": from_month, **values}])


def put_plan_terms(connection: Connection, plan_id: str, from_month: str, terms: Terms) -> None:
    values = {**write_terms(terms), "charged_per": terms.charged_per}
    put_rows(connection, plan_terms, [{"plan_id": plan_id, "from_month": from_month, **values}])


def write_terms(terms: Terms) -> Mapping[str, Any]:
    """Returns the columns that the terms of keys and plans have in common."""
    return {
        "monthly_fee": terms.monthly_fee,
        "included_units": terms.included_units,
        "tiers": [{"up_to": tier.up_to, "unit_price": format(tier.unit_price, "f")} for tier in terms.tiers],
        "vat_rate": terms.vat_rate,
        "currency": terms.currency,
        "is_pro_rata": terms.is_pro_rata,
    }


_NO_TERMS: Mapping[str, Any] = dict.fromkeys(
    ("monthly_fee", "included_units", "tiers", "vat_rate", "currency", "is_pro_rata")
)


def _read(row: RowMapping, plan: str = "") -> Terms:
    tiers = tuple(Tier(tier["up_to"], Decimal(tier["unit_price"])) for tier in row["tiers"])
    charged_per = ChargedPer(row.get("charged_per", ChargedPer.KEY))
    fee, included, is_pro_rata = row["monthly_fee"], row["included_units"], row["is_pro_rata"]
    return Terms(
        monthly_fee=fee,
        included_units=included,
        tiers=tiers,
        vat_rate=row["vat_rate"],
        currency=row["currency"],
        plan=plan,
        charged_per=charged_per,
        is_pro_rata=is_pro_rata,
    )
