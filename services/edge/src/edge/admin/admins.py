"""Admins, bearer tokens for automation, and the audit log."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import caller_of
from edge.admin.requests import AdminBody, AdminChanges, AuditParameters, TokenBody
from edge.admin.schemas import Admin, AdminPage, AuditPage, NewAdminToken, TokenPage
from edge.body import read_model, validated
from edge.descriptions.operations import route_options
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of

router = new_router()


@router.get(f"{API}/admin/admins", **route_options("List admins", tag="admin", response=AdminPage))
async def list_admins(request: Request) -> Response:
    """Lists admins with their roles."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    return json_response(await upstreams_of(request).admin.admins(caller))


@router.post(
    f"{API}/admin/admins",
    **route_options("Create an admin", tag="admin", body=AdminBody, response=Admin, status=201, codes=("conflict",)),
)
async def create_admin(request: Request) -> Response:
    """Creates an admin. Only an owner may."""
    settings = settings_of(request)
    body = await read_model(request, AdminBody, settings)
    answer = await upstreams_of(request).admin.create_admin(
        caller_of(request, settings.trusted_proxies), body.email, body.password.get_secret_value(), body.role
    )
    return json_response(answer, 201)


@router.patch(
    f"{API}/admin/admins/{{adminId}}",
    **route_options("Change an admin", tag="admin", body=AdminChanges, response=Admin, codes=("not_found", "conflict")),
)
async def update_admin(request: Request) -> Response:
    """Changes role or activity; both end the admin's sessions."""
    settings = settings_of(request)
    body = await read_model(request, AdminChanges, settings)
    answer = await upstreams_of(request).admin.update_admin(
        caller_of(request, settings.trusted_proxies),
        request.path_params["adminId"],
        body.model_dump(include=body.model_fields_set),
    )
    return json_response(answer)


@router.get(f"{API}/admin/tokens", **route_options("List admin tokens", tag="admin", response=TokenPage))
async def list_tokens(request: Request) -> Response:
    """Lists bearer tokens; their texts are never shown again."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    return json_response(await upstreams_of(request).admin.tokens(caller))


@router.post(
    f"{API}/admin/tokens",
    **route_options("Create an admin token", tag="admin", body=TokenBody, response=NewAdminToken, status=201),
)
async def create_token(request: Request) -> Response:
    """Creates a bearer token for automation and shows it, this once."""
    settings = settings_of(request)
    body = await read_model(request, TokenBody, settings)
    answer = await upstreams_of(request).admin.create_token(
        caller_of(request, settings.trusted_proxies), body.label, body.role, body.expires_at
    )
    return json_response(answer, 201)


@router.delete(
    f"{API}/admin/tokens/{{tokenId}}",
    **route_options("Revoke an admin token", tag="admin", status=204, codes=("not_found",)),
)
async def revoke_token(request: Request) -> Response:
    """Revokes a bearer token for good."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    await upstreams_of(request).admin.revoke_token(caller, request.path_params["tokenId"])
    return Response(status_code=204)


@router.get(
    f"{API}/admin/audit",
    **route_options(
        "Read the audit log", tag="admin", parameters=AuditParameters, response=AuditPage, codes=("invalid_payload",)
    ),
)
async def list_audit(request: Request) -> Response:
    """Lists every change that admins made, newest first."""
    query = validated(AuditParameters, dict(request.query_params))
    caller = caller_of(request, settings_of(request).trusted_proxies)
    answer = await upstreams_of(request).admin.audit(caller, query.subject or "", query.limit, query.cursor or "")
    return json_response(answer)
