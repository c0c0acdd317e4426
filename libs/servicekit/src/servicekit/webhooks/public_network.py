"""Requests to addresses that partners chose. They reach public addresses only, and are bounded in size and time.

The address is checked after its name is resolved, and the connection goes to the checked address. So a name that
resolves differently the next time reaches nothing else. Redirects are not followed, and no proxy is used.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import Any

import httpcore

from servicekit.settings import WebhookSettings

MAX_ANSWER_BYTES = 64 * 1024
DEADLINE_S = 15.0
"""For the whole request, with the connection."""
UNREACHABLE = "unreachable"
"""Why no connection was made, in one word: whether a name exists in an internal network is told to nobody."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_AZURE_HOST = ipaddress.ip_address("168.63.129.16")
"""The platform of Azure answers its machines there, although the address is public."""
_IPV4_BITS = 32


class RequestFailed(Exception):
    """The request was not sent, or its answer did not arrive. The message has no address of an internal network."""


def is_public(text: str) -> bool:
    """Whether an IP address is neither private, loopback, link-local nor reserved, also inside an IPv6 address."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        embedded = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if address in _NAT64:
            embedded = ipaddress.IPv4Address(int(address) % 2**_IPV4_BITS)
        if embedded:
            return is_public(str(embedded))
        if address not in _GLOBAL_UNICAST:  # Python takes some of the others for global, such as fec0::/10
            return False
    return address.is_global and not address.is_multicast and address != _AZURE_HOST


def is_public_or_loopback(text: str) -> bool:
    """Whether an IP address is public, or of this machine: for a service that no partner uses."""
    return ipaddress.ip_address(text.partition("%")[0]).is_loopback or is_public(text)


@dataclass(frozen=True)
class PublicNetwork:
    is_allowed: Callable[[str], bool] = is_public
    """Whether an IP address may be reached."""
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    deadline_s: float = DEADLINE_S

    @classmethod
    def of(cls, settings: WebhookSettings) -> "PublicNetwork":
        return cls(is_public_or_loopback if settings.webhook_loopback else is_public)

    def post(self, url: str, body: bytes, headers: Mapping[bytes | str, bytes | str]) -> tuple[int, bytes]:
        """The status and the body of the answer, which is cut after MAX_ANSWER_BYTES. Raises RequestFailed."""
        backend = _Backend(self.is_allowed, partial(_left_s, time.monotonic() + self.deadline_s))
        answer = b""
        try:
            with (
                httpcore.ConnectionPool(ssl_context=self.tls, network_backend=backend) as pool,
                pool.stream("POST", url, headers=dict(headers), content=body) as response,
            ):
                for part in response.iter_stream():
                    answer += part
                    if len(answer) >= MAX_ANSWER_BYTES:
                        break
                return response.status, answer[:MAX_ANSWER_BYTES]
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            raise RequestFailed(UNREACHABLE) from error
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
            raise RequestFailed(type(error).__name__) from error


def _left_s(ends: float) -> float:
    """Raises ReadTimeout when the time is over."""
    left_s = ends - time.monotonic()
    if left_s <= 0:
        raise httpcore.ReadTimeout
    return left_s


def _resolve(host: str, port: int, timeout_s: float) -> list[str]:
    """The addresses of a name. Raises OSError, UnicodeError, or TimeoutError. A lookup cannot be stopped: a thread that
    does not keep the process alive finishes it.
    """
    lookup: Future[list[str]] = Future()

    def resolve() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            lookup.set_result([str(address[0]) for *_, address in found])
        except (OSError, UnicodeError) as error:
            lookup.set_exception(error)

    Thread(target=resolve, daemon=True).start()
    return lookup.result(timeout_s)


@dataclass(frozen=True)
class _Backend(httpcore.NetworkBackend):
    is_allowed: Callable[[str], bool]
    left_s: Callable[[], float]

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = _resolve(host, port, self.left_s())
        except (OSError, UnicodeError) as error:
            raise RequestFailed(UNREACHABLE) from error
        if not all(map(self.is_allowed, addresses)):
            raise RequestFailed(UNREACHABLE)
        return _Stream(httpcore.SyncBackend().connect_tcp(addresses[0], port, self.left_s()), self.left_s)


@dataclass(frozen=True)
class _Stream(httpcore.NetworkStream):
    """A connection whose every step ends at the deadline of the request."""

    stream: httpcore.NetworkStream
    left_s: Callable[[], float]

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.stream.read(max_bytes, self.left_s())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.stream.write(buffer, self.left_s())

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self.stream.start_tls(ssl_context, server_hostname, self.left_s()), self.left_s)

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)
