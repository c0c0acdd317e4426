"""Client of keys' AdminService.

Each call contains the whole credential, since keys verifies it in the transaction of the change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from google.protobuf.message import Message

from edge.clients.errors import problem_of
from edge.problems import Problem
from landpartner.keys.v1 import admin_pb2 as pb
from landpartner.keys.v1 import admin_pb2_grpc
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.keys.v1.admin_pb2_grpc import AdminServiceAsyncStub

R = TypeVar("R")

_MEMBERS = {
    "/setup_token": "/token",
    "/page_token": "/cursor",
    "/page_size": "/limit",
    "/search": "/q",
    "/order_by": "/sort",
    "/partner_id": "/partner",
    "/billing_month": "/month",
    "/is_totp_required": "/totp_required",
}
"""The members of the admin API whose fields in keys' requests have another name, as pointers."""
_SLOW = (
    pb.CompleteSetupRequest,
    pb.SignInRequest,
    pb.BeginSingleSignOnRequest,
    pb.CompleteSingleSignOnRequest,
    pb.ChangePasswordRequest,
    pb.BeginTotpEnrolmentRequest,
    pb.RemoveTotpRequest,
    pb.CreateAdminRequest,
    pb.AcceptInvitationRequest,
    pb.GetIssuedBillPdfRequest,
)
"""Requests for which keys hashes a password, asks the identity provider or writes a PDF."""


class AdminClient:
    def __init__(
        self, channel: grpc.aio.Channel, outgoing: Outgoing, deadline_s: float, password_deadline_s: float
    ) -> None:
        self.stub: AdminServiceAsyncStub = admin_pb2_grpc.AdminServiceStub(channel)
        self._outgoing = outgoing
        self._deadline_s = deadline_s
        self._password_deadline_s = password_deadline_s

    async def call(self, method: Callable[..., Awaitable[R]], request: Message) -> R:
        """Calls a method of the stub. It is not retried. Raises Problem if keys refuses it or is not available."""
        deadline_s = self._password_deadline_s if isinstance(request, _SLOW) else self._deadline_s
        try:
            return await method(request, **self._outgoing(deadline_s))
        except grpc.aio.AioRpcError as error:
            problem = problem_of(error, "keys")
            problem.violations = [
                replace(fault, pointer=_MEMBERS.get(fault.pointer, fault.pointer)) for fault in problem.violations
            ]
            raise problem from error

    async def refusal_of(self, caller: pb.Caller) -> Problem | None:
        """Returns the problem of a credential that keys does not accept."""
        try:
            await AdminCalls(self, caller)(self.stub.VerifyCaller, pb.VerifyCallerRequest())
        except Problem as problem:
            return problem
        return None


@dataclass(frozen=True, slots=True)
class AdminCalls:
    """Calls with the credential of one caller."""

    client: AdminClient
    caller: pb.Caller = field(repr=False)

    @property
    def stub(self) -> AdminServiceAsyncStub:
        return self.client.stub

    async def __call__(self, method: Callable[..., Awaitable[R]], request: Any) -> R:
        """Calls a method whose request has the credential. Raises Problem as `AdminClient.call`."""
        request.caller.CopyFrom(self.caller)
        return await self.client.call(method, request)
