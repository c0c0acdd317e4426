"""Opens gRPC channels with round-robin load balancing and one retry of idempotent calls. `Outgoing` adds the request
id, the service token, the language and the remaining deadline to each call.

A replica may be several processes, and a connection reaches one of them. So a channel has several connections to each
replica. A call takes the one with the fewest calls under way. So concurrent calls spread over the processes.
Calls of a client that sends one at a time stay on one connection.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Self, TypedDict

import grpc
from prometheus_client import Counter, Histogram

from servicekit import tracing
from servicekit.context import REQUEST_ID_HEADER, REQUESTER_HEADER, remaining_s, request_id
from servicekit.languages import LANGUAGE_HEADER, language
from servicekit.rpc_server import MAX_MESSAGE_BYTES, TOKEN_HEADER

_POLL_S = 0.01
_seconds = Histogram(
    "rpc_client_seconds",
    "Time of a call, with its retry.",
    ["method"],
    buckets=(0.002, 0.008, 0.032, 0.128, 0.5, 2, 10),
)
_failures = Counter("rpc_client_failures", "Calls without success.", ["method", "status"])
CONNECTIONS = 4
"""To each replica. Each is opened at its first call."""


class _SpreadChannel(grpc.aio.Channel):
    """Several channels to the same target, each with its own connections."""

    def __init__(self, channels: Sequence[grpc.aio.Channel]) -> None:
        self._channels = channels
        self._under_way = [0] * len(channels)
        self._next = 0

    def unary_unary(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self._spread(method, [channel.unary_unary(method, *arguments, **options) for channel in self._channels])

    def unary_stream(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self._spread(method, [channel.unary_stream(method, *arguments, **options) for channel in self._channels])

    def stream_unary(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self._spread(method, [channel.stream_unary(method, *arguments, **options) for channel in self._channels])

    def stream_stream(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self._spread(
            method, [channel.stream_stream(method, *arguments, **options) for channel in self._channels]
        )

    async def close(self, grace: float | None = None) -> None:
        """Waits for the calls under way, at most `grace` seconds. Then cancels them."""
        if grace:
            with suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    while any(self._under_way):  # noqa: ASYNC110 (an event would cost each call)
                        await asyncio.sleep(_POLL_S)
        for channel in self._channels:
            await channel.close()

    async def channel_ready(self) -> None:
        await self._channels[0].channel_ready()

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        return self._channels[0].get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self._channels[0].wait_for_state_change(last_observed_state)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _spread(self, method: str, methods: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
        under_way = self._under_way
        spans = tracing.active()

        def call(*arguments: Any, **options: Any) -> Any:
            chosen = self._choose()
            under_way[chosen] += 1
            span = None if spans is None else spans.calling(method, options)
            began = time.perf_counter()
            started = methods[chosen](*arguments, **options)

            def finish(ended: grpc.aio.Call) -> None:
                under_way[chosen] -= 1
                _duration(method).observe(time.perf_counter() - began)
                status = _status_of(ended)
                if status is not grpc.StatusCode.OK:
                    _failures.labels(method, status.name).inc()
                if span is not None and spans is not None:
                    spans.called(span, status)

            started.add_done_callback(finish)
            return started

        return call

    def _choose(self) -> int:
        under_way = self._under_way
        if not under_way[0]:
            return 0
        fewest = min(under_way)
        count = len(under_way)
        self._next = (self._next + 1) % count
        return next(each % count for each in range(self._next, self._next + count) if under_way[each % count] == fewest)


@cache
def _duration(method: str) -> Histogram:
    """The metric of a method. `labels` costs more than to observe."""
    return _seconds.labels(method)


def _status_of(ended: grpc.aio.Call) -> grpc.StatusCode:
    """The status of a call that has ended. To read it needs no wait, but only a coroutine gives it."""
    step = ended.code()
    try:
        step.send(None)
    except StopIteration as result:
        status: grpc.StatusCode = result.value
        return status
    step.close()
    return grpc.StatusCode.UNKNOWN


def open_channel(
    target: str,
    *,
    idempotent: Sequence[tuple[str, str]] = (),
    ca_file: Path | None = None,
    connections: int = CONNECTIONS,
) -> grpc.aio.Channel:
    """Opens a channel to `host:port`. It connects at the first call. If no name resolves to all replicas, `target` is
    a list of IPv4 addresses: `address:port,address:port`. It has `connections` to each replica.

    Calls of the (service, method) pairs in `idempotent` are retried once if the server is unavailable.
    With `ca_file`, the channel uses TLS and requires a certificate of this authority.
    """
    config: dict[str, object] = {"loadBalancingConfig": [{"round_robin": {}}]}
    if idempotent:
        config["methodConfig"] = [
            {
                "name": [{"service": service, "method": method} for service, method in idempotent],
                "retryPolicy": {
                    "maxAttempts": 2,
                    "initialBackoff": "0.02s",
                    "maxBackoff": "0.1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ]
    options: list[tuple[str, Any]] = [
        ("grpc.service_config", json.dumps(config)),
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        ("grpc.use_local_subchannel_pool", 1),  # otherwise the channels share one connection
    ]
    address = f"ipv4:{target}" if "," in target else f"dns:///{target}"
    credentials = None if ca_file is None else grpc.ssl_channel_credentials(ca_file.read_bytes())

    def connect() -> grpc.aio.Channel:
        if credentials is None:
            return grpc.aio.insecure_channel(address, options)
        return grpc.aio.secure_channel(address, credentials, options)

    return _SpreadChannel([connect() for _ in range(connections)])


class CallOptions(TypedDict):
    metadata: tuple[tuple[str, str], ...]
    timeout: float


class Outgoing:
    """Creates the keyword arguments of a call: `await stub.Method(request, **outgoing(2.0))`.

    An interceptor would cost several times as much per call.
    """

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, timeout_s: float, requester: str = "") -> CallOptions:
        """The timeout is the lower of `timeout_s` and the remaining deadline of the request.

        `requester` is the id of the API key, for calls whose work is shared fairly between keys.
        """
        left = remaining_s()
        metadata: tuple[tuple[str, str], ...] = (
            (TOKEN_HEADER, self._token),
            (REQUEST_ID_HEADER, request_id.get()),
            (LANGUAGE_HEADER, language.get()),
        )
        if requester:
            metadata = (*metadata, (REQUESTER_HEADER, requester))
        return {"metadata": metadata, "timeout": timeout_s if left is None else min(timeout_s, left)}
