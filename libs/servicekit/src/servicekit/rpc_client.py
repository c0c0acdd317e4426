"""Opens gRPC channels with round-robin load balancing and one retry of idempotent calls. `Outgoing` adds the request
id, the service token, the language and the remaining deadline to each call.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import grpc

from servicekit.context import REQUEST_ID_HEADER, REQUESTER_HEADER, remaining_s, request_id
from servicekit.languages import LANGUAGE_HEADER, language
from servicekit.rpc_server import MAX_MESSAGE_BYTES, TOKEN_HEADER


def open_channel(
    target: str, *, idempotent: Sequence[tuple[str, str]] = (), ca_file: Path | None = None
) -> grpc.aio.Channel:
    """Opens a channel to `host:port`. It connects at the first call. If no name resolves to all replicas, `target` is
    a list of IPv4 addresses: `address:port,address:port`.

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
    ]
    address = f"ipv4:{target}" if "," in target else f"dns:///{target}"
    if ca_file is None:
        return grpc.aio.insecure_channel(address, options)
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(ca_file.read_bytes()), options)


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
