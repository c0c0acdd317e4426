"""What the benchmarks share: options, alternating rounds, and figures with their spread, printed and as JSON.

The JSON is a list. A figure is {case, contestant, unit, median, spread, runs}: the values of the runs, their median,
and the least and greatest of them. {case, contestant, failed} has the reason why nothing was measured. {note} is a
sentence for the report.
"""

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

ROUNDS = 3
QUICK_SECONDS = 0.3
RATE, PROCESSOR = "answers/s", "processor ms"
P50, P95 = "p50 ms", "p95 ms"
OF = f"{PROCESSOR} of "
"""The start of the unit of one process: its part of `PROCESSOR`."""
OF_CLIENTS = f"{OF}the clients"

Values = Mapping[str, float]
"""The values of one run, by unit."""
Measure = Callable[[int], Values]
"""Runs the round of this number."""


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    arguments = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file, too")
    arguments.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"runs of each case and contestant; default {ROUNDS}"
    )
    arguments.add_argument("--only", default="", metavar="TEXT", help="only the cases whose name contains this text")
    arguments.add_argument(
        "--quick", action="store_true", help="one short round: shows that it works, measures nothing"
    )
    return arguments


class Figures:
    """Runs cases, prints their figures, and writes them to a file, if one is given, as they come."""

    def __init__(self, path: Path | None = None, only: str = "", rounds: int = ROUNDS, seconds: float = 1.0) -> None:
        self.entries: list[dict[str, Any]] = []
        self.rounds, self.seconds = rounds, seconds
        self._path, self._only = path, only

    @classmethod
    def of(cls, options: argparse.Namespace, seconds: float = 1.0) -> Self:
        """Follows the options of `parser`. One run of a case lasts `seconds`, unless it is to be quick."""
        rounds, seconds = (1, min(seconds, QUICK_SECONDS)) if options.quick else (options.rounds, seconds)
        return cls(options.json, options.only, rounds, seconds)

    @property
    def status(self) -> int:
        """The exit status: 1 if something failed."""
        return int(any("failed" in entry for entry in self.entries))

    def add(self, case: str, contestant: str, values: Mapping[str, Sequence[float]]) -> None:
        """Adds the runs of a contestant by unit, and prints them on one line."""
        texts = []
        for unit, values_of_unit in values.items():
            runs = [round(value, 4) for value in values_of_unit]
            median, spread = statistics.median(runs), [min(runs), max(runs)]
            self._append(case=case, contestant=contestant, unit=unit, median=median, spread=spread, runs=runs)
            text = f"{unit.removeprefix(OF)} {median:,.2f}" if unit.startswith(OF) else f"{median:,.2f} {unit}"
            texts.append(text + (f" ({spread[0]:,.2f} to {spread[1]:,.2f})" if runs[1:] else ""))
        if texts:
            print(f"{case}: {contestant}: {', '.join(texts)}", flush=True)

    def note(self, text: str) -> None:
        self._append(note=text)
        print(text, flush=True)

    def fail(self, case: str, contestant: str, error: BaseException) -> None:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:500]
        self._append(case=case, contestant=contestant, failed=reason)
        print(f"{case}: {contestant}: failed: {reason}", file=sys.stderr, flush=True)

    def selects(self, case: str) -> bool:
        """Whether the options ask for this case."""
        return self._only in case

    def compare(self, case: str, measures: Mapping[str, Measure]) -> None:
        """Runs every contestant's measure once in each round, if the options ask for the case, and adds the values.

        The order is reversed in every other round. A contestant that fails is noted and left out.
        """
        if not self.selects(case):
            return
        values: dict[str, dict[str, list[float]]] = {contestant: {} for contestant in measures}
        for number in range(self.rounds):
            for contestant in list(measures)[:: -1 if number % 2 else 1]:
                if contestant not in values:
                    continue
                try:
                    for unit, value in measures[contestant](number).items():
                        values[contestant].setdefault(unit, []).append(value)
                except Exception as error:
                    del values[contestant]
                    self.fail(case, contestant, error)
        for contestant, by_unit in values.items():
            self.add(case, contestant, by_unit)

    def _append(self, **entry: Any) -> None:
        self.entries.append(entry)
        if self._path:
            unfinished = self._path.with_suffix(".new")
            unfinished.write_text(json.dumps(self.entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            unfinished.replace(self._path)


def quantile(values: Sequence[float], of_100: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[of_100 - 1] if len(values) > 1 else values[0]


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Binds this process, and processes that the block starts, to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def two_cores() -> tuple[int, int]:
    """A core for the services and one for the clients; the same one if there is no other."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[0], cores[-1]


def counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' if count > 1 else ''}"
