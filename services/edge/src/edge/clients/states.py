"""The state of the other services and of the datasets of land, for routes that need no key.

Answers are cached, so that many such requests cost one call.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from edge.clients.land import LandClient
from edge.problems import Problem
from landpartner.land.v1 import land_pb2
from servicekit.health import SELLER

HEALTH_CACHE_S = 1.0
DATASETS_CACHE_S = 30.0
DATASETS_DEADLINE_S = 5.0


class HealthClient:
    """Asks each service by the standard gRPC health check."""

    def __init__(self, channels: Mapping[str, grpc.aio.Channel], deadline_s: float) -> None:
        self._stubs = {name: health_pb2_grpc.HealthStub(channel) for name, channel in channels.items()}
        self._deadline_s = deadline_s
        self._serving: dict[str, bool] = {}
        self.has_seller = True
        """Whether keys issues bills. True if it does not answer."""
        self.changed_at: dict[str, datetime] = {}
        """When this process saw the last change of a service. Missing if it has seen none."""
        self._checked_at = float("-inf")
        self._lock = asyncio.Lock()

    async def serving(self) -> Mapping[str, bool]:
        """Whether each service is serving, by name. Never raises."""
        async with self._lock:
            if time.monotonic() - self._checked_at >= HEALTH_CACHE_S:
                status = health_pb2.HealthCheckResponse
                answers = await asyncio.gather(*(self._status(stub, "") for stub in self._stubs.values()))
                serving = {name: answer == status.SERVING for name, answer in zip(self._stubs, answers, strict=True)}
                if serving.get("keys"):
                    self.has_seller = await self._status(self._stubs["keys"], SELLER) != status.NOT_SERVING
                now = datetime.now(UTC)
                self.changed_at |= {
                    name: now
                    for name, is_serving in serving.items()
                    if self._serving.get(name, is_serving) != is_serving
                }
                self._serving = serving
                self._checked_at = time.monotonic()
            return self._serving

    async def _status(self, stub: health_pb2_grpc.HealthStub, name: str) -> int:
        try:
            answer = await stub.Check(  # type: ignore[attr-defined]
                health_pb2.HealthCheckRequest(service=name), timeout=self._deadline_s
            )
        except grpc.aio.AioRpcError:
            return health_pb2.HealthCheckResponse.UNKNOWN
        return int(answer.status)


class DatasetStates:
    def __init__(self, land: LandClient) -> None:
        self._land = land
        self._asked_at = float("-inf")
        self._lock = asyncio.Lock()
        self.states: Sequence[land_pb2.DatasetState] = ()
        self.read_at: datetime | None = None
        """None before the first answer of land."""

    async def refresh(self) -> None:
        """Asks land at most once in DATASETS_CACHE_S. Keeps the states if land does not answer. Never raises."""
        async with self._lock:
            if time.monotonic() - self._asked_at < DATASETS_CACHE_S:
                return
            try:
                answer = await self._land.dataset_states(deadline_s=DATASETS_DEADLINE_S)
                self.states, self.read_at = answer.datasets, datetime.now(UTC)
            except Problem:
                pass
            self._asked_at = time.monotonic()
