"""Measures suggestions for texts that are being typed, among the streets of a whole country.

The store has fictional communes of realistic sizes and their streets, each with one house number. The figures are the
time to load, the size of the table of starts, and the processor time of a suggestion, of land and of PostgreSQL
together. Each query is the beginning of an address, of at least two letters.
"""

import random
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench_national import STORES
from fictional_country import ADDRESSES, COMMUNES, NUMBER, STREETS, SampledCommune, write_streets
from measuring import Figures, parser, quantile
from sqlalchemy import Engine, text

from land.addresses.suggesting import Typed
from land.pipeline import Pipeline
from land.store import MIGRATIONS
from servicekit.database import open_engine
from servicekit.schema import upgrade

QUERIES = 3_000
KINDS = (
    "street",
    "number and street",
    "street, near",
    "street, city code",
    "number, street and city",
    "one slip",
    "city",
)


def queries(sampled: Sequence[SampledCommune], count: int) -> Iterator[tuple[str, Typed]]:
    choose = random.Random(1)  # noqa: S311 (deterministic)
    for at in range(count):
        kind, commune = KINDS[at % len(KINDS)], choose.choice(sampled)
        street = choose.choice(commune.streets)
        whole = {
            "number and street": f"{NUMBER} {street}",
            "number, street and city": f"{NUMBER} {street} {commune.name}",
            "city": commune.name,
        }.get(kind, street)
        least = len(street) + 4 if kind == "number, street and city" else 2
        typed = whole[: choose.randrange(min(least, len(whole)), len(whole) + 1)]
        if kind == "one slip":
            place = choose.randrange(1, len(street))
            typed = f"{street[:place]}z{street[place + 1 :]}"
        near = commune.place if kind == "street, near" else None
        yield kind, Typed(typed, 5, near, commune.code if kind == "street, city code" else "")


def _processor_s(server: int | None) -> float:
    """The processor time of this thread, and of the process of PostgreSQL that serves its connection."""
    other = int(Path(f"/proc/{server}/schedstat").read_text().split()[0]) / 1e9 if server else 0.0
    return time.thread_time() + other


def measure(
    figures: Figures, engine: Engine, name: str, typed_queries: Sequence[tuple[str, Typed]], server: int | None
) -> None:
    pipeline = Pipeline(engine)
    for _, typed in typed_queries[:50]:
        pipeline.suggest_addresses(typed, "all")
    took: dict[str, list[float]] = {}
    empty = 0
    for kind, typed in typed_queries:
        before = _processor_s(server)
        empty += not pipeline.suggest_addresses(typed, "all")
        took.setdefault(kind, []).append((_processor_s(server) - before) * 1000)
    for kind, values in {**took, "all": [value for times in took.values() for value in times]}.items():
        costs_ms = {"p50": quantile(values, 50), "p95": quantile(values, 95), "max": max(values)}
        figures.add(kind, name, {f"{unit} processor ms": [cost_ms] for unit, cost_ms in costs_ms.items()})
    figures.add("without a suggestion", name, {"%": [100 * empty / len(typed_queries)]})


def _size(engine: Engine, folder: Path) -> int:
    if engine.dialect.name == "sqlite":
        return sum(path.stat().st_size for path in folder.glob("land.sqlite*"))
    with engine.connect() as connection:
        return int(connection.scalar(text("SELECT pg_total_relation_size('street_start')")) or 0)


@contextmanager
def _one_backend(engine: Engine, pids: Mapping[int, int]) -> Iterator[int | None]:
    """The process, as this machine sees it, of the server's only connection."""
    if engine.dialect.name == "sqlite":
        yield None
        return
    with engine.connect() as connection:
        inside = int(connection.scalar(text("SELECT pg_backend_pid()")) or 0)
    yield pids[inside]


def _pids_inside() -> dict[int, int]:
    """The process ids on this machine, by those inside a container."""
    pids = {}
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = path.read_text().splitlines()
        except OSError:  # the process has ended
            continue
        ids = next((line.split()[1:] for line in lines if line.startswith("NSpid:")), [])
        if len(ids) > 1 and "Name:\tpostgres" in lines[0]:
            pids[int(ids[-1])] = int(ids[0])
    return pids


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--communes", type=int, default=COMMUNES)
    command.add_argument("--streets", type=int, default=STREETS)
    command.add_argument("--queries", type=int, default=QUERIES)
    command.add_argument("--folder", type=Path, default=Path("var/suggest"))
    command.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES), metavar="STORE")
    options = command.parse_args()
    if options.quick:
        options.communes, options.streets, options.queries = 350, 21_000, 300
    figures, folder = Figures.of(options), options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for name in options.stores:
            with STORES[name](folder) as (url, _):
                engine = open_engine(url, pool_size=1)
                upgrade(engine, MIGRATIONS)
                started = time.thread_time()
                addresses = ADDRESSES * options.communes // COMMUNES
                sampled = write_streets(engine, options.communes, addresses, options.streets)
                used_s, size_mb = time.thread_time() - started, _size(engine, folder) / 1e6
                figures.add("load", name, {"processor s": [used_s], "MB on disk": [size_mb]})
                typed_queries = list(queries(sampled, options.queries))
                with _one_backend(engine, _pids_inside()) as server:
                    measure(figures, engine, name, typed_queries, server)
                engine.dispose()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return int(figures.status)


if __name__ == "__main__":
    sys.exit(main())
