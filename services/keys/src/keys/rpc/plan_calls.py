"""AdminService: plans, and their messages, which keys have too."""

# ruff: noqa: N802 (gRPC's names)
from decimal import Decimal

from keys.plans import changes
from keys.rpc.calls import Calls, changing, reading
from keys.rpc.convert import message, read_enum
from keys.store import plan_records
from keys.store.change import Change, Transaction
from keys.values import months
from keys.values.pricing import CURRENCY, ChargedPer, PlanChoice, Terms, Tier
from keys.values.records import Plan, Role
from landpartner.keys.v1 import admin_pb2


class PlanCalls(Calls):
    @reading()
    def ListPlans(self, transaction: Transaction, request: admin_pb2.ListPlansRequest) -> admin_pb2.ListPlansResponse:
        plans = plan_records.all_plans(transaction.connection, months.month_of(transaction.now))
        return admin_pb2.ListPlansResponse(plans=map(plan, plans))

    @changing(Role.OWNER)
    def CreatePlan(self, change: Change, request: admin_pb2.CreatePlanRequest) -> admin_pb2.CreatePlanResponse:
        terms, start = read_terms(request.pricing), request.pricing.effective_from or None
        created = changes.create_plan(change, request.name.strip(), terms, start)
        return admin_pb2.CreatePlanResponse(plan=plan(created))

    @changing(Role.OWNER)
    def UpdatePlan(self, change: Change, request: admin_pb2.UpdatePlanRequest) -> admin_pb2.UpdatePlanResponse:
        paths, members = set(request.update_mask.paths), request.plan
        updated = changes.update_plan(
            change,
            members.id,
            name=members.name.strip() if "name" in paths else None,
            is_archived=members.is_archived if "is_archived" in paths else None,
            terms=read_terms(members.pricing) if "pricing" in paths else None,
            from_month=members.pricing.effective_from or None,
        )
        return admin_pb2.UpdatePlanResponse(plan=plan(updated))


def read_pricing(prices: admin_pb2.Pricing) -> PlanChoice | Terms:
    return PlanChoice(prices.plan.strip()) if prices.plan else read_terms(prices)


def read_terms(prices: admin_pb2.Pricing) -> Terms:
    return Terms(
        monthly_fee=Decimal(prices.monthly_fee or "0"),
        included_units=prices.included_units,
        tiers=tuple(Tier(tier.up_to or None, Decimal(tier.unit_price)) for tier in prices.tiers),
        vat_rate=Decimal(prices.vat_rate or "0"),
        currency=prices.currency or CURRENCY,
        charged_per=read_enum(ChargedPer, admin_pb2.ChargedPer.DESCRIPTOR, prices.charged_per) or ChargedPer.KEY,
        is_pro_rata=prices.is_pro_rata,
    )


def pricing(terms: Terms, from_month: str | None) -> admin_pb2.Pricing:
    return message(admin_pb2.Pricing, terms, effective_from=f"{from_month}-01" if from_month else "")


def plan(record: Plan) -> admin_pb2.Plan:
    terms = None if record.terms is None else pricing(record.terms, record.terms_from)
    return message(admin_pb2.Plan, record, pricing=terms)
