"""AdminService: setup, sessions, and an admin's own account. Passwords are hashed between two transactions."""

# ruff: noqa: N802 (gRPC's names)
from __future__ import annotations  # the types of grpc take parameters in its stubs only

from typing import TYPE_CHECKING

from keys.admins import accepting, account, authenticator, credentials, single_sign_on
from keys.admins.access_control import Credentials
from keys.admins.authenticator import Attempt
from keys.admins.provider import Provider
from keys.admins.signed_in import SignedIn
from keys.rpc import calls, rules
from keys.rpc.calls import Calls
from keys.rpc.convert import enum_number, message
from keys.values.errors import NotFound, SingleSignOnFailed, Unavailable, expect
from landpartner.keys.v1 import admin_pb2
from servicekit.languages import Text

if TYPE_CHECKING:
    from keys.rpc.calls import Context


class AccessCalls(Calls):
    async def GetSetup(self, request: admin_pb2.GetSetupRequest, context: Context) -> admin_pb2.GetSetupResponse:
        is_open = await self.parts.workers.run(authenticator.is_setup_open, self.parts.access_control)
        return admin_pb2.GetSetupResponse(is_open=is_open, single_sign_on=self.parts.provider is not None)

    async def CompleteSetup(
        self, request: admin_pb2.CompleteSetupRequest, context: Context
    ) -> admin_pb2.CompleteSetupResponse:
        rules.check(request)
        token, email, address = request.setup_token, request.email, request.client_address
        access, workers = self.parts.access_control, self.parts.workers
        await workers.run(authenticator.begin_setup, access, token, address)
        password_hash = await self.parts.hashing.run(address, self.parts.passwords.hash, request.password)
        admin = await workers.run(authenticator.complete_setup, access, token, email, password_hash, address)
        return admin_pb2.CompleteSetupResponse(admin=message(admin_pb2.Admin, admin))

    async def SignIn(self, request: admin_pb2.SignInRequest, context: Context) -> admin_pb2.SignInResponse:
        rules.check(request)
        access, workers = self.parts.access_control, self.parts.workers
        verify, hashing = self.parts.passwords.verify, self.parts.hashing
        with hashing.slot(request.client_address):
            attempt = await workers.run(authenticator.begin_sign_in, access, request.email, request.client_address)
            is_right = await hashing.take_turn(request.client_address, verify, request.password, attempt.password_hash)
        signed_in = await workers.run(authenticator.finish_sign_in, access, attempt, request.totp, is_right=is_right)
        return _session(signed_in)

    async def BeginSingleSignOn(
        self, request: admin_pb2.BeginSingleSignOnRequest, context: Context
    ) -> admin_pb2.BeginSingleSignOnResponse:
        url, token = await self._provider().begin()
        return admin_pb2.BeginSingleSignOnResponse(authorization_url=url, browser_token=token)

    async def CompleteSingleSignOn(
        self, request: admin_pb2.CompleteSingleSignOnRequest, context: Context
    ) -> admin_pb2.CompleteSingleSignOnResponse:
        rules.check(request)
        provider, access = self._provider(), self.parts.access_control
        run, address = self.parts.workers.run, request.client_address
        await run(single_sign_on.begin, access, provider, request.browser_token, request.state, address)
        try:
            identity = await provider.identity(request.code, request.browser_token)
        except (SingleSignOnFailed, Unavailable) as error:
            await run(single_sign_on.fail, access, error, address)
            raise
        signed_in = await run(single_sign_on.finish, access, identity, address)
        return admin_pb2.CompleteSingleSignOnResponse(session=_session(signed_in))

    async def SignOut(self, request: admin_pb2.SignOutRequest, context: Context) -> admin_pb2.SignOutResponse:
        await self.parts.workers.run(authenticator.sign_out, self.parts.access_control, calls.caller(request))
        return admin_pb2.SignOutResponse()

    async def GetSession(self, request: admin_pb2.GetSessionRequest, context: Context) -> admin_pb2.GetSessionResponse:
        caller = calls.caller(request)
        session = await self.parts.workers.run(self.parts.access_control.session, caller)
        csrf_token = credentials.csrf_token(caller.session_token)
        return message(admin_pb2.GetSessionResponse, session, csrf_token=csrf_token)

    async def VerifyCaller(
        self, request: admin_pb2.VerifyCallerRequest, context: Context
    ) -> admin_pb2.VerifyCallerResponse:
        principal = await self.parts.workers.run(self.parts.access_control.verify, calls.caller(request))
        role = enum_number(admin_pb2.AdminRole.DESCRIPTOR, principal.role)
        return admin_pb2.VerifyCallerResponse(role=role, must_enrol_totp=principal.must_enrol)

    async def ChangePassword(
        self, request: admin_pb2.ChangePasswordRequest, context: Context
    ) -> admin_pb2.ChangePasswordResponse:
        parts, caller = self.parts, calls.caller(request)
        attempt = await self._verified(caller, request.current_password)
        password_hash = await parts.hashing.run(caller.client_address, parts.passwords.hash, request.new_password)
        await parts.workers.run(account.change_password, parts.access_control, caller, attempt, password_hash)
        return admin_pb2.ChangePasswordResponse()

    async def BeginTotpEnrolment(
        self, request: admin_pb2.BeginTotpEnrolmentRequest, context: Context
    ) -> admin_pb2.BeginTotpEnrolmentResponse:
        caller = calls.caller(request)
        attempt = await self._verified(caller, request.password)
        enrolment = await self.parts.workers.run(account.begin_totp, self.parts.access_control, caller, attempt)
        return admin_pb2.BeginTotpEnrolmentResponse(secret=enrolment.secret, uri=enrolment.uri)

    async def ConfirmTotpEnrolment(
        self, request: admin_pb2.ConfirmTotpEnrolmentRequest, context: Context
    ) -> admin_pb2.ConfirmTotpEnrolmentResponse:
        await self.parts.workers.run(
            account.confirm_totp, self.parts.access_control, calls.caller(request), request.code
        )
        return admin_pb2.ConfirmTotpEnrolmentResponse()

    async def RemoveTotp(self, request: admin_pb2.RemoveTotpRequest, context: Context) -> admin_pb2.RemoveTotpResponse:
        caller = calls.caller(request)
        attempt = await self._verified(caller, request.password)
        await self.parts.workers.run(account.remove_totp, self.parts.access_control, caller, attempt, request.code)
        return admin_pb2.RemoveTotpResponse()

    async def GetInvitation(
        self, request: admin_pb2.GetInvitationRequest, context: Context
    ) -> admin_pb2.GetInvitationResponse:
        rules.check(request)
        read, access = accepting.read, self.parts.access_control
        invitation, is_totp_required = await self.parts.workers.run(read, access, request.token, request.client_address)
        return message(admin_pb2.GetInvitationResponse, invitation, is_totp_required=is_totp_required)

    async def AcceptInvitation(
        self, request: admin_pb2.AcceptInvitationRequest, context: Context
    ) -> admin_pb2.AcceptInvitationResponse:
        rules.check(request)
        parts, token, address = self.parts, request.token, request.client_address
        await parts.workers.run(accepting.read, parts.access_control, token, address)
        password_hash = await parts.hashing.run(address, parts.passwords.hash, request.password)
        signed_in = await parts.workers.run(accepting.accept, parts.access_control, token, password_hash, address)
        return admin_pb2.AcceptInvitationResponse(session=_session(signed_in))

    def _provider(self) -> Provider:
        """Raises NotFound if no provider is set."""
        missing = Text("Aucun fournisseur d’identité n’est configuré.", "No identity provider is configured.")
        return expect(self.parts.provider, NotFound(missing))

    async def _verified(self, caller: Credentials, password: str) -> Attempt:
        """Returns the attempt if its password was right. Raises InvalidCredentials, SignInThrottled or
        InvalidPayload.
        """
        parts = self.parts
        verify, address = parts.passwords.verify, caller.client_address
        with parts.hashing.slot(address):
            attempt = await parts.workers.run(account.begin, parts.access_control, caller)
            if not await parts.hashing.take_turn(address, verify, password, attempt.password_hash):
                raise await parts.workers.run(account.refuse, parts.access_control, attempt)
        return attempt


def _session(signed_in: SignedIn) -> admin_pb2.SignInResponse:
    return message(admin_pb2.SignInResponse, signed_in, role=signed_in.admin.role)
