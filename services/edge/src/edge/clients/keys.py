"""Client of keys: leases, outcomes, and the usage of a key."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from contract.problem_codes import PROBLEMS
from edge.clients.errors import answered, problem_of
from edge.metering.refused import Unsettled
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.keys.v1.keys_pb2_grpc import KeysServiceAsyncStub

log = logging.getLogger(__name__)
R = TypeVar("R")

SERVICE = "landpartner.keys.v1.KeysService"
IDEMPOTENT = tuple(
    (SERVICE, method)
    for method in ("Lease", "Settle", "GetKeyUsage", "ListPartnerKeys", "ListKeyEvents", "ListEndedOwners")
)
"""Calls that may be retried. A repeated lease id gets the same lease. An outcome is counted once, a lease ends once."""

SETTLE_DEADLINE_S = 10.0
ROTATE_DEADLINE_S = 10.0
"""The answer waits until no edge acts on the earlier secret: about a second."""
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


class KeysClient:
    def __init__(self, channel: grpc.aio.Channel, outgoing: Outgoing, deadline_s: float) -> None:
        self.stub: KeysServiceAsyncStub = keys_pb2_grpc.KeysServiceStub(channel)
        self._outgoing = outgoing
        self._deadline_s = deadline_s

    async def lease(self, request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        """Asks for a lease. Raises Problem unavailable if keys does not decide."""
        try:
            return await self.stub.Lease(request, **self._outgoing(self._deadline_s))
        except grpc.aio.AioRpcError as error:
            # keys may have decided, but nothing is billed and the client may retry
            retry_after_s = problem_of(error, "keys").retry_after_s
            raise Problem("unavailable", PROBLEMS["unavailable"].detail, retry_after_s=retry_after_s) from error

    async def settle(self, request: keys_pb2.SettleRequest) -> keys_pb2.SettleResponse:
        """Raises grpc.aio.AioRpcError."""
        return await self.stub.Settle(request, **self._outgoing(SETTLE_DEADLINE_S))

    async def release_holder(self, holder: bytes) -> bool:
        """Ends the leases of a dead edge, whose outcomes are all counted. Returns False if the key of one is locked.
        Raises grpc.aio.AioRpcError.
        """
        response = await self.settle(keys_pb2.SettleRequest(dead_holders=[holder]))
        return holder not in response.postponed

    async def send_outcomes(self, payloads: Sequence[bytes]) -> Unsettled:
        """Sends encoded outcomes. Returns those that keys has not counted.

        If keys fails on a batch, it is split in half and each half is sent, down to single outcomes. The search ends
        after MAX_SINGLE_FAILURES single failures without any success: keys itself seems to be at fault.
        Raises grpc.aio.AioRpcError if keys is not available.
        """
        return await self._send_outcomes(payloads, _FaultSearch())

    async def _send_outcomes(self, payloads: Sequence[bytes], search: _FaultSearch) -> Unsettled:
        if search.is_over:
            return Unsettled((), payloads)
        outcomes = {payload: _decode_outcome(payload) for payload in payloads}
        try:
            response = await self.settle(keys_pb2.SettleRequest(outcomes=filter(None, outcomes.values())))
        except grpc.aio.AioRpcError as error:
            if error.code() not in _PAYLOAD_FAULTS:
                raise
            if len(payloads) == 1:
                log.warning("keys refused an outcome", extra={"status": error.code().name, "reason": error.details()})
                search.single_failures += 1
                return Unsettled(payloads, ())
            middle = len(payloads) // 2
            first = await self._send_outcomes(payloads[:middle], search)
            second = await self._send_outcomes(payloads[middle:], search)
            return Unsettled([*first.refused, *second.refused], [*first.postponed, *second.postponed])
        search.is_any_acknowledged |= bool(response.acknowledged)
        acknowledged, postponed = frozenset(response.acknowledged), frozenset(response.postponed)
        return Unsettled(
            [
                payload
                for payload, outcome in outcomes.items()
                if outcome is None or outcome.event_id not in acknowledged | postponed
            ],
            [payload for payload, outcome in outcomes.items() if outcome is not None and outcome.event_id in postponed],
        )

    async def __call__(
        self, method: Callable[..., Awaitable[R]], request: Message, deadline_s: float | None = None
    ) -> R:
        """Calls a method of the stub. Raises Problem."""
        return await answered(method(request, **self._outgoing(deadline_s or self._deadline_s)), "keys")


def _decode_outcome(payload: bytes) -> keys_pb2.Outcome | None:
    try:
        return keys_pb2.Outcome.FromString(payload)
    except DecodeError:
        return None
