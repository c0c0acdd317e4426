"""Converts between the messages of plans and prices and the domain. Requests were validated by `keys.rpc.rules`."""

from decimal import Decimal

from keys.bills.pricing import CURRENCY, ChargedPer, PlanChoice, Terms, Tier
from keys.records import Plan
from keys.rpc.convert import CHARGED_PER, instant
from landpartner.keys.v1 import admin_pb2

_CHARGED_PER = {number: charged_per for charged_per, number in CHARGED_PER.items()}


def read_pricing(message: admin_pb2.Pricing) -> PlanChoice | Terms:
    return PlanChoice(message.plan.strip()) if message.plan else read_terms(message)


def read_terms(message: admin_pb2.Pricing) -> Terms:
    return Terms(
        Decimal(message.monthly_fee or "0"),
        message.included_units,
        tuple(Tier(tier.up_to or None, Decimal(tier.unit_price)) for tier in message.tiers),
        Decimal(message.vat_rate or "0"),
        message.currency or CURRENCY,
        charged_per=_CHARGED_PER.get(message.charged_per, ChargedPer.KEY),
    )


def pricing(terms: Terms, from_month: str | None) -> admin_pb2.Pricing:
    return admin_pb2.Pricing(
        plan=terms.plan,
        currency=terms.currency,
        monthly_fee=format(terms.monthly_fee, "f"),
        included_units=terms.included_units,
        tiers=[admin_pb2.PriceTier(up_to=tier.up_to, unit_price=format(tier.unit_price, "f")) for tier in terms.tiers],
        vat_rate=format(terms.vat_rate, "f"),
        effective_from=f"{from_month}-01" if from_month else "",
        charged_per=CHARGED_PER[terms.charged_per],
    )


def plan(record: Plan) -> admin_pb2.Plan:
    return admin_pb2.Plan(
        id=record.id,
        name=record.name,
        pricing=None if record.terms is None else pricing(record.terms, record.terms_from),
        is_archived=record.is_archived,
        created_at=instant(record.created_at),
    )
