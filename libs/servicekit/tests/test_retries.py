"""Retries of idempotent calls, against a server that refuses the first call."""

from typing import Any

import grpc
import pytest

from servicekit.rpc_client import open_channel

IDEMPOTENT = ("Service", "Read")


@pytest.mark.parametrize("status", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED])
@pytest.mark.parametrize(("method", "calls"), [("Read", 2), ("Write", 1)])
async def test_only_an_idempotent_call_is_retried_once(status: grpc.StatusCode, method: str, calls: int) -> None:
    requests: list[bytes] = []

    async def handle(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        requests.append(request)
        if len(requests) == 1:
            await context.abort(status, "the server stops")
        return request

    server = grpc.aio.server()
    handlers: Any = {name: grpc.unary_unary_rpc_method_handler(handle) for name in ("Read", "Write")}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("Service", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with open_channel(f"127.0.0.1:{port}", idempotent=[IDEMPOTENT]) as channel:
            call: Any = channel.unary_unary(f"/Service/{method}")
            if calls == 2:
                assert await call(b"x", timeout=60) == b"x"
            else:
                with pytest.raises(grpc.aio.AioRpcError):
                    await call(b"x", timeout=60)
    finally:
        await server.stop(None)
    assert len(requests) == calls
