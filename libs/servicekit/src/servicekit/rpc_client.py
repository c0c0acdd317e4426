"""A gRPC channel as every caller opens it: all addresses of the name in turn, and one retry of calls that may be
repeated. `Outgoing` adds the request id, the service token and the remaining deadline to each call.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import grpc

from servicekit.context import REQUEST_ID_HEADER, REQUESTER_HEADER, remaining_s, request_id
from servicekit.rpc_server import MAX_MESSAGE_BYTES, TOKEN_HEADER


def open_channel(
    target: str, *, idempotent: Sequence[tuple[str, str]] = (), ca_file: Path | None = None
) -> grpc.aio.Channel:
    """Opens a channel to `host:port`, connected at its first call. Where no name resolves to all replicas, `target`
    lists their IPv4 addresses: `address:port,address:port`.

    `idempotent` names (service, method) pairs that are tried a second time when the server cannot be reached.
    With `ca_file` the server must show a certificate that it signed.
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
    """Makes the keyword arguments of a stub's call: `await stub.Method(request, **outgoing(2.0))`.

    An interceptor would do the same at several times the cost per call.
    """

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, timeout_s: float, requester: str = "") -> CallOptions:
        """`timeout_s` is this call's own limit; what is left of the request's deadline shortens it.

        `requester` is the id of the API key that asks, for calls whose work is shared fairly between keys.
        """
        left = remaining_s()
        metadata: tuple[tuple[str, str], ...] = ((TOKEN_HEADER, self._token), (REQUEST_ID_HEADER, request_id.get()))
        if requester:
            metadata = (*metadata, (REQUESTER_HEADER, requester))
        return {"metadata": metadata, "timeout": timeout_s if left is None else min(timeout_s, left)}
