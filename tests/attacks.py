"""Attackers of an edge, each in a separate process and for a limited time: KIND URL SECONDS KEY.

They send to loopback addresses only. The tests check the answers of other clients during the attack.
"""

import asyncio
import contextlib
import json
import re
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

import httpx

from contract.key_text import checksum

FLOOD_CONNECTIONS = 50
SLOW_READERS = 200
HOSTILE_SENDERS = 4
LOOPERS = 16
_ANSWER_WITHIN_S = 10.0
_BIG_ANSWER = "/api/v1/openapi.json"
_PIPELINED = 30
_SMALL_BUFFER = 4_096
NDJSON, CSV = "application/x-ndjson", "text/csv"
FILE_ROUTES = ("/api/v1/addresses/resolve/batch", "/api/v1/land-units/batch")
HALF_BODIES = 530
TRICKLED_FILES = 8
UNREAD_STREAMS = 16
_TRICKLE_S = 1.0
WITHOUT_UNITS = ("--monthly-units", "0", "--per-minute", "600", "--burst", "100")
"""The options of a key without units and with the usual rate."""
_ATTACKER = ("127.0.0.9", 0)
"""Another address than that of the partner."""


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


def hostile_files(media_type: str) -> list[bytes]:
    """Bodies of a file route, nearly as large as it accepts. Each is expensive in another way without limits."""
    size = 8_000_000
    if media_type == NDJSON:
        return [
            b"\n" * size,
            b" " * size,
            b" \n" * (size // 2),
            b"{}\n" * 9_999 + b"\n" * 1_000_000,
            b"[" * size,
            b'{"label":"x"}\n' * 10_001,
            (b'{"label":"' + b"x" * 700 + b'"}\n') * 10_001,
        ]
    return [
        b"label\n" + b"\n" * size,
        b"label\r" + b"\r" * size,
        b"\n" * size,
        b'label\n"' + b"\n" * size,
        b'label\n"' + b"x\n" * (size // 2),
        b"label\n" + b'"\n' * (size // 2),
        b"label\n" + (b'"' + b"\n" * 19 + b'"\n') * 10_001,
        b"label\n" + b"," * size,
        b"label\n" + (b"," * 790 + b"\n") * 10_001,
        b"x" * size,
        b"label\n" + b"\xff" * size,
    ]


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


async def free_work(target: Target) -> None:
    """Sends small requests to every route, and some that are expensive in another way for a server without limits. The
    key has no units.
    """
    of_routes = await asyncio.to_thread(_every_route, target)
    call = {"name": "usage", "inputResponses": {f"m{number}": {} for number in range(3_900)}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    listing = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    items = f"/api/v1/ogc/collections/parcels/items?filter={'(' * 8}{'a%2B' * 900}"
    attacks = [
        *of_routes,
        request(items, method="GET", x_api_key=target.key),
        request("/api/v1/mcp", message, x_api_key=target.key),
        request("/api/v1/mcp", listing, x_api_key=target.key),
        request("/api/v1/mcp", b"{", x_api_key=target.key),
        request("/api/v1/visitor-keys"),
        request("/api/docs/dictionary.md", method="GET"),
        *(request(path, method="GET", accept_encoding="gzip") for path in (_BIG_ANSWER, "/api/docs/dictionary.md")),
        request("/api/v1/tiles/parcels/14/8290/5757.mvt", method="GET", x_api_key=target.key),
    ]
    await _in_parallel(LOOPERS, lambda: _keep_sending(target, lambda: attacks[secrets.randbelow(len(attacks))]))


def _every_route(target: Target) -> list[bytes]:
    paths = httpx.get(f"http://{target.host}:{target.port}/api/v1/openapi.json", timeout=30).json()["paths"]
    objects = b'{"include": [' + b"{}," * 900 + b"{}]}"
    return [
        request(
            re.sub(r"\{\w+\}", "1", path),
            objects if method == "post" else b"",
            method=method.upper(),
            x_api_key=target.key,
        )
        for path, operations in paths.items()
        for method in operations
    ]


async def loop_with_key(target: Target) -> None:
    """Sends requests with one key without a pause, like a client that ignores the revocation of its key."""
    attack = request("/api/v1/addresses/resolve", b'{"label": "x"}', x_api_key=target.key)
    await _in_parallel(LOOPERS, lambda: _keep_sending(target, lambda: attack))


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


async def file_senders(target: Target) -> None:
    """Sends hostile files in both forms to both file routes."""
    attacks = [
        request(path, body, x_api_key=target.key).replace(b"application/json", media_type.encode(), 1)
        for path in FILE_ROUTES
        for media_type in (NDJSON, CSV)
        for body in hostile_files(media_type)
    ]
    await _in_parallel(2, lambda: _keep_sending(target, lambda: attacks[secrets.randbelow(len(attacks))]))


async def unread_streams(target: Target) -> None:
    """Asks for streams of divisions and reads nothing of them."""
    body = b'{"parcel_ids": ["00001000AA0023"]}'
    attack = request("/api/v1/assistant/divide-land", body, x_api_key=target.key, accept="text/event-stream")

    async def read_nothing() -> None:
        while not target.is_over:
            with contextlib.suppress(OSError), socket.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
                connection.setblocking(False)
                loop = asyncio.get_running_loop()
                await loop.sock_connect(connection, (target.host, target.port))
                await loop.sock_sendall(connection, attack * _PIPELINED)
                await asyncio.sleep(2.0)

    await _in_parallel(UNREAD_STREAMS, read_nothing)


async def half_bodies(target: Target) -> None:
    """Holds requests open whose body never ends."""
    sent = request("/api/v1/addresses/resolve", b"{" + b" " * 99, x_api_key=target.key)[:-50]
    await _in_parallel(HALF_BODIES, lambda: _hold(target, sent, pause_s=10.0))


async def trickled_files(target: Target) -> None:
    """Sends files a byte at a time."""
    whole = request(FILE_ROUTES[0], b"\n" * 1_000, x_api_key=target.key).replace(
        b"application/json", NDJSON.encode(), 1
    )
    await _in_parallel(TRICKLED_FILES, lambda: _hold(target, whole[:-900], pause_s=_TRICKLE_S, more=b"\n"))


async def _hold(target: Target, sent: bytes, *, pause_s: float, more: bytes = b"") -> None:
    """Keeps a request open, and opens another when it was answered."""
    while not target.is_over:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(target.host, target.port, local_addr=_ATTACKER)
            writer.write(sent)
            while not target.is_over:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(reader.readuntil(b"\r\n"), pause_s)
                    break
                writer.write(more)
            writer.close()
        await asyncio.sleep(0.1)


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
        if name.lower() == b"transfer-encoding":
            while size := int(await reader.readuntil(b"\r\n"), 16):
                await reader.readexactly(size + len(b"\r\n"))
            length = len(b"\r\n")
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])


KINDS: dict[str, Callable[[Target], Awaitable[None]]] = {
    "slow readers": slow_readers,
    "flood without a key": flood_without_key,
    "hostile bodies": hostile_senders,
    "revoked key in a loop": loop_with_key,
    "free work": free_work,
    "hostile files": file_senders,
    "unread streams": unread_streams,
    "half-sent bodies": half_bodies,
    "trickled files": trickled_files,
}
WITH_OTHER_KEY = ("free work", "hostile files", "unread streams", "half-sent bodies", "trickled files")
"""Attackers that are partners themselves."""


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
