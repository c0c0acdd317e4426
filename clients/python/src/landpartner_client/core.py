"""What both clients share: the requests, and the decision after each attempt. No input or output here."""

import json
import random
import re
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any, Generic, Literal, TypeVar, cast

import httpx

from landpartner_client.errors import (
    ConnectionFailed,
    IncompleteStream,
    LandPartnerError,
    ServiceError,
    UnexpectedAnswer,
)
from landpartner_client.events import DivisionStream, json_object
from landpartner_client.lines import NDJSON, Lines
from landpartner_client.schemas import (
    CoverageParameters,
    CoverageResult,
    CoveredCommunesParameters,
    CoveredCommunesResult,
    DivideLandBody,
    DivideLandResult,
    ListWatchesParameters,
    ListWatchesResult,
    ParcelsParameters,
    ParcelsResult,
    ResolveAddressResult,
    SearchParcelsBody,
    SearchParcelsResult,
)

Language = Literal["fr", "en"]
Result = TypeVar("Result")
Paged = TypeVar(
    "Paged", CoverageParameters, CoveredCommunesParameters, ListWatchesParameters, ParcelsParameters, SearchParcelsBody
)

FileForm = Literal["dxf", "geopackage"]
_FILES: Mapping[FileForm, str] = {"dxf": "application/dxf", "geopackage": "application/geopackage+sqlite3"}
_API = "/api/v1"
Feed = Literal["watches", "keys"]
WEBHOOKS: Mapping[Feed, str] = {"watches": "/webhooks", "keys": "/keys/events/webhooks"}
_OK, _NO_CONTENT = 200, 204
_ALWAYS_REPEATED = frozenset({429, 503})
_GATEWAY_ERRORS = frozenset({502, 504})
LINES_DEADLINE_S = 900.0
"""How long a file may take with all its attempts. The service ends one after ten minutes."""
_STILL_RUNNING = "idempotency_in_progress"
"""The code if an earlier attempt of the same call has not ended."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_KEY = re.compile(r"[!-~]+")
_IDEMPOTENCY_KEY = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of every call."""

    timeout_s: float
    """How long to wait for the connection, and for each part of an answer."""
    deadline_s: float
    """How long a call may take with all its attempts and pauses."""
    attempts: int
    max_answer_bytes: int
    """The size of an answer; of a stream, the size of an event."""


@dataclass(frozen=True, slots=True)
class Request(Generic[Result]):
    method: Literal["GET", "POST", "DELETE"]
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    is_free: bool = False
    """Whether it costs no units."""
    is_file: bool = False
    """Whether its result is the content of the answer, which is no JSON."""

    @property
    def never_bills_twice(self) -> bool:
        """Whether it can be sent again if nobody knows what became of it: it is free, or it has an idempotency key."""
        return self.is_free or _IDEMPOTENCY_KEY in self.headers


@dataclass(frozen=True, slots=True)
class Failure:
    """The outcome of an attempt without a result."""

    error: LandPartnerError
    may_be_repeated: bool
    retry_after_s: float | None = None


