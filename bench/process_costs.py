"""Processor time and memory of processes, from Linux's /proc. Other work on the machine hardly affects them."""

import os
from collections.abc import Mapping
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PARENT, _USER, _SYSTEM = 1, 11, 12
"""Field positions in /proc/PID/stat, counted after the name of the program."""


def cpu_s(pids: Mapping[str, int]) -> dict[str, float]:
    """Processor seconds used so far by each process and its children."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stats[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue

    def used(pid: int) -> float:
        own_seconds = (int(stats[pid][_USER]) + int(stats[pid][_SYSTEM])) / _TICKS_PER_S if pid in stats else 0.0
        return own_seconds + sum(used(other) for other, stat in stats.items() if int(stat[_PARENT]) == pid)

    return {name: used(pid) for name, pid in pids.items()}


def resident_bytes(pid: int) -> int:
    """Resident memory of one process, with the pages of mapped files."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
