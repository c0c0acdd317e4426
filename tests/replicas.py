"""Replicas as real processes on loopback: three of keys with one PostgreSQL, two of the edge, and land with its demo
commune. A test can kill each replica and restart it on the same port.
"""

import asyncio
import json
import os
import re
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from command_lines import run_command
from embedded.processes import Fleet, free_ports
from forked_services import ForkedFleet
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.callers import entry
from servicekit.healthcheck import is_serving
from servicekit.rpc_client import Outgoing, open_channel
from stacks import PATIENCE_S, PATIENT

LOOPBACK = "127.0.0.1"
KEYS_REPLICAS = 3
CALL_WITHIN_S = 60.0
GENEROUS_RATES = ("--per-minute", "600000", "--burst", "60000")


def spooled(folder: Path) -> list[str]:
    """The names in a spool, without the counts of the availability."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("availability.db"))


class Replica:
    """A process of a service. Used from the main thread."""

    def __init__(
        self,
        name: str,
        environment: Mapping[str, str],
        log_file: Path,
        is_ready: Callable[[], bool],
        new_fleet: Callable[[], Fleet] = ForkedFleet,
    ) -> None:
        self._name = name
        self._environment = {**os.environ, **environment}
        self._log_file = log_file
        self._is_ready = is_ready
        self._fleet = new_fleet()

    def begin(self) -> None:
        self._fleet.start(self._name, [self._name, "serve"], self._environment, self._log_file)

    def wait(self) -> None:
        """Waits until it is ready. Raises Died if it ends before."""
        self._fleet.wait_until(self._is_ready, self._name, PATIENCE_S)

    def start(self) -> None:
        self.begin()
        self.wait()

    @property
    def pid(self) -> int:
        return self._fleet.pids[self._name]

    def kill(self) -> None:
        """Kills it with SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)
        self._fleet.end()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stops it with SIGSTOP, and lets it go on after the block, unless it was killed."""
        paused = self.pid
        os.kill(paused, signal.SIGSTOP)
        try:
            yield
        finally:
            if self._fleet.pids.get(self._name) == paused:
                os.kill(paused, signal.SIGCONT)

    def stop(self) -> None:
        """Drains it, and kills it after a timeout. Does nothing if it is not running."""
        self._fleet.end()


@contextmanager
def serving(replicas: Sequence[Replica]) -> Iterator[None]:
    """Starts the replicas in parallel, and stops them after the block, even after an error."""
    with ExitStack() as stack:
        for replica in replicas:
            stack.callback(replica.stop)
            replica.begin()
        for replica in replicas:
            replica.wait()
        yield


class IssuedKey(NamedTuple):
    key_id: str
    secret: str


class Counts(NamedTuple):
    """The counts of a key's month in keys. `reserved_units` belong to requests without an outcome yet."""

    requests: int
    errors: int
    units: int
    reserved_units: int