class Attempts:
    """The attempts of one call: how long each may take, and whether another one follows."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._ends_at = time.monotonic() + limits.deadline_s
        self._made = 0

    def begin(self) -> httpx.Timeout:
        """Counts an attempt. Returns its timeout."""
        self._made += 1
        return httpx.Timeout(max(min(self._limits.timeout_s, self._remaining_s()), 0.001))

    def check_deadline(self) -> None:
        """Raises ConnectionFailed after the deadline: a server that sends slowly must not hold the caller."""
        if self._remaining_s() <= 0:
            raise ConnectionFailed(f"the answer was not complete after {self._limits.deadline_s:g} s")

    def pause_s(self, failure: Failure) -> float:
        """The seconds to wait before the next attempt. Raises the error of the failure if there is none."""
        longest = min(_FIRST_PAUSE_S * 2.0 ** (self._made - 1), _LONGEST_PAUSE_S)
        pause = random.uniform(longest / 2, longest)  # noqa: S311 (spreads clients, protects nothing)
        if failure.retry_after_s is not None:
            pause = failure.retry_after_s + min(pause, 1)
        if not failure.may_be_repeated or self._made >= self._limits.attempts or pause >= self._remaining_s():
            raise failure.error
        return pause

    def _remaining_s(self) -> float:
        return self._ends_at - time.monotonic()


def add(chunk: bytes, content: bytearray, limits: Limits, attempts: Attempts) -> None:
    """Adds a chunk to an answer. Raises UnexpectedAnswer if it is too large, and
    ConnectionFailed after the deadline.
    """
    attempts.check_deadline()
    content += chunk
    if len(content) > limits.max_answer_bytes:
        raise UnexpectedAnswer(f"the answer is larger than {limits.max_answer_bytes} bytes")


class KeyHeader(httpx.Auth):
    """Adds the key to each request. So the key is in no setting or representation of the HTTP client."""

    def __init__(self, api_key: str) -> None:
        if not _KEY.fullmatch(api_key):
            raise ValueError("the API key is empty, or contains a character that no key has")
        self.__key = api_key

    def auth_flow(self, request: httpx.Request) -> Any:
        request.headers["x-api-key"] = self.__key
        yield request


def checked_base_url(base_url: str) -> httpx.URL:
    """Raises ValueError unless it is an http or https URL without credentials, query and fragment."""
    url = httpx.URL(base_url)
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise ValueError("base_url must be http://… or https://…, without credentials, query and fragment")
    return url


def common_headers(language: Language) -> dict[str, str]:
    return {"accept-language": language, "user-agent": f"landpartner-client/{version('landpartner-client')}"}


def get(path: str, query: Mapping[str, Any] | None = None, *, is_free: bool = True) -> Request[Result]:
    return Request("GET", f"{_API}{path}", query=query or {}, is_free=is_free)


def post(
    path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None, *, is_free: bool = False
) -> Request[Result]:
    content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    own = {"content-type": "application/json", **(headers or {})}
    return Request("POST", f"{_API}{path}", content, own, is_free=is_free)


def delete(path: str) -> Request[None]:
    return Request("DELETE", f"{_API}{path}")


def divide_land(
    land: ResolveAddressResult | None, body: DivideLandBody, idempotency_key: str | None, accept: str = "*/*"
) -> Request[DivideLandResult]:
    headers = {_IDEMPOTENCY_KEY: idempotency_key or str(uuid.uuid4()), "accept": accept}
    return post("/assistant/divide-land", {**(land or {}), **body}, headers)


def division_file(
    land: ResolveAddressResult | None, body: DivideLandBody, form: FileForm, proposal: int, idempotency_key: str | None
) -> Request[bytes]:
    request = divide_land(land, body, idempotency_key, _FILES[form])
    return replace(cast(Request[bytes], request), query={"proposal": proposal}, is_file=True)


def lines(path: str, bodies: Iterable[Mapping[str, Any]], idempotency_key: str | None) -> Request[Any]:
    """A file of lines. Its key lets an attempt after a lost connection cost nothing twice."""
    content = "".join(f"{json.dumps(body, ensure_ascii=False, allow_nan=False)}\n" for body in bodies)
    headers = {"content-type": NDJSON, "accept": NDJSON, _IDEMPOTENCY_KEY: idempotency_key or str(uuid.uuid4())}
    return Request("POST", f"{_API}{path}", content.encode(), headers)


def next_page(
    parameters: Paged,
    page: CoverageResult | CoveredCommunesResult | ListWatchesResult | ParcelsResult | SearchParcelsResult,
) -> Paged | None:
    """The parameters of the page after this one. Raises UnexpectedAnswer if it would be the same page again."""
    cursor = page["next_cursor"]
    if cursor is None:
        return None
    if cursor == parameters.get("cursor"):
        raise UnexpectedAnswer("a page leads to itself")
    return {**parameters, "cursor": cursor}


def arguments(request: Request[Any], attempts: Attempts) -> dict[str, Any]:
    """The arguments of httpx for the next attempt."""
    return {
        "method": request.method,
        "url": request.path,
        "content": request.body,
        "headers": request.headers,
        "params": request.query,
        "timeout": attempts.begin(),
    }


def result_of(request: Request[Result], response: httpx.Response, content: bytes) -> Result | Failure:
    """The result of a complete answer. Raises UnexpectedAnswer for a 200 that is not JSON but should be."""
    if response.status_code == _NO_CONTENT:
        return cast(Result, None)
    if response.status_code != _OK:
        return refused(request, response, content)
    if request.is_file:
        return cast(Result, content)
    value = json_object(content)
    if value is None:
        raise UnexpectedAnswer("the answer is not a JSON object")
    return cast(Result, value)


def refused(request: Request[Any], response: httpx.Response, content: bytes) -> Failure:
    """The failure of an answer with another status than 200.

    An error of the service costs nothing. After an error of a gateway before the service, nobody knows whether the
    service billed the request.
    """
    problem = json_object(content) or {}
    status = response.status_code
    error = ServiceError(status, problem, response.headers.get("x-request-id", ""), _retry_after_s(response.headers))
    may_be_repeated = (
        status in _ALWAYS_REPEATED
        or error.code == _STILL_RUNNING
        or (status in _GATEWAY_ERRORS and ("code" in problem or request.never_bills_twice))
    )
    return Failure(error, may_be_repeated, error.retry_after_s)


def lost(request: Request[Any], error: httpx.RequestError) -> Failure:
    """The failure of an attempt without a complete answer."""
    was_sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    reason = f"{type(error).__name__}: {error}".rstrip(": ")
    return Failure(ConnectionFailed(reason), may_be_repeated=request.never_bills_twice or not was_sent)


def interrupted(request: Request[Any], error: httpx.RequestError, parts: DivisionStream | Lines) -> Failure:
    """The failure of a streamed answer that broke off."""
    if parts.may_be_repeated:
        return lost(request, error)
    return Failure(IncompleteStream(f"the stream broke off ({type(error).__name__})"), may_be_repeated=False)


def begins(response: httpx.Response, parts: DivisionStream | Lines) -> bool:
    """Begins an attempt. Returns whether its status is 200. Raises UnexpectedAnswer for a 200 of another type."""
    parts.begin()
    if response.status_code != _OK:
        return False
    if not response.headers.get("content-type", "").startswith(parts.media_type):
        raise UnexpectedAnswer(f"the answer is not {parts.media_type}")
    return True


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """The value of Retry-After, which is a number of seconds or a date."""
    value = headers.get("retry-after", "")
    if value.isascii() and value.isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
        return max((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp(), 0)
    except (ValueError, OverflowError):
        return None
