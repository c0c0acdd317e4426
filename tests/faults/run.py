"""Exercises all faults and writes docs/reliability.md. Needs Docker, root and Debian's package faketime."""

import argparse
import asyncio
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from faults.exercise import Memory, Observed, Report, exercise, print_line
from faults.site import REPLICAS, Unavailable

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
HEAD = Path(__file__).with_name("page_head.md")


def main() -> int:
    """Returns 0 if nothing was lost, billed twice or granted beyond a quota, and everything recovered."""
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--minutes", type=float, default=30.0)
    command.add_argument("--fault-seconds", type=float, default=15.0, help="how long each fault lasts")
    command.add_argument("--page", type=Path, default=PAGE, help="the file to write")
    options = command.parse_args()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        try:
            report = asyncio.run(exercise(Path(folder), options.minutes * 60, options.fault_seconds))
        except Unavailable as error:
            print_line(str(error))
            return 2
    options.page.write_text(HEAD.read_text(encoding="utf-8") + "\n" + page(report), encoding="utf-8")
    print_line(totals(report))
    return 0 if report.is_right else 1


def page(report: Report) -> str:
    machine = f"{os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, Python {platform.python_version()}"
    parts = ", ".join(f"{number} of {service}" for service, number in REPLICAS.items())
    began = f"{datetime.now(UTC):%Y-%m-%d}: {report.seconds / 60:.0f} minutes on {machine}. Replicas: {parts}."
    busy = f"Load average of the machine in the last 15 minutes: {os.getloadavg()[2]:.0f}."
    return "\n\n".join((f"{began}\n{busy}", totals(report), *tables(report))) + "\n"


def totals(report: Report) -> str:
    rows = [
        ("requests of the mixed load", f"{report.requests:,}"),
        ("units that keys counted", f"{report.units:,}"),
        ("lost units", report.lost),
        ("units counted twice", report.twice),
        ("units granted beyond a quota", report.overshoot),
        ("requests granted after the revocation of their key", report.after_revocation),
        ("keys that could not be revoked after their fault", report.unrevoked),
        ("units still reserved at the end", report.reserved),
        ("files of outcomes left behind", report.unsent),
        ("answers with an unexpected status", sum(report.wrong.values())),
    ]
    return table(("", ""), rows)


def tables(report: Report) -> Iterable[str]:
    by_name: dict[str, list[Observed]] = {}
    for fault in report.faults:
        by_name.setdefault(fault.name, []).append(fault)
    rows = [_row(name, observed) for name, observed in by_name.items()]
    yield "## Faults\n"
    yield table(
        ("fault", "times", "could be served", "served", "at first", "slowest", "recovered: median, longest"), rows
    )
    yield "## Memory\n"
    by_service: dict[str, list[Memory]] = {}
    for memory in report.memory:
        by_service.setdefault(memory.replica.split()[0], []).append(memory)
    if by_service:
        yield table(
            ("service", "processes", "minutes", "MiB at the end", "MiB per hour, second half"),
            [_memory_row(service, processes) for service, processes in by_service.items()],
        )
    else:
        yield "No process served long enough for a trend."


def _memory_row(service: str, processes: Sequence[Memory]) -> tuple[object, ...]:
    minutes = _span([memory.minutes for memory in processes], ".0f")
    mib = _span([memory.mib for memory in processes], ".0f")
    return service, len(processes), minutes, mib, _span([memory.mib_per_hour for memory in processes], "+.1f")


def _span(values: Sequence[float], form: str) -> str:
    """Returns the least and the greatest value, or the value if they print alike."""
    least, greatest = format(min(values), form), format(max(values), form)
    return least if least == greatest else f"{least} to {greatest}"


def _row(name: str, observed: Sequence[Observed]) -> tuple[object, ...]:
    request_count, served = (
        sum(observation.request_count for observation in observed),
        sum(observation.served for observation in observed),
    )
    recovered = [observation.recovered_s for observation in observed if observation.recovered_s is not None]
    times = f"{statistics.median(recovered):.1f} s, {max(recovered):.1f} s" if recovered else ""
    if len(recovered) < len(observed):
        times = f"{times} **({len(observed) - len(recovered)} did not recover)**"
    if not request_count:
        return name, len(observed), "nothing", "", "", "", times
    at_first = sum(observation.at_first for observation in observed)
    slowest = f"{max(observation.slowest_s for observation in observed):.1f} s"
    return (
        name,
        len(observed),
        request_count,
        f"{served / request_count:.1%}",
        f"{at_first / request_count:.1%}",
        slowest,
        times,
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
