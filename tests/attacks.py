"""Attackers of an edge, each in a separate process and for a limited time: KIND URL SECONDS KEY.

They send to loopback addresses only. The tests check the answers of other clients during the attack.
"""

import asyncio
import contextlib
import json
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from edge.api_keys import checksum

FLOOD_CONNECTIONS = 50
SLOW_READERS = 200
HOSTILE_SENDERS = 4
LOOPERS = 16
_ANSWER_WITHIN_S = 10.0
_BIG_ANSWER = "/api/v1/openapi.json"
_PIPELINED = 30
_SMALL_BUFFER = 4_096


@dataclass(frozen=True)
class Target:
    """The attacked URL, the end of the attack, and its key."""

    host: str
    port: int
    ends_at: float
    key: str = ""

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.ends_at


def request(path: str, body: bytes = b"", *, method: str = "POST", **headers: str) -> bytes:
    """An HTTP request as bytes. Underscores in header names become hyphens."""
    lines = [f"{method} {path} HTTP/1.1", "host: localhost", "content-type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def well_formed_key() -> str:
    """A key with a valid checksum that was never issued."""
    text = f"lp_live_{secrets.token_hex(26)[:51]}"
    return text + checksum(text)


def hostile_bodies() -> list[bytes]:
    """Bodies of at most 256 KiB, each expensive in another way for a server without limits."""
    limit = 256 * 1024
    bodies = [
        json.dumps({f"m{number:05}": 1 for number in range(15_000)}).encode(),
        b'{"include": [' + b'"a",' * 52_000 + b'"a"]}',
        b'{"parcel_ids": [' + b"1," * 100_000 + b"1]}",
        b'{"include": [' + b"{}," * 80_000 + b"{}]}",
        b"[" * limit,
        b"[" * (limit // 2) + b"]" * (limit // 2),
        b'{"label": "' + b"\\u0041" * 40_000 + b'"}',
        b'{"label": ' + b"9" * 250_000 + b"}",
        json.dumps({f"m{number}": [] for number in range(1_000)}).encode(),
        b'{"email": "' + b"a" * 250_000 + b'", "password": "b"}',
    ]
    assert all(len(body) <= limit for body in bodies)
    return bodies


async def flood_without_key(target: Target) -> None:
    """Sends requests without a key, with garbage, and with well-formed keys that were never issued."""

    def next_request() -> bytes:
        body = b'{"label": "x"}'
        match secrets.randbelow(3):
            case 0:
                return request("/api/v1/addresses/resolve", body)
            case 1:
                return request("/api/v1/addresses/resolve", body, x_api_key="garbage")
            case _:
                return request("/api/v1/addresses/resolve", body, x_api_key=well_formed_key())

    await _in_parallel(FLOOD_CONNECTIONS, lambda: _keep_sending(target, next_request))


async def hostile_senders(target: Target) -> None:
    """Sends hostile bodies to every open route, and with the key to the others."""
    bodies = hostile_bodies()
    paths = ["/api/v1/admin/session", "/api/v1/admin/setup", "/api/v1/land-units/geojson", "/api/v1/addresses/resolve"]

    def next_request() -> bytes:
        path, body = paths[secrets.randbelow(len(paths))], bodies[secrets.randbelow(len(bodies))]
        return request(path, body, x_api_key=target.key)

    await _in_parallel(HOSTILE_SENDERS, lambda: _keep_sending(target, next_request))


async def loop_with_key(target: Target) -> None:
    """Sends requests with one key without a pause, like a client that ignores the revocation of its key."""
    asked = request("/api/v1/addresses/resolve", b'{"label": "x"}', x_api_key=target.key)
    await _in_parallel(LOOPERS, lambda: _keep_sending(target, lambda: asked))


async def slow_readers(target: Target) -> None:
    """Opens connections that request a large answer many times and read nothing."""

    async def read_nothing() -> None:
        while not target.is_over:
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
            connection.setblocking(False)
            with contextlib.suppress(OSError), connection:
                loop = asyncio.get_running_loop()
                await loop.sock_connect(connection, (target.host, target.port))
                await loop.sock_sendall(connection, request(_BIG_ANSWER, method="GET") * _PIPELINED)
                await asyncio.sleep(max(0.0, target.ends_at - time.monotonic()))

    await _in_parallel(SLOW_READERS, read_nothing)


async def _in_parallel(count: int, work: Callable[[], Awaitable[None]]) -> None:
    await asyncio.gather(*(work() for _ in range(count)))


async def _keep_sending(target: Target, next_request: Callable[[], bytes]) -> None:
    """Sends requests one after the other, and reconnects if the connection is closed."""
    while not target.is_over:
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            reader, writer = await asyncio.open_connection(target.host, target.port)
            try:
                while not target.is_over:
                    async with asyncio.timeout(_ANSWER_WITHIN_S):
                        writer.write(next_request())
                        await writer.drain()
                        await read_answer(reader)
            finally:
                writer.close()


async def read_answer(reader: asyncio.StreamReader) -> int:
    """Reads one complete answer and returns its status. Raises OSError or IncompleteReadError."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])


KINDS: dict[str, Callable[[Target], Awaitable[None]]] = {
    "slow readers": slow_readers,
    "flood without a key": flood_without_key,
    "hostile bodies": hostile_senders,
    "revoked key in a loop": loop_with_key,
}


@contextmanager
def attack(kind: str, url: str, seconds: float, key: str = "") -> Iterator[None]:
    """Runs one attacker in the background until the end of the block."""
    command = [sys.executable, str(Path(__file__)), kind, url, str(seconds), key]
    attacker = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        yield
        assert attacker.poll() is None, "the attacker ended too soon"
    finally:
        attacker.kill()
        attacker.wait()


def main() -> None:
    kind, url, seconds, key = sys.argv[1:]
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 0
    if not ip_address(host).is_loopback:
        sys.exit("only loopback addresses are attacked")
    asyncio.run(_attack(kind, Target(host, port, time.monotonic() + float(seconds), key)))


async def _attack(kind: str, target: Target) -> None:
    await KINDS[kind](target)


if __name__ == "__main__":
    main()
