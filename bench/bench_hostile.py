"""Measures how requests to every route by a key without units slow down a paying client, and how hostile bodies slow
down /livez, for each route that reads a body.

A client or /livez is measured first without the sender, then during its run. A sender of hostile bodies has a key and
an owner's token, so that the edge reads every body, and sends them one after the other. For it, limits by address are
off, since the edge would refuse the requests before it reads the bodies.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from measuring import Figures, parser, quantile

import stacks
from attacks import WITHOUT_UNITS, Target, attack, hostile_bodies, hostile_files, read_answer, request
from embedded.run import DEMO_REQUEST

UNIT, PAYING_UNIT = "p99 ms of /livez", "p99 ms of a paying client"
FREE_WORK = "free work"
SECONDS, FILE_SECONDS = 1.5, 6.0
PAUSE_S = 0.002
NO_LIMITS = dict.fromkeys(("EDGE_OPEN_ATTEMPTS_PER_MINUTE", "EDGE_FREE_ANSWERS_PER_SECOND"), "1000000000")
PASSWORD = "a long enough password"  # noqa: S105 (of a temporary service)


def owner_token(stack: stacks.Embedded) -> str:
    """Creates the first owner. Returns a bearer token of this owner."""
    with httpx.Client(base_url=f"{stack.url}/api/v1/admin", timeout=30) as client:
        owner = {"email": "owner@example.org", "password": PASSWORD}
        client.post("/setup", json={**owner, "token": stack.record()["setup_token"]}).raise_for_status()
        csrf = client.post("/session", json=owner).raise_for_status().json()["csrf_token"]
        token_response = client.post(
            "/tokens", json={"label": "bench", "role": "owner"}, headers={"x-csrf-token": csrf}
        )
        token: str = token_response.raise_for_status().json()["token"]
        return token


def body_routes(url: str) -> list[tuple[str, str, str]]:
    """Method and path of each route that reads a body, with each media type that it reads."""
    paths: dict[str, dict[str, Any]] = httpx.get(f"{url}/api/v1/openapi.json", timeout=30).json()["paths"]
    return [
        (method.upper(), re.sub(r"\{\w+\}", "x", path), media_type)
        for path, operations in paths.items()
        for method, operation in operations.items()
        for media_type in operation.get("requestBody", {}).get("content", ())
    ]


async def times_ms(host: str, port: int, seconds: float, sent: bytes) -> list[float]:
    """Times of a request in milliseconds, on one connection, every few milliseconds. Each is answered with 200."""
    reader, writer = await asyncio.open_connection(host, port)
    took = []
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        started = time.perf_counter()
        writer.write(sent)
        status = await read_answer(reader)
        if status != HTTPStatus.OK:
            raise RuntimeError(f"a request that is measured was answered with {status}")
        took.append((time.perf_counter() - started) * 1_000)
        await asyncio.sleep(PAUSE_S)
    writer.close()
    return took


async def send(target: Target, method: str, path: str, media_type: str, token: str) -> None:
    """Sends all hostile bodies of this media type in a loop until the time is over."""
    bodies = hostile_bodies() if media_type == "application/json" else hostile_files(media_type)
    livez_requests = [
        request(path, body, method=method, x_api_key=target.key, authorization=f"Bearer {token}").replace(
            b"application/json", media_type.encode(), 1
        )
        for body in bodies
    ]
    while not target.is_over:
        try:
            reader, writer = await asyncio.open_connection(target.host, target.port)
            for hostile in livez_requests:
                writer.write(hostile)
                await writer.drain()
                await read_answer(reader)
            writer.close()
        except (OSError, asyncio.IncompleteReadError):
            continue


def measure(
    url: str, key: str, token: str, method: str, path: str, media_type: str, seconds: float
) -> tuple[float, float]:
    """p99 of /livez in milliseconds: without the sender, and during its run in a separate process."""
    parts = urlsplit(url)
    host, port, livez = parts.hostname or "", parts.port or 0, request("/livez", method="GET")
    alone = asyncio.run(times_ms(host, port, seconds, livez))
    command = [sys.executable, str(Path(__file__)), "send", url, key, token, method, path, media_type]
    sender = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        beside = asyncio.run(times_ms(host, port, seconds, livez))
    finally:
        sender.kill()
        sender.wait()
    return quantile(alone, 99), quantile(beside, 99)


def measure_paying(seconds: float) -> tuple[float, float]:
    """p99 of a paying client in milliseconds: alone, and while another key without units asks every route."""
    with tempfile.TemporaryDirectory() as folder, stacks.embedded(Path(folder)) as stack:
        key = stacks.create_key(stack, "paying")["secret"]
        parts, idle = urlsplit(stack.url), stacks.create_key(stack, "idle", "--partner", "Idle", *WITHOUT_UNITS)
        paid = request("/api/v1/addresses/resolve", DEMO_REQUEST.encode(), x_api_key=key)
        where = parts.hostname or "", parts.port or 0, seconds, paid
        alone = asyncio.run(times_ms(*where))
        with attack(FREE_WORK, stack.url, 10 * seconds, idle["secret"]):
            time.sleep(1)
            beside = asyncio.run(times_ms(*where))
        return quantile(alone, 99), quantile(beside, 99)


def main() -> int:
    options = parser(__doc__).parse_args()
    figures = Figures.of(options)
    if figures.selects(FREE_WORK):
        alone, beside = measure_paying(1.0 if options.quick else FILE_SECONDS)
        figures.add(FREE_WORK, "alone", {PAYING_UNIT: [alone]})
        figures.add(FREE_WORK, "beside", {PAYING_UNIT: [beside]})
    with tempfile.TemporaryDirectory() as folder, stacks.embedded(Path(folder), NO_LIMITS) as stack:
        key, token = stacks.create_key(stack, "hostile")["secret"], owner_token(stack)
        for method, path, media_type in body_routes(stack.url):
            case = f"{method} {path} {media_type}"
            if figures.selects(case):
                seconds = 0.5 if options.quick else SECONDS if media_type == "application/json" else FILE_SECONDS
                alone, beside = measure(stack.url, key, token, method, path, media_type, seconds)
                figures.add(case, "alone", {UNIT: [alone]})
                figures.add(case, "beside", {UNIT: [beside]})
    return figures.status


if __name__ == "__main__":
    if sys.argv[1:2] == ["send"]:
        _, _, target_url, given_key, given_token, given_method, given_path, given_type = sys.argv
        where = urlsplit(target_url)
        until = Target(where.hostname or "", where.port or 0, time.monotonic() + 60, given_key)
        asyncio.run(send(until, given_method, given_path, given_type, given_token))
    else:
        sys.exit(main())
