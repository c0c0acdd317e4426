"""A failed call to another service, as the problem that the client is told."""

import logging

import grpc

from edge.languages import Text
from edge.problems import PROBLEMS, Problem
from servicekit.rpc_errors import RemoteError, decode

log = logging.getLogger(__name__)

_SUCCESSORS = "successors"

_TRANSPORT_CODES = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "deadline_exceeded",
    grpc.StatusCode.UNAVAILABLE: "unavailable",
    grpc.StatusCode.UNIMPLEMENTED: "not_implemented",
}
DETAILS = {
    "deadline_exceeded": Text("La réponse n'est pas arrivée à temps.", "The answer did not arrive in time."),
    "unavailable": Text("Un service interne ne répond pas.", "An internal service does not answer."),
    "not_implemented": Text("Cette fonction n'est pas encore en service.", "This function is not in service yet."),
    "upstream_failed": Text("Un service interne a échoué.", "An internal service failed."),
}


def problem_of(error: grpc.aio.AioRpcError, service: str) -> Problem:
    """What a failed call means for the client. `service` is named in the log only."""
    remote = decode(error)
    if remote is not None and remote.code in PROBLEMS:
        return _told(remote)
    code = _TRANSPORT_CODES.get(error.code(), "upstream_failed")
    if code == "upstream_failed":
        log.error(
            "a call failed",
            extra={
                "upstream": service,
                "status": error.code().name,
                "reason": remote.code if remote else error.details(),
            },
        )
    else:
        log.warning("a call failed", extra={"upstream": service, "status": error.code().name})
    return Problem(code, DETAILS[code])


def _told(remote: RemoteError) -> Problem:
    members = {}
    if remote.code == "parcel_retired":
        members[_SUCCESSORS] = [part for part in remote.metadata.get(_SUCCESSORS, "").split(",") if part]
    return Problem(remote.code, remote.detail, remote.violations, remote.retry_after_s, members)
