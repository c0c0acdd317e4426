"""Runs several processes of one service on the same port, and replaces those that end or whose event loop hangs.

The kernel spreads connections over the processes (SO_REUSEPORT). The supervisor starts the same program again for each
of them, so that nothing is forked after threads or gRPC exist. It imports little, since it does not serve itself.
"""

import logging
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from types import FrameType

from prometheus_client import start_http_server
from prometheus_client.multiprocess import mark_process_dead

from servicekit import logs, processes
from servicekit.processes import LISTEN, PIDS, PREPARED, VARIABLE
from servicekit.settings import ServingSettings

log = logging.getLogger(__name__)

MAX_DEFAULT = 4
"""Processes by default, if that many cores are usable."""
PREPARED_WITHIN_S = 120.0
HUNG_AFTER_S = 30.0
"""A process that sends no heartbeat for so long is killed and replaced."""
STOP_MARGIN_S = 7.0
"""Time in addition to the drain, for the last outcomes and for closing. Then processes are killed."""
FIRST_BACKOFF_S, LAST_BACKOFF_S = 0.1, 5.0
DEATHS_PER_MINUTE = 10
"""If more processes end in a minute, the service ends with an error."""
_MINUTE_S = 60.0
_TICK_S = 0.2
_STALL_S = 5.0
_MESSAGE_BYTES = 4096
_STOPPING = (signal.SIGTERM, signal.SIGINT)
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (holds a private folder)


