"""Health of the other services, by the standard gRPC health check. Results are cached for a second."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

CACHE_S = 1.0


class HealthClient:
    def __init__(self, channels: Mapping[str, grpc.aio.Channel], deadline_s: float) -> None:
        self._stubs = {name: health_pb2_grpc.HealthStub(channel) for name, channel in channels.items()}
        self._deadline_s = deadline_s
        self._known: dict[str, bool] = {}
        self.changed_at: dict[str, datetime] = {}
        """When this process saw the last change of a service. Missing if it has seen none."""
        self._checked_at = float("-inf")
        self._lock = asyncio.Lock()

    async def serving(self) -> Mapping[str, bool]:
        """Whether each service is serving, by name. Never raises."""
        async with self._lock:
            if time.monotonic() - self._checked_at >= CACHE_S:
                answers = await asyncio.gather(*(self._is_serving(stub) for stub in self._stubs.values()))
                found = dict(zip(self._stubs, answers, strict=True))
                now = datetime.now(UTC)
                self.changed_at |= {
                    name: now for name, is_serving in found.items() if self._known.get(name, is_serving) != is_serving
                }
                self._known = found
                self._checked_at = time.monotonic()
            return self._known

    async def _is_serving(self, stub: health_pb2_grpc.HealthStub) -> bool:
        try:
            answer = await stub.Check(  # type: ignore[attr-defined]
                health_pb2.HealthCheckRequest(), timeout=self._deadline_s
            )
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
