"""The gate under /api/v1: nobody gets past it to a 404, a 405 or the reading of a body without being allowed to.

Public paths pass. Admin paths need a session or a bearer token. Every other path, known or not, needs an API key; its
request is authorized and its units reserved by keys before work, and its outcome is on disk before its last byte.
"""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from urllib.parse import parse_qsl

from prometheus_client import Counter
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge import api_keys
from edge.access import Admission, Grant, PathClass, admit, classify, endpoint_name
from edge.clients.keys import Decision, Denial, KeysClient
from edge.languages import Text
from edge.metering.outcomes import Outcome, OutcomeLog
from edge.metering.spool import SpoolFull
from edge.middleware.client_address import Networks, client_address
from edge.middleware.rate_limits import rate_limit_headers
from edge.problems import PROBLEMS, Problem, to_response

log = logging.getLogger(__name__)

KEY_HEADER = "x-api-key"
_RAW_KEY_HEADER = KEY_HEADER.encode()
_KEY_PARAMETERS = frozenset({"x-api-key", "api_key", "apikey"})
LEFT, FAILED, INCOMPLETE, ENDING = 499, 500, 400, 503
"""What an outcome counts as where no answer was finished: the client left after work began, the edge failed, the client
left before its request was whole, the edge ends.
"""
FIRST_ERROR = 400
_RESERVATION_BYTES = 16

_refused = Counter("edge_keys_refused", "Requests without a usable key.", ["code"])

CheckAdmin = Callable[[Scope], Awaitable[None]]
"""Raises Problem where the request carries no admin's credential."""