def usable_cores() -> int:
    """The cores that this process may use: its affinity, limited by the quota of its container. At least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _cpu_quota(Path("/sys/fs/cgroup"))
    return cores if quota is None else max(1, min(cores, ceil(quota)))


def _cpu_quota(root: Path) -> float | None:
    """The quota of the container in cores, by version 2 or 1 of cgroups; None without one."""
    try:
        quota, period = (root / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (root / "cpu/cpu.cfs_quota_us").read_text()
            period = (root / "cpu/cpu.cfs_period_us").read_text()
        except OSError:
            return None
    return int(quota) / int(period) if quota.strip().isdecimal() else None


def supervise(service: str, settings: type[ServingSettings]) -> None:
    """Call it before the modules of the service are imported. Returns in a process that serves: the only one, or one of
    several. Otherwise supervises these until SIGTERM or SIGINT, and ends the process with its status.
    """
    if processes.join():
        return
    given = settings.load()
    count = min(usable_cores(), MAX_DEFAULT) if given.processes is None else given.processes
    if count > 1:
        logs.configure_server(service, given)
        sys.exit(Supervisor(given, count).run())


@dataclass(eq=False)
class _Child:
    index: int
    popen: subprocess.Popen[bytes]
    messages: socket.socket
    heard_at: float
    is_prepared: bool = False
    is_listening: bool = False


@dataclass
class Supervisor:
    """Starts `count` processes that run this program with the same arguments. Use it in the main thread, once."""

    settings: ServingSettings
    count: int
    hung_after_s: float = HUNG_AFTER_S
    deaths_per_minute: int = DEATHS_PER_MINUTE
    _children: dict[int, _Child] = field(default_factory=dict)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _deaths: deque[float] = field(default_factory=deque)
    _starts: dict[int, float] = field(default_factory=dict)
    """When the successors of processes that ended start, by their numbers."""
    _is_started: bool = False
    """Whether the processes listen."""
    _is_stopping: bool = False
    _kill_at: float | None = None
    _status: int = 0

    def run(self) -> int:
        """Returns the exit status: 0 after a signal, that of a process that could not start, or 1."""
        shared_memory = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None
        try:
            with (
                tempfile.TemporaryDirectory(
                    prefix="processes-", dir=shared_memory, ignore_cleanup_errors=True
                ) as folder,
                self._signals() as woken,
                reserved_port(self.settings.host, self.settings.port) as port,
            ):
                self._folder = Path(folder)
                self._environment = {**os.environ, self.settings.variable("port"): str(port)}
                (self._folder / PIDS).touch()
                if self.settings.metrics_port is not None:
                    registry = processes.metrics(self._folder)
                    start_http_server(self.settings.metrics_port, self.settings.host, registry)
                try:
                    self._supervise(woken)
                finally:
                    self._kill()
        except OSError as error:
            log.error("cannot serve", extra={"reason": str(error), "port": self.settings.port})
            return 1
        return self._status

    @contextmanager
    def _signals(self) -> Iterator[socket.socket]:
        """Handles signals inside the block. The socket is readable after one."""
        woken, waking = socket.socketpair()
        with woken, waking:
            for end in (woken, waking):
                end.setblocking(False)
            signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
            handlers = {signum: signal.signal(signum, self._on_signal) for signum in _STOPPING}
            try:
                yield woken
            finally:
                for signum, handler in handlers.items():
                    signal.signal(signum, handler)
                signal.set_wakeup_fd(-1)

    def _on_signal(self, signum: int, _: FrameType | None) -> None:
        self._is_stopping = True

    def _supervise(self, woken: socket.socket) -> None:
        """Returns when all processes have ended."""
        self._selector.register(woken, selectors.EVENT_READ)
        for index in range(self.count):
            self._start(index)
        last = time.monotonic()
        while self._children or not self._is_stopping:
            for key, _ in self._selector.select(_TICK_S):
                if key.data is None:
                    woken.recv(_MESSAGE_BYTES)
                else:
                    self._hear(key.data)
            now = time.monotonic()
            if now - last > _STALL_S:  # this process was held up itself, and did not read the heartbeats
                for child in self._children.values():
                    child.heard_at = now
            last = now
            self._advance(now)

    def _start(self, index: int) -> None:
        own, theirs = socket.socketpair()
        with theirs:
            own.setblocking(False)
            popen = subprocess.Popen(  # noqa: S603 (this program itself)
                [sys.executable, *sys.orig_argv[1:]],
                env={**self._environment, VARIABLE: f"{index}:{self.count}:{theirs.fileno()}:{self._folder}"},
                pass_fds=[theirs.fileno()],
                stderr=logs.output(),
                process_group=0,  # Ctrl-C in a terminal reaches the supervisor only
            )
        child = self._children[index] = _Child(index, popen, own, time.monotonic())
        self._selector.register(own, selectors.EVENT_READ, child)
        self._note_pids()

    def _hear(self, child: _Child) -> None:
        try:
            said = child.messages.recv(_MESSAGE_BYTES)
        except ConnectionResetError:
            said = b""
        if not said:
            self._bury(child)
            return
        child.heard_at = time.monotonic()
        child.is_prepared |= PREPARED in said

    def _bury(self, child: _Child) -> None:
        """Removes a process that has ended: only its end closes the socket. Plans its successor."""
        child.popen.wait()
        self._selector.unregister(child.messages)
        child.messages.close()
        del self._children[child.index]
        self._note_pids()
        mark_process_dead(child.index, str(self._folder))  # type: ignore[no-untyped-call]
        if self._is_stopping:
            return
        status = child.popen.returncode
        log.error("a process has ended", extra={"pid": child.popen.pid, "number": child.index, "status": status})
        now = time.monotonic()
        self._deaths.append(now)
        while now - self._deaths[0] > _MINUTE_S:
            self._deaths.popleft()
        if self._is_started and len(self._deaths) <= self.deaths_per_minute:
            self._starts[child.index] = now + min(FIRST_BACKOFF_S * 2 ** (len(self._deaths) - 1), LAST_BACKOFF_S)
        else:
            log.error("the service ends: its processes cannot run")
            self._status, self._is_stopping = max(status, 1), True

    def _advance(self, now: float) -> None:
        """Does what is due: stops, kills, starts, and lets prepared processes listen."""
        if all(child.is_prepared for child in self._children.values()):
            self._is_started = True
        for child in self._children.values():
            if (self._is_started or self._is_stopping) and child.is_prepared and not child.is_listening:
                child.is_listening, child.heard_at = True, now
                with suppress(OSError):  # it has just ended
                    child.messages.send(LISTEN)
        if self._is_stopping:
            self._stop(now)
            return
        for index in [index for index, at in self._starts.items() if at <= now]:
            del self._starts[index]
            self._start(index)
        for child in self._children.values():
            limit_s = self.hung_after_s if child.is_listening else PREPARED_WITHIN_S
            if now - child.heard_at > limit_s:
                log.error("a process hangs and is replaced", extra={"pid": child.popen.pid, "number": child.index})
                child.popen.kill()

    def _stop(self, now: float) -> None:
        if self._kill_at is None:
            self._kill_at = now + self.settings.drain_s + STOP_MARGIN_S
            for child in self._children.values():
                child.popen.terminate()
        elif now > self._kill_at:
            self._kill()

    def _kill(self) -> None:
        for child in self._children.values():
            child.popen.kill()
            child.popen.wait()

    def _note_pids(self) -> None:
        unfinished = self._folder / f"{PIDS}.new"
        unfinished.write_text(" ".join(str(child.popen.pid) for child in self._children.values()))
        unfinished.replace(self._folder / PIDS)


@contextmanager
def reserved_port(host: str, port: int) -> Iterator[int]:
    """Occupies the port, or a free one for 0, without listening. Only processes of this user that set SO_REUSEPORT can
    listen there. Raises OSError if the port is in use.
    """
    with ExitStack() as stack:
        for each in bind(host, port, is_shared=False):
            port = each.getsockname()[1]
            each.close()
        for each in bind(host, port, is_shared=True):
            stack.enter_context(each)
        yield port


def bind(host: str, port: int, *, is_shared: bool) -> list[socket.socket]:
    """Sockets on every address of the host, which do not listen yet. Several processes can listen on a shared port."""
    sockets: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, (name, *_) in found:
            sockets.append(made := socket.socket(family, kind, protocol))
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if is_shared:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            if family == socket.AF_INET6:
                made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made.bind((name, port))
            port = made.getsockname()[1]
    except OSError:
        for each in sockets:
            each.close()
        raise
    return sockets
