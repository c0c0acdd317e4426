"""Admins and their invitations, and bearer tokens for automation.

The token of an invitation comes in a body, never in an address, so that no log has it.
"""

from edge.admin.forwarding import NO_CONTENT, AdminRoutes
from edge.admin.requests import MessageBody
from landpartner.keys.v1 import admin_pb2 as pb

routes = AdminRoutes()

_INVITATION_CODES = ("invalid_invitation", "sign_in_throttled")

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
routes.add("GET", "/invitations", "ListInvitations")
routes.add(
    "POST", "/invitations", "CreateInvitation", status=201, codes=("conflict",),
    reads=MessageBody(pb.CreateInvitationRequest, required=("email", "role")),
)  # fmt: skip
routes.add("DELETE", "/invitations/{invitationId}", "RevokeInvitation", status=NO_CONTENT)
routes.add(
    "POST", "/invitation", "GetInvitation", name="read_invitation", is_open=True, codes=_INVITATION_CODES,
    reads=MessageBody(pb.GetInvitationRequest, required=("token",)),
)  # fmt: skip
routes.add(
    "POST", "/invitation/accept", "AcceptInvitation", answers="session", status=201, is_open=True,
    codes=(*_INVITATION_CODES, "conflict"),
    reads=MessageBody(pb.AcceptInvitationRequest, required=("token", "password")),
)  # fmt: skip
