"""Measures keys on SQLite and, if Docker is available, on PostgreSQL, with a real edge before it.

- Requests with a key and without a route, for leases, outcomes and headers, and requests without a key.
- The processor time of keys for 100 keys in use, and for one key with 100 requests per second.
- The time from the answer of a revocation to the first refusal.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import httpx
from contestants import POSTGRES_IMAGE, UNLIMITED, Contestant, compare, database_server
from load_generator import Call
from measuring import RATE, Figures, Values, counted, parser
from process_costs import Costs

from attacks import request
from embedded.processes import free_ports
from partners import http, post
from replicas import LOOPBACK, Admin, Backends, edges

SECONDS = 3.0
CLIENTS = (1, 16)
MANY_KEYS = 100
PACES = ((MANY_KEYS, 5.0), (MANY_KEYS, 1.0), (1, 100.0))
"""Numbers of keys, and the requests per second of each."""
UNKNOWN = "/api/v1/nowhere"
"""A path without a route needs a key, and no other service than keys."""
NOT_FOUND = (httpx.codes.NOT_FOUND,)
CALLERS = 8
REVOCATIONS = 20
DEADLINE_S = 20.0


async def ask(client: httpx.AsyncClient, secret: str) -> None:
    """Raises RuntimeError if the request is refused."""
    status = (await client.get(UNKNOWN, headers={"x-api-key": secret})).status_code
    if status != httpx.codes.NOT_FOUND:
        raise RuntimeError(f"{UNKNOWN}: {status}")


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


def measure_costs(figures: Figures, service: Contestant, secrets: Sequence[str]) -> None:
    metered = request(UNKNOWN, method="GET", x_api_key=secrets[0])
    for clients in CLIENTS:
        compare(
            figures,
            f"leased and counted, {counted(clients, 'client')}",
            {service: [Call(metered, statuses=NOT_FOUND)]},
            clients,
        )
    free = request("/nowhere", method="GET")
    compare(figures, "without a key, 1 client", {service: [Call(free, statuses=NOT_FOUND)]}, 1)

    def measure_pace(secrets: Sequence[str], per_s: float, _: int) -> Values:
        costs, began = Costs(service.pids), time.perf_counter()
        number = asyncio.run(ask_at_pace(service.url, secrets, per_s, figures.seconds))
        return {RATE: number / (time.perf_counter() - began), **costs.each(number)}

    for key_count, per_s in PACES:
        case = f"{counted(key_count, 'key')}, {per_s:.0f} requests/s each"
        figures.compare(case, {service.name: partial(measure_pace, secrets[:key_count], per_s)})


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
    figures.add("a revocation of a key in use", name, {"ms": answered})
    figures.add("from its answer to the refusal", name, {"ms": waited, "requests let through": [passed]})


def measure(figures: Figures, name: str, database_url: str, databases: Mapping[str, int]) -> None:
    keys_port, metrics_port = free_ports(LOOPBACK, 2)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        url = database_url or f"sqlite:///{folder}/keys.sqlite"
        backends = Backends(folder, url, keys_ports=[keys_port], metrics_ports=[metrics_port])
        with backends.running(), edges(backends, folder / "spool") as [edge]:
            secrets = [backends.create_key(f"key {number}", *UNLIMITED).secret for number in range(MANY_KEYS)]
            pids = {"edge": edge.process.pid, "keys": backends.keys[0].pid, **databases}
            measure_costs(figures, Contestant(name, edge.url, pids), secrets)
            asyncio.run(measure_revocation(figures, name, backends, edge.url))


def main() -> int:
    figures = Figures.of(parser(__doc__).parse_args(), SECONDS)
    measure(figures, "SQLite", "", {})
    try:
        with database_server(POSTGRES_IMAGE) as (database_url, databases):
            measure(figures, "PostgreSQL", database_url, databases)
    except Exception as error:
        figures.fail("start", "PostgreSQL", error)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
