"""A server that records and echoes requests, and real proxies in front of it, all on loopback."""

import asyncio
import contextlib
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

from edge.server import BoundedHttp
from embedded.processes import free_ports
from programs import required

HAPROXY_CONFIGURATION = Path(__file__).resolve().parents[3] / "deploy" / "compose" / "front" / "haproxy.cfg"
NGINX_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/client;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    upstream edge {{ server 127.0.0.1:{edge_port}; keepalive 4; }}
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_upgrade;
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://edge; }} }}
    server {{
        listen 127.0.0.1:{streaming_port};
        location / {{ proxy_pass http://edge; proxy_request_buffering off; }}
    }}
}}
"""
"""The usual configuration for WebSocket, with connections to the edge that all clients share. The second server sends
a body as it arrives.
"""
TIMEOUT_S = 30.0
PAUSE_S = 0.005
"""The time between segments, so that the edge reads them one by one."""
SLOW_S = 0.02


class Received(NamedTuple):
    method: str
    path: str
    body: bytes = b""


@dataclass
class Echo:
    """An application that answers with the method, the path and the body of the request."""

    received: list[Received] = field(default_factory=list)
    slow_paths: Sequence[str] = ()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more_body = b"", scope["path"] != "/early"
        while more_body:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message["body"]
            more_body = message["more_body"]
        if scope["path"] != "/readyz":  # the health check of HAProxy
            self.received.append(Received(scope["method"], scope["path"], body))
        if scope["path"] in self.slow_paths:
            await asyncio.sleep(SLOW_S)
        answer = echo(scope["method"], scope["path"], body)
        headers = [(b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


def echo(method: str, path: str, body: bytes = b"") -> bytes:
    return f"{method} {path} ".encode() + body


@contextlib.contextmanager
def serving(app: Any) -> Iterator[int]:
    """Serves the application in a thread with the protocol class of the edge. Yields the port."""
    config = uvicorn.Config(
        app, loop="uvloop", http=BoundedHttp, ws="none", lifespan="off", log_config=None, access_log=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextlib.contextmanager
def haproxy(edge_port: int, folder: Path, connections_per_address: int = 200) -> Iterator[int]:
    """HAProxy with the configuration of Compose, in front of one edge, with connections that all clients share."""
    port, state_port = free_ports("127.0.0.1", 2)
    trusted_proxies = folder / "trusted-proxies"
    trusted_proxies.touch()
    text = HAPROXY_CONFIGURATION.read_text(encoding="utf-8")
    for pattern, replacement in (
        (r"^resolvers .*\n(?: .*\n)+", ""),
        (r"bind :8080", f"bind 127.0.0.1:{port}"),
        (r"bind 127.0.0.1:8081", f"bind 127.0.0.1:{state_port}"),
        (r"\S+/trusted-proxies", str(trusted_proxies)),
        (r"server-template .*", f"server edge 127.0.0.1:{edge_port} check\n    http-reuse always"),
    ):
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert count, pattern
    configuration = folder / "haproxy.cfg"
    configuration.write_text(text, encoding="utf-8")
    limits = {"FRONT_MAX_CONNECTIONS": "200", "FRONT_MAX_CONNECTIONS_PER_ADDRESS": str(connections_per_address)}
    with _running([_program("haproxy", "haproxy"), "-db", "-f", str(configuration)], port, folder, limits):
        yield port


@contextlib.contextmanager
def nginx(edge_port: int, folder: Path) -> Iterator[tuple[int, int]]:
    """Nginx that forwards upgrades. Yields the ports of its two servers."""
    port, streaming_port = free_ports("127.0.0.1", 2)
    configuration = folder / "nginx.conf"
    text = NGINX_CONFIGURATION.format(folder=folder, edge_port=edge_port, port=port, streaming_port=streaming_port)
    configuration.write_text(text, encoding="utf-8")
    options = f"-p {folder} -c {configuration} -e {folder}/error.log".split()
    with _running([_program("nginx", "nginx-light"), *options], port, folder, {}):
        yield port, streaming_port


def _program(name: str, package: str) -> str:
    return required(shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") or name, package)


@contextlib.contextmanager
def _running(command: Sequence[str], port: int, folder: Path, variables: dict[str, str]) -> Iterator[None]:
    """Runs a program until the end of the block. The block begins when the program listens on the port."""
    log = folder / "output.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        ends = time.monotonic() + TIMEOUT_S
        while True:
            assert process.poll() is None, log.read_text(encoding="utf-8")
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            assert time.monotonic() < ends, log.read_text(encoding="utf-8")
            time.sleep(0.01)
        yield
    finally:
        process.kill()
        process.wait()


def exchange(port: int, *segments: bytes) -> bytes:
    """Sends the segments with a pause between them. Returns all that the server sends until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number, segment in enumerate(segments):
            if number:
                time.sleep(PAUSE_S)
            connection.sendall(segment)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


class Answer(NamedTuple):
    status: int
    body: bytes


def answers(received: bytes) -> list[Answer]:
    """Splits what a server sent into its answers with Content-Length. Raises ValueError for any other bytes."""
    split = []
    while received:
        head, _, remaining = received.partition(b"\r\n\r\n")
        start = re.fullmatch(rb"HTTP/1\.[01] (\d{3}) .*", head.split(b"\r\n")[0])
        length = re.search(rb"(?im)^content-length: *(\d+)\r?$", head)
        if start is None:
            raise ValueError(received)
        end = int(length[1]) if length else 0
        split.append(Answer(int(start[1]), remaining[:end]))
        received = remaining[end:]
    return split
