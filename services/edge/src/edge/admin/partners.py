"""Partners and plans, the watches of a partner and the endpoints that get its events."""

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from contract.messages.keys import PAGE_MEMBERS
from contract.messages.land import WATCHES, WEBHOOKS
from edge.access import API
from edge.admin.forwarding import AdminRoutes
from edge.admin.requests import MessageBody, MessageQuery
from edge.api.v1.requests import MAX_PAGE
from edge.dependencies import Admin, CurrentSettings, Services
from edge.descriptions.operations import UPSTREAM_CODES, route_options
from edge.problems import Problem
from edge.responses import answer, no_content
from landpartner.keys.v1 import admin_pb2 as pb
from landpartner.land.v1 import land_pb2
from landpartner.webhooks.v1 import webhooks_pb2
from servicekit.errors import expect

routes = AdminRoutes()
PartnerId = Annotated[str, Path(alias="partnerId")]
_PATH = f"{API}/admin/partners/{{partnerId}}"
_CODES = ("not_found", *UPSTREAM_CODES)

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


def _owners(partner_id: str) -> list[webhooks_pb2.Owner]:
    return [webhooks_pb2.Owner(partner_id=partner_id, is_test=is_test) for is_test in (False, True)]


@routes.router.get(f"{_PATH}/watches", name="list_partner_watches", **route_options("admin", WATCHES, codes=_CODES))
async def list_watches(partner_id: PartnerId, admin: Admin, services: Services, settings: CurrentSettings) -> Response:
    await admin(admin.stub.GetPartner, pb.GetPartnerRequest(partner_id=partner_id))
    watches = await services.land.watches(partner_id, MAX_PAGE, settings.keys_deadline_s)
    return answer(WATCHES, land_pb2.ListWatchesResponse(watches=watches))


@routes.router.get(f"{_PATH}/webhooks", name="list_partner_webhooks", **route_options("admin", WEBHOOKS, codes=_CODES))
async def list_webhooks(partner_id: PartnerId, admin: Admin, services: Services) -> Response:
    await admin(admin.stub.GetPartner, pb.GetPartnerRequest(partner_id=partner_id))
    found = [
        webhook
        for client in services.webhooks.values()
        for owner in _owners(partner_id)
        for webhook in await client.webhooks(owner)
    ]
    return answer(WEBHOOKS, webhooks_pb2.ListWebhooksResponse(webhooks=found))


@routes.router.delete(
    f"{_PATH}/webhooks/{{webhookId}}", name="end_partner_webhook", **route_options("admin", status=204, codes=_CODES)
)
async def end_webhook(
    partner_id: PartnerId, webhook_id: Annotated[str, Path(alias="webhookId")], admin: Admin, services: Services
) -> Response:
    """Keys decides, and writes the audit log. The endpoint may be one of land or of keys, for live or for test keys."""
    await admin(admin.stub.GetPartner, pb.GetPartnerRequest(partner_id=partner_id))
    places = [
        (client, owner)
        for client in services.webhooks.values()
        for owner in _owners(partner_id)
        if webhook_id in {webhook.id for webhook in await client.webhooks(owner)}
    ]
    if not places:
        raise Problem("not_found")
    await admin(admin.stub.EndPartnerEvents, pb.EndPartnerEventsRequest(partner_id=partner_id, webhook_id=webhook_id))
    for client, owner in places:
        await client.delete(owner, webhook_id)
    return no_content()


@routes.router.delete(
    f"{_PATH}/watches/{{watchId}}", name="end_partner_watch", **route_options("admin", status=204, codes=_CODES)
)
async def end_watch(
    partner_id: PartnerId,
    watch_id: Annotated[str, Path(alias="watchId")],
    admin: Admin,
    services: Services,
    settings: CurrentSettings,
) -> Response:
    """Keys decides, and writes the audit log. The watch may be one of live or of test keys."""
    await admin(admin.stub.GetPartner, pb.GetPartnerRequest(partner_id=partner_id))
    asked = services.land.scope_of_watch(partner_id, watch_id, MAX_PAGE, settings.keys_deadline_s)
    scope = expect(await asked, Problem("not_found"))
    await admin(admin.stub.EndPartnerEvents, pb.EndPartnerEventsRequest(partner_id=partner_id, watch_id=watch_id))
    await services.land.delete_watch(partner_id, watch_id, scope, settings.keys_deadline_s)
    return no_content()


@routes.router.delete(f"{_PATH}/watches", name="end_partner_events", **route_options("admin", status=204, codes=_CODES))
async def end_events(partner_id: PartnerId, admin: Admin, services: Services) -> Response:
    """Keys decides, and writes the audit log. If land then fails, the admin repeats the request."""
    await admin(admin.stub.EndPartnerEvents, pb.EndPartnerEventsRequest(partner_id=partner_id))
    for owner in _owners(partner_id):
        await services.webhooks["land"].delete_owner(owner)
    return no_content()
