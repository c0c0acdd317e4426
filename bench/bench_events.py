"""Measures what watches add to a load: a département of sales is loaded again with one sale in a hundred changed.

Twenty partners watch it: 80 % of the watches are of 20 parcels, 15 % of communes, and 5 % of areas. A store
with --watches watches and one without any are loaded alternately, on SQLite.
"""

import random
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import shapely
from measuring import Figures, parser
from sqlalchemy import Engine, func, select

from land.datasets.parcels.records import ParcelRecord
from land.datasets.partitions import Partition
from land.datasets.sales.records import DvfRow
from land.events.watches import Watches
from land.loading.loader import replace_partition
from land.store import MIGRATIONS
from land.store.events import event
from land.store.loads import Load
from servicekit.database import open_engine
from servicekit.schema import upgrade

COMMUNES, PARCELS, SALES = 300, 300, 100
PARTNERS = 20
CHANGED = 100
"""One sale of so many changes in each edition."""
NOW = "2026-01-02T03:04:05Z"


def code_of(commune: int) -> str:
    return f"18{commune:03}"


def parcel_id(commune: int, number: int) -> str:
    return f"{code_of(commune)}000AB{number:04}"


def outline(commune: int, number: int) -> shapely.Polygon:
    """A square of about 20 metres. Communes are a tenth of a degree apart."""
    west = 2 + commune % 20 * 0.1 + number % 20 * 0.0003
    south = 46 + commune // 20 * 0.1 + number // 20 * 0.0002
    return shapely.box(west, south, west + 0.0003, south + 0.0002)


def parcel(commune: int, number: int) -> ParcelRecord:
    shape = shapely.to_wkb(outline(commune, number))
    names = ParcelRecord._fields
    values = dict.fromkeys(names) | {
        "commune_code": code_of(commune), "parcel_id": parcel_id(commune, number), "prefix": "000", "section": "AB",
        "number": f"{number:04}", "geometry": shape, "is_surveyed": False, "is_repaired": False,
    }  # fmt: skip
    return ParcelRecord(**{name: values[name] for name in names})  # type: ignore[arg-type]


def sale(commune: int, number: int, edition: int) -> DvfRow:
    price = 200_000.0 + number + (edition if number % CHANGED == edition % CHANGED else 0)
    return DvfRow(
        code_of(commune), f"2025-{edition}{number}", "2025-05-06", "000001", "Vente", price, "12", "", "RUE DES LILAS",
        "18900", "Trifouillis", parcel_id(commune, number), "", 0, (), "1", "Maison", 90.0, 4, "S", "", 400.0, 2.0,
        46.0,
    )  # fmt: skip


def load_sales(engine: Engine, edition: int) -> float:
    """The seconds that the load of all communes takes."""
    started = time.perf_counter()
    for commune in range(COMMUNES):
        rows = [sale(commune, number, edition) for number in range(SALES)]
        load(engine, "dvf", commune, rows, "2025", f"e{edition}")
    return time.perf_counter() - started


def load(engine: Engine, dataset: str, commune: int, rows: Sequence[object], part: str, edition: str) -> None:
    partition = Partition(code_of(commune), part)
    digest = f"{edition}{commune}"
    replace_partition(engine, Load(dataset, partition, edition, "file", NOW, NOW, len(rows), 0, digest), rows)


def watch(engine: Engine, count: int) -> None:
    """Watches of parcels (80 %), of communes (15 %) and of areas."""
    watches, choice = Watches(engine, count), random.Random(1)  # noqa: S311 (a sample, no secret)
    for at in range(count):
        owner, commune = f"all partner-{choice.randrange(PARTNERS)}", choice.randrange(COMMUNES)
        first, kind = choice.randrange(PARCELS), choice.randrange(100)
        if kind < 80:
            watches.create(
                owner, None, [parcel_id(commune, (first + 7 * step) % PARCELS) for step in range(20)], "", None
            )
        elif kind < 95:
            watches.create(owner, None, [], code_of(commune), None)
        else:
            watches.create(owner, None, [], "", outline(commune, first).buffer(0.001 + at / 1e8))


def make_store(folder: Path, watches: int) -> Engine:
    engine = open_engine(f"sqlite:///{folder}/{watches}.sqlite", pool_size=2)
    upgrade(engine, MIGRATIONS)
    for commune in range(COMMUNES):
        load(engine, "cadastre-parcels", commune, [parcel(commune, number) for number in range(PARCELS)], "", "e0")
    load_sales(engine, 0)
    watch(engine, watches)
    return engine


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("--watches", type=int, default=10_000)
    options = arguments.parse_args()
    figures, count = Figures.of(options), 300 if options.quick else options.watches
    with tempfile.TemporaryDirectory() as folder:
        stores = {f"{watches:,} watches": make_store(Path(folder), watches) for watches in (0, count)}
        figures.compare(
            f"load of {COMMUNES * SALES:,} sales, {COMMUNES * SALES // CHANGED} changed",
            {name: partial(measure, engine) for name, engine in stores.items()},
        )
        for engine in stores.values():
            engine.dispose()
    return figures.status


def measure(engine: Engine, number: int) -> dict[str, float]:
    before = event_count(engine)
    return {"s": load_sales(engine, number + 1), "events": event_count(engine) - before}


def event_count(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(event)) or 0


if __name__ == "__main__":
    sys.exit(main())
