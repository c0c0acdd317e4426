"""Services that benchmarks compare: this one, embedded and with Compose, and how one run of any is measured."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
from load_generator import Call, Clients
from measuring import P50, P95, PROCESSOR, RATE, quantile
from process_costs import cpu_s

import stacks
from attacks import request
from containers import docker, freeze, thaw

POSTGIS_IMAGE, POSTGRES_IMAGE = "postgis/postgis:17-3.5", "postgres:17"
UNLIMITED = ("--per-minute", "1000000", "--burst", "1000000")
RESOLVE, GEOJSON, DIVIDE_LAND = (
    f"/api/v1/{path}" for path in ("addresses/resolve", "land-units/geojson", "assistant/divide-land")
)


@dataclass(eq=False)
class Contestant:
    """A running service."""

    name: str
    url: str
    pids: Mapping[str, int]
    """Processes whose processor time counts, with their children, by name."""
    awake: Callable[[], AbstractContextManager[None]] = nullcontext
    """Surrounds its runs and commands. Outside of it, it may be paused and disturbs no other contestant."""


@dataclass(eq=False)
class Ours(Contestant):
    """This service."""

    secret: str = ""
    """The secret of a key without effective limits."""
    command: Callable[..., str] = field(default=lambda *_: "", repr=False)
    """Runs a service's command line."""
    place: Callable[[Path], str] = str
    """Makes a file available to `command`. Returns its path there."""
    store_url: str = ""
    """The address of land's database, if this process can reach it."""

    def ask(self, path: str, body: Mapping[str, Any], contains: str = "", secret: str = "") -> Call:
        message = request(path, json.dumps(body).encode(), x_api_key=secret or self.secret)
        return Call(message, contains.encode())


def measured(
    contestant: Contestant, calls: Sequence[Call], clients: int, seconds: float, warm_up_s: float = 0.3
) -> dict[str, float]:
    """One run: values by unit. The calls are sent in order, and again from the first if they do not suffice."""
    unsent = cycle(calls)
    with contestant.awake(), Clients(contestant.url, clients) as connected:
        connected.send(unsent, warm_up_s)
        before = cpu_s(contestant.pids)
        load = connected.send(unsent, seconds)
        after = cpu_s(contestant.pids)
    count = len(load.latencies_ms)
    costs = {name: (after[name] - before[name]) * 1000 / count for name in contestant.pids}
    return {
        RATE: load.per_s,
        P50: quantile(load.latencies_ms, 50),
        P95: quantile(load.latencies_ms, 95),
        PROCESSOR: sum(costs.values()),
        **{f"{PROCESSOR} of {name}": cost for name, cost in costs.items()},
        f"{PROCESSOR} of the clients": load.own_cpu_s * 1000 / count,
    }


def measured_in_round(
    contestant: Contestant, calls: Sequence[Call], clients: int, seconds: float, rounds: int, number: int
) -> dict[str, float]:
    """Measures like `measured`. Each round starts at another call, so that all contestants get the same calls."""
    first = number * len(calls) // rounds
    return measured(contestant, [*calls[first:], *calls[:first]], clients, seconds)


@contextmanager
def embedded(settings: Mapping[str, str] | None = None) -> Iterator[Ours]:
    """This service as `make run` starts it: on SQLite, with the demo commune."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, stacks.embedded(Path(folder), settings) as stack:
        secret = stacks.create_key(stack, "bench", *UNLIMITED)["secret"]
        store = f"sqlite:///{folder}/land.sqlite"
        yield Ours("embedded", stack.url, stack.record()["pids"], secret=secret, command=stack.command, store_url=store)


@contextmanager
def compose() -> Iterator[Ours]:
    """This service as `make up` starts it: in containers, on PostgreSQL with PostGIS. It is paused between runs."""
    with stacks.compose() as stack:
        names = [name for name in stack.compose("ps", "--services").split() if name]
        containers = {name: stack.compose("ps", "--quiet", name).strip() for name in names}
        pids = {name: _container_pid(container) for name, container in containers.items()}

        @contextmanager
        def awake() -> Iterator[None]:
            thaw(*containers.values())
            try:
                yield
            finally:
                freeze(*containers.values())

        def place(path: Path) -> str:
            docker("cp", str(path), f"{containers['land']}:/state/{path.name}")
            return f"/state/{path.name}"

        secret = stacks.create_key(stack, "bench", *UNLIMITED)["secret"]
        freeze(*containers.values())
        try:
            yield Ours("Compose", stack.url, pids, awake, secret, stack.command, place)
        finally:
            with suppress(RuntimeError):  # a run that has failed may have thawed them
                thaw(*containers.values())


def _container_pid(container: str) -> int:
    return int(docker("inspect", "--format", "{{.State.Pid}}", container))


@contextmanager
def database_server(image: str) -> Iterator[tuple[str, dict[str, int]]]:
    """Runs a temporary PostgreSQL with default settings. Yields its URL and its process. Raises an error if no Docker
    engine answers.
    """
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 (reads the variable as it loads)

    with PostgresContainer(image, driver="psycopg") as container:
        pid = _container_pid(container.get_wrapped_container().id)
        yield container.get_connection_url(), {"PostgreSQL": pid}


def wait_until_it_answers(url: str, timeout_s: float = 60.0) -> None:
    """Waits until the URL answers. Raises TimeoutError."""
    ends = time.monotonic() + timeout_s
    while time.monotonic() < ends:
        try:
            if httpx.get(url, timeout=5).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise TimeoutError(f"{url} does not answer")
