"""What a call can raise.

LandPartnerError
├── ServiceError        the service answered with an error
├── ConnectionFailed    there was no complete answer
│   └── IncompleteStream    a stream of events ended before its end
└── UnexpectedAnswer    the answer is not one of this API
"""

from collections.abc import Mapping, Sequence
from typing import Any

from landpartner_client.schemas import Violation


class LandPartnerError(Exception):
    """Any error of this package."""


class ServiceError(LandPartnerError):
    """An error that the service, or a proxy before it, answered."""

    def __init__(
        self, status: int, problem: Mapping[str, Any], request_id: str = "", retry_after_s: float | None = None
    ) -> None:
        self.status = status
        self.problem = problem
        """The whole body (RFC 9457), with members such as `successors`; empty if the answer came from a proxy."""
        self.code: str = str(problem.get("code", "unknown"))
        """The reason for programs, which stays the same."""
        self.detail: str = str(problem.get("detail", f"the answer has status {status} and no description"))
        """The reason for people, in the client's language."""
        self.request_id: str = str(problem.get("request_id", request_id))
        """Finds the request in the logs of the service."""
        self.errors: Sequence[Violation] = problem.get("errors") or ()
        """The faults of a request that got status 400."""
        self.retry_after_s = retry_after_s
        """How long the service asks to wait."""
        super().__init__(f"{status} {self.code}: {self.detail} (request {self.request_id or 'unknown'})")


class ConnectionFailed(LandPartnerError):
    """No complete answer came. If the request had been sent, the service may have billed it."""


class IncompleteStream(ConnectionFailed):
    """The stream ended without `done`: what arrived is not the whole answer."""


class UnexpectedAnswer(LandPartnerError):
    """The answer is too large, or it is not what the API describes."""
