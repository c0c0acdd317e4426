"""A whole service of real processes, in which every part can fail.

It has two edges, two replicas each of keys and land, one assistant, and a PostgreSQL server in a container. Each part
reaches the others through a link.
"""

import asyncio
import json
import os
import secrets
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from command_lines import run_command
from containers import docker
from databases import IMAGE
from embedded.processes import Fleet, free_ports
from faults.links import LOOPBACK, Link
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from replicas import CALL_WITHIN_S, GENEROUS_RATES, Counts, IssuedKey, Replica
from servicekit.callers import entry
from servicekit.healthcheck import is_serving
from servicekit.rpc_client import Outgoing, open_channel

REPLICAS = {"edge": 2, "keys": 2, "land": 2, "assistant": 1}
BACKENDS = ("keys", "land", "assistant")
DATA_MIB = 320
"""Size of the file system of the database's data."""
_FAKE_CLOCK = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (libfaketime's)
_POSTGRES = "postgres -c max_connections=150 -c shared_buffers=32MB -c max_wal_size=64MB -c min_wal_size=32MB"
_SETTLED_WITHIN_S = 120.0


class Unavailable(Exception):
    """This machine cannot run the site."""


@dataclass
class Database:
    """PostgreSQL in a container, with its data on a small file system in memory that outlives the container's stops."""

    port: int = field(default_factory=lambda: free_ports(LOOPBACK, 1)[0])
    name: str = field(default_factory=lambda: f"faults-{secrets.token_hex(4)}")
    password: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)

    @contextmanager
    def running(self) -> Iterator[None]:
        in_memory = ("--opt", "type=tmpfs", "--opt", "device=tmpfs", "--opt", f"o=size={DATA_MIB}m")
        docker("volume", "create", *in_memory, self.name)
        try:
            # Without a container that uses it, the file system would be unmounted and empty again.
            volume = ("--volume", f"{self.name}:/data")
            docker(
                "run", "--detach", "--name", f"{self.name}-holder", *volume, "--entrypoint", "sleep", IMAGE, "infinity"
            )
            docker(
                "run", "--detach", "--name", self.name, *volume, "--env", "PGDATA=/data/postgres",
                "--env", f"POSTGRES_PASSWORD={self.password}", "--publish", f"{LOOPBACK}:{self.port}:5432",
                IMAGE, *_POSTGRES.split(),
            )  # fmt: skip
            yield
        finally:
            for name in (self.name, f"{self.name}-holder"):
                subprocess.run(["docker", "rm", "--force", "--volumes", name], capture_output=True, check=False)
            subprocess.run(["docker", "volume", "rm", self.name], capture_output=True, check=False)

    async def create(self, *names: str) -> None:
        """Waits for the server and creates databases on it."""
        async with asyncio.timeout(_SETTLED_WITHIN_S):
            while not self._answers():  # noqa: ASYNC110
                await asyncio.sleep(0.3)
        for name in names:
            self.execute(f"CREATE DATABASE {name}")

    def _answers(self) -> bool:
        with suppress(RuntimeError):  # TCP: the server of the image's first start has none
            docker("exec", self.name, "pg_isready", "--host", LOOPBACK, "--username", "postgres")
            return True
        return False

    def execute(self, statement: str) -> None:
        docker("exec", self.name, "psql", "--username", "postgres", "--command", statement)

    def fill(self) -> None:
        """Leaves no byte free."""
        script = "dd if=/dev/zero of=/data/filler bs=64k; true"
        docker("exec", f"{self.name}-holder", "sh", "-c", script)

    def empty(self) -> None:
        docker("exec", f"{self.name}-holder", "rm", "-f", "/data/filler")

    def ensure_started(self) -> None:
        """Starts the server if it has ended, as a container's restart policy does."""
        docker("start", self.name)

    def url(self, port: int, name: str) -> str:
        return f"postgresql+psycopg://postgres:{self.password}@{LOOPBACK}:{port}/{name}"


