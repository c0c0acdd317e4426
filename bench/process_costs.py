"""Processor time and memory of processes, from Linux's /proc. Other work on the machine hardly affects them."""

import os
from collections.abc import Mapping
from pathlib import Path

from measuring import OF, PROCESSOR

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PARENT = 1
_TIMES = slice(11, 15)
"""User and system time of the process, and of its ended children. Positions in /proc/PID/stat, counted after the name
of the program.
"""


class Costs:
    """The processor time that processes use from its creation on."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = pids
        self._before_s = cpu_s(pids)

    def each(self, count: int) -> dict[str, float]:
        """Milliseconds for each of `count` answers by unit: of all processes together, and of each process."""
        after_s = cpu_s(self._pids)
        costs_ms = {name: (after_s[name] - self._before_s[name]) * 1000 / count for name in self._pids}
        return {PROCESSOR: sum(costs_ms.values()), **{f"{OF}{name}": cost_ms for name, cost_ms in costs_ms.items()}}


def cpu_s(pids: Mapping[str, int]) -> dict[str, float]:
    """Processor seconds used so far by each process and its children."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stats[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue

    def used(pid: int) -> float:
        own_seconds = sum(map(int, stats[pid][_TIMES])) / _TICKS_PER_S if pid in stats else 0.0
        return own_seconds + sum(used(other) for other, stat in stats.items() if int(stat[_PARENT]) == pid)

    return {name: used(pid) for name, pid in pids.items()}


def threads_ms(pid: int) -> float:
    """Processor milliseconds used so far by the running threads of one process, precise for a single request."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def resident_bytes(pid: int) -> int:
    """Resident memory of one process, with the pages of mapped files."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
