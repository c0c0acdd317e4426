"""Writes docs/benchmarks.md from the records of the benchmarks' last runs."""

import operator
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring import P50, P95, PROCESSOR, RATE, counted

Entry = Mapping[str, Any]
OF = f"{PROCESSOR} of "
CLIENTS = f"{OF}the clients"

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

    def row(self, entries: Sequence[Entry]) -> str:
        by_contestant = {
            entry["contestant"]: entry for entry in entries if (entry.get("case"), entry.get("unit")) == self.key
        }
        sign, is_reached = ("≥", operator.ge) if self.at_least else ("≤", operator.le)
        unit = "×" if self.against else self.unit
        cells = [self.what, f"{sign} {self.target:g} {unit}"]
        if self.contestant not in by_contestant or (self.against and self.against not in by_contestant):
            return _row([*cells, "", "not measured"])
        value = by_contestant[self.contestant]["median"] / (
            by_contestant[self.against]["median"] if self.against else 1
        )
        return _row([*cells, number(value), "reached" if is_reached(value, self.target) else "**missed**"])

    @property
    def key(self) -> tuple[str, str]:
        return self.case, self.unit


def _tipg(commune: str) -> list[Target]:
    targets = []
    for contestant, least in (("embedded", (1.0, 2.0)), ("Compose", (0.8, 1.5))):
        for blocks, least_ratio in zip(("all blocks", "history only"), least, strict=True):
            what = f"geojson against tipg, {commune}, {contestant}, {blocks}, 16 clients"
            case = f"{commune}, {blocks}, 1 parcel, 16 clients"
            targets.append(Target(what, "tipg", case, RATE, contestant, least_ratio, "tipg"))
    for blocks in ("all blocks", "history only"):
        what = f"geojson against tipg, {commune}, embedded, {blocks}: p50 of 1 client"
        case = f"{commune}, {blocks}, 1 parcel, 1 client"
        targets.append(Target(what, "tipg", case, P50, "embedded", 1.5, "tipg", at_least=False))
    what, case = (
        f"divide-land by rules, {commune}, embedded, 1 client, processor time",
        f"{commune}, divide-land, 1 parcel, 1 client",
    )
    return [*targets, Target(what, "tipg", case, PROCESSOR, "embedded", 15, at_least=False)]


def _resolve(what: str, bench: str, case: str, against: str, least_ratios: Mapping[int, float]) -> list[Target]:
    targets = []
    for number_of_clients, least in least_ratios.items():
        clients = counted(number_of_clients, "client")
        targets.append(
            Target(f"resolve against {what}, {clients}", bench, f"{case}, {clients}", RATE, "embedded", least, against)
        )
    return targets


TARGETS = [
    *_tipg("75118"),
    *_tipg("demo"),
    *_resolve("the bare frame", "frame", "resolve", "bare frame", {1: 0.9, 8: 1.0, 32: 1.1}),
    *_resolve("addok, exact", "addok", "exact", "addok", {1: 1.0, 8: 1.5, 32: 2.0}),
    *_resolve("addok, one slip", "addok", "typo1", "addok", {1: 6.0, 8: 6.0, 32: 6.0}),
    *(
        Target(
            f"processor of {service} for a request, {database}, {counted(clients, 'client')}", "keys",
            f"{service}, {counted(clients, 'client')}", PROCESSOR, database, most, at_least=False,
        )
        for service, clients, most in (("keys", 1, 0.3), ("keys", 16, 0.1), ("edge", 16, 0.9))
        for database in ("SQLite", "PostgreSQL")
    ),
    Target("import of the addresses of Paris into SQLite", "import", "addresses, adresses-75.csv.gz, SQLite",
           "rows/s of processor", "land", 40_000),
    Target("import of the parcels of 75118 into PostGIS, against ogr2ogr: time", "import",
           "parcels, cadastre-75118-parcelles.json.gz, PostGIS", "s", "land", 1, "ogr2ogr", at_least=False),
    *(
        Target(
            f"resolve among 26 million addresses against 100,000, {kind}: p95", "national", f"{kind}, sqlite", P95,
            "26,000,000 addresses", 1.5, "100,000 addresses", at_least=False,
        )
        for kind in ("exact", "no postcode", "one slip", "wrong street")
    ),
]  # fmt: skip


