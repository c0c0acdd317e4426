"""One process of a service: its place among the processes that serve the same port, and what they share.

`servicekit.supervisor` starts the processes. Without it, a service is one process and shares nothing.
"""

import asyncio
import fcntl
import os
import select
import shutil
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from pathlib import Path

from prometheus_client import REGISTRY, CollectorRegistry, ProcessCollector, values
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

VARIABLE = "SERVICEKIT_PROCESS"
"""Set by the supervisor: the number of this process, the number of processes, a socket, and the shared folder."""
PREPARED, ALIVE, LISTEN = b"p", b".", b"l"
"""Messages between a process and its supervisor."""
PIDS = "pids"
"""The file of the shared folder with the ids of the processes."""
HEARTBEAT_S = 1.0
ABANDONED_S = 18.0
"""How long a process may drain after its supervisor has ended. Then it ends at once."""
_POLL_S = 0.02


class Locks:
    """Locks between the processes of one service, by number. The end of a process releases its locks."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def acquire(self, number: int) -> None:
        """Waits for the lock. A process that holds it already holds it further."""
        fcntl.lockf(self._file, fcntl.LOCK_EX, 1, number)

    def try_acquire(self, number: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
        except BlockingIOError:
            return False
        return True

    def release(self, number: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)

    @asynccontextmanager
    async def held(self, number: int) -> AsyncIterator[None]:
        """Waits for the lock without blocking the event loop, by polling. Tasks of one process exclude themselves."""
        while not self.try_acquire(number):  # noqa: ASYNC110 (another process releases it)
            await asyncio.sleep(_POLL_S)
        try:
            yield
        finally:
            self.release(number)


class Slots:
    """A semaphore over all processes of a service. Safe for threads. Waiting polls, in no order."""

    def __init__(self, process: "Process", name: str, count: int) -> None:
        self._locks = process.locks(name)
        self._free = set(range(count))
        """The slots that no thread of this process holds."""
        self._guard = threading.Lock()

    def try_take(self) -> int | None:
        """A slot, or None if all are taken. Pass it to `release`."""
        with self._guard:
            for slot in self._free:
                if self._locks is None or self._locks.try_acquire(slot):
                    self._free.discard(slot)
                    return slot
        return None

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Waits for a slot without blocking the event loop, and holds it inside the block."""
        while (slot := self.try_take()) is None:  # noqa: ASYNC110 (another process releases it)
            await asyncio.sleep(_POLL_S)
        try:
            yield
        finally:
            self.release(slot)

    @contextmanager
    def held(self, give_up: Callable[[], bool]) -> Iterator[bool]:
        """Waits for a slot in this thread, and holds it inside the block. Yields False without a slot once `give_up`
        returns True.
        """
        while (slot := self.try_take()) is None and not give_up():
            time.sleep(_POLL_S)
        try:
            yield slot is not None
        finally:
            if slot is not None:
                self.release(slot)

    def release(self, slot: int) -> None:
        with self._guard:
            if self._locks is not None:
                self._locks.release(slot)
            self._free.add(slot)


@dataclass(frozen=True)
class Process:
    """This process: `index` of `count`. `folder` is for what the processes share; None if there is only one."""

    index: int = 0
    count: int = 1
    folder: Path | None = None
    _supervisor: socket.socket | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def is_first(self) -> bool:
        """Whether this process does the work that one process of a service does for all."""
        return self.index == 0

    def share(self, total: int, least: int = 1) -> int:
        """The share of one process in a limit of the service: at least `least`, at most the limit itself."""
        return min(total, max(least, ceil(total / self.count)))

    def locks(self, name: str) -> Locks | None:
        """Locks that all processes of the service share under this name; None if there is only one process."""
        return None if self.folder is None else Locks(self.folder / f"{name}.lock")

    async def prepared(self) -> None:
        """Waits until all processes are prepared to listen, so that clients spread over all of them. From then on, the
        supervisor replaces this process if its event loop does not run.
        """
        if self._supervisor is None or self.folder is None:
            return
        loop = asyncio.get_running_loop()
        self._supervisor.setblocking(False)
        self._supervisor.send(PREPARED)
        if await loop.sock_recv(self._supervisor, 1) != LISTEN:
            raise SystemExit(1)  # the supervisor has ended
        self._tasks.add(loop.create_task(self._beat(self._supervisor)))
        threading.Thread(target=_end_with_supervisor, args=(self._supervisor, self.folder), daemon=True).start()

    @staticmethod
    async def _beat(supervisor: socket.socket) -> None:
        while True:
            try:
                supervisor.send(ALIVE)
            except BlockingIOError:
                pass  # the supervisor is busy and has more than enough messages
            except OSError:
                return
            await asyncio.sleep(HEARTBEAT_S)


_current = Process()


def current() -> Process:
    return _current


def join() -> bool:
    """Makes this process what its supervisor started it as. Call it before metrics are created. Returns False if this
    process has no supervisor.
    """
    global _current  # noqa: PLW0603 (there is one process)
    given = os.environ.pop(VARIABLE, None)
    if given is None:
        return False
    index, count, descriptor, folder = given.split(":", 3)
    supervisor = socket.socket(fileno=int(descriptor))
    supervisor.set_inheritable(False)
    _current = Process(int(index), int(count), Path(folder), supervisor)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    values.ValueClass = values.MultiProcessValue(  # type: ignore[no-untyped-call]
        lambda: index  # a successor counts on in the same files
    )
    return True


def metrics(folder: Path | None) -> CollectorRegistry:
    """The metrics of all processes that share the folder, or of this process alone."""
    if folder is None:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    registry.register(_ProcessCosts(folder / PIDS))
    return registry


class _ProcessCosts:
    """prometheus_client's metrics of a process, as sums over all processes."""

    _SUMMED = (
        "process_virtual_memory_bytes",
        "process_resident_memory_bytes",
        "process_cpu_seconds",
        "process_open_fds",
    )

    def __init__(self, pids: Path) -> None:
        self._pids = pids

    def collect(self) -> list[Metric]:
        sums: dict[str, Metric] = {}
        for pid in self._pids.read_text().split():
            for metric in ProcessCollector(pid=partial(str, pid), registry=None).collect():
                if metric.name not in self._SUMMED:
                    continue
                known = sums.setdefault(metric.name, metric)
                if known is not metric:
                    known.samples = [
                        sample._replace(value=sample.value + other.value)
                        for sample, other in zip(known.samples, metric.samples, strict=True)
                    ]
        return list(sums.values())


def _end_with_supervisor(supervisor: socket.socket, folder: Path) -> None:
    """Stops this process when its supervisor has ended, even if that was killed."""
    select.select([supervisor], [], [])  # nothing is sent after LISTEN
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(ABANDONED_S)
    os._exit(1)
