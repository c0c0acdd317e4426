"""Admins and their invitations, bearer tokens for automation, and the audit log."""

from edge.admin.forwarding import NO_CONTENT, AdminRoutes
from edge.messages.keys import PAGE_MEMBERS
from edge.messages.requests import MessageBody, MessageQuery
from landpartner.keys.v1 import admin_pb2 as pb

routes = AdminRoutes()

routes.add("GET", "/admins", "ListAdmins")
routes.add(
    "POST", "/admins", "CreateAdmin", answers="admin", status=201, codes=("conflict",),
    reads=MessageBody(pb.CreateAdminRequest, required=("email", "password", "role")),
)  # fmt: skip
routes.add(
    "PATCH", "/admins/{adminId}", "UpdateAdmin", answers="admin", codes=("conflict",),
    reads=MessageBody(pb.UpdateAdminRequest, into="admin", only=("role", "is_active")),
)  # fmt: skip
routes.add("GET", "/tokens", "ListTokens")
routes.add(
    "POST", "/tokens", "CreateToken", status=201,
    reads=MessageBody(pb.CreateTokenRequest, required=("label", "role")),
)  # fmt: skip
routes.add("DELETE", "/tokens/{tokenId}", "RevokeToken", status=NO_CONTENT)
routes.add(
    "GET", "/audit", "ListAuditEntries", name="list_audit",
    reads=MessageQuery(pb.ListAuditEntriesRequest, names=PAGE_MEMBERS),
)  # fmt: skip
routes.add("GET", "/invitations", "ListInvitations")
routes.add(
    "POST", "/invitations", "CreateInvitation", status=201, codes=("conflict",),
    reads=MessageBody(pb.CreateInvitationRequest, required=("email", "role")),
)  # fmt: skip
routes.add("DELETE", "/invitations/{invitationId}", "RevokeInvitation", status=NO_CONTENT)
