"""Measures what watches add to a load: a département of sales is loaded again with one sale in a hundred changed.

Twenty partners watch it: 80 % of the watches are of 20 parcels, 15 % of communes, and 5 % of areas. A store
with --watches watches and one without any are loaded alternately. Then the sales of one commune are loaded again, all
changed, with 1,000 areas of 999 positions and without. The stores are on SQLite, or in --database, an empty one.
The times are those of the loads and of making events.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import shapely
from measuring import Figures, parser
from sqlalchemy import Engine, func, select

import databases
from land.datasets.parcels.records import ParcelRecord
from land.datasets.partitions import Partition
from land.datasets.sales.records import DvfRow
from land.events.matching import match_changes
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
AREAS, POSITIONS = 1_000, 999
COMMUNE_PARCELS, COMMUNE_SALES = 3_000, 12_000
NOW = "2026-01-02T03:04:05Z"

LoadEdition = Callable[[Engine, int], None]
"""Loads an edition of the sales."""


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
        commune_code=code_of(commune), id_mutation=f"2025-{edition}{number}", date_mutation="2025-05-06",
        numero_disposition="000001", nature_mutation="Vente", valeur_fonciere=price, adresse_numero="12",
        adresse_suffixe="", adresse_nom_voie="RUE DES LILAS", code_postal="18900", nom_commune="Trifouillis",
        id_parcelle=parcel_id(commune, number % COMMUNE_PARCELS), ancien_id_parcelle="", nombre_lots=0, lots=(),
        code_type_local="1", type_local="Maison", surface_reelle_bati=90.0, nombre_pieces_principales=4,
        code_nature_culture="S", code_nature_culture_speciale="", surface_terrain=400.0, lon=2.0, lat=46.0,
    )  # fmt: skip


def load_sales(engine: Engine, edition: int) -> None:
    for commune in range(COMMUNES):
        load(engine, "dvf", commune, [sale(commune, number, edition) for number in range(SALES)], "2025", f"e{edition}")


def load_commune(engine: Engine, edition: int) -> None:
    """Loads the sales of one commune, of which all have another price in each edition."""
    sales = [sale(0, number, edition) for number in range(COMMUNE_SALES)]
    changed = [row._replace(valeur_fonciere=1e5 + 20_000 * edition + at) for at, row in enumerate(sales)]
    load(engine, "dvf", 0, changed, "2025", f"e{edition}")


def load(engine: Engine, dataset: str, commune: int, rows: Sequence[object], part: str, edition: str) -> None:
    partition = Partition(code_of(commune), part)
    digest = f"{edition}{commune}"
    replace_partition(engine, Load(dataset, partition, edition, "file", NOW, NOW, len(rows), 0, digest), rows)


def watch(engine: Engine, count: int) -> None:
    """Watches of parcels (80 %), of communes (15 %) and of areas."""
    watches, choice = Watches(engine, count, AREAS * POSITIONS), random.Random(1)  # noqa: S311 (a sample, no secret)
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


def watch_commune(engine: Engine, count: int) -> None:
    """Areas of one partner. Each covers the commune, and its outline crosses all of it."""
    watches = Watches(engine, count, count * POSITIONS)
    for at in range(count):
        steps = np.arange(POSITIONS // 2 - 1)
        east, south = 2 + steps * 0.006 / len(steps), 46 - at / 1e8
        teeth = [*zip(east, np.where(steps % 2, 46.0001 + at / 1e7, 46.03), strict=True)]
        watches.create("all partner-0", None, [], "", shapely.Polygon([*teeth, (2.006, south), (2, south)]))


def make_store(
    url: str, load_edition: LoadEdition, communes: int, watch_all: Callable[[Engine, int], None], watches: int
) -> Engine:
    engine = open_engine(url, pool_size=4)
    upgrade(engine, MIGRATIONS)
    count = PARCELS if communes > 1 else COMMUNE_PARCELS
    for commune in range(communes):
        load(engine, "cadastre-parcels", commune, [parcel(commune, number) for number in range(count)], "", "e0")
    load_edition(engine, 0)
    watch_all(engine, watches)
    return engine


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("--watches", type=int, default=10_000)
    arguments.add_argument("--database", metavar="URL", help="of a PostgreSQL server")
    options = arguments.parse_args()
    figures, count = Figures.of(options), 300 if options.quick else options.watches
    sizes: dict[str, tuple[LoadEdition, int, Callable[[Engine, int], None], int]] = {
        f"load of {COMMUNES * SALES:,} sales, {COMMUNES * SALES // CHANGED} changed": (
            load_sales, COMMUNES, watch, count,
        ),
        f"load of {COMMUNE_SALES:,} sales of a commune, all changed": (load_commune, 1, watch_commune, AREAS),
    }  # fmt: skip
    for case, (load_edition, communes, watch_all, number) in sizes.items():
        if options.only not in case:
            continue
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            engines = {}
            for watches in (0, number):
                url = stack.enter_context(store_url(Path(folder), options.database, watches))
                engines[f"{watches:,} watches"] = engine = make_store(url, load_edition, communes, watch_all, watches)
                stack.callback(engine.dispose)
            figures.compare(case, {name: partial(measure, engine, load_edition) for name, engine in engines.items()})
    return figures.status


@contextmanager
def store_url(folder: Path, server: str | None, watches: int) -> Iterator[str]:
    """The address of an empty store: a file in the folder, or a database of the server."""
    if server is None:
        yield f"sqlite:///{folder}/{watches}.sqlite"
        return
    with databases.database(server, f"bench_{watches}") as url:
        yield url


def measure(engine: Engine, load_edition: LoadEdition, number: int) -> dict[str, float]:
    """The time and the processor time of this process, and the events of the load and their bytes."""
    before, started, processor = event_count(engine), time.perf_counter(), time.process_time()
    load_edition(engine, number + 1)
    loaded_s = time.perf_counter() - started
    match_changes(engine, 1_000_000)
    values = {"s": time.perf_counter() - started, "s of the load": loaded_s}
    count, size = (after - old for after, old in zip(event_count(engine), before, strict=True))
    return values | {"processor s": time.process_time() - processor, "events": count, "MB of events": size / 1e6}


def event_count(engine: Engine) -> tuple[int, int]:
    """The number of events, and their bytes."""
    size = sum(func.length(column) for column in (event.c.before, event.c.after, event.c.parcel_ids, event.c.watch_ids))
    with engine.connect() as connection:
        count, total = connection.execute(
            select(func.count(), func.coalesce(func.sum(size), 0)).select_from(event)
        ).one()
    return count, int(total)


if __name__ == "__main__":
    sys.exit(main())
