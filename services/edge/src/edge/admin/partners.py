"""Partners and plans."""

from contract.messages.keys import PAGE_MEMBERS
from edge.admin.forwarding import AdminRoutes
from edge.admin.requests import MessageBody, MessageQuery
from landpartner.keys.v1 import admin_pb2 as pb

routes = AdminRoutes()

routes.add(
    "GET", "/partners", "ListPartners",
    reads=MessageQuery(pb.ListPartnersRequest, names={**PAGE_MEMBERS, "q": "search", "sort": "order_by"}),
)  # fmt: skip
routes.add(
    "POST", "/partners", "CreatePartner", answers="partner", status=201, codes=("conflict",),
    reads=MessageBody(pb.CreatePartnerRequest, required=("name",)),
)  # fmt: skip
routes.add("GET", "/partners/{partnerId}", "GetPartner", answers="partner")
routes.add("GET", "/partners/{partnerId}/bills", "ListPartnerBills")
routes.add(
    "PATCH", "/partners/{partnerId}", "UpdatePartner", answers="partner", codes=("conflict",),
    reads=MessageBody(pb.UpdatePartnerRequest, into="partner", omitted=("id", "created_at", "overview")),
)  # fmt: skip
routes.add("GET", "/plans", "ListPlans")
routes.add(
    "POST", "/plans", "CreatePlan", answers="plan", status=201, codes=("conflict",),
    reads=MessageBody(pb.CreatePlanRequest, required=("name", "pricing")),
)  # fmt: skip
routes.add(
    "PATCH", "/plans/{planId}", "UpdatePlan", answers="plan", codes=("conflict",),
    reads=MessageBody(pb.UpdatePlanRequest, into="plan", only=("name", "pricing", "is_archived")),
)  # fmt: skip
