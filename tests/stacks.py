"""The whole service, started as a user would start it: embedded, or in Docker."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import httpx

from command_lines import run_command
from embedded.installation import BACKENDS, LOOPBACK, Installation, RunRecord
from embedded.processes import free_ports
from embedded.run import CREATE_DEMO_KEY, PREPARATION
from forked_services import ForkedFleet
from programs import run
from servicekit.healthcheck import is_serving

REPOSITORY = Path(__file__).resolve().parents[1]
PATIENCE_S = 240.0
"""The longest wait for something that takes seconds on an idle machine."""
WEBHOOK_KEY = "k" * 32
WEBHOOK_KEYS = dict.fromkeys(("LAND_WEBHOOK_KEY", "KEYS_WEBHOOK_KEY"), WEBHOOK_KEY)
"""Partners can add endpoints. Nothing is sent, since no sender runs."""
PATIENT = dict.fromkeys(("EDGE_KEYS_DEADLINE_S", "EDGE_RESOLVE_DEADLINE_S", "EDGE_GEOJSON_DEADLINE_S"), "60")
"""Long deadlines for a busy machine, in tests of something else."""


class Stack(Protocol):
    """A running service."""

    @property
    def url(self) -> str:
        """The URL of its edge, without a slash at the end."""

    def command(self, service: str, *arguments: str) -> str:
        """Runs a service's command line and returns its output. Raises CalledProcessError."""


def create_key(stack: Stack, label: str, *options: str) -> dict[str, str]:
    """Creates a key. Returns its `key_id` and `secret`."""
    generous = ("--per-minute", "60000", "--burst", "6000")
    printed = stack.command("keys", "create-key", "--partner", "Tests", "--label", label, *generous, *options)
    key: dict[str, str] = json.loads(printed)
    return key


def free_port() -> int:
    return free_ports("127.0.0.1", 1)[0]


@dataclass
class Embedded:
    """The services of one machine, with a separate data folder and port."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY / "deploy"),
            "DATA_DIR": str(self.folder),
            "EDGE_PORT": str(self.port),
            "LAND_ON_DEMAND": "off",  # answers must not depend on the network
            **WEBHOOK_KEYS,
            "EDGE_VISITOR_KEYS_PER_DAY": "0",  # as in containers
            **self.settings,
        }

    def record(self) -> dict[str, Any]:
        """The content of run.json."""
        content: dict[str, Any] = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        return content

    def command(self, service: str, *arguments: str) -> str:
        environment = {**self.environment, **Installation(self.folder).backend_environment(service), **self.settings}
        return run_command(service, arguments, environment)

    def tool(self, service: str, *arguments: str) -> str:
        """Runs a command line as `make` does, in a new process."""
        tool = [sys.executable, "-m", "embedded.tool", service, *arguments]
        return subprocess.run(tool, env=self.environment, check=True, capture_output=True, text=True).stdout


@dataclass
class Program(Embedded):
    """The services as `make run` starts them."""

    process: subprocess.Popen[str] | None = None
    first_record: dict[str, Any] = field(default_factory=dict)
    printed: str = ""

    def start(self) -> None:
        """Starts it and waits until it is ready. Raises RuntimeError with its output if it ends before."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "embedded.run"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ends = time.monotonic() + PATIENCE_S
        while not (self.folder / "run.json").exists() or not self.record()["pids"]:
            if self.process.poll() is not None or time.monotonic() > ends:
                self.process.kill()
                raise RuntimeError(f"the embedded service did not start: {self.process.communicate()[0]}")
            time.sleep(0.1)

    def stop(self) -> tuple[int, str]:
        """Stops it with SIGINT, like Ctrl-C. Returns its status and its output."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        output, _ = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, output


@dataclass
class Forked(Embedded):
    """The same services and data, prepared and started by forks of a process that has imported all of them."""

    fleet: ForkedFleet = field(default_factory=ForkedFleet)

    def start(self) -> None:
        """Starts it and waits until it is ready. Raises Died if a service ends before."""
        self.folder.mkdir(parents=True, exist_ok=True)
        installation = Installation(self.folder)
        installation.make_folders()
        for service, commands in PREPARATION.items():
            for arguments in commands:
                self.command(service, *arguments)
        key = json.loads(self.command("keys", *CREATE_DEMO_KEY))["secret"]
        setup_token = json.loads(self.command("keys", "setup-token"))["setup_token"]
        ports = dict(zip(BACKENDS, free_ports(LOOPBACK, len(BACKENDS)), strict=True))
        for name, port in ports.items():
            self._serve(name, installation.backend_environment(name, port), installation)
        for name, port in ports.items():
            self.fleet.wait_until(partial(is_serving, f"{LOOPBACK}:{port}", timeout_s=1), name, PATIENCE_S)
        self._serve("edge", installation.edge_environment(self.port, ports), installation)
        self.fleet.wait_until(self._is_ready, "edge", PATIENCE_S)
        installation.write_record(RunRecord(self.url, key, setup_token, self.fleet.pids, ports))

    def _serve(self, name: str, environment: Mapping[str, str], installation: Installation) -> None:
        self.fleet.start(name, [name], {**environment, **self.environment}, installation.log_file(name))

    def _is_ready(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/readyz", timeout=PATIENCE_S).status_code == httpx.codes.OK
        return False

    def stop(self) -> None:
        self.fleet.end(first=["edge"])


@contextmanager
def forked(folder: Path, settings: Mapping[str, str] | None = None, port: int | None = None) -> Iterator[Forked]:
    stack = Forked(folder, settings or {}, port or free_port())
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@contextmanager
def embedded(folder: Path, settings: Mapping[str, str] | None = None, port: int | None = None) -> Iterator[Program]:
    stack = Program(folder, settings or {}, port or free_port())
    stack.start()
    try:
        yield stack
    finally:
        stack.stop()


@dataclass
class Compose:
    """The service as `docker compose up --build` starts it, with a separate project name and port."""

    project: str = field(default_factory=lambda: f"lp-test-{secrets.token_hex(4)}")
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def compose(self, *arguments: str, timeout_s: float = 900.0) -> str:
        """Runs `docker compose` on the project and returns its output. Raises RuntimeError with it if it fails."""
        command = ("docker", "compose", "--project-name", self.project, *arguments)
        settings = {"EDGE_PORT": str(self.port), "LAND_ON_DEMAND": "off", **WEBHOOK_KEYS}
        return run(*command, folder=REPOSITORY, timeout_s=timeout_s, variables=settings)

    def command(self, service: str, *arguments: str) -> str:
        return self.compose("exec", "-T", service, service, *arguments)

    def logs(self, services: Sequence[str] = ()) -> str:
        return self.compose("logs", "--no-color", *services)


@contextmanager
def compose() -> Iterator[Compose]:
    """Builds the images and starts all services with the demo commune. Removes everything afterwards."""
    stack = Compose()
    try:
        stack.compose("up", "--build", "--detach", "--wait", "--wait-timeout", f"{PATIENCE_S:.0f}")
        stack.command("land", "demo")
        yield stack
    except RuntimeError as error:
        raise RuntimeError(f"{error}\n{stack.logs()[-20_000:]}") from error
    finally:
        stack.compose("down", "--volumes", "--remove-orphans", "--rmi", "local", "--timeout", "5")
