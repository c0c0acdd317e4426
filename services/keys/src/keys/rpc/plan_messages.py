"""Converts between the messages of plans and prices and the domain. Requests were validated by `keys.rpc.rules`."""

from decimal import Decimal

from keys.rpc.convert import message, read_enum
from keys.values.pricing import CURRENCY, ChargedPer, PlanChoice, Terms, Tier
from keys.values.records import Plan
from landpartner.keys.v1 import admin_pb2


def read_pricing(prices: admin_pb2.Pricing) -> PlanChoice | Terms:
    return PlanChoice(prices.plan.strip()) if prices.plan else read_terms(prices)


def read_terms(prices: admin_pb2.Pricing) -> Terms:
    return Terms(
        Decimal(prices.monthly_fee or "0"),
        prices.included_units,
        tuple(Tier(tier.up_to or None, Decimal(tier.unit_price)) for tier in prices.tiers),
        Decimal(prices.vat_rate or "0"),
        prices.currency or CURRENCY,
        charged_per=read_enum(ChargedPer, admin_pb2.ChargedPer.DESCRIPTOR, prices.charged_per) or ChargedPer.KEY,
        is_pro_rata=prices.is_pro_rata,
    )


def pricing(terms: Terms, from_month: str | None) -> admin_pb2.Pricing:
    return message(admin_pb2.Pricing, terms, effective_from=f"{from_month}-01" if from_month else "")


def plan(record: Plan) -> admin_pb2.Plan:
    terms = None if record.terms is None else pricing(record.terms, record.terms_from)
    return message(admin_pb2.Plan, record, pricing=terms)
