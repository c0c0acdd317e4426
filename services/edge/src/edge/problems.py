"""Every error that the edge answers: RFC 9457 problems.

Any code below a handler may raise `Problem`. Only `responses.to_response` writes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from contract.problem_codes import PROBLEMS
from servicekit.context import request_id
from servicekit.errors import Violation
from servicekit.languages import Text

MEDIA_TYPE = "application/problem+json"
CODE_PAGE = "/api/docs/codes#code-"
"""The address of what a code means, and of what to do."""
MAX_VIOLATIONS = 20
"""An answer lists at most this many violations."""
CLIENT_CLOSED_REQUEST = 499
"""Status in logs and outcomes if the client disconnected before the answer was complete; never sent."""


@dataclass
class Problem(Exception):
    """An error answer. `code` is one of PROBLEMS; `detail` contains no secret.

    `members` are more members of the body, such as the successors of a retired parcel.
    """

    code: str
    detail: Text | str | None = None
    violations: Sequence[Violation] = ()
    retry_after_s: int | None = None
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.detail or self.title}"

    @property
    def status(self) -> int:
        return PROBLEMS[self.code].status

    @property
    def title(self) -> Text:
        return PROBLEMS[self.code].title


def invalid(pointer: str, code: str, detail: Text) -> Problem:
    """A 400 for one member of the request."""
    return Problem("invalid_payload", detail, [Violation(pointer, code, str(detail))])


def problem_json(problem: Problem, path: str) -> dict[str, object]:
    kind = PROBLEMS[problem.code]
    body: dict[str, object] = {
        "type": f"{CODE_PAGE}{problem.code}",
        "title": str(kind.title),
        "status": kind.status,
        "detail": str(problem.detail or kind.title),
        "instance": path,
        "code": problem.code,
        "request_id": request_id.get(),
        **problem.members,
    }
    if kind.status == 400 or problem.violations:  # noqa: PLR2004 (the contract: 400 always lists its violations)
        listed = problem.violations[:MAX_VIOLATIONS]
        body["errors"] = [{"pointer": v.pointer, "code": v.code, "detail": v.detail} for v in listed]
    return body
