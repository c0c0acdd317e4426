"""Processes of the services that are forks of one that has imported them: their imports cost a second each."""

import atexit
import importlib
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from subprocess import TimeoutExpired
from typing import NamedTuple

import command_lines
from embedded.processes import Fleet

_CONTEXT = get_context("forkserver")
_SERVICES = ("edge", "land", "keys", "assistant")
_SERVING = [f"{service}.{module}" for service in _SERVICES for module in ("cli.serving", "server")]
_CONTEXT.set_forkserver_preload([*command_lines.PRELOADED, *_SERVING])


class ServiceProcess(NamedTuple):
    """A running service, as `subprocess.Popen` describes it. It is a child of the server that forks."""

    child: ForkServerProcess

    @property
    def pid(self) -> int:
        assert self.child.pid is not None
        return self.child.pid

    @property
    def returncode(self) -> int | None:
        """Its status, or the negative number of the signal that ended it. None while it runs."""
        return self.child.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def send_signal(self, signum: int) -> None:
        """Does nothing if it has ended."""
        if self.returncode is None:
            # The server that forked it takes its status first. Until it is passed on, no process has the number.
            with suppress(ProcessLookupError):
                os.kill(self.pid, signum)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout_s: float | None = None) -> int:
        """Waits until it has ended. Returns its status. Raises TimeoutExpired."""
        self.child.join(timeout_s)
        if self.returncode is None:
            raise TimeoutExpired(self.child.name, timeout_s or 0)
        return self.returncode


class ForkedFleet(Fleet):
    """Services that are forked instead of started as programs."""

    def start(self, name: str, arguments: Sequence[str], environment: Mapping[str, str], log_file: Path) -> None:
        self._logs[name] = log_file
        self._processes[name] = start_service(arguments[0], environment, log_file)  # type: ignore[assignment]


def start_service(
    service: str, environment: Mapping[str, str], log_file: Path | None, largest_file_bytes: int | None = None
) -> ServiceProcess:
    """Starts `serve` of a service. Its output is appended to the log."""
    arguments = (service, dict(environment), log_file, largest_file_bytes)
    child = _CONTEXT.Process(target=_serve, args=arguments, name=service, daemon=True)
    child.start()
    return ServiceProcess(child)


def _serve(service: str, environment: Mapping[str, str], log_file: Path | None, largest_file_bytes: int | None) -> None:
    os.environ.clear()
    os.environ.update(environment)
    if log_file is not None:
        with log_file.open("a") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
    if largest_file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file_bytes, largest_file_bytes))
    try:
        importlib.import_module(f"{service}.cli").main(args=["serve"], prog_name=service)
    finally:
        atexit._run_exitfuncs()  # a fork ends without them, and its last words would be lost
