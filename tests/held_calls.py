"""A proxy in front of a service. It holds one call until a test lets it go on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health_aio

from servicekit.rpc_client import open_channel
from servicekit.rpc_server import TOKEN_HEADER

WITHIN_S = 10.0
Call = Callable[[bytes], Awaitable[bytes]]
Serve = Callable[[str, bytes, Call], Coroutine[Any, Any, bytes]]


class _Proxy(grpc.GenericRpcHandler):
    """Every call goes to `serve`, with its method, its message, and what sends it to the service."""

    def __init__(self, channel: grpc.aio.Channel, token: str, serve: Serve) -> None:
        self._channel = channel
        self._metadata = ((TOKEN_HEADER, token),)
        self._serve = serve
        self._calls: set[asyncio.Task[bytes]] = set()

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        return grpc.unary_unary_rpc_method_handler(partial(self._answer, details.method))

    async def _answer(self, method: str, message: bytes, _: Any) -> bytes:
        """The call goes on if its caller gives up, as one whose message is late does."""
        call = asyncio.create_task(self._serve(method, message, partial(self._send, method)))
        self._calls.add(call)
        return await asyncio.shield(call)

    async def _send(self, method: str, message: bytes) -> bytes:
        send: Any = self._channel.unary_unary(method)
        answer: bytes = await send(message, metadata=self._metadata, timeout=WITHIN_S)
        return answer


@asynccontextmanager
async def proxy(target: str, token: str, serve: Serve) -> AsyncIterator[str]:
    """The address of a proxy in front of `target`."""
    async with open_channel(target) as channel:
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((_Proxy(channel, token, serve),))
        state = health_aio.HealthServicer()
        await state.set("", health_pb2.HealthCheckResponse.SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(state, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            await server.stop(None)
