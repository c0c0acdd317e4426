"""Opens gRPC channels with round-robin load balancing and one retry of idempotent calls. `Outgoing` adds the request
id, the caller's token, the language and the remaining deadline to each call.

A replica may be several processes, and a connection reaches one of them. So a channel has several connections to each
replica. A call takes the one with the fewest calls under way. So concurrent calls spread over the processes.
Calls of a client that sends one at a time stay on one connection.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypedDict

import grpc

from servicekit.context import REQUEST_ID_HEADER, REQUESTER_HEADER, remaining_s, request_id
from servicekit.languages import LANGUAGE_HEADER, language
from servicekit.rpc_server import MAX_MESSAGE_BYTES, TOKEN_HEADER

_POLL_S = 0.01
CONNECTIONS = 4
"""To each replica. Each is opened at its first call."""
UNACKNOWLEDGED_MS = 1_500
"""Time until a connection is closed whose data the host of the server does not acknowledge (TCP user timeout), or whose
server does not answer a keepalive. A host that is gone sends nothing. Shorter than any deadline, so that calls are
retried on another replica; long enough for three lost packets in a row.
"""


class _SpreadChannel(grpc.aio.Channel):
    """Several channels to the same target, each with its own connections."""

    def __init__(self, channels: Sequence[grpc.aio.Channel]) -> None:
        self._channels = channels
        self._under_way = [0] * len(channels)
        self._next = 0

    def unary_unary(self, *arguments: Any, **options: Any) -> Any:
        return self._spread([channel.unary_unary(*arguments, **options) for channel in self._channels])

    def unary_stream(self, *arguments: Any, **options: Any) -> Any:
        return self._spread([channel.unary_stream(*arguments, **options) for channel in self._channels])

    def stream_unary(self, *arguments: Any, **options: Any) -> Any:
        return self._spread([channel.stream_unary(*arguments, **options) for channel in self._channels])

    def stream_stream(self, *arguments: Any, **options: Any) -> Any:
        return self._spread([channel.stream_stream(*arguments, **options) for channel in self._channels])

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

    def _spread(self, methods: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
        under_way = self._under_way

        def call(*arguments: Any, **options: Any) -> Any:
            chosen = self._choose()
            under_way[chosen] += 1
            started = methods[chosen](*arguments, **options)
            started.add_done_callback(lambda _: self._finish(chosen))
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

    def _finish(self, chosen: int) -> None:
        self._under_way[chosen] -= 1


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
        ("grpc.keepalive_timeout_ms", UNACKNOWLEDGED_MS),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        ("grpc.dns_min_time_between_resolutions_ms", 1_000),  # a replaced replica has a new address
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
        self.token = token
        """May be replaced at any time."""

    def __call__(self, timeout_s: float, requester: str = "") -> CallOptions:
        """The timeout is the lower of `timeout_s` and the remaining deadline of the request.

        `requester` is the id of the API key, for calls whose work is shared fairly between keys.
        """
        left = remaining_s()
        metadata: tuple[tuple[str, str], ...] = (
            (TOKEN_HEADER, self.token),
            (REQUEST_ID_HEADER, request_id.get()),
            (LANGUAGE_HEADER, language.get()),
        )
        if requester:
            metadata = (*metadata, (REQUESTER_HEADER, requester))
        return {"metadata": metadata, "timeout": timeout_s if left is None else min(timeout_s, left)}
