"""Starts, watches and stops programs of this virtual environment."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from secrets import SystemRandom

LINGER_S = 18.0
"""Time between SIGTERM and SIGKILL. Longer than the 17 s in which a service drains and ends."""
_POLL_S = 0.1
_LAST_CHARACTERS = 2_000
"""The end of a log that the message about an ended process has."""
FIRST_PORT, LAST_PORT = 20_000, 32_767
"""Below the ports of outgoing connections on Linux and macOS."""
MAX_LOG_BYTES = 10 * 1024 * 1024
"""A larger log is rotated and replaces the previous old log. Each process keeps at most about three times this."""


class Died(Exception):
    """A process has ended, or did not become healthy in time."""


def program(name: str) -> str:
    """The path of a program in the folder of this Python."""
    return str(Path(sys.executable).with_name(name))


def free_ports(host: str, count: int) -> list[int]:
    """Ports on which nothing listens at the moment. A process gets each port once; another one may take it before a
    service listens, unless the variable FREE_PORTS, such as 20000-20999, gives each its own range.
    """
    return list(islice((port for port in _shuffled_ports() if is_free(host, port)), count))


def is_free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


@cache
def _shuffled_ports() -> Iterator[int]:
    first, _, last = os.environ.get("FREE_PORTS", f"{FIRST_PORT}-{LAST_PORT}").partition("-")
    ports = range(int(first), int(last) + 1)
    return iter(SystemRandom().sample(ports, len(ports)))


class Fleet:
    """Processes that run together: if one ends, all end."""

    def __init__(self) -> None:
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._logs: dict[str, Path] = {}

    @property
    def pids(self) -> dict[str, int]:
        return {name: process.pid for name, process in self._processes.items()}

    def start(self, name: str, arguments: Sequence[str], environment: Mapping[str, str], log_file: Path) -> None:
        """Starts a program in a separate session, so that Ctrl-C reaches only this process. Call it from the main
        thread: with `setpriv --pdeathsig`, Linux ends the child when the thread that started it ends.
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
        """Rotates the logs that are too large. Call it at intervals."""
        for log_file in self._logs.values():
            bound_log(log_file, MAX_LOG_BYTES)

    def check(self) -> None:
        """Raises Died if a process has ended."""
        for name, process in self._processes.items():
            status = process.poll()
            if status is not None:
                last_words = self._logs[name].read_text(encoding="utf-8", errors="replace")[-_LAST_CHARACTERS:]
                raise Died(f"{name} ended with status {status}: {last_words.strip()}")

    def wait_until(self, ready: Callable[[], bool], name: str, timeout_s: float) -> None:
        """Waits for `ready`. Raises Died if a process ends or the time is over."""
        ends = time.monotonic() + timeout_s
        while not ready():
            self.check()
            if time.monotonic() > ends:
                raise Died(f"{name} was not healthy after {timeout_s:.0f} s")
            time.sleep(_POLL_S)

    def end(self, first: Sequence[str] = ()) -> None:
        """Stops the processes in `first` together, then the others. Kills those that do not end in time."""
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
    """Copies a log that is too large to `….log.1` and truncates it. The process that writes it appends to the truncated
    file. A line that it writes between copy and truncation is lost.
    """
    size = log_file.stat().st_size if log_file.exists() else 0
    if size <= max_bytes:
        return
    unfinished, old = log_file.with_suffix(".log.new"), log_file.with_suffix(".log.1")
    with log_file.open("rb") as log, unfinished.open("wb") as copy:
        if size > 2 * max_bytes:
            log.seek(-2 * max_bytes, os.SEEK_END)
            log.readline()  # drop the incomplete first line
        shutil.copyfileobj(log, copy)
        unfinished.replace(old)
        os.truncate(log_file, 0)


@cache
def _ending_with_parent() -> list[str]:
    """A command prefix that sends SIGTERM to the child when this process is killed; empty if the system has none."""
    prefix = ["setpriv", "--pdeathsig", "TERM", "--"]
    try:
        subprocess.run([*prefix, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return prefix
