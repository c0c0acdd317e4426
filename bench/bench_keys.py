"""Measures keys on SQLite and, if Docker is available, on PostgreSQL.

- The authorizations per second of one replica.
- The processor time of keys for a request, authorized and recorded in the batches of an edge.
- The time that authorization and metering add to a request.
- The time from a revocation to the first refusal.
"""

from __future__ import annotations  # the async stub is a type only

import asyncio
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from process_costs import cpu_s

from edge.access import Grant
from edge.clients.keys import KeysClient, encode_outcome
from edge.metering.outcomes import Outcome
from edge.metering.shipper import BATCH as SHIPPED_AT_ONCE
from edge.settings import EdgeSettings
from embedded.processes import free_ports
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from partners import http, post
from replicas import LOOPBACK, Admin, Backends, edges
from servicekit.endpoints import RESOLVE
from servicekit.rpc_client import Outgoing, open_channel

if TYPE_CHECKING:
    from landpartner.keys.v1.keys_pb2_grpc import KeysServiceAsyncStub

SHIPPED_EVERY_S: float = EdgeSettings.model_fields["outcome_interval_s"].default
SECONDS = 4.0
WARM_UP_S = 1.0
CALLERS = 8
"""Concurrent calls, as from a few edges."""
BATCHES = (1, 64)
HIGHEST_RATES = ("--per-minute", "1000000", "--burst", "1000000")
TARGET_PER_S = 3_000
CLIENTS = (1, 16)
TARGET_MS = {1: 1.2, 16: 0.5}
WARM_UP = 200
CALLS = 2_000
REVOCATIONS = 20
DEADLINE_S = 20.0


async def authorizations_per_s(backends: Backends, batch: int) -> float:
    """Uses only one key, the worst case: all decisions lock its row. Raises RuntimeError if one is denied."""
    secret = backends.create_key(f"batches of {batch}", *HIGHEST_RATES).secret
    decided = 0

    async def caller(stub: KeysServiceAsyncStub, ends: float) -> None:
        nonlocal decided
        outgoing = Outgoing(backends.token)
        while time.perf_counter() < ends:
            queries = [
                keys_pb2.AuthorizationQuery(
                    reservation_id=secrets.token_bytes(16), api_key=secret, endpoint="addresses.resolve"
                )
                for _ in range(batch)
            ]
            answer = await stub.Authorize(keys_pb2.AuthorizeRequest(queries=queries), **outgoing(DEADLINE_S))
            if not all(decision.HasField("grant") for decision in answer.decisions):
                raise RuntimeError("a request was denied")
            decided += batch

    async with open_channel(backends.keys_target) as channel:
        stub: KeysServiceAsyncStub = keys_pb2_grpc.KeysServiceStub(channel)
        for seconds in (WARM_UP_S, SECONDS):
            decided, started = 0, time.perf_counter()
            await asyncio.gather(*(caller(stub, started + seconds) for _ in range(CALLERS)))
    return decided / (time.perf_counter() - started)


async def processor_ms(backends: Backends, clients: int) -> float:
    """Processor milliseconds of keys for each request. Each client sends one request after the other, without HTTP."""
    key = backends.create_key(f"{clients} clients", *HIGHEST_RATES)
    pids = {"keys": backends.keys[0].pid}
    spool: list[bytes] = []
    done = 0

    async def ship(edge: KeysClient) -> None:
        while True:
            await asyncio.sleep(SHIPPED_EVERY_S)
            while batch := spool[:SHIPPED_AT_ONCE]:
                if await edge.record(batch):
                    raise RuntimeError("an outcome was not counted")
                del spool[: len(batch)]

    async def client(edge: KeysClient, ends: float) -> None:
        nonlocal done
        while time.perf_counter() < ends:
            reservation = secrets.token_bytes(16)
            decision = await edge.authorize(reservation, key.secret, RESOLVE, "192.0.2.1")
            if not isinstance(decision.result, Grant):
                raise RuntimeError("a request was denied")
            now = datetime.now(UTC).isoformat()
            spool.append(encode_outcome(Outcome(reservation, key.key_id, RESOLVE, 200, 1_000, 0, 0, now)))
            done += 1

    async with open_channel(backends.keys_target) as channel:
        edge = KeysClient(channel, Outgoing(backends.token), DEADLINE_S)
        shipping = asyncio.create_task(ship(edge))
        for seconds in (WARM_UP_S, SECONDS):
            done, before, ends = 0, cpu_s(pids)["keys"], time.perf_counter() + seconds
            await asyncio.gather(*(client(edge, ends) for _ in range(clients)))
        cost_s = cpu_s(pids)["keys"] - before
        if shipping.done():
            await shipping
        shipping.cancel()
    return cost_s * 1000 / done


