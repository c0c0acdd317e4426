"""Services that benchmarks compare: this one, embedded and with Compose, and how one run of any is measured."""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
from load_generator import Call, Clients
from measuring import OF_CLIENTS, P50, P95, RATE, Figures, quantile
from process_costs import Costs

import stacks
from attacks import request
from containers import docker, freeze, thaw

STARTS_WITHIN_S = 120.0
POSTGIS_IMAGE, POSTGRES_IMAGE = "postgis/postgis:17-3.5", "postgres:17"
UNLIMITED = ("--per-minute", "1000000", "--burst", "1000000")
RESOLVE, GEOJSON, DIVIDE_LAND = (
    f"/api/v1/{path}" for path in ("addresses/resolve", "land-units/geojson", "assistant/divide-land")
)


Awake = Callable[[], AbstractContextManager[None]]


@dataclass(eq=False)
class Contestant:
    """A running service."""

    name: str
    url: str
    pids: Mapping[str, int]
    """Processes whose processor time counts, with their children, by name."""
    awake: Awake = nullcontext
    """Surrounds its runs and commands. Outside of it, it may be paused: then it disturbs no other contestant, and does
    no work in advance.
    """


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
        costs = Costs(contestant.pids)
        load = connected.send(unsent, seconds)
        costs_ms = costs.each(len(load.latencies_ms))
    return {
        RATE: load.per_s,
        P50: quantile(load.latencies_ms, 50),
        P95: quantile(load.latencies_ms, 95),
        **costs_ms,
        OF_CLIENTS: load.own_cpu_s * 1000 / len(load.latencies_ms),
    }


def compare(figures: Figures, case: str, calls: Mapping[Contestant, Sequence[Call]], clients: int) -> None:
    """Measures the contestants in turn. Each round starts at another call, so that all get the same calls."""

    def measure(contestant: Contestant, number: int) -> dict[str, float]:
        first = number * len(calls[contestant]) // figures.rounds
        rotated = [*calls[contestant][first:], *calls[contestant][:first]]
        return measured(contestant, rotated, clients, figures.seconds)

    figures.compare(case, {contestant.name: partial(measure, contestant) for contestant in calls})


@contextmanager
def running(
    commands: Mapping[str, Sequence[str]],
    log_file: Path,
    is_ready: Callable[[], bool],
    environment: Mapping[str, str] | None = None,
) -> Iterator[dict[str, int]]:
    """Runs programs while the block runs. Yields their process ids when they are ready. Raises RuntimeError."""
    with ExitStack() as stack:
        log = stack.enter_context(log_file.open("wb"))
        processes = {}
        for name, command in commands.items():
            processes[name] = stack.enter_context(
                subprocess.Popen(command, env={**os.environ, **(environment or {})}, stdout=log, stderr=log)
            )
            stack.callback(processes[name].terminate)
        if not _gets_ready(is_ready, lambda: all(process.poll() is None for process in processes.values())):
            raise RuntimeError(f"{', '.join(commands)} did not start: see {log_file}")
        yield {name: process.pid for name, process in processes.items()}


def _gets_ready(is_ready: Callable[[], bool], is_running: Callable[[], bool] = lambda: True) -> bool:
    """Waits until it is ready, as long as it runs and STARTS_WITHIN_S are not over."""
    ends = time.monotonic() + STARTS_WITHIN_S
    while not is_ready():
        if time.monotonic() > ends or not is_running():
            return False
        time.sleep(0.1)
    return True


def answers(url: str) -> bool:
    """Whether the URL answers without an error."""
    with suppress(httpx.TransportError):
        return httpx.get(url, timeout=5).is_success
    return False


@contextmanager
def embedded(settings: Mapping[str, str] | None = None, *, paused: bool = False) -> Iterator[Ours]:
    """This service as `make run` starts it: on SQLite, with the demo commune. It can be paused between runs."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, stacks.embedded(Path(folder), settings) as stack:
        secret = stacks.create_key(stack, "bench", *UNLIMITED)["secret"]
        store = f"sqlite:///{folder}/land.sqlite"
        pids: dict[str, int] = stack.record()["pids"]

        def send(signum: int) -> None:
            for pid in pids.values():
                os.kill(pid, signum)

        with ExitStack() as exit_stack:
            awake: Awake = nullcontext
            if paused:
                pausing = _paused(stack.url, partial(send, signal.SIGSTOP), partial(send, signal.SIGCONT))
                awake = exit_stack.enter_context(pausing)
            yield Ours("embedded", stack.url, pids, awake, secret, stack.command, store_url=store)


@contextmanager
def compose() -> Iterator[Ours]:
    """This service as `make up` starts it: in containers, on PostgreSQL with PostGIS. It is paused between runs."""
    with stacks.compose() as stack:
        names = [name for name in stack.compose("ps", "--services").split() if name]
        containers = {name: stack.compose("ps", "--quiet", name).strip() for name in names}
        pids = {name: _container_pid(container) for name, container in containers.items()}

        def place(path: Path) -> str:
            docker("cp", str(path), f"{containers['land']}:/state/{path.name}")
            return f"/state/{path.name}"

        secret = stacks.create_key(stack, "bench", *UNLIMITED)["secret"]
        freezing = _paused(stack.url, partial(freeze, *containers.values()), partial(thaw, *containers.values()))
        with freezing as awake:
            yield Ours("Compose", stack.url, pids, awake, secret, stack.command, place)


@contextmanager
def _paused(url: str, pause: Callable[[], object], resume: Callable[[], object]) -> Iterator[Awake]:
    """Pauses a service while the block runs. Yields what surrounds its runs, which begin when its parts have found each
    other again.
    """

    @contextmanager
    def awake() -> Iterator[None]:
        resume()
        _gets_ready(partial(answers, f"{url}/readyz"))
        try:
            yield
        finally:
            pause()

    pause()
    try:
        yield awake
    finally:
        with suppress(RuntimeError):  # a run that has failed may have resumed it
            resume()


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
