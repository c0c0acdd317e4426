"""Encodes and decodes errors as google.rpc.Status details: ErrorInfo (code, metadata), BadRequest and RetryInfo."""

from collections.abc import Mapping

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from servicekit.errors import (
    InvalidPayload,
    Overloaded,
    ServiceError,
    Violation,
    WebhookNotActive,
    WebhookNotFound,
    WebhooksOff,
)

ERROR_DOMAIN = "landpartner"
DETAILS_KEY = "grpc-status-details-bin"

_STATUSES: Mapping[int, grpc.StatusCode] = {status.value[0]: status for status in grpc.StatusCode}

StatusTable = Mapping[type[ServiceError], grpc.StatusCode]
"""gRPC status by error class. The most derived listed class of an error decides."""

BASE_STATUSES: StatusTable = {
    InvalidPayload: grpc.StatusCode.INVALID_ARGUMENT,
    # Not UNAVAILABLE: channels retry it at once, which would add load.
    Overloaded: grpc.StatusCode.RESOURCE_EXHAUSTED,
    WebhookNotFound: grpc.StatusCode.NOT_FOUND,
    WebhookNotActive: grpc.StatusCode.FAILED_PRECONDITION,
    WebhooksOff: grpc.StatusCode.UNIMPLEMENTED,
    ServiceError: grpc.StatusCode.INTERNAL,
}


def status_of(error: ServiceError, table: StatusTable) -> grpc.StatusCode:
    listed = {**BASE_STATUSES, **table}
    return next((listed[cls] for cls in type(error).__mro__ if cls in listed), grpc.StatusCode.INTERNAL)


def encode_status(error: ServiceError, status: grpc.StatusCode) -> bytes:
    """The complete error as a serialized google.rpc.Status, in the language of the current call."""
    message = status_pb2.Status(code=status.value[0], message=str(error.detail))
    message.details.add().Pack(
        error_details_pb2.ErrorInfo(reason=error.code, domain=ERROR_DOMAIN, metadata=dict(error.metadata))
    )
    if error.violations:
        violations = [
            error_details_pb2.BadRequest.FieldViolation(field=v.pointer, reason=v.code, description=str(v.detail))
            for v in error.violations
        ]
        message.details.add().Pack(error_details_pb2.BadRequest(field_violations=violations))
    if error.retry_after_s is not None:
        message.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=error.retry_after_s)))
    return bytes(message.SerializeToString())


class RemoteError(ServiceError):
    """An error from another service, in the language of the call. `status` is its gRPC status."""

    detail: str

    def __init__(self, code: str, detail: str, status: grpc.StatusCode) -> None:
        super().__init__(detail)
        self.code = code
        self.status = status


def decode(error: grpc.aio.AioRpcError) -> RemoteError | None:
    """The service error of a failed call; None if the transport failed."""
    metadata = error.trailing_metadata() or ()
    encoded = (value for key, value in metadata if key == DETAILS_KEY and isinstance(value, bytes))
    return next(map(decode_status, encoded), None)


def decode_status(encoded: bytes) -> RemoteError | None:
    """The service error of a serialized google.rpc.Status; None if it is not one of our services' errors."""
    message = status_pb2.Status.FromString(encoded)
    info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    for detail in message.details:
        for target in (info, bad, retry):
            detail.Unpack(target)
    if info.domain != ERROR_DOMAIN:
        return None
    remote = RemoteError(info.reason, message.message, _STATUSES.get(message.code, grpc.StatusCode.UNKNOWN))
    remote.metadata = dict(info.metadata)
    remote.violations = [Violation(v.field, v.reason, v.description) for v in bad.field_violations]
    if retry.HasField("retry_delay"):
        remote.retry_after_s = retry.retry_delay.seconds
    return remote
