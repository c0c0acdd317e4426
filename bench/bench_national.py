"""Measures address resolution with as many addresses as France has, and compares it with 100,000 addresses.

The figures are load time, size on disk, time from start to the first answer, memory and response times. `land demo`
writes the addresses: 35,000 fictional communes, whose streets share words as real ones do. The database is SQLite; with
--stores also PostGIS in Docker. With --keep, the files and SQLite databases are kept for the next run. One client sends
one gRPC call at a time.
"""

import asyncio
import bisect
import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from contestants import POSTGIS_IMAGE, database_server
from measuring import P50, P95, PROCESSOR, Figures, parser, quantile
from process_costs import cpu_s, resident_bytes
from sqlalchemy import Connection, Row, select, text

from embedded.processes import free_ports, program
from land.datasets.addresses.tables import address, address_commune, street
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from replicas import LOOPBACK
from servicekit.callers import entry
from servicekit.database import open_engine
from servicekit.healthcheck import is_serving
from servicekit.rpc_client import Outgoing, open_channel

COMMUNES, ADDRESSES = 35_000, 26_000_000
SMALL_ADDRESSES = 100_000
PER_COMMUNE = ADDRESSES / COMMUNES
QUERIES = 10_000
STARTS_WITHIN_S = 120.0
CALL_WITHIN_S = 30.0
INVENTED = ("zor", "brix", "quel", "plon", "vur", "jast", "mip", "dorb", "klen", "wexi")
"""Syllables of invented street names."""


@dataclass
class Query:
    kind: str
    label: str
    street: str
    """The expected street name; empty if no result is expected."""


@dataclass
class Answers:
    """Times in milliseconds and the number of right streets, by kind."""

    took: dict[str, list[float]] = field(default_factory=dict)
    right: dict[str, int] = field(default_factory=dict)


@dataclass
class Store:
    name: str
    """How many addresses it has."""
    kind: str
    url: str
    folder: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    port: int = field(default_factory=lambda: free_ports(LOOPBACK, 1)[0])

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "LAND_DATABASE_URL": self.url,
            "LAND_DATA_DIR": str(self.folder / "scratch"),
            "LAND_CALLERS": entry("edge", self.token),
            "LAND_HOST": LOOPBACK,
            "LAND_PORT": str(self.port),
            "LAND_ON_DEMAND": "off",
        }

    def command(self, *arguments: str) -> str:
        """Runs land's command line. Raises CalledProcessError."""
        done = subprocess.run(
            [program("land"), *arguments], env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def size(self) -> int:
        """Size on disk in bytes."""
        if self.url.startswith("sqlite"):
            return sum(path.stat().st_size for path in self.folder.glob("land.sqlite*"))
        with open_engine(self.url).connect() as connection:
            return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)

    @contextmanager
    def serving(self) -> Iterator[int]:
        """Runs land's server. Yields its process id when it is healthy. Raises RuntimeError."""
        with (self.folder / "land.log").open("wb") as log:
            server = subprocess.Popen([program("land"), "serve"], env=self.environment, stdout=log, stderr=log)
            try:
                ends = time.monotonic() + STARTS_WITHIN_S
                while not is_serving(f"{LOOPBACK}:{self.port}", timeout_s=1):
                    if server.poll() is not None or time.monotonic() > ends:
                        raise RuntimeError(f"land does not serve: see {self.folder / 'land.log'}")
                    time.sleep(0.05)
                yield server.pid
            finally:
                server.terminate()
                server.wait()


def made(folder: Path, communes: int, addresses: int) -> Path:
    """The file of addresses. Writes it if it is missing."""
    target = folder / f"{communes}-{addresses}"
    file = target / "adresses-00.csv.gz"
    if not (target / "complete").exists():
        started = time.perf_counter()
        store = Store("", "", "sqlite://", folder)
        size = ["--communes", str(communes), "--addresses", str(addresses)]
        store.command("demo", "--to", str(target), "--no-load", "--addresses-only", *size)
        (target / "complete").touch()
        print(f"{addresses:,} addresses of {communes:,} communes written in {time.perf_counter() - started:,.0f} s")
    return file


def fill(figures: Figures, store: Store, file: Path) -> None:
    """Loads the file if the store is empty."""
    store.command("migrate")
    with open_engine(store.url).connect() as connection:
        is_loaded = connection.execute(select(address_commune.c.commune_code).limit(1)).first() is not None
    if not is_loaded:
        figures.note(f"{store.kind}: {store.command('import', 'ban', str(file)).strip()}")
    figures.add(f"on disk, {store.kind}", store.name, "GB", [store.size() / 1e9])


