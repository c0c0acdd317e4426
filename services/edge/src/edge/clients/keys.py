"""Client of keys: authorization of requests, and their outcomes."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
from google.protobuf.message import DecodeError

from edge.clients.batching import Batcher
from edge.clients.errors import answered, problem_of
from edge.messages.values import optional
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.problem_codes import PROBLEMS, denial_detail
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.keys.v1.keys_pb2_grpc import KeysServiceAsyncStub

log = logging.getLogger(__name__)

SERVICE = "landpartner.keys.v1.KeysService"
IDEMPOTENT = tuple((SERVICE, method) for method in ("Authorize", "ReserveLines", "RecordOutcomes", "GetKeyUsage"))
"""Calls that may be retried. A repeated reservation id gets the same grant, and an outcome is counted once. A repeated
reservation of lines reserves the same lines.
"""

WINDOW_S = 0.02
MAX_BATCH = 64
RECORD_DEADLINE_S = 10.0
MAX_SINGLE_FAILURES = 8
_PAYLOAD_FAULTS = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.DATA_LOSS,
        grpc.StatusCode.UNKNOWN,
    }
)
"""Statuses that a payload may have caused. With the others, keys is not available or refuses this edge."""


@dataclass
class _FaultSearch:
    """The search for the faulty outcomes of one batch."""

    single_failures: int = 0
    is_any_acknowledged: bool = False

    @property
    def is_over(self) -> bool:
        return self.single_failures >= MAX_SINGLE_FAILURES and not self.is_any_acknowledged


def rate_limit_headers(limits: Sequence[keys_pb2.RateLimitState]) -> dict[str, str]:
    """RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10), one item per policy.

    The quota is `q`, its window in seconds `w`, the remaining requests `r`, the seconds until they are restored `t`.
    """
    if not limits:
        return {}
    return {
        "ratelimit-policy": ", ".join(f'"{limit.policy}";q={limit.limit};w={limit.window_s}' for limit in limits),
        "ratelimit": ", ".join(f'"{limit.policy}";r={max(limit.remaining, 0)};t={limit.reset_s}' for limit in limits),
    }


def refusal(denial: keys_pb2.Denial, rate_limits: Sequence[keys_pb2.RateLimitState]) -> Problem:
    """Returns the problem of a denial."""
    detail = denial_detail(denial.code, denial.facts) if denial.code in PROBLEMS else None
    if detail is None:
        log.error("keys sent an unknown denial code", extra={"code": denial.code})
        return Problem("upstream_failed")
    headers = rate_limit_headers(rate_limits)
    return Problem(denial.code, detail, retry_after_s=optional(denial, "retry_after_s"), headers=headers)


class KeysClient:
    def __init__(self, channel: grpc.aio.Channel, outgoing: Outgoing, deadline_s: float) -> None:
        self._stub: KeysServiceAsyncStub = keys_pb2_grpc.KeysServiceStub(channel)
        self._outgoing = outgoing
        self._deadline_s = deadline_s
        self._authorize: Batcher[keys_pb2.AuthorizationQuery, keys_pb2.AuthorizationDecision] = Batcher(
            "authorize", self._authorize_batch, window_s=WINDOW_S, limit=MAX_BATCH
        )

    async def authorize(
        self, reservation_id: bytes, api_key: str, endpoint: str, client_address: str, *, reserves_line: bool = False
    ) -> keys_pb2.AuthorizationDecision:
        """Authorizes a request and reserves its billing units, unless the request reserves them as a line.

        Returns a grant or a denial. Raises Problem if keys could not decide.
        """
        query = keys_pb2.AuthorizationQuery(
            reservation_id=reservation_id,
            api_key=api_key,
            endpoint=endpoint,
            client_address=client_address,
            reserves_line=reserves_line,
        )
        retry_after_s = None
        try:
            decision = await self._authorize(query)
            if decision.WhichOneof("result") in ("grant", "denial"):
                return decision
            retry_after_s = decision.failure.retry_after_s or None
        except grpc.aio.AioRpcError as error:
            retry_after_s = problem_of(error, "keys").retry_after_s
        except ValueError:
            log.exception("keys answered another number of requests")
        # keys did not decide, so nothing was billed and the client may retry. A batch has the language of its first
        # request, so the text is ours.
        raise Problem("unavailable", PROBLEMS["unavailable"].detail, retry_after_s=retry_after_s)

    async def _authorize_batch(
        self, queries: Sequence[keys_pb2.AuthorizationQuery]
    ) -> Sequence[keys_pb2.AuthorizationDecision]:
        request = keys_pb2.AuthorizeRequest(queries=queries)
        response = await self._stub.Authorize(request, **self._outgoing(self._deadline_s))
        return response.decisions

    async def reserve_lines(self, request: keys_pb2.ReserveLinesRequest) -> Sequence[keys_pb2.RateLimitState]:
        """Reserves the units of all lines. Returns the limits of the key. Raises Problem, also for a denial."""
        response = await answered(self._stub.ReserveLines(request, **self._outgoing(self._deadline_s)), "keys")
        if response.WhichOneof("result") == "denial":
            raise refusal(response.denial, response.rate_limits)
        return response.rate_limits

    async def record(self, payloads: Sequence[bytes]) -> Sequence[bytes]:
        """Sends encoded outcomes. Returns those that were not acknowledged.

        If keys fails on a batch, it is split in half and each half is sent, down to single outcomes. The search ends
        after MAX_SINGLE_FAILURES single failures without any success: keys itself seems to be at fault.
        Raises grpc.aio.AioRpcError if keys is not available.
        """
        return await self._record(payloads, _FaultSearch())

    async def _record(self, payloads: Sequence[bytes], search: _FaultSearch) -> Sequence[bytes]:
        if search.is_over:
            return payloads
        outcomes = {payload: _decode_outcome(payload) for payload in payloads}
        request = keys_pb2.RecordOutcomesRequest(outcomes=filter(None, outcomes.values()))
        try:
            response = await self._stub.RecordOutcomes(request, **self._outgoing(RECORD_DEADLINE_S))
        except grpc.aio.AioRpcError as error:
            if error.code() not in _PAYLOAD_FAULTS:
                raise
            if len(payloads) == 1:
                log.warning("keys refused an outcome", extra={"status": error.code().name, "reason": error.details()})
                search.single_failures += 1
                return payloads
            middle = len(payloads) // 2
            return [*await self._record(payloads[:middle], search), *await self._record(payloads[middle:], search)]
        acknowledged = frozenset(response.acknowledged)
        search.is_any_acknowledged |= bool(acknowledged)
        return [p for p, outcome in outcomes.items() if outcome is None or outcome.event_id not in acknowledged]

    async def usage(self, key_id: str) -> keys_pb2.GetKeyUsageResponse:
        """The usage of a key. Raises Problem."""
        request = keys_pb2.GetKeyUsageRequest(key_id=key_id)
        return await answered(self._stub.GetKeyUsage(request, **self._outgoing(self._deadline_s)), "keys")


def _decode_outcome(payload: bytes) -> keys_pb2.Outcome | None:
    try:
        return keys_pb2.Outcome.FromString(payload)
    except DecodeError:
        return None
