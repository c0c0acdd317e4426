"""Writes docs/benchmarks.md from the records of the benchmarks' last runs."""

import csv
import io
import operator
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring import OF, P50, P95, PROCESSOR, RATE, counted

Entry = Mapping[str, Any]
SHOWN = {RATE, PROCESSOR}
"""Where a case has both, the page has no other unit."""
MAX_ROWS, MAX_TEXT = 4, 120
"""Cases in a table of the page, and characters of a note or of the reason of a failure."""
HEAD = Path(__file__).with_name("page_head.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Bench:
    """A benchmark: a script of this folder."""

    title: str
    about: str
    reference: str = ""
    """The contestant by which the others are divided."""
    is_long: bool = False
    """It runs only if it is named."""
    within_s: float = 600.0


@dataclass(frozen=True)
class Target:
    """A ratio of two medians, or one median, and what it is to reach."""

    what: str
    bench: str
    case: str
    unit: str
    contestant: str
    target: float
    against: str = ""
    at_least: bool = True

    def row(self, entries: Sequence[Entry]) -> str | None:
        """The row of a target, or None if it was not measured."""
        by_contestant = {
            entry["contestant"]: entry for entry in entries if (entry.get("case"), entry.get("unit")) == self.key
        }
        sign, is_reached = ("≥", operator.ge) if self.at_least else ("≤", operator.le)
        unit = "×" if self.against else self.unit
        cells = [self.what, f"{sign} {self.target:g} {unit}"]
        if self.contestant not in by_contestant or (self.against and self.against not in by_contestant):
            return None
        value = by_contestant[self.contestant]["median"] / (
            by_contestant[self.against]["median"] if self.against else 1
        )
        return _row([*cells, number(value), "reached" if is_reached(value, self.target) else "**missed**"])

    @property
    def key(self) -> tuple[str, str]:
        return self.case, self.unit


def _tipg(commune: str, divide_land_ms: float) -> list[Target]:
    """The targets of land units."""

    one = "1 parcel, 16 clients"

    def against(contestant: str, content: str, least: float, reference: str = "tipg") -> Target:
        what = f"{commune}, {contestant} against {reference}: {content.removesuffix(f', {one}')}"
        return Target(what, "tipg", f"{commune}, {content}", RATE, contestant, least, reference)

    computed = [f"{content}, computed before, {one}" for content in ("all blocks", "history only")]
    lone_case = f"{commune}, all blocks, computed before, 1 parcel, 1 client"
    divide_case = f"{commune}, divide-land, 1 parcel, 1 client"
    return [
        *(against("embedded", content, 1.8) for content in computed),
        *(against("embedded", content, 0.55, "cheapest path") for content in computed),
        *(against("Compose", content, 1.3) for content in computed),
        against("embedded", f"all blocks, never computed, {one}", 0.6),
        against("embedded", "all blocks, computed before, 10 parcels, 16 clients", 0.8),
        against("embedded", "all blocks, computed before, 100 parcels, 1 client", 0.5),
        Target(f"{commune}, against tipg: 1 client", "tipg", lone_case, P50, "embedded", 1.0, "tipg", at_least=False),
        Target(f"{commune}, divide-land", "tipg", divide_case, PROCESSOR, "embedded", divide_land_ms, at_least=False),
    ]


def _resolve(what: str, bench: str, case: str, against: str, least_ratios: Mapping[int, float]) -> list[Target]:
    targets = []
    for number_of_clients, least in least_ratios.items():
        clients = counted(number_of_clients, "client")
        targets.append(
            Target(f"resolve against {what}, {clients}", bench, f"{case}, {clients}", RATE, "embedded", least, against)
        )
    return targets


TARGETS = [
    *_tipg("75118", divide_land_ms=12),
    *_tipg("demo", divide_land_ms=16),
    *(
        Target(f"publishers fail, against everything loaded: {state}, {clients}", "publishers",
               f"75118, all blocks, 1 parcel, {clients}", RATE, state, least, "everything loaded")
        for clients in ("1 client", "16 clients")
        for state, least in (("one publisher failing", 0.9), ("all failing", 0.7))
    ),
    *_resolve("the bare frame", "frame", "resolve", "bare frame", {1: 0.9, 8: 1.0, 32: 1.1}),
    *_resolve("addok, exact", "addok", "exact", "addok", {1: 1.0, 8: 1.5, 32: 2.0}),
    *_resolve("addok, one slip", "addok", "one slip", "addok", {1: 6.0, 8: 6.0, 32: 6.0}),
    *(
        Target(
            f"{service}, a request, {database}, {counted(clients, 'client')}", "keys",
            f"leased and counted, {counted(clients, 'client')}", f"{OF}{service}", database, most, at_least=False,
        )
        for service, clients, most in (("keys", 1, 0.3), ("keys", 16, 0.1), ("edge", 16, 0.9))
        for database in ("SQLite", "PostgreSQL")
    ),
    Target("import of the addresses of Paris into SQLite", "import", "addresses, adresses-75.csv.gz, SQLite",
           "rows/s of processor", "land", 40_000),
    Target("import of the parcels of 75118 into PostGIS, against ogr2ogr: time", "import",
           "parcels, cadastre-75118-parcelles.json.gz, PostGIS", "s", "land", 1.5, "ogr2ogr", at_least=False),
    Target("import of the parcels of ten communes into PostGIS, against ogr2ogr: time", "import",
           "parcels, ten-communes.json.gz, PostGIS", "s", "land", 1.5, "ogr2ogr", at_least=False),
    *(
        Target(f"resolve among 26 million addresses, cold, {kind}: p95", "national", f"{kind}, cold, sqlite", P95,
               "26,000,000 addresses", most, at_least=False)
        for kind, most in (("exact", 5), ("one slip", 10), ("wrong street", 15))
    ),
]  # fmt: skip


def number(value: float) -> str:
    """About three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def tables(entries: Sequence[Entry], reference: str) -> Iterable[str]:
    """A row for each case and a column for each contestant. Cases with the same units share a table."""
    by_row: dict[tuple[str, str], dict[str, Entry]] = {}
    for entry in entries:
        if "median" in entry and not entry["unit"].startswith(OF):
            by_row.setdefault((entry["case"], entry["contestant"]), {})[entry["unit"]] = entry
    by_units: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for (case, contestant), row in by_row.items():
        units = tuple(unit for unit in row if unit in SHOWN or not SHOWN.issubset(row))
        cell = _cell([row[unit] for unit in units], by_row.get((case, reference), {}))
        by_units.setdefault(units, {}).setdefault(case, {})[contestant] = cell
    for units, cases in by_units.items():
        contestants = list(dict.fromkeys(contestant for cells in cases.values() for contestant in cells))
        rows = [[case, *(of.get(name, "") for name in contestants)] for case, of in cases.items()]
        yield from ("", _row([", ".join(units), *contestants]), _row(["---"] * (len(contestants) + 1)))
        yield from map(_row, rows[:MAX_ROWS])
        if len(rows) > MAX_ROWS:
            yield f"\n{len(rows) - MAX_ROWS} more cases are in benchmarks.csv."


def _cell(entries: Sequence[Entry], of_reference: Mapping[str, Entry]) -> str:
    """The medians, and how many times the reference's first median the first is."""
    text = ", ".join(number(entry["median"]) for entry in entries)
    first = entries[0]
    reference = of_reference.get(first["unit"])
    is_compared = reference and reference is not first and reference["median"]
    return f"{text} ({number(first['median'] / reference['median'])}×)" if reference and is_compared else text


def all_figures(records: Mapping[str, Mapping[str, Any]]) -> str:
    """Every figure as CSV: the median, the least and the greatest round, and the processor time of each process."""
    with io.StringIO(newline="") as text:
        table = csv.writer(text, lineterminator="\n")
        table.writerow(("benchmark", "case", "contestant", "unit", "median", "least", "greatest"))
        for name, record in records.items():
            for entry in record["entries"]:
                if "median" in entry:
                    figures = (number(value).replace(",", "") for value in (entry["median"], *entry["spread"]))
                    table.writerow((name, entry["case"], entry["contestant"], entry["unit"], *figures))
        return text.getvalue()


def section(bench: Bench, record: Mapping[str, Any]) -> Iterable[str]:
    entries: Sequence[Entry] = record["entries"]
    yield f"\n## {bench.title}\n"
    yield textwrap.fill(bench.about, 120)
    before, after = (number(record[key]) for key in ("load_before", "load_after"))
    run = f"{record['started']}, commit {record['commit']}, {record['seconds']:.0f} s"
    yield f"\n{run}, load average {before} to {after}."
    notes = [textwrap.shorten(entry["note"], MAX_TEXT, placeholder=" …") for entry in entries if "note" in entry]
    yield from ("", *(f"- {note}" for note in notes)) if notes else ()
    yield from tables(entries, bench.reference)
    failures = [
        f"{entry['case']}, {entry['contestant']}: {entry['failed'][:MAX_TEXT]}"
        for entry in entries
        if "failed" in entry
    ]
    failures += [record["reason"][-MAX_TEXT:]] if record["reason"] else []
    yield from ("", "Failed:", "", *(f"- {failure}" for failure in failures)) if failures else ()


def write(benches: Mapping[str, Bench], records: Mapping[str, Mapping[str, Any]], machine: Mapping[str, str]) -> str:
    """The page. `machine` describes the machine and the versions of the last run."""
    lines = [HEAD, "## What was to be reached\n", _row(["what", "to reach", "measured", ""]), _row(["---"] * 4)]
    rows = [target.row(records[target.bench]["entries"] if target.bench in records else []) for target in TARGETS]
    lines += [row for row in rows if row]
    lines += [] if all(rows) else ["\nOf the other targets none is measured yet."]
    lines += ["\n## Machine\n", _row(["", ""]), _row(["---", "---"]), *(_row(item) for item in machine.items())]
    for name, bench in benches.items():
        lines += section(bench, records[name]) if name in records else ()
    missing = [bench.title for name, bench in benches.items() if name not in records]
    lines += [f"\n## Not measured yet\n\n{textwrap.fill('; '.join(missing) + '.', 120)}"] if missing else []
    return "\n".join(lines) + "\n"