def milliseconds(client: httpx.Client, paths: Sequence[str]) -> list[list[float]]:
    """Times of each path in milliseconds. The paths alternate, so that other work affects all equally."""
    times: list[list[float]] = [[] for _ in paths]
    for number in range(-WARM_UP, CALLS):
        for path, took in zip(paths, times, strict=True):
            started = time.perf_counter()
            status = client.get(path).status_code
            if status != httpx.codes.NOT_FOUND:
                raise RuntimeError(f"{path}: {status}")
            if number >= 0:
                took.append((time.perf_counter() - started) * 1000)
    return times


def report_added(backends: Backends, url: str) -> None:
    """Compares two unknown paths through the whole edge: one needs a key, the other does not."""
    headers = {"x-api-key": backends.create_key("added", "--per-minute", "1000000", "--burst", "100000").secret}
    with httpx.Client(base_url=url, headers=headers, timeout=DEADLINE_S) as client:
        free, metered = milliseconds(client, ("/nowhere", "/api/v1/nowhere"))
    for name, cut in (("p50", 49), ("p95", 94)):
        without, with_key = (statistics.quantiles(took, n=100)[cut] for took in (free, metered))
        print(f"  added to a request {name} {with_key - without:6.2f} ms ({without:.2f} to {with_key:.2f})")


async def report_revocation(backends: Backends, url: str) -> None:
    """Clients send requests in a loop while an admin revokes the key. Requests after the revocation must fail."""
    admin = Admin(backends.command, url)
    waited, passed = [], 0
    for number in range(REVOCATIONS):
        key = await asyncio.to_thread(
            admin.ask, "POST", "/api-keys", {"partner": "bench", "label": str(number), "quota": {"burst": 10_000}}
        )
        revoked_at: list[float] = []

        async def keep_asking(secret: str, revoked_at: list[float]) -> tuple[float, int]:
            """Milliseconds from the revocation to the refusal, and the number of requests allowed in between."""
            late = 0
            async with http() as client:
                while True:
                    is_late = bool(revoked_at)
                    status = (await post(client, url, secret)).status_code
                    if is_late and status == httpx.codes.UNAUTHORIZED:
                        return (time.perf_counter() - revoked_at[0]) * 1000, late
                    late += is_late

        clients = [asyncio.create_task(keep_asking(key["secret"], revoked_at)) for _ in range(CALLERS)]
        await asyncio.sleep(0.1)
        await asyncio.to_thread(admin.ask, "POST", f"/api-keys/{key['key']['id']}/revoke")
        revoked_at.append(time.perf_counter())
        for took, late in await asyncio.gather(*clients):
            waited.append(took)
            passed += late
    p50, worst = statistics.median(waited), max(waited)
    print(f"  revocation to refusal p50 {p50:.1f} ms, worst {worst:.1f} ms; let through after it: {passed} (to be 0)")


@contextmanager
def postgres() -> Iterator[str | None]:
    """Runs a PostgreSQL 17 with default settings. Yields its URL, or None if no Docker engine answers."""
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 (reads the variable as it loads)

    try:
        subprocess.run(["docker", "info"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        yield None
        return
    with PostgresContainer("postgres:17", driver="psycopg") as container:
        yield container.get_connection_url()


def measure(name: str, database_url: str, folder: Path) -> None:
    keys_port, metrics_port = free_ports(LOOPBACK, 2)
    backends = Backends(folder, database_url, keys_ports=[keys_port], metrics_ports=[metrics_port])
    with backends.running():
        print(name)
        for batch in BATCHES:
            rate = asyncio.run(authorizations_per_s(backends, batch))
            wanted = f" (to reach: {TARGET_PER_S}/s)" if batch == max(BATCHES) else ""
            print(f"  one replica, batches of {batch:2}: {rate:6.0f} authorizations/s{wanted}")
        for clients in CLIENTS:
            cost = asyncio.run(processor_ms(backends, clients))
            wanted = f" (to reach: {TARGET_MS[clients]})"
            print(f"  processor of keys for a request, {clients:2} clients: {cost:5.2f} ms{wanted}")
        with edges(backends, folder / "spool") as [edge]:
            report_added(backends, edge.url)
            asyncio.run(report_revocation(backends, edge.url))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", f"sqlite:///{folder}/keys.sqlite", Path(folder))
    with postgres() as database_url, tempfile.TemporaryDirectory() as folder:
        if database_url is None:
            print("PostgreSQL: no Docker engine answers")
        else:
            measure("PostgreSQL", database_url, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
