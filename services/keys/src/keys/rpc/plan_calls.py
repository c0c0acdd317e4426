"""AdminService: plans."""

# ruff: noqa: N802 (gRPC's names)
from keys.plans import changes
from keys.rpc import plan_messages
from keys.rpc.calls import Calls, changing, reading
from keys.store import plan_records
from keys.store.change import Change, Transaction
from keys.values import months
from keys.values.records import Role
from landpartner.keys.v1 import admin_pb2


class PlanCalls(Calls):
    @reading()
    def ListPlans(self, transaction: Transaction, request: admin_pb2.ListPlansRequest) -> admin_pb2.ListPlansResponse:
        plans = plan_records.all_plans(transaction.connection, months.month_of(transaction.now))
        return admin_pb2.ListPlansResponse(plans=[plan_messages.plan(plan) for plan in plans])

    @changing(Role.OWNER)
    def CreatePlan(self, change: Change, request: admin_pb2.CreatePlanRequest) -> admin_pb2.CreatePlanResponse:
        terms, start = plan_messages.read_terms(request.pricing), request.pricing.effective_from or None
        plan = changes.create_plan(change, request.name.strip(), terms, start)
        return admin_pb2.CreatePlanResponse(plan=plan_messages.plan(plan))

    @changing(Role.OWNER)
    def UpdatePlan(self, change: Change, request: admin_pb2.UpdatePlanRequest) -> admin_pb2.UpdatePlanResponse:
        paths, members = set(request.update_mask.paths), request.plan
        plan = changes.update_plan(
            change,
            members.id,
            name=members.name.strip() if "name" in paths else None,
            is_archived=members.is_archived if "is_archived" in paths else None,
            terms=plan_messages.read_terms(members.pricing) if "pricing" in paths else None,
            from_month=members.pricing.effective_from or None,
        )
        return admin_pb2.UpdatePlanResponse(plan=plan_messages.plan(plan))