@dataclass
class Site:
    """The running parts. Names are those of the services with a number: `edge 1`."""

    folder: Path
    database: Database = field(default_factory=Database)
    replicas: dict[str, Replica] = field(default_factory=dict)
    pids: set[int] = field(default_factory=set)
    """The ids of all processes that served."""
    links: dict[tuple[str, str], Link] = field(default_factory=dict)
    """The links by their two peers. A database has the name of the service that owns its data: `keys database`."""
    ports: dict[str, int] = field(default_factory=dict)
    token: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    peppers: str = field(default_factory=lambda: f"1:{secrets.token_hex(32)}", repr=False)

    @property
    def urls(self) -> list[str]:
        return [f"http://{LOOPBACK}:{self.ports[name]}" for name in self.replicas if name.startswith("edge")]

    def spool(self, edge: str) -> Path:
        return self.folder / "spool" / edge.replace(" ", "-")

    def clock_file(self, name: str) -> Path:
        """Holds the offset of the clock of a replica, as libfaketime reads it: `+30s`."""
        return self.folder / f"{name.replace(' ', '-')}.clock"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Raises Unavailable without libfaketime or rights to mount, and RuntimeError without Docker."""
        if not _FAKE_CLOCK.exists():  # noqa: ASYNC240
            raise Unavailable("libfaketime is missing: install Debian's package faketime")
        names = [f"{service} {number + 1}" for service, count in REPLICAS.items() for number in range(count)]
        self.ports = dict(zip(names, free_ports(LOOPBACK, len(names)), strict=True))
        async with AsyncExitStack() as stack:
            stack.callback(self._clean_up)
            stack.enter_context(self.database.running())
            await self.database.create(*BACKENDS)
            await self._link(stack, names)
            for name in names:
                self.clock_file(name).write_text("+0s")
                if name.startswith("edge"):
                    stack.enter_context(small_file_system(self.spool(name)))
            await asyncio.gather(*(asyncio.to_thread(self._prepare, service) for service in BACKENDS))
            self.replicas = {name: self._replica(name) for name in names}
            for replica in self.replicas.values():
                stack.push_async_callback(asyncio.to_thread, replica.stop)
                replica.begin()
            await asyncio.gather(*(asyncio.to_thread(replica.wait) for replica in self.replicas.values()))
            yield

    def _clean_up(self) -> None:
        """Removes what libfaketime leaves behind of processes that were killed."""
        for pid in self.pids:
            for name in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
                (_SHARED_MEMORY / name).unlink(missing_ok=True)

    async def _link(self, stack: AsyncExitStack, names: list[str]) -> None:
        peers: list[tuple[str, str, int]] = []
        for name in names:
            service = name.split()[0]
            if service == "edge":
                peers += [(name, other, self.ports[other]) for other in names if not other.startswith("edge")]
            else:
                peers.append((name, f"{service} database", self.database.port))
        for (one, other, target), port in zip(peers, free_ports(LOOPBACK, len(peers)), strict=True):
            link = self.links[one, other] = Link(port, target)
            await link.start()
            stack.push_async_callback(link.stop)

    def _prepare(self, service: str) -> None:
        self.command(service, "migrate")
        if service == "land":
            self.command("land", "demo")

    def command(self, service: str, *arguments: str) -> str:
        """Runs a service's command line, which reaches the database without a link. Raises CalledProcessError."""
        return run_command(service, arguments, os.environ | self._backend(service, self.database.port))

    def create_key(self, label: str, *options: str) -> IssuedKey:
        printed = self.command("keys", "create-key", "--partner", label, "--label", label, *GENEROUS_RATES, *options)
        key: dict[str, str] = json.loads(printed)
        return IssuedKey(key["key_id"], key["secret"])

    async def counts(self, key_id: str) -> Counts:
        """The counts from keys itself, without a link."""
        async with open_channel(f"{LOOPBACK}:{self.ports['keys 1']}") as channel:
            answer = await keys_pb2_grpc.KeysServiceStub(channel).GetKeyUsage(
                keys_pb2.GetKeyUsageRequest(key_id=key_id), **Outgoing(self.token)(CALL_WITHIN_S)
            )
        return Counts(answer.requests, answer.errors, answer.units, answer.reserved_units)

    def is_ready(self, name: str) -> bool:
        if name.startswith("edge"):
            with suppress(httpx.TransportError):
                return httpx.get(f"http://{LOOPBACK}:{self.ports[name]}/livez").status_code == httpx.codes.OK
            return False
        return is_serving(f"{LOOPBACK}:{self.ports[name]}", timeout_s=1)

    def _replica(self, name: str) -> Replica:
        service = name.split(maxsplit=1)[0]
        prefix = service.upper()
        if service == "edge":
            settings = {f"EDGE_{backend.upper()}_TARGET": self._targets(name, backend) for backend in BACKENDS}
            settings |= {f"EDGE_{backend.upper()}_TOKEN": self.token for backend in BACKENDS}
            settings["EDGE_SPOOL_DIR"] = str(self.spool(name))
        else:
            settings = self._backend(service, self.links[name, f"{service} database"].port)
        environment = {
            **settings,
            f"{prefix}_HOST": LOOPBACK,
            f"{prefix}_PORT": str(self.ports[name]),
            f"{prefix}_DRAIN_S": "2",
            "LD_PRELOAD": str(_FAKE_CLOCK),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock_file(name)),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_FORCE_MONOTONIC_FIX": "0",  # it makes threads that wait use half a processor
        }
        log_file = self.folder / f"{name.replace(' ', '-')}.log"
        return Replica(service, environment, log_file, partial(self.is_ready, name), Fleet)

    def _targets(self, name: str, service: str) -> str:
        ports = [link.port for (one, other), link in self.links.items() if one == name and other.split()[0] == service]
        return ",".join(f"{LOOPBACK}:{port}" for port in ports)

    def _backend(self, service: str, database_port: int) -> dict[str, str]:
        prefix = service.upper()
        settings = {
            "keys": {"KEYS_PEPPERS": self.peppers},
            "land": {"LAND_DATA_DIR": str(self.folder / "land"), "LAND_ON_DEMAND": "off"},
        }.get(service, {})
        url = self.database.url(database_port, service)
        return {**settings, f"{prefix}_DATABASE_URL": url, f"{prefix}_CALLERS": entry("edge", self.token)}


@contextmanager
def small_file_system(folder: Path, mib: int = 16) -> Iterator[None]:
    """A file system in memory at this folder. Raises Unavailable if this user may not mount one."""
    folder.mkdir(parents=True)
    command = [shutil.which("mount") or "mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0700", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise Unavailable("only root can mount the file system that a test fills")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)
