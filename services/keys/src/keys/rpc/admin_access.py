"""AdminService: setup, sessions, tokens, admins and the audit log."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

from dataclasses import dataclass
from typing import TYPE_CHECKING

from keys.access import credentials
from keys.access.access_control import AccessControl
from keys.access.account import Account
from keys.access.authenticator import Authenticator
from keys.access.invitations import Invitations
from keys.access.passwords import Passwords, normalized_email
from keys.admin import administrators
from keys.clock import read_instant
from keys.metering.buckets import read_end, read_start
from keys.records import Role
from keys.rpc import admin_convert as convert
from keys.rpc import rules
from keys.rpc.convert import ROLES, instant
from keys.rpc.hashing_queue import HashingQueue
from keys.store import admins, audit, audit_names, paging
from keys.store.change import Transaction
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc
from servicekit.workers import Workers

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[object, object]


@dataclass(frozen=True)
class AccessDependencies:
    """`hashing` has its own workers, so that sign-ins do not delay partners' requests."""

    access_control: AccessControl
    authenticator: Authenticator
    account: Account
    invitations: Invitations
    passwords: Passwords
    workers: Workers
    hashing: HashingQueue


class AccessCalls(admin_pb2_grpc.AdminServiceServicer):
    _access: AccessDependencies

    async def GetSetup(self, request: admin_pb2.GetSetupRequest, context: Context) -> admin_pb2.GetSetupResponse:  # noqa: N802
        return admin_pb2.GetSetupResponse(
            is_open=await self._access.workers.run(self._access.authenticator.is_setup_open)
        )

    async def CompleteSetup(  # noqa: N802
        self, request: admin_pb2.CompleteSetupRequest, context: Context
    ) -> admin_pb2.CompleteSetupResponse:
        rules.check(request)
        token, email, address = request.setup_token, request.email, request.client_address
        authenticator, workers = self._access.authenticator, self._access.workers
        await workers.run(authenticator.begin_setup, token, address)
        password_hash = await self._access.hashing.run(address, self._access.passwords.hash, request.password)
        admin = await workers.run(authenticator.complete_setup, token, email, password_hash, address)
        return admin_pb2.CompleteSetupResponse(admin=convert.admin(admin))

    async def SignIn(self, request: admin_pb2.SignInRequest, context: Context) -> admin_pb2.SignInResponse:  # noqa: N802
        rules.check(request)
        authenticator, workers = self._access.authenticator, self._access.workers
        with self._access.hashing.slot(request.client_address) as slot:
            attempt = await workers.run(authenticator.begin_sign_in, request.email, request.client_address)
            is_right = await slot.run(self._access.passwords.verify, request.password, attempt.password_hash)
        signed_in = await workers.run(authenticator.finish_sign_in, attempt, request.totp, is_right=is_right)
        return convert.signed_in(signed_in)

    async def SignOut(self, request: admin_pb2.SignOutRequest, context: Context) -> admin_pb2.SignOutResponse:  # noqa: N802
        await self._access.workers.run(self._access.authenticator.sign_out, convert.caller(request))
        return admin_pb2.SignOutResponse()

    async def GetSession(self, request: admin_pb2.GetSessionRequest, context: Context) -> admin_pb2.GetSessionResponse:  # noqa: N802
        caller = convert.caller(request)
        session = await self._access.workers.run(self._access.access_control.session, caller)
        return admin_pb2.GetSessionResponse(
            admin=convert.admin(session.admin),
            csrf_token=credentials.csrf_token(caller.session_token),
            expires_at=instant(session.expires_at),
            is_totp_required=session.is_totp_required,
        )

    async def VerifyCaller(  # noqa: N802
        self, request: admin_pb2.VerifyCallerRequest, context: Context
    ) -> admin_pb2.VerifyCallerResponse:
        principal = await self._access.workers.run(self._access.access_control.verify, convert.caller(request))
        return admin_pb2.VerifyCallerResponse(role=ROLES[principal.role], must_enrol_totp=principal.must_enrol)

    async def CreateToken(  # noqa: N802
        self, request: admin_pb2.CreateTokenRequest, context: Context
    ) -> admin_pb2.CreateTokenResponse:
        return await self._access.workers.run(self._create_token, request)

    def _create_token(self, request: admin_pb2.CreateTokenRequest) -> admin_pb2.CreateTokenResponse:
        with self._access.access_control.changing(convert.caller(request), Role.OWNER) as change:
            expires_at = request.expires_at if request.HasField("expires_at") else None
            token, text = administrators.create_token(
                change,
                request.label,
                convert.read_role(request.role),
                None if expires_at is None else read_instant(expires_at),
            )
        return admin_pb2.CreateTokenResponse(token=convert.token(token), secret=text)

    async def ListTokens(self, request: admin_pb2.ListTokensRequest, context: Context) -> admin_pb2.ListTokensResponse:  # noqa: N802
        return await self._access.workers.run(self._list_tokens, request)

    def _list_tokens(self, request: admin_pb2.ListTokensRequest) -> admin_pb2.ListTokensResponse:
        with self._access.access_control.reading(convert.caller(request), Role.OWNER) as transaction:
            tokens = admins.all_tokens(transaction.connection)
        return admin_pb2.ListTokensResponse(tokens=[convert.token(token) for token in tokens])

    async def RevokeToken(  # noqa: N802
        self, request: admin_pb2.RevokeTokenRequest, context: Context
    ) -> admin_pb2.RevokeTokenResponse:
        return await self._access.workers.run(self._revoke_token, request)

    def _revoke_token(self, request: admin_pb2.RevokeTokenRequest) -> admin_pb2.RevokeTokenResponse:
        with self._access.access_control.changing(convert.caller(request), Role.OWNER) as change:
            token = administrators.revoke_token(change, request.token_id)
        return admin_pb2.RevokeTokenResponse(token=convert.token(token))

    async def ListAuditEntries(  # noqa: N802
        self, request: admin_pb2.ListAuditEntriesRequest, context: Context
    ) -> admin_pb2.ListAuditEntriesResponse:
        return await self._access.workers.run(self._list_audit_entries, request)

    def _list_audit_entries(self, request: admin_pb2.ListAuditEntriesRequest) -> admin_pb2.ListAuditEntriesResponse:
        size = request.page_size or paging.DEFAULT_PAGE_SIZE
        with self._access.access_control.reading(convert.caller(request), Role.OPERATOR) as transaction:
            before = paging.read_id_token(request.page_token) if request.page_token else None
            wanted = _filter(transaction, request)
            entries = audit.filtered(transaction.connection, wanted, before, size + 1)
            subjects = audit_names.subjects(transaction.connection, entries[:size])
        token = paging.write_token(entries[size - 1].id) if len(entries) > size else ""
        return admin_pb2.ListAuditEntriesResponse(
            entries=[convert.audit_entry(entry, subjects.get(entry.id)) for entry in entries[:size]],
            next_page_token=token,
        )

    async def ListAdmins(self, request: admin_pb2.ListAdminsRequest, context: Context) -> admin_pb2.ListAdminsResponse:  # noqa: N802
        return await self._access.workers.run(self._list_admins, request)

    def _list_admins(self, request: admin_pb2.ListAdminsRequest) -> admin_pb2.ListAdminsResponse:
        with self._access.access_control.reading(convert.caller(request), Role.OWNER) as transaction:
            found = admins.all_admins(transaction.connection)
        return admin_pb2.ListAdminsResponse(admins=[convert.admin(admin) for admin in found])

    async def CreateAdmin(  # noqa: N802
        self, request: admin_pb2.CreateAdminRequest, context: Context
    ) -> admin_pb2.CreateAdminResponse:
        await self._access.workers.run(self._check_new_admin, request)
        hashing, passwords = self._access.hashing, self._access.passwords
        password_hash = await hashing.run(request.caller.client_address, passwords.hash, request.password)
        return await self._access.workers.run(self._create_admin, request, password_hash)

    def _check_new_admin(self, request: admin_pb2.CreateAdminRequest) -> None:
        with self._access.access_control.changing(convert.caller(request), Role.OWNER):
            pass  # the password is hashed outside of a transaction

    def _create_admin(self, request: admin_pb2.CreateAdminRequest, password_hash: str) -> admin_pb2.CreateAdminResponse:
        email, role = normalized_email(request.email), convert.read_role(request.role)
        with self._access.access_control.changing(convert.caller(request), Role.OWNER) as change:
            admin = administrators.create_admin(change, email, password_hash, role)
        return admin_pb2.CreateAdminResponse(admin=convert.admin(admin))

    async def UpdateAdmin(  # noqa: N802
        self, request: admin_pb2.UpdateAdminRequest, context: Context
    ) -> admin_pb2.UpdateAdminResponse:
        return await self._access.workers.run(self._update_admin, request)

    def _update_admin(self, request: admin_pb2.UpdateAdminRequest) -> admin_pb2.UpdateAdminResponse:
        paths, given = set(request.update_mask.paths), request.admin
        with self._access.access_control.changing(convert.caller(request), Role.OWNER) as change:
            admin = administrators.update_admin(
                change,
                given.id,
                convert.read_role(given.role) if "role" in paths else None,
                given.is_active if "is_active" in paths else None,
            )
        return admin_pb2.UpdateAdminResponse(admin=convert.admin(admin))


def _filter(transaction: Transaction, request: admin_pb2.ListAuditEntriesRequest) -> audit.Filter:
    start, end = getattr(request, "from"), request.to
    return audit.Filter(
        audit_names.ids_named(transaction.connection, request.subject) if request.subject else (),
        request.actor,
        request.action,
        read_start(start) if start else None,
        read_end(end) if end else None,
    )
