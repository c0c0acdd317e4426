"""AdminService: setup, sessions, and an admin's own account. Passwords are hashed between two transactions."""

# ruff: noqa: N802 (gRPC's names)
from __future__ import annotations  # the types of grpc take parameters in its stubs only

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from keys.admins import account, authenticator, credentials, inviting, single_sign_on
from keys.admins.access_control import AccessControl, Credentials
from keys.admins.authenticator import Attempt, SignedIn
from keys.admins.provider import Provider
from keys.rpc import calls, rules
from keys.rpc.calls import Calls
from keys.rpc.convert import enum_number, message
from keys.values.errors import NotFound, SingleSignOnFailed, Unavailable
from landpartner.keys.v1 import admin_pb2
from servicekit.errors import expect
from servicekit.languages import Text

if TYPE_CHECKING:
    from keys.rpc.calls import Context

P = ParamSpec("P")
R = TypeVar("R")


class AccessCalls(Calls):
    async def GetSetup(self, request: admin_pb2.GetSetupRequest, context: Context) -> admin_pb2.GetSetupResponse:
        is_open = await self._run(authenticator.is_setup_open)
        return admin_pb2.GetSetupResponse(is_open=is_open, single_sign_on=self.provider is not None)

    async def CompleteSetup(
        self, request: admin_pb2.CompleteSetupRequest, context: Context
    ) -> admin_pb2.CompleteSetupResponse:
        rules.check(request)
        token, email, address = request.setup_token, request.email, request.client_address
        await self._run(authenticator.begin_setup, token, address)
        password_hash = await self.hashing.run(address, self.passwords.hash, request.password)
        admin = await self._run(authenticator.complete_setup, token, email, password_hash, address)
        return admin_pb2.CompleteSetupResponse(admin=message(admin_pb2.Admin, admin))

    async def SignIn(self, request: admin_pb2.SignInRequest, context: Context) -> admin_pb2.SignInResponse:
        rules.check(request)
        verify, hashing, address = self.passwords.verify, self.hashing, request.client_address
        with hashing.slot(address):
            attempt = await self._run(authenticator.begin_sign_in, request.email, address)
            is_right = await hashing.take_turn(address, verify, request.password, attempt.password_hash)
        return _session(await self._run(authenticator.finish_sign_in, attempt, request.totp, is_right=is_right))

    async def BeginSingleSignOn(
        self, request: admin_pb2.BeginSingleSignOnRequest, context: Context
    ) -> admin_pb2.BeginSingleSignOnResponse:
        url, token = await self._provider().begin()
        return admin_pb2.BeginSingleSignOnResponse(authorization_url=url, browser_token=token)

    async def CompleteSingleSignOn(
        self, request: admin_pb2.CompleteSingleSignOnRequest, context: Context
    ) -> admin_pb2.CompleteSingleSignOnResponse:
        rules.check(request)
        provider, address = self._provider(), request.client_address
        await self._run(single_sign_on.begin, provider, request.browser_token, request.state, address)
        try:
            identity = await provider.identity(request.code, request.browser_token)
        except (SingleSignOnFailed, Unavailable) as error:
            await self._run(single_sign_on.fail, error, address)
            raise
        signed_in = await self._run(single_sign_on.finish, identity, address)
        return admin_pb2.CompleteSingleSignOnResponse(session=_session(signed_in))

    async def SignOut(self, request: admin_pb2.SignOutRequest, context: Context) -> admin_pb2.SignOutResponse:
        await self._run(authenticator.sign_out, calls.caller(request))
        return admin_pb2.SignOutResponse()

    async def GetSession(self, request: admin_pb2.GetSessionRequest, context: Context) -> admin_pb2.GetSessionResponse:
        caller = calls.caller(request)
        session = await self.workers.run(self.access_control.session, caller)
        return message(admin_pb2.GetSessionResponse, session, csrf_token=credentials.csrf_token(caller.session_token))

    async def VerifyCaller(
        self, request: admin_pb2.VerifyCallerRequest, context: Context
    ) -> admin_pb2.VerifyCallerResponse:
        principal = await self.workers.run(self.access_control.verify, calls.caller(request))
        role = enum_number(admin_pb2.AdminRole.DESCRIPTOR, principal.role)
        return admin_pb2.VerifyCallerResponse(role=role, must_enrol_totp=principal.must_enrol)

    async def ChangePassword(
        self, request: admin_pb2.ChangePasswordRequest, context: Context
    ) -> admin_pb2.ChangePasswordResponse:
        caller = calls.caller(request)
        attempt = await self._verified(caller, request.current_password)
        password_hash = await self.hashing.run(caller.client_address, self.passwords.hash, request.new_password)
        await self._run(account.change_password, caller, attempt, password_hash)
        return admin_pb2.ChangePasswordResponse()

    async def BeginTotpEnrolment(
        self, request: admin_pb2.BeginTotpEnrolmentRequest, context: Context
    ) -> admin_pb2.BeginTotpEnrolmentResponse:
        caller = calls.caller(request)
        attempt = await self._verified(caller, request.password)
        enrolment = await self._run(account.begin_totp, caller, attempt)
        return admin_pb2.BeginTotpEnrolmentResponse(secret=enrolment.secret, uri=enrolment.uri)

    async def ConfirmTotpEnrolment(
        self, request: admin_pb2.ConfirmTotpEnrolmentRequest, context: Context
    ) -> admin_pb2.ConfirmTotpEnrolmentResponse:
        await self._run(account.confirm_totp, calls.caller(request), request.code)
        return admin_pb2.ConfirmTotpEnrolmentResponse()

    async def RemoveTotp(self, request: admin_pb2.RemoveTotpRequest, context: Context) -> admin_pb2.RemoveTotpResponse:
        caller = calls.caller(request)
        attempt = await self._verified(caller, request.password)
        await self._run(account.remove_totp, caller, attempt, request.code)
        return admin_pb2.RemoveTotpResponse()

    async def GetInvitation(
        self, request: admin_pb2.GetInvitationRequest, context: Context
    ) -> admin_pb2.GetInvitationResponse:
        rules.check(request)
        invitation, is_totp_required = await self._run(inviting.read, request.token, request.client_address)
        return message(admin_pb2.GetInvitationResponse, invitation, is_totp_required=is_totp_required)

    async def AcceptInvitation(
        self, request: admin_pb2.AcceptInvitationRequest, context: Context
    ) -> admin_pb2.AcceptInvitationResponse:
        rules.check(request)
        token, address = request.token, request.client_address
        await self._run(inviting.read, token, address)
        password_hash = await self.hashing.run(address, self.passwords.hash, request.password)
        signed_in = await self._run(inviting.accept, token, password_hash, address)
        return admin_pb2.AcceptInvitationResponse(session=_session(signed_in))

    def _provider(self) -> Provider:
        """Raises NotFound if no provider is set."""
        missing = Text("Aucun fournisseur d’identité n’est configuré.", "No identity provider is configured.")
        return expect(self.provider, NotFound(missing))

    async def _verified(self, caller: Credentials, password: str) -> Attempt:
        """Returns the attempt if its password was right. Raises InvalidCredentials, SignInThrottled or
        InvalidPayload.
        """
        address = caller.client_address
        with self.hashing.slot(address):
            attempt = await self._run(account.begin, caller)
            if not await self.hashing.take_turn(address, self.passwords.verify, password, attempt.password_hash):
                raise await self._run(account.refuse, attempt)
        return attempt

    async def _run(self, function: Callable[Concatenate[AccessControl, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a function of the access control in a worker thread."""
        return await self.workers.run(function, self.access_control, *args, **kwargs)


def _session(signed_in: SignedIn) -> admin_pb2.SignInResponse:
    return message(admin_pb2.SignInResponse, signed_in, role=signed_in.admin.role)
