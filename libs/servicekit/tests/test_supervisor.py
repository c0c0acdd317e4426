"""Several processes on one port, with real processes and real faults."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from embedded.processes import free_ports
from servicekit import supervisor
from servicekit.processes import VARIABLE, Process, Slots

PROGRAM = Path(__file__).with_name("served.py")
WITHIN_S = 60.0
CONNECTIONS = 60


class Served:
    """A service of two processes."""

    def __init__(self, popen: subprocess.Popen[str], port: int, metrics_port: int) -> None:
        self.popen = popen
        self.port = port
        self.metrics_port = metrics_port

    def ask(self, command: str = "pid") -> int:
        """Sends a command on a new connection. Returns the id of the process that answered."""
        with socket.create_connection(("127.0.0.1", self.port), WITHIN_S) as connection:
            connection.sendall(f"{command}\n".encode())
            return int(connection.makefile().readline())

    def pids(self) -> set[int]:
        """The processes that answer."""
        return {self.ask() for _ in range(CONNECTIONS)}

    def metric(self, name: str) -> float:
        page = urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/", timeout=WITHIN_S).read().decode()
        found = re.search(rf"^{name} (.*)$", page, re.MULTILINE)
        return float(found[1]) if found else 0.0


def start(port: int, **more: str) -> subprocess.Popen[str]:
    variables = {"SERVED_PORT": str(port), "SERVED_PROCESSES": "2", "SERVED_DRAIN_S": "5", **more}
    environment: Mapping[str, str] = {**os.environ, **variables}
    return subprocess.Popen([sys.executable, str(PROGRAM)], env=environment, stderr=subprocess.PIPE, text=True)


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def shared_folder(pid: int) -> Path:
    """The folder that the process got from its supervisor."""
    environment = Path(f"/proc/{pid}/environ").read_text().split("\0")
    [given] = [each for each in environment if each.startswith(f"{VARIABLE}=")]
    return Path(given.split(":", 3)[3])


def is_replaced(served: Served, pid: int) -> bool:
    """Whether two processes answer, and the process is none of them."""
    with contextlib.suppress(OSError, ValueError):  # connections that a dead process had not accepted yet
        pids = served.pids()
        return len(pids) == 2 and pid not in pids
    return False


@pytest.fixture
def served() -> Iterator[Served]:
    port, metrics_port = free_ports("127.0.0.1", 2)
    popen = start(port, SERVED_METRICS_PORT=str(metrics_port))
    try:
        made = Served(popen, port, metrics_port)

        def is_ready() -> bool:
            with contextlib.suppress(OSError):
                return len(made.pids()) == 2
            return False

        until(is_ready)
        yield made
    finally:
        popen.kill()
        popen.communicate()


def test_a_killed_process_is_replaced_and_its_counts_stay(served: Served) -> None:
    before = served.pids()
    for _ in range(CONNECTIONS):
        served.ask("count")
    assert served.metric("commands_total") == CONNECTIONS
    killed = min(before)
    os.kill(killed, signal.SIGKILL)

    until(lambda: is_replaced(served, killed))
    served.ask("count")
    assert served.metric("commands_total") == CONNECTIONS + 1
    assert 0 < served.metric("under_way") < CONNECTIONS  # the gauge of the dead process is gone
    assert served.metric("process_resident_memory_bytes") > 2 * 10_000_000


def test_a_process_whose_event_loop_hangs_is_replaced(served: Served) -> None:
    before = served.pids()
    with socket.create_connection(("127.0.0.1", served.port), WITHIN_S) as connection:
        connection.sendall(b"hang\n")
        assert connection.recv(16) == b""  # it was killed
    until(lambda: any(is_replaced(served, hung) for hung in before))
    assert len(served.pids() & before) == 1


def test_sigterm_lets_running_requests_finish_and_leaves_nothing(served: Served) -> None:
    pids = served.pids()
    folder = shared_folder(min(pids))
    assert folder.is_dir()
    with socket.create_connection(("127.0.0.1", served.port), WITHIN_S) as connection:
        answers = connection.makefile()
        connection.sendall(b"pid\nslow\n")
        assert int(answers.readline()) in pids  # the process has accepted the connection
        served.popen.send_signal(signal.SIGTERM)
        assert int(answers.readline()) in pids
    assert served.popen.wait(WITHIN_S) == 0
    assert not [pid for pid in pids if is_alive(pid)]
    assert not folder.exists()


def test_lines_of_others_in_a_process_are_log_lines(served: Served) -> None:
    served.ask("write")
    served.popen.send_signal(signal.SIGTERM)
    _, errors = served.popen.communicate(timeout=WITHIN_S)
    [line] = map(json.loads, errors.splitlines())
    assert (line["service"], line["logger"], line["message"]) == ("served", "stderr", "a line of others")


def test_the_processes_end_when_their_supervisor_is_killed(served: Served) -> None:
    pids = served.pids()
    folder = shared_folder(min(pids))
    served.popen.kill()
    until(lambda: not [pid for pid in pids if is_alive(pid)])
    until(lambda: not folder.exists())


def test_processes_that_end_again_and_again_end_the_service(served: Served) -> None:
    def is_over() -> bool:
        with contextlib.suppress(OSError, ValueError):
            served.ask("exit")
        return served.popen.poll() is not None

    until(is_over)
    assert served.popen.returncode == 3


def test_a_taken_port_is_an_error_also_if_other_processes_share_it(served: Served) -> None:
    second = start(served.port)
    _, said = second.communicate(timeout=WITHIN_S)
    assert second.returncode == 1
    assert "Address already in use" in said
    assert len(served.pids()) == 2


def test_processes_that_cannot_start_end_the_service_with_their_status() -> None:
    failing = start(*free_ports("127.0.0.1", 1), SERVED_FAILS="1")
    failing.communicate(timeout=WITHIN_S)
    assert failing.returncode == 7


def test_slots_are_those_of_all_processes_and_free_after_a_kill(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from servicekit.processes import VARIABLE, Process, Slots;"
        "slots = Slots(Process(1, 2, Path(sys.argv[1])), 'work', 3);"
        "print(slots.try_take() is not None, slots.try_take() is not None, flush=True); time.sleep(60)"
    )
    own = Slots(Process(0, 2, tmp_path), "work", 3)
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline().split() == ["True", "True"]
        slot = own.try_take()
        assert slot is not None
        assert own.try_take() is None
        own.release(slot)
        assert own.try_take() == slot
        other.kill()
        other.wait()
    assert own.try_take() is not None
    assert own.try_take() is not None
    assert own.try_take() is None


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2.0),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({}, None),
    ],
)
def test_the_quota_of_a_container_is_read(tmp_path: Path, files: Mapping[str, str], quota: float | None) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert supervisor._cpu_quota(tmp_path) == quota


def test_a_share_is_at_least_the_least_and_at_most_the_limit() -> None:
    process = Process(1, 4)
    assert [process.share(8), process.share(9), process.share(8, 4), process.share(3, 4), process.share(1)] == [
        2,
        3,
        4,
        3,
        1,
    ]
    assert Process().share(8) == 8
