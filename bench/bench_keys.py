"""Measures keys on SQLite and, if Docker is available, on PostgreSQL, with a real edge before it.

- The processor time of keys and of the edge for a request with a key and without a route: leases, outcomes, headers.
- The processor time of keys for 100 keys in use, and for one key with 100 requests per second.
- The time that leases and metering add to a request.
- The time from the answer of a revocation to the first refusal.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import httpx
from contestants import POSTGRES_IMAGE, UNLIMITED, database_server
from measuring import P50, P95, PROCESSOR, Figures, counted, parser, quantile
from process_costs import cpu_s

from embedded.processes import free_ports
from partners import http, post
from replicas import LOOPBACK, Admin, Backends, Edge, edges

SECONDS = 3.0
WARM_UP_S = 1.0
CLIENTS = (1, 16)
MANY_KEYS = 100
PACES = ((MANY_KEYS, 5.0), (MANY_KEYS, 1.0), (1, 100.0))
"""Numbers of keys, and the requests per second of each."""
UNKNOWN = "/api/v1/nowhere"
"""A path without a route needs a key, and no other service than keys."""
WARM_UP = 200
CALLS = 1_000
CALLERS = 8
REVOCATIONS = 20
DEADLINE_S = 20.0


async def ask(client: httpx.AsyncClient, secret: str) -> None:
    """Raises RuntimeError if the request is refused."""
    status = (await client.get(UNKNOWN, headers={"x-api-key": secret})).status_code
    if status != httpx.codes.NOT_FOUND:
        raise RuntimeError(f"{UNKNOWN}: {status}")


async def ask_in_a_loop(url: str, secret: str, clients: int, seconds: float) -> int:
    """Each client sends one request after the other. Returns their number."""
    ends = time.perf_counter() + seconds

    async def ask_again() -> int:
        async with httpx.AsyncClient(base_url=url, timeout=DEADLINE_S) as client:
            for number in count():
                if time.perf_counter() >= ends:
                    return number
                await ask(client, secret)
        return 0

    return sum(await asyncio.gather(*(ask_again() for _ in range(clients))))


async def ask_at_pace(url: str, secrets: Sequence[str], per_s: float, seconds: float) -> int:
    """Sends requests with each key at even intervals, if this process keeps up. Returns their number."""
    began = time.perf_counter()

    async def ask_with(client: httpx.AsyncClient, secret: str, first: float) -> int:
        for number in count():
            due = began + first + number / per_s
            if due >= began + seconds or time.perf_counter() >= began + seconds:
                return number
            await asyncio.sleep(due - time.perf_counter())
            await ask(client, secret)
        return 0

    async with httpx.AsyncClient(base_url=url, timeout=DEADLINE_S) as client:
        starts = [place / len(secrets) / per_s for place in range(len(secrets))]
        return sum(await asyncio.gather(*(ask_with(client, *of_key) for of_key in zip(secrets, starts, strict=True))))


def measure_costs(figures: Figures, name: str, backends: Backends, edge: Edge, rounds: int) -> None:
    pids = {"keys": backends.keys[0].pid, "edge": edge.process.pid}
    secret = backends.create_key("one", *UNLIMITED).secret
    asyncio.run(ask_in_a_loop(edge.url, secret, CALLERS, WARM_UP_S))
    for clients in CLIENTS:
        costs: dict[str, list[float]] = {service: [] for service in pids}
        rates = []
        for _ in range(rounds):
            before, began = cpu_s(pids), time.perf_counter()
            number = asyncio.run(ask_in_a_loop(edge.url, secret, clients, SECONDS))
            rates.append(number / (time.perf_counter() - began))
            for service, used_s in cpu_s(pids).items():
                costs[service].append((used_s - before[service]) * 1000 / number)
        figures.add(f"leased and counted, {counted(clients, 'client')}", name, "answers/s", rates)
        for service, milliseconds_each in costs.items():
            figures.add(f"{service}, {counted(clients, 'client')}", name, PROCESSOR, milliseconds_each)
    many = [backends.create_key(f"key {number}", *UNLIMITED).secret for number in range(MANY_KEYS)]
    for key_count, per_s in PACES:
        used, rates = [], []
        for _ in range(rounds):
            before, began = cpu_s(pids), time.perf_counter()
            number = asyncio.run(ask_at_pace(edge.url, many[:key_count], per_s, SECONDS))
            lasted_s = time.perf_counter() - began
            rates.append(number / lasted_s)
            used.append((cpu_s(pids)["keys"] - before["keys"]) * 1000 / lasted_s)
        case = f"{counted(key_count, 'key')}, {per_s:.0f} requests/s each"
        figures.add(case, name, "answers/s", rates)
        figures.add(case, name, "ms of keys each second", used)


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
        free, metered = milliseconds(client, ("/nowhere", UNKNOWN))
    for unit, of_100 in ((P50, 50), (P95, 95)):
        for case, took in (("request without a key", free), ("request with a key", metered)):
            figures.add(case, name, unit, [quantile(took, of_100)])


async def measure_revocation(figures: Figures, name: str, backends: Backends, url: str) -> None:
    """Clients send requests in a loop while an admin revokes the key. Requests after the revocation must fail."""
    admin = Admin(backends.command, url)
    answered, waited, passed = [], [], 0
    for number in range(REVOCATIONS):
        key = await asyncio.to_thread(
            admin.ask, "POST", "/api-keys", {"partner": "bench", "label": str(number), "quota": {"burst": 10_000}}
        )
        revoked_at: list[float] = []

        async def keep_asking(secret: str, revoked_at: list[float]) -> tuple[float, int]:
            """Milliseconds from the answer of the revocation to the refusal, and the requests allowed in between."""
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
        began = time.perf_counter()
        await asyncio.to_thread(admin.ask, "POST", f"/api-keys/{key['key']['id']}/revoke")
        revoked_at.append(time.perf_counter())
        answered.append((revoked_at[0] - began) * 1000)
        for took, late in await asyncio.gather(*clients):
            waited.append(took)
            passed += late
    figures.add("a revocation of a key in use", name, "ms", answered)
    figures.add("from its answer to the refusal", name, "ms", waited)
    figures.add("let through after its answer", name, "requests", [passed])


def measure(figures: Figures, name: str, database_url: str, folder: Path, rounds: int) -> None:
    keys_port, metrics_port = free_ports(LOOPBACK, 2)
    backends = Backends(folder, database_url, keys_ports=[keys_port], metrics_ports=[metrics_port])
    with backends.running(), edges(backends, folder / "spool") as [edge]:
        measure_costs(figures, name, backends, edge, rounds)
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
