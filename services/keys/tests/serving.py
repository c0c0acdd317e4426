"""A server of keys in this process, over a real loopback connection."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from contract.endpoints import RESOLVE
from keys.server import KeysServer
from keys.settings import KeysSettings
from keys.values.clock import Clock, system_clock
from keys.values.hashing import Peppers
from keys.values.records import IssuedKey
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.callers import entry
from servicekit.rpc_client import Outgoing, open_channel

PEPPERS_TEXT = f"1:{bytes(range(32)).hex()}"
PEPPERS = Peppers.parse(PEPPERS_TEXT)
CALL = Outgoing("token")


@dataclass
class Serving:
    server: KeysServer
    stub: keys_pb2_grpc.KeysServiceAsyncStub
    channel: grpc.aio.Channel

    async def is_serving(self, name: str = "") -> bool:
        stub: Any = health_pb2_grpc.HealthStub(self.channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=name))
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    async def lease(self, key: IssuedKey, endpoint: str = RESOLVE, **members: Any) -> keys_pb2.LeaseResponse:
        """Leases what one request of the key needs."""
        ids = {"lease_id": secrets.token_bytes(16), "holder": secrets.token_bytes(16)}
        request = keys_pb2.LeaseRequest(**{**ids, "api_key": key.secret.text, "endpoint": endpoint, **members})
        return await self.stub.Lease(request, **CALL(SAFETY_S))


def result(response: keys_pb2.LeaseResponse) -> str:
    return str(response.WhichOneof("result"))


@contextlib.asynccontextmanager
async def serving(url: str, clock: Clock = system_clock, **changes: Any) -> AsyncIterator[Serving]:
    values = {"health_interval_s": 0.05, "drain_s": 1, **changes}
    settings = KeysSettings(callers=entry("edge", "token"), database_url=url, peppers=PEPPERS_TEXT, **values)
    server = KeysServer(settings, clock)
    port = await server.rpc.start()
    try:
        async with server.background_tasks(), open_channel(f"127.0.0.1:{port}") as channel:
            try:
                yield Serving(server, keys_pb2_grpc.KeysServiceStub(channel), channel)
            finally:
                await server.rpc.stop()
    finally:
        server.close()


SAFETY_S = 60.0


async def until(check: Callable[[], Awaitable[bool]]) -> None:
    """Returns once the check is true. Raises TimeoutError."""
    async with asyncio.timeout(SAFETY_S):
        while not await check():  # noqa: ASYNC110 (of a database or a server)
            await asyncio.sleep(0.02)
