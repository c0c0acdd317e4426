"""Partners and plans."""

from typing import Annotated

from fastapi import Depends, Path
from starlette.responses import Response

from edge.access import API
from edge.dependencies import Admin
from edge.descriptions.operations import route_options
from edge.messages.keys import PAGE_MEMBERS, SHAPES
from edge.messages.requests import MessageBody, MessageQuery
from edge.responses import answer
from edge.routing import new_router
from landpartner.keys.v1 import admin_pb2 as pb

router = new_router()

_PARTNER, _PARTNERS = SHAPES[pb.Partner], SHAPES[pb.ListPartnersResponse]
_BILLS = SHAPES[pb.ListPartnerBillsResponse]
_PLAN, _PLANS = SHAPES[pb.Plan], SHAPES[pb.ListPlansResponse]
_QUERY = MessageQuery(pb.ListPartnersRequest, names={**PAGE_MEMBERS, "q": "search", "sort": "order_by"})
_CREATE_PARTNER = MessageBody(pb.CreatePartnerRequest, required=("name",))
_UPDATE_PARTNER = MessageBody(pb.UpdatePartnerRequest, into="partner", omitted=("id", "created_at", "overview"))
_CREATE_PLAN = MessageBody(pb.CreatePlanRequest, required=("name", "pricing"))
_UPDATE_PLAN = MessageBody(pb.UpdatePlanRequest, into="plan", only=("name", "pricing", "is_archived"))
PartnerId = Annotated[str, Path(alias="partnerId")]


@router.get(f"{API}/admin/partners", **route_options("admin", _PARTNERS))
async def list_partners(query: Annotated[pb.ListPartnersRequest, Depends(_QUERY)], admin: Admin) -> Response:
    return answer(_PARTNERS, await admin(admin.stub.ListPartners, query))


@router.post(
    f"{API}/admin/partners",
    **route_options("admin", _PARTNER, status=201, codes=("conflict",)),
)
async def create_partner(body: Annotated[pb.CreatePartnerRequest, Depends(_CREATE_PARTNER)], admin: Admin) -> Response:
    return answer(_PARTNER, (await admin(admin.stub.CreatePartner, body)).partner, 201)


@router.get(f"{API}/admin/partners/{{partnerId}}", **route_options("admin", _PARTNER, codes=("not_found",)))
async def get_partner(partner_id: PartnerId, admin: Admin) -> Response:
    return answer(_PARTNER, (await admin(admin.stub.GetPartner, pb.GetPartnerRequest(partner_id=partner_id))).partner)


@router.get(f"{API}/admin/partners/{{partnerId}}/bills", **route_options("admin", _BILLS, codes=("not_found",)))
async def list_partner_bills(partner_id: PartnerId, admin: Admin) -> Response:
    return answer(_BILLS, await admin(admin.stub.ListPartnerBills, pb.ListPartnerBillsRequest(partner_id=partner_id)))


@router.patch(
    f"{API}/admin/partners/{{partnerId}}",
    **route_options("admin", _PARTNER, codes=("not_found", "conflict")),
)
async def update_partner(
    partner_id: PartnerId,
    body: Annotated[pb.UpdatePartnerRequest, Depends(_UPDATE_PARTNER)],
    admin: Admin,
) -> Response:
    body.partner.id = partner_id
    return answer(_PARTNER, (await admin(admin.stub.UpdatePartner, body)).partner)


@router.get(f"{API}/admin/plans", **route_options("admin", _PLANS))
async def list_plans(admin: Admin) -> Response:
    return answer(_PLANS, await admin(admin.stub.ListPlans, pb.ListPlansRequest()))


@router.post(f"{API}/admin/plans", **route_options("admin", _PLAN, status=201, codes=("conflict",)))
async def create_plan(body: Annotated[pb.CreatePlanRequest, Depends(_CREATE_PLAN)], admin: Admin) -> Response:
    return answer(_PLAN, (await admin(admin.stub.CreatePlan, body)).plan, 201)


@router.patch(
    f"{API}/admin/plans/{{planId}}",
    **route_options("admin", _PLAN, codes=("not_found", "conflict")),
)
async def update_plan(
    plan_id: Annotated[str, Path(alias="planId")],
    body: Annotated[pb.UpdatePlanRequest, Depends(_UPDATE_PLAN)],
    admin: Admin,
) -> Response:
    body.plan.id = plan_id
    return answer(_PLAN, (await admin(admin.stub.UpdatePlan, body)).plan)
