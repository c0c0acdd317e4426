"""AdminService: invitations of new admins."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

from datetime import timedelta
from typing import TYPE_CHECKING

from keys.access.passwords import normalized_email
from keys.admin import inviting
from keys.records import Role
from keys.rpc import admin_convert as convert
from keys.rpc import rules
from keys.rpc.admin_access import AccessDependencies
from keys.rpc.convert import ROLES, instant
from keys.store import invitations
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[object, object]


class InvitationCalls(admin_pb2_grpc.AdminServiceServicer):
    _access: AccessDependencies

    async def CreateInvitation(  # noqa: N802
        self, request: admin_pb2.CreateInvitationRequest, context: Context
    ) -> admin_pb2.CreateInvitationResponse:
        return await self._access.workers.run(self._create_invitation, request)

    def _create_invitation(self, request: admin_pb2.CreateInvitationRequest) -> admin_pb2.CreateInvitationResponse:
        with self._access.access_control.changing(convert.caller(request), Role.OWNER) as change:
            lifetime = timedelta(hours=request.lifetime_hours or inviting.DEFAULT_HOURS)
            email, role = normalized_email(request.email), convert.read_role(request.role)
            invitation, token = inviting.invite(change, email, role, lifetime)
        return admin_pb2.CreateInvitationResponse(invitation=convert.invitation(invitation), token=token)

    async def ListInvitations(  # noqa: N802
        self, request: admin_pb2.ListInvitationsRequest, context: Context
    ) -> admin_pb2.ListInvitationsResponse:
        return await self._access.workers.run(self._list_invitations, request)

    def _list_invitations(self, request: admin_pb2.ListInvitationsRequest) -> admin_pb2.ListInvitationsResponse:
        with self._access.access_control.reading(convert.caller(request), Role.OWNER) as transaction:
            found = invitations.all_open(transaction.connection, transaction.now)
        return admin_pb2.ListInvitationsResponse(invitations=[convert.invitation(each) for each in found])

    async def RevokeInvitation(  # noqa: N802
        self, request: admin_pb2.RevokeInvitationRequest, context: Context
    ) -> admin_pb2.RevokeInvitationResponse:
        return await self._access.workers.run(self._revoke_invitation, request)

    def _revoke_invitation(self, request: admin_pb2.RevokeInvitationRequest) -> admin_pb2.RevokeInvitationResponse:
        with self._access.access_control.changing(convert.caller(request), Role.OWNER) as change:
            inviting.revoke(change, request.invitation_id)
        return admin_pb2.RevokeInvitationResponse()

    async def GetInvitation(  # noqa: N802
        self, request: admin_pb2.GetInvitationRequest, context: Context
    ) -> admin_pb2.GetInvitationResponse:
        rules.check(request)
        read = self._access.invitations.read
        invitation, is_totp_required = await self._access.workers.run(read, request.token, request.client_address)
        return admin_pb2.GetInvitationResponse(
            email=invitation.email,
            role=ROLES[invitation.role],
            expires_at=instant(invitation.expires_at),
            is_totp_required=is_totp_required,
        )

    async def AcceptInvitation(  # noqa: N802
        self, request: admin_pb2.AcceptInvitationRequest, context: Context
    ) -> admin_pb2.AcceptInvitationResponse:
        rules.check(request)
        parts, token, address = self._access, request.token, request.client_address
        await parts.workers.run(parts.invitations.read, token, address)
        password_hash = await parts.hashing.run(address, parts.passwords.hash, request.password)
        signed_in = await parts.workers.run(parts.invitations.accept, token, password_hash, address)
        return admin_pb2.AcceptInvitationResponse(session=convert.signed_in(signed_in))
