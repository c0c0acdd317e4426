"""AdminService: an admin's own account, and the access policy of all accounts."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

from typing import TYPE_CHECKING

from keys.access.access_control import Caller
from keys.access.authenticator import Attempt
from keys.admin import administrators
from keys.records import Role
from keys.rpc import admin_convert as convert
from keys.rpc.admin_access import AccessDependencies
from keys.store import second_factors
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[object, object]


class AccountCalls(admin_pb2_grpc.AdminServiceServicer):
    _access: AccessDependencies

    async def ChangePassword(  # noqa: N802
        self, request: admin_pb2.ChangePasswordRequest, context: Context
    ) -> admin_pb2.ChangePasswordResponse:
        parts, caller = self._access, convert.caller(request)
        attempt = await self._verified(caller, request.current_password)
        password_hash = await parts.hashing.run(caller.client_address, parts.passwords.hash, request.new_password)
        await parts.workers.run(parts.account.change_password, caller, attempt, password_hash)
        return admin_pb2.ChangePasswordResponse()

    async def BeginTotpEnrolment(  # noqa: N802
        self, request: admin_pb2.BeginTotpEnrolmentRequest, context: Context
    ) -> admin_pb2.BeginTotpEnrolmentResponse:
        caller = convert.caller(request)
        attempt = await self._verified(caller, request.password)
        enrolment = await self._access.workers.run(self._access.account.begin_totp, caller, attempt)
        return admin_pb2.BeginTotpEnrolmentResponse(secret=enrolment.secret, uri=enrolment.uri)

    async def ConfirmTotpEnrolment(  # noqa: N802
        self, request: admin_pb2.ConfirmTotpEnrolmentRequest, context: Context
    ) -> admin_pb2.ConfirmTotpEnrolmentResponse:
        caller = convert.caller(request)
        await self._access.workers.run(self._access.account.confirm_totp, caller, request.code)
        return admin_pb2.ConfirmTotpEnrolmentResponse()

    async def RemoveTotp(self, request: admin_pb2.RemoveTotpRequest, context: Context) -> admin_pb2.RemoveTotpResponse:  # noqa: N802
        caller = convert.caller(request)
        attempt = await self._verified(caller, request.password)
        await self._access.workers.run(self._access.account.remove_totp, caller, attempt, request.code)
        return admin_pb2.RemoveTotpResponse()

    async def GetAccessPolicy(  # noqa: N802
        self, request: admin_pb2.GetAccessPolicyRequest, context: Context
    ) -> admin_pb2.GetAccessPolicyResponse:
        return await self._access.workers.run(self._get_access_policy, request)

    def _get_access_policy(self, request: admin_pb2.GetAccessPolicyRequest) -> admin_pb2.GetAccessPolicyResponse:
        with self._access.access_control.reading(convert.caller(request), Role.OWNER) as transaction:
            is_required = second_factors.is_required(transaction.connection)
        return admin_pb2.GetAccessPolicyResponse(policy=admin_pb2.AccessPolicy(is_totp_required=is_required))

    async def UpdateAccessPolicy(  # noqa: N802
        self, request: admin_pb2.UpdateAccessPolicyRequest, context: Context
    ) -> admin_pb2.UpdateAccessPolicyResponse:
        return await self._access.workers.run(self._update_access_policy, request)

    def _update_access_policy(
        self, request: admin_pb2.UpdateAccessPolicyRequest
    ) -> admin_pb2.UpdateAccessPolicyResponse:
        with self._access.access_control.changing(convert.caller(request), Role.OWNER) as change:
            administrators.require_totp(change, is_required=request.policy.is_totp_required)
        return admin_pb2.UpdateAccessPolicyResponse(policy=request.policy)

    async def _verified(self, caller: Caller, password: str) -> Attempt:
        """Returns the attempt if its password was right. Raises InvalidCredentials, SignInThrottled or
        InvalidPayload.
        """
        parts = self._access
        with parts.hashing.slot(caller.client_address) as slot:
            attempt = await parts.workers.run(parts.account.begin, caller)
            if not await slot.run(parts.passwords.verify, password, attempt.password_hash):
                raise await parts.workers.run(parts.account.refuse, attempt)
        return attempt
