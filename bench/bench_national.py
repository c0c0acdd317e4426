"""Measures address resolution with as many addresses as France has, and compares it with 100,000 addresses.

The figures are load time, size on disk, time from start to the first answer, memory, response times and processor
time of each kind of query: cold, where the commune's streets have to be read, and warm, where they are in memory.
The addresses are those of 35,000 fictional communes, whose streets share words as real ones do. The database is SQLite;
with --stores also PostGIS in Docker. With --keep, the SQLite databases are kept for the next run. One client sends one
gRPC call at a time.
"""

import asyncio
import bisect
import os
import random
import re
import secrets
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from pathlib import Path

from contestants import POSTGIS_IMAGE, database_server, running
from fictional_country import ADDRESSES, COMMUNES, STREETS, write_numbers, write_streets
from measuring import P50, P95, PROCESSOR, Figures, parser, quantile
from process_costs import Costs, resident_bytes, threads_ms
from sqlalchemy import Connection, Row, select, text

from embedded.processes import free_ports, program
from land.datasets.addresses.street_queries import address, address_commune, street
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from replicas import LOOPBACK
from servicekit.callers import entry
from servicekit.database import open_engine
from servicekit.healthcheck import is_serving
from servicekit.rpc_client import Outgoing, open_channel

SMALL_ADDRESSES = 100_000
PER_COMMUNE = ADDRESSES / COMMUNES
QUERIES = 10_000
CALL_WITHIN_S = 30.0
INVENTED = ("zor", "brix", "quel", "plon", "vur", "jast", "mip", "dorb", "klen", "wexi")
"""Syllables of invented street names."""


KINDS = ("exact", "one slip", "no postcode", "wrong street")


@dataclass
class Query:
    kind: str
    label: str
    street: str
    """The expected street name; empty if no result is expected."""


@dataclass
class Answers:
    """The answers of one kind: milliseconds, processor milliseconds of land, and whether the street is right."""

    took_ms: list[float] = field(default_factory=list)
    costs_ms: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)


@dataclass
class Store:
    name: str
    """How many addresses it has."""
    kind: str
    url: str
    folder: Path
    databases: Mapping[str, int] = field(default_factory=dict)
    """Process ids of the database, by name."""
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    port: int = field(default_factory=lambda: free_ports(LOOPBACK, 1)[0])

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LAND_DATABASE_URL": self.url,
            "LAND_DATA_DIR": str(self.folder / "scratch"),
            "LAND_CALLERS": entry("edge", self.token),
            "LAND_HOST": LOOPBACK,
            "LAND_PORT": str(self.port),
            "LAND_ON_DEMAND": "off",
        }

    def command(self, *arguments: str) -> str:
        """Runs land's command line. Raises CalledProcessError."""
        command, environment = [program("land"), *arguments], {**os.environ, **self.environment}
        return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    def size(self) -> int:
        """Size on disk in bytes."""
        if self.url.startswith("sqlite"):
            return sum(path.stat().st_size for path in self.folder.glob("land.sqlite*"))
        with open_engine(self.url).connect() as connection:
            return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)

    @contextmanager
    def serving(self) -> Iterator[dict[str, int]]:
        """Runs land's server. Yields the process ids of land and of the database. Raises RuntimeError."""
        is_ready = partial(is_serving, f"{LOOPBACK}:{self.port}", timeout_s=1)
        command = [program("land"), "serve"]
        with running({"land": command}, self.folder / "land.log", is_ready, self.environment) as pids:
            yield {**pids, **self.databases}


