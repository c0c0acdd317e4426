"""The gRPC services of keys: AdminService as its groups of calls, who may call which method, and statuses of errors."""

import grpc

from keys.rpc.access_calls import AccessCalls
from keys.rpc.admin_calls import AdminsCalls
from keys.rpc.audit_calls import AuditCalls
from keys.rpc.bill_calls import BillCalls
from keys.rpc.installation_calls import InstallationCalls
from keys.rpc.key_calls import KeyCalls
from keys.rpc.partner_calls import PartnerCalls
from keys.rpc.plan_calls import PlanCalls
from keys.rpc.usage_calls import UsageCalls
from keys.values import errors
from landpartner.keys.v1 import admin_pb2, keys_pb2
from servicekit.rpc_errors import StatusTable

KEYS_CALLERS = {"edge": list(keys_pb2.DESCRIPTOR.services_by_name["KeysService"].methods_by_name)}
ADMIN_CALLERS = {"edge": list(admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods_by_name)}
"""Only edges call keys, and they use every method."""
STATUSES: StatusTable = {
    errors.NotFound: grpc.StatusCode.NOT_FOUND,
    errors.Conflict: grpc.StatusCode.ALREADY_EXISTS,
    errors.SignInRequired: grpc.StatusCode.UNAUTHENTICATED,
    errors.InvalidCredentials: grpc.StatusCode.UNAUTHENTICATED,
    errors.TotpRequired: grpc.StatusCode.UNAUTHENTICATED,
    errors.InvalidTotp: grpc.StatusCode.UNAUTHENTICATED,
    errors.InvalidInvitation: grpc.StatusCode.UNAUTHENTICATED,
    errors.InvalidSetupToken: grpc.StatusCode.UNAUTHENTICATED,
    errors.SingleSignOnFailed: grpc.StatusCode.UNAUTHENTICATED,
    errors.SingleSignOnDenied: grpc.StatusCode.PERMISSION_DENIED,
    errors.CsrfFailed: grpc.StatusCode.PERMISSION_DENIED,
    errors.RoleDenied: grpc.StatusCode.PERMISSION_DENIED,
    errors.SignInThrottled: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.VisitorKeysUsed: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.WrongPeppers: grpc.StatusCode.FAILED_PRECONDITION,
    errors.Unavailable: grpc.StatusCode.UNAVAILABLE,
}
"""The gRPC status of each of the errors."""


class AdminServicer(
    AccessCalls,
    AdminsCalls,
    AuditCalls,
    BillCalls,
    InstallationCalls,
    KeyCalls,
    PartnerCalls,
    PlanCalls,
    UsageCalls,
):
    """All calls of AdminService."""