class Gate:
    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: KeysClient,
        outcomes: OutcomeLog,
        check_admin: CheckAdmin,
        trusted_proxies: Networks,
    ) -> None:
        self._app = app
        self._keys = keys
        self._outcomes = outcomes
        self._check_admin = check_admin
        self._trusted = trusted_proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path_class = classify(scope["method"], scope["path"])
        if path_class is PathClass.OUTSIDE:
            await self._app(scope, receive, send)
            return
        try:
            _refuse_key_in_query(scope)
            match path_class:
                case PathClass.KEY:
                    await self._with_key(scope, receive, send)
                    return
                case PathClass.ADMIN:
                    await self._check_admin(scope)
        except Problem as problem:
            await to_response(problem, scope["path"])(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _with_key(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        api_key = _api_key(scope)
        endpoint = endpoint_name(scope["method"], scope["path"])
        reservation_id = os.urandom(_RESERVATION_BYTES)
        try:
            self._outcomes.hold()
        except SpoolFull as error:
            log.error("no room for outcomes", extra={"reason": str(error)})
            raise Problem("unavailable") from error
        try:
            address = client_address(scope, self._trusted)
            decision = await self._keys.authorize(reservation_id, api_key, endpoint, address)
            grant = _granted(decision)
        except BaseException:
            self._outcomes.release()
            raise
        admission = Admission(grant)
        admit(scope, admission)
        settlement = _Settlement(self._outcomes, reservation_id, endpoint, admission, started)
        await _Metered(self._app, settlement, decision, receive, send)(scope)


class _Settlement:
    """Records the outcome of one admission, once."""

    def __init__(
        self, outcomes: OutcomeLog, reservation_id: bytes, endpoint: str, admission: Admission, started: float
    ) -> None:
        self._outcomes = outcomes
        self._reservation_id = reservation_id
        self._endpoint = endpoint
        self._admission = admission
        self._started = started
        self._is_settled = False

    def settle(self, status: int) -> None:
        """Raises OSError where the outcome could not be written."""
        if self._is_settled:
            return
        self._is_settled = True
        self._outcomes.record(
            Outcome(
                reservation_id=self._reservation_id,
                key_id=self._admission.grant.key_id,
                endpoint=self._endpoint,
                status=self._admission.failed_status or status,
                latency_us=int((time.perf_counter() - self._started) * 1_000_000),
                input_tokens=self._admission.input_tokens,
                output_tokens=self._admission.output_tokens,
                occurred_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            )
        )


class _Metered:
    """One granted request under way.

    The first message waits for the body's first part: an answer whose outcome cannot be written becomes a 503.
    """

    def __init__(self, app: ASGIApp, settlement: _Settlement, decision: Decision, receive: Receive, send: Send) -> None:
        self._app = app
        self._settlement = settlement
        self._decision = decision
        self._receive_inner = receive
        self._send_inner = send
        self._start: Message | None = None
        self._status = FAILED
        self._body_read = False
        self._is_gone = False

    async def __call__(self, scope: Scope) -> None:
        try:
            await self._app(scope, self._receive, self._send)
        except _Unrecorded:
            log.exception("an outcome could not be written")
            if self._start is None:
                raise
            await to_response(Problem("unavailable"), scope["path"])(scope, self._receive_inner, self._send_inner)
        except ClientDisconnect:
            log.debug("the client left before it had its answer")
        except asyncio.CancelledError:
            self._settle_unfinished(ENDING)
            raise
        except Exception:
            self._settlement.settle(FAILED)
            raise
        finally:
            # reached unsettled only where the answer was never finished, since the client left
            self._settle_unfinished(LEFT if self._body_read else INCOMPLETE)

    async def _receive(self) -> Message:
        message = await self._receive_inner()
        if message["type"] == "http.disconnect":
            self._is_gone = True
        elif not message.get("more_body", False):
            self._body_read = True
        return message

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            told = rate_limit_headers(self._decision.rate_limits).items()
            limits = [(name.encode(), value.encode()) for name, value in told]
            self._start = {**message, "headers": [*message.get("headers", ()), *limits]}
            return
        if not message.get("more_body", False):
            self._settle()
        if self._start is not None:
            start, self._start = self._start, None
            await self._send_inner(start)
        await self._send_inner(message)

    def _settle(self) -> None:
        is_served = self._status < FIRST_ERROR  # an error costs nothing, whether or not somebody waited for it
        status = LEFT if is_served and self._client_left() else self._status
        try:
            self._settlement.settle(status)
        except OSError as error:
            raise _Unrecorded from error

    def _settle_unfinished(self, status: int) -> None:
        try:
            self._settlement.settle(status)
        except OSError:
            log.exception("an outcome could not be written")

    def _client_left(self) -> bool:
        """Looks once, without waiting."""
        if self._is_gone or not self._body_read:
            return self._is_gone
        return _is_disconnect(self._receive_inner())


def _is_disconnect(receiving: Awaitable[Message]) -> bool:
    """Whether a disconnect is there to be received. One step by hand tells, at a tenth of a task's cost."""
    step = receiving.__await__()
    try:
        next(step)
    except StopIteration as finished:
        return bool(finished.value["type"] == "http.disconnect")
    step.close()
    return False


class _Unrecorded(Exception):
    """The outcome of an answer could not be written, so the answer must not leave."""


def _refuse_key_in_query(scope: Scope) -> None:
    query: bytes = scope["query_string"]
    if not query:
        return
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=None):
        lowered = name.lower()
        if (
            lowered in _KEY_PARAMETERS
            or (lowered == "key" and value.startswith("lp_"))
            or api_keys.is_well_formed(value)
        ):
            raise Problem(
                "invalid_payload",
                Text(
                    f"Une clé ne s'envoie jamais dans l'adresse : mettez-la dans l'en-tête {KEY_HEADER}, et "
                    "remplacez celle-ci, car des journaux ont pu la garder.",
                    f"A key is never sent in the address: put it in the {KEY_HEADER} header, and replace this one, "
                    "since logs may have kept it.",
                ),
            )


def _api_key(scope: Scope) -> str:
    values: list[str] = [value.decode("latin-1") for name, value in scope["headers"] if name == _RAW_KEY_HEADER]
    if len(values) > 1:
        raise Problem(
            "invalid_payload",
            Text(
                f"L'en-tête {KEY_HEADER} est envoyé plusieurs fois.", f"The {KEY_HEADER} header is sent several times."
            ),
        )
    if not values or not values[0].strip():
        _refused.labels("missing_key").inc()
        raise Problem(
            "missing_key",
            Text(f"L'en-tête {KEY_HEADER} est obligatoire ici.", f"The {KEY_HEADER} header is required here."),
        )
    key = values[0].strip()
    if len(key) > api_keys.MAX_LENGTH or not key.isascii() or not api_keys.is_well_formed(key):
        _refused.labels("invalid_key").inc()
        raise Problem("invalid_key", _INVALID_KEY)
    return key


_INVALID_KEY = Text("La clé n'est pas valide.", "The key is not valid.")
DENIALS = {
    "invalid_key": _INVALID_KEY,
    "revoked_key": Text("Cette clé a été révoquée.", "This key was revoked."),
    "expired_key": Text("Cette clé a expiré.", "This key has expired."),
    "scope_denied": Text("Cette clé n'ouvre pas ce point d'accès.", "This key does not open this endpoint."),
    "ip_denied": Text(
        "Cette clé n'est pas admise depuis cette adresse IP.", "This key is not allowed from this IP address."
    ),
    "assistant_denied": Text(
        "La politique de cette clé ne permet pas cet appel à l'assistant.",
        "This key's policy does not allow this call of the assistant.",
    ),
    "rate_limited": Text("Trop de requêtes : réessayez plus tard.", "Too many requests: try again later."),
    "quota_exhausted": Text("Le quota du mois est épuisé.", "The month's quota is exhausted."),
    "spend_cap_reached": Text("Le plafond de dépense du mois est atteint.", "The month's spend cap is reached."),
}


def _granted(decision: Decision) -> Grant:
    """The grant; raises the denial as the problem that the client is told."""
    match decision.result:
        case Denial(code, detail, retry_after_s):
            if code == "invalid_key":
                _refused.labels(code).inc()
            headers = rate_limit_headers(decision.rate_limits)
            if code not in PROBLEMS:
                log.error("keys denied by an unknown code", extra={"code": code})
                raise Problem("upstream_failed")
            raise Problem(code, DENIALS.get(code, detail), retry_after_s=retry_after_s, headers=headers)
        case grant:
            return grant