def fill(figures: Figures, store: Store, communes: int, addresses: int) -> None:
    """Writes the addresses if the store is empty."""
    store.command("migrate")
    engine, started = open_engine(store.url), time.perf_counter()
    with engine.connect() as connection:
        is_filled = connection.execute(select(address_commune.c.commune_code).limit(1)).first() is not None
    if not is_filled:
        write_streets(engine, communes, addresses, STREETS * addresses // ADDRESSES)
        write_numbers(engine)
        figures.add(f"written, {store.kind}", store.name, {"s": [time.perf_counter() - started]})
    engine.dispose()
    figures.add(f"on disk, {store.kind}", store.name, {"GB": [store.size() / 1e9]})


def queries(store: Store, count: int) -> list[Query]:
    """About `count` queries in pairs, for uniformly chosen communes, as many of each kind. The second query of a pair
    asks about another address of the commune, whose streets are then in memory.
    """
    choose = random.Random(1)  # noqa: S311 (deterministic)
    with open_engine(store.url).connect() as connection:
        communes = connection.execute(select(address_commune)).all()
        ends = list(accumulate(row.address_count for row in communes))
        return [
            _query(f"{kind}, {memory}", *_address(connection, commune, choose), choose)
            for _ in range(count // (2 * len(KINDS)))
            for kind in KINDS
            for commune in [communes[bisect.bisect(ends, choose.randrange(ends[-1]))]]
            for memory in ("cold", "warm")
        ]


def _query(kind: str, number: str, name: str, postcode: str, city: str, choose: random.Random) -> Query:
    invented = "".join(choose.choice(INVENTED) for _ in range(3)).capitalize()
    label, street = {
        "exact": (f"{number} {name} {postcode} {city}", name),
        "one slip": (f"{number} {_with_slip(name, choose)} {postcode} {city}", name),
        "no postcode": (f"{number} {name} {city}", name),
        "wrong street": (f"{number} rue {invented} {postcode} {city}", ""),
    }[kind.partition(",")[0]]
    return Query(kind, label, street)


def _address(connection: Connection, commune: Row[tuple[object]], choose: random.Random) -> tuple[str, str, str, str]:
    """Number, street, postcode and city of a uniformly chosen address of the commune."""
    streets = connection.execute(select(street).where(street.c.commune_code == commune.commune_code)).all()
    chosen_street = choose.choices(streets, [row.address_count for row in streets])[0]
    of_street = (address.c.commune_code == commune.commune_code, address.c.street_id == chosen_street.street_id)
    row = choose.choice(connection.execute(select(address).where(*of_street)).all())
    return f"{row.number} {row.suffix}".strip(), chosen_street.name, row.postcode, commune.name


def _with_slip(name: str, choose: random.Random) -> str:
    """The name with one typing error in its longest word: a letter omitted, doubled, changed or swapped."""
    word = max(re.findall(r"\w+", name), key=len)
    at = choose.randrange(1, max(2, len(word) - 1))
    before, letter, after = word[:at], word[at], word[at + 1 :]
    slips = (before + after, before + letter * 2 + after, before + "z" + after, before + after[:1] + letter + after[1:])
    return name.replace(word, choose.choice(slips), 1)


async def ask(store: Store, address_queries: Sequence[Query], land: int) -> dict[str, Answers]:
    """Sends the queries one by one to the process `land`. Returns the answers by kind."""
    answers: dict[str, Answers] = defaultdict(Answers)
    outgoing = Outgoing(store.token)
    async with open_channel(f"{LOOPBACK}:{store.port}") as channel:
        stub = land_pb2_grpc.LandServiceStub(channel)
        for query in address_queries:
            request = land_pb2.ResolveAddressRequest(query=land_pb2.AddressQuery(label=query.label))
            lone = land_pb2.ResolveAddressesRequest(requests=[request])
            used_ms, started = threads_ms(land), time.perf_counter()
            (result,) = (await stub.ResolveAddresses(lone, **outgoing(CALL_WITHIN_S))).results
            of_kind = answers[query.kind]
            of_kind.took_ms.append((time.perf_counter() - started) * 1000)
            of_kind.costs_ms.append(threads_ms(land) - used_ms)
            of_kind.right.append(result.found.address.street == query.street)
    return answers


def measure(figures: Figures, store: Store, count: int) -> None:
    """Starts land and sends the queries."""
    address_queries = queries(store, count)
    started = time.perf_counter()
    with store.serving() as pids:
        land = pids["land"]
        asyncio.run(ask(store, address_queries[:1], land))
        first_s, first_mib = time.perf_counter() - started, resident_bytes(land) / 2**20
        figures.add(f"start, {store.kind}", store.name, {"s to the first answer": [first_s], "MiB": [first_mib]})
        costs = Costs(pids)
        answers = asyncio.run(ask(store, address_queries, land))
        values = {**costs.each(len(address_queries)), "MiB": resident_bytes(land) / 2**20}
        figures.add(
            f"{len(address_queries):,} queries, {store.kind}",
            store.name,
            {unit: [value] for unit, value in values.items()},
        )
    for kind, of_kind in sorted(answers.items()):
        values = {
            P50: quantile(of_kind.took_ms, 50),
            P95: quantile(of_kind.took_ms, 95),
            "p99 ms": quantile(of_kind.took_ms, 99),
            PROCESSOR: statistics.mean(of_kind.costs_ms),
            "p95 processor ms": quantile(of_kind.costs_ms, 95),
            "% right": 100 * statistics.mean(of_kind.right),
        }
        figures.add(f"{kind}, {store.kind}", store.name, {unit: [value] for unit, value in values.items()})


@contextmanager
def sqlite(folder: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """The URL of a database file in the folder."""
    yield f"sqlite:///{folder}/land.sqlite", {}


@contextmanager
def postgis(_: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Runs a temporary PostGIS with default settings. Yields its URL and its process."""
    with database_server(POSTGIS_IMAGE) as server:
        yield server


STORES = {"sqlite": sqlite, "postgis": postgis}


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--communes", type=int, default=COMMUNES)
    command.add_argument("--addresses", type=int, default=ADDRESSES)
    command.add_argument("--queries", type=int, default=QUERIES)
    command.add_argument("--folder", type=Path, default=Path("var/national"))
    command.add_argument(
        "--stores", nargs="+", choices=STORES, default=["sqlite"], metavar="STORE", help=", ".join(STORES)
    )
    command.add_argument("--keep", action="store_true", help="leave what was made for the next run")
    options = command.parse_args()
    figures, folder = Figures.of(options), options.folder.resolve()
    if options.quick:
        options.communes, options.addresses, options.queries = 350, 260_000, 400
    sizes = {
        "small": (max(1, round(SMALL_ADDRESSES / PER_COMMUNE)), SMALL_ADDRESSES),
        "large": (options.communes, options.addresses),
    }
    try:
        for name in options.stores:
            for size, counts in sizes.items():
                place = folder / f"{name}-{size}"
                place.mkdir(parents=True, exist_ok=True)
                with STORES[name](place) as (url, databases):
                    store = Store(f"{counts[1]:,} addresses", name, url, place, databases)
                    fill(figures, store, *counts)
                    measure(figures, store, options.queries)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