@dataclass
class Backends:
    """keys and land, with one token for all calls."""

    folder: Path
    database_url: str
    token: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    peppers: str = field(default_factory=lambda: f"1:{secrets.token_hex(32)}", repr=False)
    keys: list[Replica] = field(default_factory=list)
    keys_ports: list[int] = field(default_factory=lambda: free_ports(LOOPBACK, KEYS_REPLICAS))
    metrics_ports: list[int] = field(default_factory=lambda: free_ports(LOOPBACK, KEYS_REPLICAS))
    land_port: int = field(default_factory=lambda: free_ports(LOOPBACK, 1)[0])
    keys_settings: Mapping[str, str] = field(default_factory=dict)
    land: Replica = field(init=False)

    @contextmanager
    def running(self) -> Iterator[None]:
        self.command("keys", "migrate")
        self.command("land", "migrate")
        self.command("land", "demo")
        self.keys = [
            self._backend(
                "keys",
                port,
                KEYS_METRICS_PORT=str(metrics_port),
                **self.keys_settings,
            )
            for port, metrics_port in zip(self.keys_ports, self.metrics_ports, strict=True)
        ]
        self.land = self._backend("land", self.land_port)
        with serving([*self.keys, self.land]):
            yield

    @property
    def keys_target(self) -> str:
        return ",".join(f"{LOOPBACK}:{port}" for port in self.keys_ports)

    def command(self, service: str, *arguments: str) -> str:
        """Runs a service's command line and returns what it prints. Raises CalledProcessError."""
        return run_command(service, arguments, {**os.environ, **self._environment(service)})

    def create_key(self, label: str, *options: str) -> IssuedKey:
        """A live key of a new partner."""
        printed = self.command("keys", "create-key", "--partner", label, "--label", label, *GENEROUS_RATES, *options)
        key: dict[str, str] = json.loads(printed)
        return IssuedKey(key["key_id"], key["secret"])

    async def counts(self, key_id: str) -> Counts:
        """The counts from keys itself, since a request through an edge would be counted."""
        async with open_channel(self.keys_target) as channel:
            answer = await keys_pb2_grpc.KeysServiceStub(channel).GetKeyUsage(
                keys_pb2.GetKeyUsageRequest(key_id=key_id), **Outgoing(self.token)(CALL_WITHIN_S)
            )
        return Counts(answer.requests, answer.errors, answer.units, answer.reserved_units)

    async def lease_calls(self) -> list[float]:
        """The number of calls for leases that each replica of keys has answered since its start."""
        pattern = re.compile(r'^rpc_server_calls_total\{method="[^"]*/Lease",status="OK"\} (\S+)$', re.MULTILINE)
        async with httpx.AsyncClient() as client:
            pages = [await client.get(f"http://{LOOPBACK}:{port}/metrics") for port in self.metrics_ports]
        return [sum(map(float, pattern.findall(page.text))) for page in pages]

    async def settled(self, key_id: str, requests: int = 0) -> Counts:
        """The counts after all outcomes have arrived and at least `requests` requests are counted.

        keys counts refused requests in memory first. Raises TimeoutError.
        """
        async with asyncio.timeout(PATIENCE_S):
            while True:
                counts = await self.counts(key_id)
                if not counts.reserved_units and counts.requests >= requests:
                    return counts
                await asyncio.sleep(0.1)

    def _backend(self, name: str, port: int, **more: str) -> Replica:
        prefix = name.upper()
        environment = {
            **self._environment(name),
            f"{prefix}_HOST": LOOPBACK,
            f"{prefix}_PORT": str(port),
            f"{prefix}_DRAIN_S": "2",
            **more,
        }
        log_file = self.folder / f"{name}-{port}.log"
        return Replica(name, environment, log_file, lambda: is_serving(f"{LOOPBACK}:{port}", timeout_s=1))

    def _environment(self, service: str) -> dict[str, str]:
        return {
            "keys": {"KEYS_DATABASE_URL": self.database_url, "KEYS_PEPPERS": self.peppers},
            "land": {
                "LAND_DATABASE_URL": f"sqlite:///{self.folder}/land.sqlite",
                "LAND_DATA_DIR": str(self.folder / "land"),
                "LAND_ON_DEMAND": "off",
            },
        }[service] | {f"{service.upper()}_CALLERS": entry("edge", self.token)}


class Edge:
    """One edge with these backends. Its outcomes are on the volume `spool`."""

    def __init__(self, backends: Backends, spool: Path, **settings: str) -> None:
        port, nobody = free_ports(LOOPBACK, 2)
        self.url = f"http://{LOOPBACK}:{port}"
        self.spool = spool
        environment = {
            **PATIENT,
            "EDGE_HOST": LOOPBACK,
            "EDGE_PORT": str(port),
            "EDGE_LAND_TARGET": f"{LOOPBACK}:{backends.land_port}",
            "EDGE_KEYS_TARGET": backends.keys_target,
            "EDGE_ASSISTANT_TARGET": f"{LOOPBACK}:{nobody}",
            **dict.fromkeys(("EDGE_KEYS_TOKEN", "EDGE_LAND_TOKEN", "EDGE_ASSISTANT_TOKEN"), backends.token),
            "EDGE_SPOOL_DIR": str(spool),
            **settings,
        }
        self.process = Replica("edge", environment, backends.folder / f"edge-{port}.log", self._is_ready)

    def _is_ready(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/livez").status_code == httpx.codes.OK
        return False


@contextmanager
def edges(backends: Backends, *spools: Path, **settings: str) -> Iterator[list[Edge]]:
    """One running edge for each spool. Several edges may share one spool."""
    new_edges = [Edge(backends, spool, **settings) for spool in spools]
    with serving([edge.process for edge in new_edges]):
        yield new_edges


class Admin:
    """The admin API of an edge, with the bearer token of an owner."""

    EMAIL, PASSWORD = "owner@example.org", "a long enough passphrase"

    def __init__(self, command: Callable[..., str], url: str) -> None:
        """Creates the first owner. Works once per database. `command` runs a service's command line."""
        token = json.loads(command("keys", "setup-token"))["setup_token"]
        account = {"email": self.EMAIL, "password": self.PASSWORD}
        with httpx.Client(base_url=f"{url}/api/v1/admin", timeout=CALL_WITHIN_S) as browser:
            browser.post("/setup", json={"token": token, **account}).raise_for_status()
            session = browser.post("/session", json=account).raise_for_status().json()
            response = browser.post(
                "/tokens",
                json={"label": "automation", "role": "owner"},
                headers={"x-csrf-token": session["csrf_token"]},
            )
        self.command = command
        self._url = f"{url}/api/v1/admin"
        self.authorization = f"Bearer {response.raise_for_status().json()['token']}"

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON answer of the edge. Raises HTTPStatusError for an error status."""
        answer = httpx.request(
            method, self._url + path, json=body, headers={"authorization": self.authorization}, timeout=CALL_WITHIN_S
        )
        return answer.raise_for_status().json()
