"""keys: may this request be done, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
from google.protobuf.message import DecodeError

from edge.access import AssistantGrant, AssistantMode, Grant
from edge.clients.batching import Batcher
from edge.clients.errors import problem_of
from edge.metering.outcomes import Outcome
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.keys.v1.keys_pb2_grpc import KeysServiceAsyncStub

SERVICE = "landpartner.keys.v1.KeysService"
IDEMPOTENT = ((SERVICE, "Authorize"), (SERVICE, "RecordOutcomes"), (SERVICE, "GetKeyUsage"))
"""Authorize may be repeated since a reservation id gets its first answer again, and outcomes are counted once."""

WINDOW_S = 0.02
MAX_BATCH = 64
RECORD_DEADLINE_S = 10.0

_ASSISTANT_MODES: Mapping[int, AssistantMode] = {
    keys_pb2.ASSISTANT_MODE_DISABLED: "disabled",
    keys_pb2.ASSISTANT_MODE_RULES: "rules",
    keys_pb2.ASSISTANT_MODE_MODEL: "model",
}


@dataclass(frozen=True, slots=True)
class RateLimit:
    """One policy's state, as the RateLimit headers tell it. Times in seconds."""

    policy: str
    limit: int
    remaining: int
    window_s: int
    reset_s: int


@dataclass(frozen=True, slots=True)
class Denial:
    code: str
    detail: str
    retry_after_s: int | None


@dataclass(frozen=True, slots=True)
class Decision:
    result: Grant | Denial
    rate_limits: Sequence[RateLimit]


class KeysClient:
    def __init__(self, channel: grpc.aio.Channel, outgoing: Outgoing, deadline_s: float) -> None:
        self._stub: KeysServiceAsyncStub = keys_pb2_grpc.KeysServiceStub(channel)
        self._outgoing = outgoing
        self._deadline_s = deadline_s
        self._authorize: Batcher[keys_pb2.AuthorizationQuery, keys_pb2.AuthorizationDecision] = Batcher(
            self._authorize_batch, window_s=WINDOW_S, limit=MAX_BATCH
        )

    async def authorize(self, reservation_id: bytes, api_key: str, endpoint: str, client_address: str) -> Decision:
        """Decides and reserves. Raises Problem where keys could not decide."""
        query = keys_pb2.AuthorizationQuery(
            reservation_id=reservation_id, api_key=api_key, endpoint=endpoint, client_address=client_address
        )
        try:
            return _decision(await self._authorize(query))
        except grpc.aio.AioRpcError as error:
            problem = problem_of(error, "keys")
        except ValueError:
            problem = Problem("upstream_failed")
        # whatever keeps keys from deciding, the client may try again, and nothing was billed
        raise Problem("unavailable", problem.detail, retry_after_s=problem.retry_after_s)

    async def _authorize_batch(
        self, queries: Sequence[keys_pb2.AuthorizationQuery]
    ) -> Sequence[keys_pb2.AuthorizationDecision]:
        request = keys_pb2.AuthorizeRequest(queries=queries)
        response = await self._stub.Authorize(request, **self._outgoing(self._deadline_s))
        return response.decisions

    async def record(self, payloads: Sequence[bytes]) -> Sequence[bytes]:
        """Sends outcomes as `encode_outcome` made them; returns those that were not acknowledged.

        A batch that keys refuses for what is in it is halved until the one at fault stands alone.
        Raises grpc.aio.AioRpcError where keys cannot be asked.
        """
        outcomes = {payload: _decode_outcome(payload) for payload in payloads}
        request = keys_pb2.RecordOutcomesRequest(outcomes=[known for known in outcomes.values() if known is not None])
        try:
            response = await self._stub.RecordOutcomes(request, **self._outgoing(RECORD_DEADLINE_S))
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.INVALID_ARGUMENT:
                raise
            if len(payloads) == 1:
                return payloads
            middle = len(payloads) // 2
            return [*await self.record(payloads[:middle]), *await self.record(payloads[middle:])]
        acknowledged = frozenset(response.acknowledged)
        return [p for p, outcome in outcomes.items() if outcome is None or outcome.event_id not in acknowledged]

    async def usage(self, key_id: str) -> dict[str, object]:
        """A partner's view of its own key, as GET /usage answers it. Raises Problem."""
        try:
            response = await self._stub.GetKeyUsage(
                keys_pb2.GetKeyUsageRequest(key_id=key_id), **self._outgoing(self._deadline_s)
            )
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "keys") from error
        return _usage(response)


def encode_outcome(outcome: Outcome) -> bytes:
    message = keys_pb2.Outcome(
        event_id=outcome.reservation_id,
        reservation_id=outcome.reservation_id,
        key_id=outcome.key_id,
        endpoint=outcome.endpoint,
        status=outcome.status,
        latency_us=outcome.latency_us,
        input_tokens=outcome.input_tokens,
        output_tokens=outcome.output_tokens,
        occurred_at=outcome.occurred_at,
    )
    return message.SerializeToString()


def _decode_outcome(payload: bytes) -> keys_pb2.Outcome | None:
    try:
        return keys_pb2.Outcome.FromString(payload)
    except DecodeError:
        return None


def quota_json(quota: keys_pb2.Quota) -> dict[str, object]:
    return {
        "monthly_units": quota.monthly_units if quota.HasField("monthly_units") else None,
        "per_minute": quota.per_minute,
        "burst": quota.burst,
        "hard": quota.hard,
        "spend_cap": quota.spend_cap if quota.HasField("spend_cap") else None,
    }


def assistant_policy_json(policy: keys_pb2.AssistantPolicy) -> dict[str, object]:
    return {
        "mode": _ASSISTANT_MODES.get(policy.mode, "disabled"),
        "monthly_calls": policy.monthly_calls if policy.HasField("monthly_calls") else None,
        "monthly_tokens": policy.monthly_tokens if policy.HasField("monthly_tokens") else None,
    }


def _decision(message: keys_pb2.AuthorizationDecision) -> Decision:
    limits = [
        RateLimit(state.policy, state.limit, state.remaining, state.window_s, state.reset_s)
        for state in message.rate_limits
    ]
    match message.WhichOneof("result"):
        case "grant":
            return Decision(_grant(message.grant), limits)
        case "denial":
            denial = message.denial
            retry = denial.retry_after_s if denial.HasField("retry_after_s") else None
            return Decision(Denial(denial.code, denial.detail, retry), limits)
        case _:
            raise ValueError("neither granted nor denied")


def _grant(message: keys_pb2.Grant) -> Grant:
    assistant = None
    if message.HasField("assistant"):
        limit = message.assistant.token_limit if message.assistant.HasField("token_limit") else None
        assistant = AssistantGrant(_ASSISTANT_MODES.get(message.assistant.mode, "disabled"), limit)
    # a mode that this edge does not know is kept to the demo data
    return Grant(message.key_id, message.mode != keys_pb2.KEY_MODE_LIVE, assistant)


def _usage(response: keys_pb2.GetKeyUsageResponse) -> dict[str, object]:
    return {
        "month": response.month,
        "requests": response.requests,
        "errors": response.errors,
        "units": response.units,
        "reserved_units": response.reserved_units,
        "quota": quota_json(response.quota),
        "assistant_policy": assistant_policy_json(response.assistant_policy),
        "assistant_calls": response.assistant_calls,
        "assistant_tokens": response.assistant_tokens,
    }
