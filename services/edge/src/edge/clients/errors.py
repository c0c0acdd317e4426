"""Converts a failed call to another service to the problem that the edge answers."""

import logging
from collections.abc import Awaitable
from typing import TypeVar

import grpc

from contract.problem_codes import PROBLEMS
from edge.problems import Problem
from servicekit.languages import Text
from servicekit.rpc_errors import RemoteError, decode, decode_status

log = logging.getLogger(__name__)

T = TypeVar("T")

_SUCCESSORS = "successors"

_TRANSPORT_CODES = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "deadline_exceeded",
    grpc.StatusCode.UNAVAILABLE: "unavailable",
    grpc.StatusCode.CANCELLED: "unavailable",  # by a server that stops
    grpc.StatusCode.RESOURCE_EXHAUSTED: "unavailable",  # more concurrent calls than the server accepts
    grpc.StatusCode.UNIMPLEMENTED: "not_implemented",
}
_LATE = Text("La réponse n’est pas arrivée à temps.", "The answer did not arrive in time.")


async def answered(call: Awaitable[T], service: str) -> T:
    """Returns the response of a call. Raises Problem if the service refuses it or is not available."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        raise problem_of(error, service) from error


def problem_of(error: grpc.aio.AioRpcError, service: str) -> Problem:
    """The problem for a failed call. `service` appears only in the log."""
    return _problem(decode(error), error.code(), error.details(), service)


def problem_in(encoded_status: bytes, service: str) -> Problem:
    """The problem of an encoded google.rpc.Status inside a response. `service` appears only in the log."""
    remote = decode_status(encoded_status)
    return _problem(remote, remote.status if remote else grpc.StatusCode.UNKNOWN, "no error of ours", service)


def _problem(remote: RemoteError | None, status: grpc.StatusCode, details: str | None, service: str) -> Problem:
    if remote is not None and remote.code in PROBLEMS:
        return _remote_problem(remote)
    code = _TRANSPORT_CODES.get(status, "upstream_failed")
    if code == "upstream_failed":
        reason = remote.code if remote else details
        log.error("a call failed", extra={"upstream": service, "status": status.name, "reason": reason})
    else:
        log.warning("a call failed", extra={"upstream": service, "status": status.name, "reason": details})
    return Problem(code, _LATE if code == "deadline_exceeded" else PROBLEMS[code].detail)


def _remote_problem(remote: RemoteError) -> Problem:
    members = {}
    if remote.code == "parcel_retired":
        members[_SUCCESSORS] = [part for part in remote.metadata.get(_SUCCESSORS, "").split(",") if part]
    return Problem(remote.code, remote.detail, remote.violations, remote.retry_after_s, members)