def number(value: float) -> str:
    """About three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(entries: Mapping[tuple[str, str], Entry], unit: str, contestant: str) -> str:
    """Median, spread, and for processor time its parts."""
    entry = entries.get((unit, contestant))
    if entry is None:
        return ""
    text = number(entry["median"])
    if len(entry["runs"]) > 1:
        text += " ({} to {})".format(*map(number, entry["spread"]))
    parts = [
        f"{key.removeprefix(OF)} {number(entry['median'])}"
        for (key, name), entry in entries.items()
        if unit == PROCESSOR and name == contestant and key.startswith(OF) and key != CLIENTS and entry["median"] > 0
    ]
    return f"{text}: {', '.join(parts)}" if len(parts) > 1 else text


def tables(entries: Sequence[Entry], reference: str) -> Iterable[str]:
    """One table for each unit: a row for each case, a column for each contestant, and the ratios."""
    figures = [entry for entry in entries if "median" in entry]
    for unit in dict.fromkeys(entry["unit"] for entry in figures if not entry["unit"].startswith(OF)):
        of_unit = [entry for entry in figures if entry["unit"] == unit]
        contestants = list(dict.fromkeys(entry["contestant"] for entry in of_unit))
        compared = (
            [contestant for contestant in contestants if contestant != reference] if reference in contestants else []
        )
        yield ""
        yield _row([unit, *contestants, *(f"{contestant} ÷ {reference}" for contestant in compared)])
        yield _row(["---"] * (1 + len(contestants) + len(compared)))
        for case in dict.fromkeys(entry["case"] for entry in of_unit):
            by_unit = {(figure["unit"], figure["contestant"]): figure for figure in figures if figure["case"] == case}
            cells = [_cell(by_unit, unit, contestant) for contestant in contestants]
            yield _row([case, *cells, *(ratio(by_unit, unit, contestant, reference) for contestant in compared)])


def ratio(entries: Mapping[tuple[str, str], Entry], unit: str, contestant: str, reference: str) -> str:
    ours, theirs = entries.get((unit, contestant)), entries.get((unit, reference))
    return number(ours["median"] / theirs["median"]) if ours and theirs and theirs["median"] else ""


def section(bench: Bench, record: Mapping[str, Any]) -> Iterable[str]:
    entries: Sequence[Entry] = record["entries"]
    yield f"\n## {bench.title}\n"
    yield textwrap.fill(bench.about, 120)
    before, after = (number(record[key]) for key in ("load_before", "load_after"))
    yield (
        f"\n{record['started']}, commit {record['commit']}, {record['seconds']:.0f} s. Load average of the machine "
        f"{before} before, {after} after."
    )
    notes = [entry["note"] for entry in entries if "note" in entry]
    clients = [entry["median"] for entry in entries if entry.get("unit") == CLIENTS]
    if clients:
        notes.append(f"The clients used {number(min(clients))} to {number(max(clients))} ms of processor an answer.")
    yield from ("", *(f"- {note}" for note in notes)) if notes else ()
    yield from tables(entries, bench.reference)
    failures = [f"{entry['case']}, {entry['contestant']}: {entry['failed']}" for entry in entries if "failed" in entry]
    failures += [record["reason"]] if record["reason"] else []
    yield from ("", "Failed:", "", *(f"- {failure}" for failure in failures)) if failures else ()


def write(benches: Mapping[str, Bench], records: Mapping[str, Mapping[str, Any]], machine: Mapping[str, str]) -> str:
    """The page. `machine` describes the machine and the versions of the last run."""
    lines = [HEAD, "## What was to be reached\n", _row(["what", "to reach", "measured", ""]), _row(["---"] * 4)]
    lines += [target.row(records[target.bench]["entries"] if target.bench in records else []) for target in TARGETS]
    lines += ["\n## Machine\n", _row(["", ""]), _row(["---", "---"]), *(_row(item) for item in machine.items())]
    for name, bench in benches.items():
        if name in records:
            lines += section(bench, records[name])
        else:
            lines += [f"\n## {bench.title}\n", f"{textwrap.fill(bench.about, 120)}\n\nNot measured yet."]
    return "\n".join(lines) + "\n"
