"""Measures suggestions for texts that are being typed, among the streets of a whole country.

The store has fictional communes of realistic sizes and their streets, each with one house number. The figures are the
time to load, the size of the table of starts, and the processor time of a suggestion, of land and of PostgreSQL
together. Each query is the beginning of an address, of at least two letters.
"""

import random
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench_national import STORES
from measuring import Figures, parser, quantile
from sqlalchemy import Connection, Engine, text

from demoland.communes import sized_communes
from demoland.names import realistic_street_names
from land.addresses.normalise import canonical_street
from land.addresses.place_index import Point
from land.addresses.street_starts import street_starts
from land.addresses.suggesting import Typed
from land.datasets.addresses.queries import ADDRESS_COMMUNES, ADDRESSES
from land.datasets.addresses.records import AddressCommuneRow, AddressRow, NamedStreet, Street, StreetRow
from land.datasets.addresses.street_queries import STREET_STARTS, STREETS
from land.datasets.partitions import Partition
from land.pipeline import Pipeline
from land.store import MIGRATIONS, loads
from land.store.loads import Load
from land.store.repository import Repository
from servicekit.database import for_writing, open_engine
from servicekit.schema import upgrade

COMMUNES, ADDRESSES_IN_ALL, STREETS_IN_ALL = 35_000, 26_000_000, 2_100_000
QUERIES = 3_000
BATCH = 200
NUMBER = 12
WRITTEN = "2026-01-02T03:04:05Z"
METRES_PER_DEGREE = 100_000.0
KINDS = (
    "street",
    "number and street",
    "street, near",
    "street, city code",
    "number, street and city",
    "one slip",
    "city",
)


class SampledCommune:
    """A commune and streets of it, to ask for."""

    def __init__(self, code: str, name: str, place: Point, streets: Sequence[str]) -> None:
        self.code, self.name, self.place, self.streets = code, name, place, streets


def fill(engine: Engine, communes: int, streets: int) -> list[SampledCommune]:
    """Writes the communes and their streets. Returns some of them."""
    sized = sized_communes(communes, ADDRESSES_IN_ALL * communes // COMMUNES, "mainland")
    shares = [sized_commune.address_count**0.8 for sized_commune in sized]
    per_share = streets / sum(shares)
    sampled = []
    for start in range(0, len(sized), BATCH):
        with for_writing(engine).begin() as connection:
            for sized_commune, share in zip(sized[start : start + BATCH], shares[start : start + BATCH], strict=True):
                commune = sized_commune.commune
                random_ = random.Random(commune.code)  # noqa: S311 (deterministic)
                x, y = commune.origin
                place = Point(42.0 + y / METRES_PER_DEGREE, -4.0 + x / METRES_PER_DEGREE)
                count = max(1, round(share * per_share))
                names = realistic_street_names(sized_commune.vocabulary, random_)
                street_names = [next(names) for _ in range(count)]
                _write(
                    connection,
                    commune.code,
                    commune.name,
                    commune.postcode,
                    place,
                    street_names,
                    sized_commune.address_count,
                )
                if random_.random() < 0.1:
                    sampled.append(SampledCommune(commune.code, commune.name, place, street_names))
    return sampled


def _write(
    connection: Connection, code: str, name: str, postcode: str, place: Point, names: Sequence[str], addresses: int
) -> None:
    at, partition, count = (place.lon, place.lat), Partition(code), max(1, addresses // len(names))
    ids = [f"{code}_{number:04}" for number in range(len(names))]
    rows = [
        StreetRow(key, name, canonical_street(name), postcode, "", *at, count)
        for key, name in zip(ids, names, strict=True)
    ]
    named = [
        NamedStreet(Street(code, row.street_id, row.name, (postcode,), False, *at, count), (row.search_names,))
        for row in rows
    ]
    tables: list[tuple[Repository[Any], Iterable[Any]]] = [
        (ADDRESS_COMMUNES, [AddressCommuneRow(name, postcode, "", *at, addresses, None)]),
        (STREETS, rows),
        (ADDRESSES, [AddressRow(key, NUMBER, "", None, postcode, *at, "") for key in ids]),
        (STREET_STARTS, street_starts(named, addresses)),
    ]
    for repository, of_table in tables:
        repository.replace(connection, "ban", partition, of_table)
    loads.put(connection, Load("ban", partition, "e1", "made", WRITTEN, WRITTEN, len(rows), 0, ""))


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
    command.add_argument("--streets", type=int, default=STREETS_IN_ALL)
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
                sampled = fill(engine, options.communes, options.streets)
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