def queries(store: Store, count: int) -> list[Query]:
    """About `count` queries in random order, equally many of each kind, for uniformly chosen addresses."""
    choose = random.Random(1)  # noqa: S311 (deterministic)
    with open_engine(store.url).connect() as connection:
        communes = connection.execute(select(address_commune)).all()
        ends = list(accumulate(row.address_count for row in communes))
        chosen = [
            _address(connection, communes[bisect.bisect(ends, choose.randrange(ends[-1]))], choose)
            for _ in range(count // 4)
        ]
    queries = []
    for number, name, postcode, city in chosen:
        invented = "".join(choose.choice(INVENTED) for _ in range(3)).capitalize()
        queries += [
            Query("exact", f"{number} {name} {postcode} {city}", name),
            Query("one slip", f"{number} {_with_slip(name, choose)} {postcode} {city}", name),
            Query("no postcode", f"{number} {name} {city}", name),
            Query("wrong street", f"{number} rue {invented} {postcode} {city}", ""),
        ]
    choose.shuffle(queries)
    return queries


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


async def ask(store: Store, address_queries: Sequence[Query]) -> Answers:
    answers = Answers()
    outgoing = Outgoing(store.token)
    async with open_channel(f"{LOOPBACK}:{store.port}") as channel:
        stub = land_pb2_grpc.LandServiceStub(channel)
        for query in address_queries:
            request = land_pb2.ResolveAddressRequest(query=land_pb2.AddressQuery(label=query.label))
            started = time.perf_counter()
            lone = land_pb2.ResolveAddressesRequest(requests=[request])
            (result,) = (await stub.ResolveAddresses(lone, **outgoing(CALL_WITHIN_S))).results
            street = result.found.address.street
            answers.took.setdefault(query.kind, []).append((time.perf_counter() - started) * 1000)
            answers.right[query.kind] = answers.right.get(query.kind, 0) + (street == query.street)
    return answers


def measure(figures: Figures, store: Store, count: int) -> None:
    """Starts land and sends the queries."""
    address_queries = queries(store, count)
    started = time.perf_counter()
    with store.serving() as pid:
        asyncio.run(ask(store, address_queries[:1]))
        figures.add(f"first answer after the start, {store.kind}", store.name, "s", [time.perf_counter() - started])
        figures.add(f"memory at first, {store.kind}", store.name, "MiB", [resident_bytes(pid) / 2**20])
        before = cpu_s({"land": pid})["land"]
        answers = asyncio.run(ask(store, address_queries))
        cost_ms = (cpu_s({"land": pid})["land"] - before) * 1000 / len(address_queries)
        figures.add(f"a query, {store.kind}", store.name, PROCESSOR, [cost_ms])
        figures.add(
            f"memory after {len(address_queries):,} queries, {store.kind}",
            store.name,
            "MiB",
            [resident_bytes(pid) / 2**20],
        )
    for kind, took in sorted(answers.took.items()):
        for unit, of_100 in ((P50, 50), (P95, 95), ("p99 ms", 99)):
            figures.add(f"{kind}, {store.kind}", store.name, unit, [quantile(took, of_100)])
        figures.add(f"{kind}, {store.kind}", store.name, "% right", [100 * answers.right[kind] / len(took)])


@contextmanager
def sqlite(folder: Path) -> Iterator[str]:
    """The URL of a database file in the folder."""
    yield f"sqlite:///{folder}/land.sqlite"


@contextmanager
def postgis(_: Path) -> Iterator[str]:
    """Runs a temporary PostGIS with default settings. Yields its URL."""
    with database_server(POSTGIS_IMAGE) as (url, _pids):
        yield url


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
    figures, folder = Figures(options.json), options.folder.resolve()
    if options.quick:
        options.communes, options.addresses, options.queries = 350, 260_000, 400
    sizes = {
        "small": (max(1, round(SMALL_ADDRESSES / PER_COMMUNE)), SMALL_ADDRESSES),
        "large": (options.communes, options.addresses),
    }
    try:
        files = {size: made(folder, *counts) for size, counts in sizes.items()}
        for name in options.stores:
            for size, file in files.items():
                place = folder / f"{name}-{size}"
                place.mkdir(parents=True, exist_ok=True)
                with STORES[name](place) as url:
                    store = Store(f"{sizes[size][1]:,} addresses", name, url, place)
                    fill(figures, store, file)
                    measure(figures, store, options.queries)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
