"""What keys tells its callers by code.
- KeysError
  - NotFound: there is no such record
  - Conflict: the record is in a state that does not allow it, or its name is taken
    - IdempotencyMismatch: the same Idempotency-Key came with another request
    - SetupClosed: the first owner exists
  - SignInRequired: no session or token, or one that is over
  - InvalidCredentials: the account or the password is wrong, which of them is not told
  - InvalidSetupToken: the setup token is wrong or too old
  - CsrfFailed: a change by session without its CSRF token
  - RoleDenied: the caller's role does not allow it
  - SignInThrottled: too many attempts failed
  - Unavailable: the database did not answer; nothing was done
"""

import grpc

from servicekit.errors import ServiceError
from servicekit.rpc_errors import StatusTable


class KeysError(ServiceError):
    """Root of the tree."""


class NotFound(KeysError):
    code = "not_found"


class Conflict(KeysError):
    code = "conflict"


class IdempotencyMismatch(Conflict):
    code = "idempotency_mismatch"


class SetupClosed(Conflict):
    code = "setup_closed"


class SignInRequired(KeysError):
    code = "sign_in_required"


class InvalidCredentials(KeysError):
    code = "invalid_credentials"


class InvalidSetupToken(KeysError):
    code = "invalid_token"


class CsrfFailed(KeysError):
    code = "csrf_failed"


class RoleDenied(KeysError):
    code = "role_denied"


class SignInThrottled(KeysError):
    code = "sign_in_throttled"


class Unavailable(KeysError):
    code = "unavailable"


STATUSES: StatusTable = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    Conflict: grpc.StatusCode.ALREADY_EXISTS,
    SignInRequired: grpc.StatusCode.UNAUTHENTICATED,
    InvalidCredentials: grpc.StatusCode.UNAUTHENTICATED,
    InvalidSetupToken: grpc.StatusCode.UNAUTHENTICATED,
    CsrfFailed: grpc.StatusCode.PERMISSION_DENIED,
    RoleDenied: grpc.StatusCode.PERMISSION_DENIED,
    SignInThrottled: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
}
