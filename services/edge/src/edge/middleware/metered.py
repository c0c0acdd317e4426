"""Records the outcome of an authorized request on disk before the last byte of its answer is sent."""

import asyncio
import logging
import time
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import cast

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contract.enums import enum_numbers
from edge.access import Admission
from edge.leases.decisions import new_id, rate_limit_headers
from edge.metering.outcomes import OutcomeLog
from edge.middleware.capacity import Slot
from edge.problems import CLIENT_CLOSED_REQUEST, Problem
from edge.responses import to_response
from landpartner.keys.v1 import keys_pb2
from servicekit.context import request_id

log = logging.getLogger(__name__)

FAILED, INCOMPLETE, SHUTTING_DOWN = 500, 400, 503
"""Statuses of outcomes without a complete answer: the edge failed, the client disconnected before it sent the whole
request, the edge shut down. CLIENT_CLOSED_REQUEST is the fourth.
"""
FIRST_ERROR = 400
_SETTLEMENT = "edge.settlement"
_ASSISTANT_USES = enum_numbers(keys_pb2.AssistantUse.DESCRIPTOR)


class Settlement:
    """Records the outcome of one admission, once."""

    line: keys_pb2.AnsweredLines | None = None
    """Set by the handler of a request that reserves its units as one line."""

    def __init__(self, outcomes: OutcomeLog, admission: Admission, started: float) -> None:
        self._outcomes = outcomes
        self._admission = admission
        self._started = started
        self._request_id = request_id.get()
        self._is_settled = False

    def settle(self, status: int) -> None:
        """Raises OSError if the outcome cannot be written."""
        if self._is_settled:
            return
        self._is_settled = True
        self._outcomes.record(self.outcome(status))

    def outcome(self, status: int) -> keys_pb2.Outcome:
        """The outcome of the request as of now."""
        admission, grant = self._admission, self._admission.grant
        status = admission.failed_status or status
        return keys_pb2.Outcome(
            event_id=new_id(),
            lease_id=grant.lease_id,
            leased_at=grant.leased_at,
            units=grant.units,
            assistant_mode=grant.assistant_mode,
            token_limit=grant.token_limit,
            key_id=grant.key_id,
            endpoint=admission.endpoint,
            status=status,
            latency_us=int((time.perf_counter() - self._started) * 1_000_000),
            input_tokens=admission.input_tokens,
            output_tokens=admission.output_tokens,
            assistant_use=_ASSISTANT_USES.get(admission.assistant_use or "", keys_pb2.ASSISTANT_USE_UNSPECIFIED),
            request_id=self._request_id,
            code=self._code(status),
            lines=self.line,
            is_free=admission.is_free,
            occurred_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        )

    def _code(self, status: int) -> str:
        if status < FIRST_ERROR or status == CLIENT_CLOSED_REQUEST:
            return ""
        return "internal" if status == FAILED else self._admission.problem_code


def settlement_of(request: Request) -> Settlement:
    """The settlement of this request."""
    return cast(Settlement, request.scope[_SETTLEMENT])


class MeteredRequest:
    """Runs one authorized request and records its outcome.

    The start of the answer is held back until the first part of its body. So an answer in one part becomes a 503 if its
    outcome cannot be written.
    """

    def __init__(
        self, app: ASGIApp, settlement: Settlement, admission: Admission, slot: Slot, receive: Receive, send: Send
    ) -> None:
        """The request occupies the slot, except while it waits for its body."""
        self._app = app
        self._settlement = settlement
        self._admission = admission
        self._slot = slot
        self._receive_inner = receive
        self._send_inner = send
        self._start: Message | None = None
        self._status = FAILED
        self._body_read = False
        self._is_disconnected = False

    async def __call__(self, scope: Scope) -> None:
        scope[_SETTLEMENT] = self._settlement
        try:
            await self._app(scope, self._receive, self._send)
        except _OutcomeNotWritten:
            log.exception("an outcome could not be written")
            if self._start is None:
                raise
            await to_response(Problem("unavailable"), scope["path"])(scope, self._receive_inner, self._send_inner)
        except ClientDisconnect:
            log.debug("the client disconnected before its answer was sent")
        except asyncio.CancelledError:
            self._settle_unfinished(SHUTTING_DOWN)
            raise
        except Exception:
            self._settlement.settle(FAILED)
            raise
        finally:
            # not settled yet only if the client disconnected before the end of the answer
            self._settle_unfinished(CLIENT_CLOSED_REQUEST if self._body_read else INCOMPLETE)

    async def _receive(self) -> Message:
        """Raises Problem unavailable if no slot is free when the body is complete."""
        if not self._body_read:
            self._slot.release()
        message = await self._receive_inner()
        if message["type"] == "http.disconnect":
            self._is_disconnected = True
        elif not message.get("more_body", False):
            self._body_read = True
            self._slot.take()
        return message

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            rate_limits = rate_limit_headers(self._admission.rate_limits).items()
            limits = [(name.encode(), value.encode()) for name, value in rate_limits]
            self._start = {**message, "headers": [*message.get("headers", ()), *limits]}
            return
        if not message.get("more_body", False):
            self._settle()
        if self._start is not None:
            start, self._start = self._start, None
            await self._send_inner(start)
        await self._send_inner(message)

    def _settle(self) -> None:
        is_served = self._status < FIRST_ERROR  # an error costs nothing, so a disconnect does not change its status
        status = CLIENT_CLOSED_REQUEST if is_served and self._client_disconnected() else self._status
        try:
            self._settlement.settle(status)
        except OSError as error:
            raise _OutcomeNotWritten from error

    def _settle_unfinished(self, status: int) -> None:
        try:
            self._settlement.settle(status)
        except OSError:
            log.exception("an outcome could not be written")

    def _client_disconnected(self) -> bool:
        """Whether the client has disconnected by now. Does not wait."""
        if self._is_disconnected or not self._body_read:
            return self._is_disconnected
        return _is_disconnect(self._receive_inner())


def _is_disconnect(receiving: Awaitable[Message]) -> bool:
    """Whether a disconnect message is ready. Advancing the awaitable by one step costs a tenth of a task."""
    step = receiving.__await__()
    try:
        next(step)
    except StopIteration as finished:
        return bool(finished.value["type"] == "http.disconnect")
    step.close()
    return False


class _OutcomeNotWritten(Exception):
    """The outcome of an answer could not be written, so the answer must not be sent."""
