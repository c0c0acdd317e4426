"""AdminService: admins, their invitations and tokens, and the access policy."""

# ruff: noqa: N802 (gRPC's names)
from __future__ import annotations  # the types of grpc take parameters in its stubs only

from datetime import timedelta
from typing import TYPE_CHECKING

from contract.enums import enum_names
from keys.admins import changes as administrators
from keys.admins import inviting
from keys.admins.passwords import normalized_email
from keys.rpc.calls import Calls, caller, changing, reading
from keys.rpc.convert import message
from keys.store import admins, invitations, second_factors
from keys.store.change import Change, Transaction
from keys.values.clock import read_instant
from keys.values.records import Role
from landpartner.keys.v1 import admin_pb2

if TYPE_CHECKING:
    from keys.rpc.calls import Context


def _read_role(number: int) -> Role:
    return Role[enum_names(admin_pb2.AdminRole.DESCRIPTOR)[number].upper()]


class AdminsCalls(Calls):
    @reading(Role.OWNER)
    def ListAdmins(
        self, transaction: Transaction, request: admin_pb2.ListAdminsRequest
    ) -> admin_pb2.ListAdminsResponse:
        return admin_pb2.ListAdminsResponse(
            admins=[message(admin_pb2.Admin, admin) for admin in admins.all_admins(transaction.connection)]
        )

    async def CreateAdmin(
        self, request: admin_pb2.CreateAdminRequest, context: Context
    ) -> admin_pb2.CreateAdminResponse:
        await self.workers.run(self._check_new_admin, request)  # the password is hashed outside of a transaction
        password_hash = await self.hashing.run(request.caller.client_address, self.passwords.hash, request.password)
        return await self.workers.run(self._create_admin, request, password_hash)

    def _check_new_admin(self, request: admin_pb2.CreateAdminRequest) -> None:
        with self.access_control.changing(caller(request), Role.OWNER):
            pass

    def _create_admin(self, request: admin_pb2.CreateAdminRequest, password_hash: str) -> admin_pb2.CreateAdminResponse:
        email, role = normalized_email(request.email), _read_role(request.role)
        with self.access_control.changing(caller(request), Role.OWNER) as change:
            admin = administrators.create_admin(change, email, password_hash, role)
        return admin_pb2.CreateAdminResponse(admin=message(admin_pb2.Admin, admin))

    @changing(Role.OWNER)
    def UpdateAdmin(self, change: Change, request: admin_pb2.UpdateAdminRequest) -> admin_pb2.UpdateAdminResponse:
        paths, members = set(request.update_mask.paths), request.admin
        role = _read_role(members.role) if "role" in paths else None
        is_active = members.is_active if "is_active" in paths else None
        admin = administrators.update_admin(change, members.id, role, is_active)
        return admin_pb2.UpdateAdminResponse(admin=message(admin_pb2.Admin, admin))

    @changing(Role.OWNER)
    def CreateInvitation(
        self, change: Change, request: admin_pb2.CreateInvitationRequest
    ) -> admin_pb2.CreateInvitationResponse:
        lifetime = timedelta(hours=request.lifetime_hours or inviting.DEFAULT_HOURS)
        email, role = normalized_email(request.email), _read_role(request.role)
        invitation, token = inviting.invite(change, email, role, lifetime)
        return admin_pb2.CreateInvitationResponse(invitation=message(admin_pb2.Invitation, invitation), token=token)

    @reading(Role.OWNER)
    def ListInvitations(
        self, transaction: Transaction, request: admin_pb2.ListInvitationsRequest
    ) -> admin_pb2.ListInvitationsResponse:
        records = invitations.all_open(transaction.connection, transaction.now)
        return admin_pb2.ListInvitationsResponse(
            invitations=[message(admin_pb2.Invitation, record) for record in records]
        )

    @changing(Role.OWNER)
    def RevokeInvitation(
        self, change: Change, request: admin_pb2.RevokeInvitationRequest
    ) -> admin_pb2.RevokeInvitationResponse:
        inviting.revoke(change, request.invitation_id)
        return admin_pb2.RevokeInvitationResponse()

    @changing(Role.OWNER)
    def CreateToken(self, change: Change, request: admin_pb2.CreateTokenRequest) -> admin_pb2.CreateTokenResponse:
        expires_at = read_instant(request.expires_at) if request.expires_at else None
        token, text = administrators.create_token(change, request.label, _read_role(request.role), expires_at)
        return admin_pb2.CreateTokenResponse(token=message(admin_pb2.AdminToken, token), secret=text)

    @reading(Role.OWNER)
    def ListTokens(
        self, transaction: Transaction, request: admin_pb2.ListTokensRequest
    ) -> admin_pb2.ListTokensResponse:
        return admin_pb2.ListTokensResponse(
            tokens=[message(admin_pb2.AdminToken, token) for token in admins.all_tokens(transaction.connection)]
        )

    @changing(Role.OWNER)
    def RevokeToken(self, change: Change, request: admin_pb2.RevokeTokenRequest) -> admin_pb2.RevokeTokenResponse:
        token = administrators.revoke_token(change, request.token_id)
        return admin_pb2.RevokeTokenResponse(token=message(admin_pb2.AdminToken, token))

    @reading(Role.OWNER)
    def GetAccessPolicy(
        self, transaction: Transaction, request: admin_pb2.GetAccessPolicyRequest
    ) -> admin_pb2.GetAccessPolicyResponse:
        is_required = second_factors.is_required(transaction.connection)
        return admin_pb2.GetAccessPolicyResponse(policy=admin_pb2.AccessPolicy(is_totp_required=is_required))

    @changing(Role.OWNER)
    def UpdateAccessPolicy(
        self, change: Change, request: admin_pb2.UpdateAccessPolicyRequest
    ) -> admin_pb2.UpdateAccessPolicyResponse:
        administrators.require_totp(change, is_required=request.policy.is_totp_required)
        return admin_pb2.UpdateAccessPolicyResponse(policy=request.policy)
