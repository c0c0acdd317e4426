"""Admins, bearer tokens for automation, and the audit log."""

from typing import Annotated

from fastapi import Depends, Path
from starlette.responses import Response

from edge.access import API
from edge.dependencies import Admin
from edge.descriptions.operations import route_options
from edge.messages.keys import PAGE_MEMBERS, SHAPES
from edge.messages.requests import MessageBody, MessageQuery
from edge.responses import answer, no_content
from edge.routing import new_router
from landpartner.keys.v1 import admin_pb2 as pb

router = new_router()

_ADMIN, _ADMINS = SHAPES[pb.Admin], SHAPES[pb.ListAdminsResponse]
_TOKENS, _NEW_TOKEN, _AUDIT = (
    SHAPES[pb.ListTokensResponse], SHAPES[pb.CreateTokenResponse], SHAPES[pb.ListAuditEntriesResponse],
)  # fmt: skip
_CREATE_ADMIN = MessageBody(pb.CreateAdminRequest, required=("email", "password", "role"))
_UPDATE_ADMIN = MessageBody(pb.UpdateAdminRequest, into="admin", only=("role", "is_active"))
_CREATE_TOKEN = MessageBody(pb.CreateTokenRequest, required=("label", "role"))
_AUDIT_QUERY = MessageQuery(pb.ListAuditEntriesRequest, names=PAGE_MEMBERS)


@router.get(f"{API}/admin/admins", **route_options("admin", _ADMINS))
async def list_admins(admin: Admin) -> Response:
    return answer(_ADMINS, await admin(admin.stub.ListAdmins, pb.ListAdminsRequest()))


@router.post(
    f"{API}/admin/admins",
    **route_options("admin", _ADMIN, status=201, codes=("conflict",)),
)
async def create_admin(body: Annotated[pb.CreateAdminRequest, Depends(_CREATE_ADMIN)], admin: Admin) -> Response:
    return answer(_ADMIN, (await admin(admin.stub.CreateAdmin, body)).admin, 201)


@router.patch(
    f"{API}/admin/admins/{{adminId}}",
    **route_options("admin", _ADMIN, codes=("not_found", "conflict")),
)
async def update_admin(
    admin_id: Annotated[str, Path(alias="adminId")],
    body: Annotated[pb.UpdateAdminRequest, Depends(_UPDATE_ADMIN)],
    admin: Admin,
) -> Response:
    body.admin.id = admin_id
    return answer(_ADMIN, (await admin(admin.stub.UpdateAdmin, body)).admin)


@router.get(f"{API}/admin/tokens", **route_options("admin", _TOKENS))
async def list_tokens(admin: Admin) -> Response:
    return answer(_TOKENS, await admin(admin.stub.ListTokens, pb.ListTokensRequest()))


@router.post(f"{API}/admin/tokens", **route_options("admin", _NEW_TOKEN, status=201))
async def create_token(body: Annotated[pb.CreateTokenRequest, Depends(_CREATE_TOKEN)], admin: Admin) -> Response:
    return answer(_NEW_TOKEN, await admin(admin.stub.CreateToken, body), 201)


@router.delete(
    f"{API}/admin/tokens/{{tokenId}}",
    **route_options("admin", status=204, codes=("not_found",)),
)
async def revoke_token(token_id: Annotated[str, Path(alias="tokenId")], admin: Admin) -> Response:
    await admin(admin.stub.RevokeToken, pb.RevokeTokenRequest(token_id=token_id))
    return no_content()


@router.get(f"{API}/admin/audit", **route_options("admin", _AUDIT))
async def list_audit(query: Annotated[pb.ListAuditEntriesRequest, Depends(_AUDIT_QUERY)], admin: Admin) -> Response:
    return answer(_AUDIT, await admin(admin.stub.ListAuditEntries, query))
