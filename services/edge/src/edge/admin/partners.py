"""Partners and plans."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import caller_of
from edge.admin.requests import PartnerBody, PartnerChanges, PlanBody, PlanChanges, SearchParameters
from edge.admin.schemas import Partner, PartnerPage, Plan, PlanPage
from edge.body import read_model, validated
from edge.descriptions.operations import route_options
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of

router = new_router()


@router.get(
    f"{API}/admin/partners",
    **route_options(
        "List partners", tag="admin", parameters=SearchParameters, response=PartnerPage, codes=("invalid_payload",)
    ),
)
async def list_partners(request: Request) -> Response:
    """Lists partners, active and disabled."""
    query = validated(SearchParameters, dict(request.query_params))
    caller = caller_of(request, settings_of(request).trusted_proxies)
    answer = await upstreams_of(request).admin.partners(caller, query.q or "", query.limit, query.cursor or "")
    return json_response(answer)


@router.post(
    f"{API}/admin/partners",
    **route_options(
        "Create a partner", tag="admin", body=PartnerBody, response=Partner, status=201, codes=("conflict",)
    ),
)
async def create_partner(request: Request) -> Response:
    """Creates a partner."""
    settings = settings_of(request)
    body = await read_model(request, PartnerBody, settings)
    caller = caller_of(request, settings.trusted_proxies)
    return json_response(await upstreams_of(request).admin.create_partner(caller, body.name, body.metadata), 201)


@router.patch(
    f"{API}/admin/partners/{{partnerId}}",
    **route_options(
        "Change a partner", tag="admin", body=PartnerChanges, response=Partner, codes=("not_found", "conflict")
    ),
)
async def update_partner(request: Request) -> Response:
    """Changes the members sent. Disabling a partner stops all its keys from the answer on."""
    settings = settings_of(request)
    body = await read_model(request, PartnerChanges, settings)
    answer = await upstreams_of(request).admin.update_partner(
        caller_of(request, settings.trusted_proxies),
        request.path_params["partnerId"],
        body.model_dump(include=body.model_fields_set),
    )
    return json_response(answer)


@router.get(f"{API}/admin/plans", **route_options("List plans", tag="admin", response=PlanPage))
async def list_plans(request: Request) -> Response:
    """Lists the named plans, archived ones too."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    return json_response(await upstreams_of(request).admin.plans(caller))


@router.post(
    f"{API}/admin/plans",
    **route_options("Create a plan", tag="admin", body=PlanBody, response=Plan, status=201, codes=("conflict",)),
)
async def create_plan(request: Request) -> Response:
    """Creates a named plan."""
    settings = settings_of(request)
    body = await read_model(request, PlanBody, settings)
    caller = caller_of(request, settings.trusted_proxies)
    answer = await upstreams_of(request).admin.create_plan(caller, body.name, body.pricing.model_dump())
    return json_response(answer, 201)


@router.patch(
    f"{API}/admin/plans/{{planId}}",
    **route_options("Change a plan", tag="admin", body=PlanChanges, response=Plan, codes=("not_found", "conflict")),
)
async def update_plan(request: Request) -> Response:
    """Changes the members sent; new terms hold from their effective date on."""
    settings = settings_of(request)
    body = await read_model(request, PlanChanges, settings)
    answer = await upstreams_of(request).admin.update_plan(
        caller_of(request, settings.trusted_proxies),
        request.path_params["planId"],
        body.model_dump(include=body.model_fields_set),
    )
    return json_response(answer)
