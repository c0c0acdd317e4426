"""Starts programs of this virtual environment, watches them, and ends them."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

LINGER_S = 15.0
"""How long a process may drain after SIGTERM before it is killed; longer than the services' own drain of 10 s."""
_POLL_S = 0.1


MAX_LOG_BYTES = 10 * 1024 * 1024
"""How large a log grows before it becomes the old one, which takes the place of the one before: at most about three
times this is kept of each process.
"""


class Died(Exception):
    """A process that should serve has ended, or never came to serve."""


def program(name: str) -> str:
    """The path of a program beside this Python."""
    return str(Path(sys.executable).with_name(name))


def free_ports(host: str, count: int) -> list[int]:
    """Ports that nothing listened on just now, each a different one."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind((host, 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


def is_free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


class Fleet:
    """Processes that serve together: where one ends, all do."""

    def __init__(self) -> None:
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._logs: dict[str, Path] = {}

    @property
    def pids(self) -> dict[str, int]:
        return {name: process.pid for name, process in self._processes.items()}

    def start(self, name: str, arguments: Sequence[str], environment: Mapping[str, str], log_file: Path) -> None:
        """Starts a program of ours, in a session of its own, so that Ctrl-C reaches us alone. Call it from the main
        thread: where the system can end the child with us, it takes the end of the thread for ours.
        """
        bound_log(log_file, MAX_LOG_BYTES)
        self._logs[name] = log_file
        with log_file.open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [*_ending_with_parent(), program(arguments[0]), *arguments[1:]],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def bound_logs(self) -> None:
        """Rotates the logs that have grown too large; to be called again and again."""
        for log_file in self._logs.values():
            bound_log(log_file, MAX_LOG_BYTES)

    def check(self) -> None:
        """Raises Died where a process has ended."""
        for name, process in self._processes.items():
            status = process.poll()
            if status is not None:
                raise Died(f"{name} ended with status {status}")

    def wait_until(self, ready: Callable[[], bool], name: str, timeout_s: float) -> None:
        """Waits for a condition while all processes live. Raises Died where it does not come about in time."""
        ends = time.monotonic() + timeout_s
        while not ready():
            self.check()
            if time.monotonic() > ends:
                raise Died(f"{name} was not healthy after {timeout_s:.0f} s")
            time.sleep(_POLL_S)

    def end(self, first: Sequence[str] = ()) -> None:
        """Ends those named first, in turn, then the others together. A process that lingers is killed."""
        self._end([process for name in first if (process := self._processes.pop(name, None))])
        self._end(list(self._processes.values()))
        self._processes.clear()

    @staticmethod
    def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
        for process in processes:
            if process.poll() is None:
                process.terminate()
        ends = time.monotonic() + LINGER_S
        for process in processes:
            try:
                process.wait(max(0.0, ends - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def bound_log(log_file: Path, max_bytes: int) -> None:
    """Copies a log that has grown too large to `….log.1` and empties it. The process that writes it appends, and goes
    on at the new end; a line that it writes between copy and emptying is lost.
    """
    size = log_file.stat().st_size if log_file.exists() else 0
    if size <= max_bytes:
        return
    unfinished, old = log_file.with_suffix(".log.new"), log_file.with_suffix(".log.1")
    with log_file.open("rb") as log, unfinished.open("wb") as copy:
        if size > 2 * max_bytes:
            log.seek(-2 * max_bytes, os.SEEK_END)
            log.readline()  # the rest of a line
        shutil.copyfileobj(log, copy)
        unfinished.replace(old)
        os.truncate(log_file, 0)


@cache
def _ending_with_parent() -> list[str]:
    """What to put before a command so that SIGTERM reaches it even when we are killed outright; nothing where the
    system has no means for it.
    """
    prefix = ["setpriv", "--pdeathsig", "TERM", "--"]
    try:
        subprocess.run([*prefix, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return prefix
