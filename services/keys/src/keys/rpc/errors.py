"""The gRPC status of each of the errors."""

import grpc

from keys.values import errors
from servicekit.rpc_errors import StatusTable

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
