"""The context of a request in every process: id, deadline and API key. None of it is used for billing."""

import math
import re
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

REQUEST_ID_HEADER = "x-request-id"
REQUESTER_HEADER = "x-requester"
_SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")

MAX_IDS_BYTES = 4_096
"""Limit of the ids of one batch, which travel in one header. gRPC takes headers of 8 KiB in all."""

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""A batch of several requests has the ids of all, separated by spaces."""
requester: ContextVar[str] = ContextVar("requester", default="")
"""The id of the API key, to share work fairly between keys. Empty if the caller gives none."""
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


def accept_request_id(candidate: str | None) -> str:
    """Returns the candidate if it is 1 to 128 characters that are safe in logs and headers, else a new id."""
    return candidate if candidate and _SAFE_REQUEST_ID.fullmatch(candidate) else uuid.uuid4().hex


def accept_request_ids(candidate: str | None) -> str:
    """Returns one id or the ids of a batch, each checked by `accept_request_id`."""
    if candidate and " " in candidate and len(candidate) <= MAX_IDS_BYTES:
        return " ".join(accept_request_id(identifier) for identifier in candidate.split(" "))
    return accept_request_id(candidate)


def joined(identifiers: Sequence[str]) -> str:
    """The ids of a batch as its request id: as many as its header may have."""
    ids = " ".join(identifiers)
    return ids if len(ids) <= MAX_IDS_BYTES else ids[:MAX_IDS_BYTES].rpartition(" ")[0]


@contextmanager
def assigned(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Runs the block with this value of the variable."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def one_of_batch(index: int) -> AbstractContextManager[None]:
    """Runs the block for one request of the current batch, by its place: logs have its id only."""
    identifiers = request_id.get().split(" ")
    is_in_batch = len(identifiers) > 1 and index < len(identifiers)
    return assigned(request_id, identifiers[index] if is_in_batch else request_id.get())


def accept_requester(candidate: str | None) -> str:
    """Returns the candidate if it is safe in logs and headers, else an empty string."""
    return candidate if candidate and _SAFE_REQUEST_ID.fullmatch(candidate) else ""


def deadline(seconds: float | None) -> AbstractContextManager[None]:
    """Limits the time of the block. An earlier outer deadline stays in force."""
    ends = _deadline.get()
    if seconds is not None:
        ends = min(time.monotonic() + seconds, math.inf if ends is None else ends)
    return assigned(_deadline, ends)


def remaining_s() -> float | None:
    """Seconds until the deadline, at least 0; None without a deadline."""
    ends = _deadline.get()
    return None if ends is None else max(0.0, ends - time.monotonic())
