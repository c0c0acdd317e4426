"""Measures keys on SQLite and, if Docker is available, on PostgreSQL.

- The authorizations per second of one replica.
- The processor time of keys for a request, authorized and recorded in the batches of an edge.
- The time that authorization and metering add to a request.
- The time from a revocation to the first refusal.
"""

from __future__ import annotations  # the async stub is a type only

import asyncio
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from contestants import POSTGRES_IMAGE, UNLIMITED, database_server
from measuring import P50, P95, PROCESSOR, Figures, counted, parser, quantile
from process_costs import cpu_s

from edge.clients.keys import KeysClient
from edge.metering.refused import BATCH as SHIPPED_AT_ONCE
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
SECONDS = 2.0
WARM_UP_S = 0.5
CALLERS = 8
"""Concurrent calls, as from a few edges."""
BATCHES = (1, 64)
CLIENTS = (1, 16)
WARM_UP = 200
CALLS = 1_000
REVOCATIONS = 20
DEADLINE_S = 20.0


async def authorizations_per_s(backends: Backends, batch: int) -> float:
    """Uses only one key, the worst case: all decisions lock its row. Raises RuntimeError if one is denied."""
    secret = backends.create_key(f"batches of {batch}", *UNLIMITED).secret
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
    key = backends.create_key(f"{clients} clients", *UNLIMITED)
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
            if not decision.HasField("grant"):
                raise RuntimeError("a request was denied")
            outcome = keys_pb2.Outcome(
                event_id=reservation,
                reservation_id=reservation,
                key_id=key.key_id,
                endpoint=RESOLVE,
                status=200,
                latency_us=1_000,
                occurred_at=datetime.now(UTC).isoformat(),
            )
            spool.append(outcome.SerializeToString())
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


def measure_added(figures: Figures, name: str, backends: Backends, url: str) -> None:
    """Compares two unknown paths through the whole edge: one needs a key, the other does not."""
    headers = {"x-api-key": backends.create_key("added", "--per-minute", "1000000", "--burst", "100000").secret}
    with httpx.Client(base_url=url, headers=headers, timeout=DEADLINE_S) as client:
        free, metered = milliseconds(client, ("/nowhere", "/api/v1/nowhere"))
    for unit, of_100 in ((P50, 50), (P95, 95)):
        for case, took in (("request without a key", free), ("request with a key", metered)):
            figures.add(case, name, unit, [quantile(took, of_100)])


async def measure_revocation(figures: Figures, name: str, backends: Backends, url: str) -> None:
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
    figures.add("from a revocation to the refusal", name, "ms", waited)
    figures.add("let through after a revocation", name, "requests", [passed])


def measure(figures: Figures, name: str, database_url: str, folder: Path, rounds: int) -> None:
    keys_port, metrics_port = free_ports(LOOPBACK, 2)
    backends = Backends(folder, database_url, keys_ports=[keys_port], metrics_ports=[metrics_port])
    with backends.running():
        for batch in BATCHES:
            rates = [asyncio.run(authorizations_per_s(backends, batch)) for _ in range(rounds)]
            figures.add(f"one replica, batches of {batch}", name, "authorizations/s", rates)
        for clients in CLIENTS:
            costs = [asyncio.run(processor_ms(backends, clients)) for _ in range(rounds)]
            figures.add(f"authorize and record, {counted(clients, 'client')}", name, PROCESSOR, costs)
        with edges(backends, folder / "spool") as [edge]:
            measure_added(figures, name, backends, edge.url)
            asyncio.run(measure_revocation(figures, name, backends, edge.url))


def main() -> int:
    options = parser(__doc__).parse_args()
    figures, rounds = Figures(options.json), 1 if options.quick else options.rounds
    with tempfile.TemporaryDirectory() as folder:
        measure(figures, "SQLite", f"sqlite:///{folder}/keys.sqlite", Path(folder), rounds)
    try:
        with database_server(POSTGRES_IMAGE) as (database_url, _), tempfile.TemporaryDirectory() as folder:
            measure(figures, "PostgreSQL", database_url, Path(folder), rounds)
    except Exception as error:
        figures.fail("start", "PostgreSQL", error)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
