"""Client of keys' AdminService.

Each call contains the whole credential, since keys verifies it in the transaction of the change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import grpc
from google.protobuf.field_mask_pb2 import FieldMask

from edge import access
from edge.clients import admin_json as to_json
from edge.clients import admin_messages as to_message
from edge.clients.errors import problem_of
from edge.clients.land_json import JsonObject
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.keys.v1.admin_pb2_grpc import AdminServiceAsyncStub

R = TypeVar("R")

_POINTERS = {
    "/setup_token": "/token",
    "/page_token": "/cursor",
    "/page_size": "/limit",
    "/search": "/q",
    "/order_by": "/sort",
    "/partner_id": "/partner",
    "/billing_month": "/month",
}
"""Pointers of keys' messages, and the members of the admin API that they stand for."""

Changes = Mapping[str, Any]
"""Members to change, by name; None removes a value."""


class SignedIn(NamedTuple):
    session_token: str
    body: JsonObject


class AdminClient:
    """Each call raises Problem if keys refuses it or is not available. Calls are not retried."""

    def __init__(
        self, channel: grpc.aio.Channel, outgoing: Outgoing, deadline_s: float, password_deadline_s: float
    ) -> None:
        self._stub: AdminServiceAsyncStub = admin_pb2_grpc.AdminServiceStub(channel)
        self._outgoing = outgoing
        self._deadline_s = deadline_s
        self._password_deadline_s = password_deadline_s

    async def _call(self, method: Callable[..., Awaitable[R]], request: object, *, hashes_password: bool = False) -> R:
        deadline_s = self._password_deadline_s if hashes_password else self._deadline_s
        try:
            return await method(request, **self._outgoing(deadline_s))
        except grpc.aio.AioRpcError as error:
            problem = problem_of(error, "keys")
            problem.violations = [
                replace(fault, pointer=_POINTERS.get(fault.pointer, fault.pointer)) for fault in problem.violations
            ]
            raise problem from error

    # Setup and sessions

    async def check(self, caller: access.Caller) -> None:
        """Raises Problem if the credential is not valid. A bearer token has no session, so this lists the plans, a
        cheap call that every role may make.
        """
        await (self.plans(caller) if caller.bearer_token else self.session(caller))

    async def setup_is_open(self) -> bool:
        return (await self._call(self._stub.GetSetup, admin_pb2.GetSetupRequest())).is_open

    async def complete_setup(self, token: str, email: str, password: str, client_address: str) -> JsonObject:
        request = admin_pb2.CompleteSetupRequest(
            setup_token=token, email=email, password=password, client_address=client_address
        )
        return to_json.admin((await self._call(self._stub.CompleteSetup, request, hashes_password=True)).admin)

    async def sign_in(self, email: str, password: str, totp: str, client_address: str) -> SignedIn:
        request = admin_pb2.SignInRequest(email=email, password=password, totp=totp, client_address=client_address)
        answer = await self._call(self._stub.SignIn, request, hashes_password=True)
        body = {
            "role": to_json.role(answer.role),
            "csrf_token": answer.csrf_token,
            "expires_at": answer.expires_at,
        }
        return SignedIn(answer.session_token, body)

    async def sign_out(self, caller: access.Caller) -> None:
        await self._call(self._stub.SignOut, admin_pb2.SignOutRequest(caller=to_message.caller(caller)))

    async def session(self, caller: access.Caller) -> JsonObject:
        request = admin_pb2.GetSessionRequest(caller=to_message.caller(caller))
        answer = await self._call(self._stub.GetSession, request)
        return {
            "admin": to_json.admin(answer.admin) if answer.HasField("admin") else None,
            "csrf_token": answer.csrf_token or None,
            "expires_at": answer.expires_at or None,
            "totp_required": answer.is_totp_required,
        }

    # The caller's own account, and the access policy

    async def change_password(self, caller: access.Caller, current_password: str, new_password: str) -> None:
        request = admin_pb2.ChangePasswordRequest(
            caller=to_message.caller(caller), current_password=current_password, new_password=new_password
        )
        await self._call(self._stub.ChangePassword, request, hashes_password=True)

    async def begin_totp(self, caller: access.Caller, password: str) -> JsonObject:
        request = admin_pb2.BeginTotpEnrolmentRequest(caller=to_message.caller(caller), password=password)
        answer = await self._call(self._stub.BeginTotpEnrolment, request, hashes_password=True)
        return {"secret": answer.secret, "uri": answer.uri}

    async def confirm_totp(self, caller: access.Caller, code: str) -> None:
        request = admin_pb2.ConfirmTotpEnrolmentRequest(caller=to_message.caller(caller), code=code)
        await self._call(self._stub.ConfirmTotpEnrolment, request)

    async def remove_totp(self, caller: access.Caller, password: str, code: str) -> None:
        request = admin_pb2.RemoveTotpRequest(caller=to_message.caller(caller), password=password, code=code)
        await self._call(self._stub.RemoveTotp, request, hashes_password=True)

    async def access_policy(self, caller: access.Caller) -> JsonObject:
        request = admin_pb2.GetAccessPolicyRequest(caller=to_message.caller(caller))
        answer = await self._call(self._stub.GetAccessPolicy, request)
        return {"totp_required": answer.policy.is_totp_required}

    async def update_access_policy(self, caller: access.Caller, totp_required: bool) -> JsonObject:
        request = admin_pb2.UpdateAccessPolicyRequest(
            caller=to_message.caller(caller), policy=admin_pb2.AccessPolicy(is_totp_required=totp_required)
        )
        answer = await self._call(self._stub.UpdateAccessPolicy, request)
        return {"totp_required": answer.policy.is_totp_required}

    # Tokens and admins

    async def create_token(self, caller: access.Caller, label: str, role: str, expires_at: str | None) -> JsonObject:
        request = admin_pb2.CreateTokenRequest(
            caller=to_message.caller(caller), label=label, role=to_message.role(role), expires_at=expires_at
        )
        answer = await self._call(self._stub.CreateToken, request)
        return {**to_json.token(answer.token), "token": answer.secret}

    async def tokens(self, caller: access.Caller) -> JsonObject:
        request = admin_pb2.ListTokensRequest(caller=to_message.caller(caller))
        answer = await self._call(self._stub.ListTokens, request)
        return to_json.page(map(to_json.token, answer.tokens), "")

    async def revoke_token(self, caller: access.Caller, token_id: str) -> JsonObject:
        request = admin_pb2.RevokeTokenRequest(caller=to_message.caller(caller), token_id=token_id)
        return to_json.token((await self._call(self._stub.RevokeToken, request)).token)

    async def admins(self, caller: access.Caller) -> JsonObject:
        request = admin_pb2.ListAdminsRequest(caller=to_message.caller(caller))
        answer = await self._call(self._stub.ListAdmins, request)
        return to_json.page(map(to_json.admin, answer.admins), "")

    async def create_admin(self, caller: access.Caller, email: str, password: str, role: str) -> JsonObject:
        request = admin_pb2.CreateAdminRequest(
            caller=to_message.caller(caller), email=email, password=password, role=to_message.role(role)
        )
        return to_json.admin((await self._call(self._stub.CreateAdmin, request, hashes_password=True)).admin)

    async def update_admin(self, caller: access.Caller, admin_id: str, changes: Changes) -> JsonObject:
        request = admin_pb2.UpdateAdminRequest(
            caller=to_message.caller(caller),
            admin=to_message.admin(admin_id, changes),
            update_mask=FieldMask(paths=list(changes)),
        )
        return to_json.admin((await self._call(self._stub.UpdateAdmin, request)).admin)

    async def audit(self, caller: access.Caller, subject: str, limit: int, cursor: str) -> JsonObject:
        request = admin_pb2.ListAuditEntriesRequest(
            caller=to_message.caller(caller), subject=subject, page_size=limit, page_token=cursor
        )
        answer = await self._call(self._stub.ListAuditEntries, request)
        return to_json.page(map(to_json.audit_entry, answer.entries), answer.next_page_token)

    # Keys

    async def keys(
        self,
        caller: access.Caller,
        *,
        partner: str,
        status: str | None,
        search: str,
        sort: str,
        limit: int,
        cursor: str,
    ) -> JsonObject:
        request = admin_pb2.ListKeysRequest(
            caller=to_message.caller(caller),
            partner_id=partner,
            status=to_message.key_status(status),
            search=search,
            order_by=to_message.order_by(sort),
            page_size=limit,
            page_token=cursor,
        )
        answer = await self._call(self._stub.ListKeys, request)
        return to_json.page(map(to_json.key, answer.keys), answer.next_page_token)

    async def create_key(self, caller: access.Caller, terms: Changes, idempotency_key: str) -> JsonObject:
        request = to_message.create_key(caller, terms, idempotency_key)
        answer = await self._call(self._stub.CreateKey, request)
        return {"key": to_json.key(answer.key), "secret": answer.secret}

    async def key(self, caller: access.Caller, key_id: str) -> JsonObject:
        request = admin_pb2.GetKeyRequest(caller=to_message.caller(caller), key_id=key_id)
        return to_json.key((await self._call(self._stub.GetKey, request)).key)

    async def update_key(self, caller: access.Caller, key_id: str, changes: Changes) -> JsonObject:
        request = admin_pb2.UpdateKeyRequest(
            caller=to_message.caller(caller),
            key=to_message.key(key_id, changes),
            update_mask=FieldMask(paths=list(changes)),
        )
        return to_json.key((await self._call(self._stub.UpdateKey, request)).key)

    async def revoke_key(self, caller: access.Caller, key_id: str) -> JsonObject:
        request = admin_pb2.RevokeKeyRequest(caller=to_message.caller(caller), key_id=key_id)
        return to_json.key((await self._call(self._stub.RevokeKey, request)).key)

    async def rotate_key(self, caller: access.Caller, key_id: str, grace_days: int) -> JsonObject:
        request = admin_pb2.RotateKeyRequest(caller=to_message.caller(caller), key_id=key_id, grace_days=grace_days)
        answer = await self._call(self._stub.RotateKey, request)
        return {"key": to_json.key(answer.key), "secret": answer.secret}

    # Partners and plans

    async def partners(self, caller: access.Caller, search: str, limit: int, cursor: str) -> JsonObject:
        request = admin_pb2.ListPartnersRequest(
            caller=to_message.caller(caller), search=search, page_size=limit, page_token=cursor
        )
        answer = await self._call(self._stub.ListPartners, request)
        return to_json.page(map(to_json.partner, answer.partners), answer.next_page_token)

    async def create_partner(self, caller: access.Caller, name: str, metadata: Changes | None) -> JsonObject:
        request = admin_pb2.CreatePartnerRequest(
            caller=to_message.caller(caller), name=name, metadata=to_message.struct(metadata)
        )
        return to_json.partner((await self._call(self._stub.CreatePartner, request)).partner)

    async def update_partner(self, caller: access.Caller, partner_id: str, changes: Changes) -> JsonObject:
        request = admin_pb2.UpdatePartnerRequest(
            caller=to_message.caller(caller),
            partner=to_message.partner(partner_id, changes),
            update_mask=FieldMask(paths=list(changes)),
        )
        return to_json.partner((await self._call(self._stub.UpdatePartner, request)).partner)

    async def plans(self, caller: access.Caller) -> JsonObject:
        request = admin_pb2.ListPlansRequest(caller=to_message.caller(caller))
        answer = await self._call(self._stub.ListPlans, request)
        return to_json.page(map(to_json.plan, answer.plans), "")

    async def create_plan(self, caller: access.Caller, name: str, pricing: Changes) -> JsonObject:
        request = admin_pb2.CreatePlanRequest(
            caller=to_message.caller(caller), name=name, pricing=to_message.pricing(pricing)
        )
        return to_json.plan((await self._call(self._stub.CreatePlan, request)).plan)

    async def update_plan(self, caller: access.Caller, plan_id: str, changes: Changes) -> JsonObject:
        request = admin_pb2.UpdatePlanRequest(
            caller=to_message.caller(caller),
            plan=to_message.plan(plan_id, changes),
            update_mask=FieldMask(paths=list(changes)),
        )
        return to_json.plan((await self._call(self._stub.UpdatePlan, request)).plan)

    # Usage

    async def usage(self, caller: access.Caller, query: Changes) -> JsonObject:
        request = admin_pb2.GetUsageReportRequest(
            caller=to_message.caller(caller),
            to=query["to"] or "",
            bucket=to_message.bucket(query["bucket"]),
            key_id=query["key_id"] or "",
            partner_id=query["partner"] or "",
            billing_month=query["month"] or "",
            **{"from": query["from"] or ""},
        )
        return to_json.usage_report(await self._call(self._stub.GetUsageReport, request), query["bucket"])
