"""What keys tells its callers by code.
- KeysError
  - NotFound: there is no such record
  - Conflict: the record is in a state that does not allow it, or its name is taken
    - IdempotencyMismatch: the same Idempotency-Key came with another request
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


class Unavailable(KeysError):
    code = "unavailable"


STATUSES: StatusTable = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    Conflict: grpc.StatusCode.ALREADY_EXISTS,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
}
