"""Opens gRPC channels with round-robin load balancing and one retry of idempotent calls. `Outgoing` adds the request
id, the caller's token, the language and the remaining deadline to each call.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Self, TypedDict, cast

import grpc
from prometheus_client import Counter, Histogram

from servicekit import tracing
from servicekit.context import REQUEST_ID_HEADER, REQUESTER_HEADER, remaining_s, request_id
from servicekit.languages import LANGUAGE_HEADER, language
from servicekit.rpc_server import KEEPALIVE_MS, MAX_MESSAGE_BYTES, TOKEN_HEADER
from servicekit.tls import Certificates, channel_options

_seconds = Histogram(
    "rpc_client_seconds",
    "Time of a call, with its retry.",
    ["method"],
    buckets=(0.002, 0.008, 0.032, 0.128, 0.5, 2, 10),
)
_failures = Counter("rpc_client_failures", "Calls without success.", ["method", "status"])
LONGEST_CALL_S = 120.0
"""Time until calls on replaced connections are cancelled. It is longer than every deadline."""
UNACKNOWLEDGED_MS = 1_500
"""Time until a connection is closed whose data the host of the server does not acknowledge (TCP user timeout), or whose
server does not answer a keepalive. A host that is gone sends nothing. Shorter than any deadline, so that calls are
retried on another replica; long enough for three lost packets in a row.
"""


class _Channel:
    """A channel that measures the calls with one request, and can replace its connections by new ones."""

    def __init__(self, connect: Callable[[], grpc.aio.Channel]) -> None:
        self._connect = connect
        self._channel = connect()
        self._closing: set[asyncio.Task[None]] = set()

    def unary_unary(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self._measured(method, lambda channel: channel.unary_unary(method, *arguments, **options))

    def unary_stream(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self._measured(method, lambda channel: channel.unary_stream(method, *arguments, **options))

    def reconnect(self) -> None:
        """Sends further calls over new connections. Calls under way end on the old ones. Call it in the event loop."""
        closing = asyncio.get_running_loop().create_task(self._channel.close(LONGEST_CALL_S))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        self._channel = self._connect()

    async def close(self, grace: float | None = None) -> None:
        """Waits for the calls under way, at most `grace` seconds. Then cancels them."""
        await self._channel.close(grace)
        for closing in self._closing:
            closing.cancel()

    def __getattr__(self, name: str) -> Any:
        """What is not here is that of the connections in use."""
        return getattr(self._channel, name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _measured(self, method: str, method_of: Callable[[grpc.aio.Channel], Callable[..., Any]]) -> Callable[..., Any]:
        channel, spans = self._channel, tracing.active()
        start = method_of(channel)

        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal channel, start
            if channel is not self._channel:
                channel = self._channel
                start = method_of(channel)
            span = None if spans is None else spans.calling(method, options)
            started_at = time.perf_counter()
            started_call = start(*arguments, **options)

            def finish(ended_call: grpc.aio.Call) -> None:
                _duration(method).observe(time.perf_counter() - started_at)
                status = _status_of(ended_call)
                if status is not grpc.StatusCode.OK:
                    _failures.labels(method, status.name).inc()
                if span is not None and spans is not None:
                    spans.called(span, status)

            started_call.add_done_callback(finish)
            return started_call

        return call


_duration = cache(_seconds.labels)
"""The metric of a method. `labels` costs more than to observe."""


def _status_of(ended_call: grpc.aio.Call) -> grpc.StatusCode:
    """The status of a call that has ended. To read it needs no wait, but only a coroutine gives it."""
    step = ended_call.code()
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
    service: str = "",
    certificates: Certificates | None = None,
    follows_health: bool = False,
) -> grpc.aio.Channel:
    """Opens a channel to `host:port`. It connects at the first call. If no name resolves to all replicas, `target` is
    a list of IPv4 addresses: `address:port,address:port`. It has one connection to each replica.

    Calls of the (service, method) pairs in `idempotent` are retried once if the server is unavailable,
    or if it stops and cancels a call that it has not begun. Nothing retries what the caller cancels itself.
    With `certificates`, the channel uses mutual TLS, and the server's certificate must name `service`. The channel
    reconnects when they change.
    With `follows_health`, calls go only to replicas whose health is SERVING. Without one they fail at once. Each
    connection then has one call of the health service under way.
    """
    config: dict[str, object] = {"loadBalancingConfig": [{"round_robin": {}}]}
    if follows_health:
        config["healthCheckConfig"] = {"serviceName": ""}
    if idempotent:
        config["methodConfig"] = [
            {
                "name": [{"service": service, "method": method} for service, method in idempotent],
                "retryPolicy": {
                    "maxAttempts": 2,
                    "initialBackoff": "0.02s",
                    "maxBackoff": "0.1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
                },
            }
        ]
    options: list[tuple[str, Any]] = [
        ("grpc.service_config", json.dumps(config)),
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.http2.max_pings_without_data", 0),  # otherwise the third and all further pings are a minute apart
        ("grpc.keepalive_timeout_ms", UNACKNOWLEDGED_MS),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        ("grpc.dns_min_time_between_resolutions_ms", 1_000),  # a replaced replica has a new address
        ("grpc.use_local_subchannel_pool", 1),  # otherwise `reconnect` gets the old connections
    ]
    address = f"ipv4:{target}" if "," in target else f"dns:///{target}"

    def connect() -> grpc.aio.Channel:
        if certificates is None:
            return grpc.aio.insecure_channel(address, options)
        credentials = certificates.channel_credentials()
        return grpc.aio.secure_channel(address, credentials, [*options, *channel_options(service)])

    channel = _Channel(connect)
    if certificates is not None:
        certificates.listeners.append(channel.reconnect)
    return cast(grpc.aio.Channel, channel)


class CallOptions(TypedDict):
    metadata: tuple[tuple[str, str], ...]
    timeout: float


class Outgoing:
    """Creates the keyword arguments of a call: `await stub.Method(request, **outgoing(2.0))`.

    An interceptor would cost several times as much per call.
    """

    def __init__(self, token: str) -> None:
        self.token = token
        """May be replaced at any time."""

    def __call__(self, timeout_s: float, requester: str = "") -> CallOptions:
        """The timeout is the lower of `timeout_s` and the remaining deadline of the request.

        `requester` is the id of the API key, for calls whose work is shared fairly between keys.
        """
        deadline_s = remaining_s()
        metadata: tuple[tuple[str, str], ...] = (
            (TOKEN_HEADER, self.token),
            (REQUEST_ID_HEADER, request_id.get()),
            (LANGUAGE_HEADER, language.get()),
            *([(REQUESTER_HEADER, requester)] if requester else ()),
        )
        return {"metadata": metadata, "timeout": timeout_s if deadline_s is None else min(timeout_s, deadline_s)}
