"""The context of a request in every process: id, deadline and API key. None of it is used for billing."""

import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

REQUEST_ID_HEADER = "x-request-id"
REQUESTER_HEADER = "x-requester"
_SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")

request_id: ContextVar[str] = ContextVar("request_id", default="")
requester: ContextVar[str] = ContextVar("requester", default="")
"""The id of the API key, to share work fairly between keys. Empty if the caller gives none."""
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


def accept_request_id(candidate: str | None) -> str:
    """Returns the candidate if it is 1 to 128 characters that are safe in logs and headers, else a new id."""
    if candidate and _SAFE_REQUEST_ID.fullmatch(candidate):
        return candidate
    return uuid.uuid4().hex


def accept_requester(candidate: str | None) -> str:
    """Returns the candidate if it is safe in logs and headers, else an empty string."""
    return candidate if candidate and _SAFE_REQUEST_ID.fullmatch(candidate) else ""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Limits the time of the block. An earlier outer deadline stays in force."""
    now = time.monotonic()
    outer = _deadline.get()
    ends = None if seconds is None else now + seconds
    if outer is not None:
        ends = outer if ends is None else min(ends, outer)
    token = _deadline.set(ends)
    try:
        yield
    finally:
        _deadline.reset(token)


def remaining_s() -> float | None:
    """Seconds until the deadline, at least 0; None without a deadline."""
    ends = _deadline.get()
    return None if ends is None else max(0.0, ends - time.monotonic())
