"""Compares geojson with tipg and with the cheapest path on the same parcels. Measures divide-land and resolve, too.

Contestants: this service embedded on SQLite, this service with Compose on PostGIS, tipg on PostGIS with one worker, as
documented and tuned, and the cheapest path of `bare_services`. All may use all cores, as do the clients. tipg and the
cheapest path return rows, this service a land unit with the blocks that the case names. The communes are the demo with
10,000 parcels, and the 18th arrondissement of Paris from LAND_TEST_DATA.
"""

import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tipg_server
from bare_services import CHEAPEST_PATH, ask_path, cheapest_path
from bench_import import register
from contestants import DIVIDE_LAND, GEOJSON, RESOLVE, Contestant, Ours, compare, compose, embedded
from load_generator import Call, Clients
from measuring import Figures, counted, parser
from sample_data import DATA, labels
from sqlalchemy import create_engine, select

import demoland
from contract.enums import DEFAULT_BLOCKS
from land.datasets.parcels.queries import parcel
from land.registry import DATASETS

REAL, DEMO = "75118", demoland.COMMUNE.code
DEMO_ADDRESSES = 15_400
"""They give about 10,000 parcels."""
REAL_FILES = {
    "cog": "cog/v_commune_2026.csv.gz",
    "ban": "ban/adresses-75.csv.gz",
    "cadastre-parcels": "cadastre/cadastre-75118-parcelles.json.gz",
    "sitadel-housing": "sitadel/sitadel-logements-75056-sample.json",
}
"""Every file of the sample data about 75118, in the order of import."""
INCLUDED: Mapping[str, Sequence[str]] = {"all blocks": DEFAULT_BLOCKS, "history only": ()}
COMPUTED_PARCELS = 1_000
"""Parcels of the land units of one size that are computed before."""
OTHERS = ("Compose", "tipg", CHEAPEST_PATH)


@dataclass(frozen=True)
class Case:
    commune: str
    content: str
    """What is asked of ours: blocks, `divide-land` or `resolve`."""
    parcels: int
    """Number of parcels in a request."""
    clients: int
    is_computed: bool = True
    """Whether this service has answered about these parcels before. divide-land and resolve are computed each time."""

    @property
    def name(self) -> str:
        computed = "computed before" if self.is_computed else "never computed"
        content = f"{self.content}, {computed}" if self.content in INCLUDED else self.content
        return f"{self.commune}, {content}, {counted(self.parcels, 'parcel')}, {counted(self.clients, 'client')}"


SIZES = ((1, 16), (1, 1), (10, 16), (100, 1))
"""Parcels and clients."""
CASES = [
    case
    for commune in (REAL, "demo")
    for case in (
        *(Case(commune, "all blocks", *size, is_computed=False) for size in SIZES),
        *(Case(commune, "all blocks", *size) for size in (*SIZES, (1, 64))),
        *(Case(commune, "history only", 1, clients) for clients in (1, 16)),
        *(Case(commune, "divide-land", 1, clients) for clients in (1, 16)),
    )
] + [Case(REAL, "resolve", 1, clients) for clients in (1, 16)]


class LandUnits:
    """Land units of a commune, of parcels that are mostly neighbours. Each is asked for in one case only, except those
    that were computed before.
    """

    def __init__(self, parcel_ids: Sequence[str]) -> None:
        self._unused: dict[int, list[Sequence[str]]] = {}
        self._computed: dict[int, list[Sequence[str]]] = {}
        for size in {size for size, _ in SIZES}:
            units = [parcel_ids[start : start + size] for start in range(len(parcel_ids) - size + 1)]
            random.Random(1).shuffle(units)  # noqa: S311 (a sample, no secret)
            count = COMPUTED_PARCELS // size
            self._computed[size], self._unused[size] = units[:count], units[count:]

    def computed(self, size: int) -> Sequence[Sequence[str]]:
        return self._computed[size]

    def take_unused(self, size: int) -> Sequence[Sequence[str]]:
        """Returns half of the unused ones, so that two cases have enough: the second one has a single client."""
        unused = self._unused[size]
        taken, self._unused[size] = unused[: len(unused) // 2], unused[len(unused) // 2 :]
        return taken


def parcel_ids(store_url: str, commune: str) -> list[str]:
    """Returns parcel ids in order, so that following parcels are mostly neighbours."""
    is_drawn = parcel.c.geometry.is_not(None)  # tipg and the cheapest path have no other
    statement = (
        select(parcel.c.parcel_id).where(parcel.c.commune_code == commune, is_drawn).order_by(parcel.c.parcel_id)
    )
    with create_engine(store_url).connect() as connection:
        return list(connection.scalars(statement))


def fill(service: Ours, register_file: Path) -> None:
    """Loads the demo with all its datasets, and all sample data about 75118."""
    with service.awake():
        service.command("land", "demo", "--addresses", str(DEMO_ADDRESSES))
        service.command("land", "import", "rnb", service.place(register_file), "--edition", demoland.EDITION)
        for dataset, name in REAL_FILES.items():
            if (DATA / name).exists():
                only = ["--commune", REAL] if dataset == "ban" else []
                service.command("land", "import", dataset, service.place(DATA / name), *only)


def note_datasets(figures: Figures, service: Ours) -> None:
    lines = [line.split() for line in service.command("land", "status").splitlines()[1:]]
    loaded = {(fields[0], fields[1]) for fields in lines if fields and fields[0] in DATASETS}
    partitions = {"demo": {DEMO, DEMO[:2], "FR"}, REAL: {REAL, REAL[:2], "75056", "FR"}}
    for name, codes in partitions.items():
        of_documents = {dataset for dataset, code in loaded if DATASETS[dataset].kind == "document" and name == "demo"}
        loaded_datasets = {dataset for dataset, code in loaded if code in codes} | of_documents
        figures.note(
            f"{name}: loaded are {', '.join(dataset for dataset in DATASETS if dataset in loaded_datasets)}. "
            f"There is no file of {', '.join(dataset for dataset in DATASETS if dataset not in loaded_datasets)}."
        )


def calls(contestant: Contestant, case: Case, units: Sequence[Sequence[str]]) -> list[Call]:
    if isinstance(contestant, Ours):
        if case.content == "resolve":
            return [contestant.ask(RESOLVE, {"label": label}, "city_code") for label in labels(REAL)]
        path = DIVIDE_LAND if case.content == "divide-land" else GEOJSON
        included: dict[str, Any] = {"include": INCLUDED[case.content]} if path == GEOJSON else {}
        return [contestant.ask(path, {"parcel_ids": unit, **included}, unit[-1]) for unit in units]
    ask = ask_path if contestant.name == CHEAPEST_PATH else tipg_server.ask
    return [ask(unit) for unit in units]


def measure(figures: Figures, contestants: Sequence[Contestant], case: Case, land_units: LandUnits) -> None:
    """Measures a case. All contestants answer about the same parcels, which differ from round to round."""
    if not figures.selects(case.name):
        return
    units = land_units.computed(case.parcels) if case.is_computed else land_units.take_unused(case.parcels)
    taking_part = [contestant for contestant in contestants if isinstance(contestant, Ours) or case.content in INCLUDED]
    asked = {contestant: calls(contestant, case, units) for contestant in taking_part}
    if case.is_computed and case.content in INCLUDED:
        for contestant in contestants:
            if isinstance(contestant, Ours):
                with contestant.awake(), Clients(contestant.url, case.clients) as clients:
                    clients.send(asked[contestant])
    compare(figures, case.name, asked, case.clients)


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("--without", nargs="+", default=[], choices=OTHERS, help="leave out")
    options = arguments.parse_args()
    figures = Figures.of(options)
    with tempfile.TemporaryDirectory(prefix="bench-") as name, ExitStack() as stack:
        folder = Path(name)
        ours = stack.enter_context(embedded(paused=True))
        demo = dict(demoland.write(folder / "demo", DEMO_ADDRESSES).files)
        buildings = json.loads(demo["bdtopo"].read_text(encoding="utf-8"))["features"]
        rnb = register(folder / "RNB_00.csv", buildings)
        fill(ours, rnb)
        note_datasets(figures, ours)
        contestants: list[Contestant] = [ours]

        def add_compose() -> None:
            fill(other := stack.enter_context(compose()), rnb)
            contestants.append(other)

        def add_tipg() -> None:
            them, versions = stack.enter_context(tipg_server.serving(Path("var/tipg").resolve(), ours.store_url))
            contestants.extend(them)
            figures.note(f"tipg runs with {versions}.")

        def add_path() -> None:
            contestants.append(stack.enter_context(cheapest_path(folder, ours.store_url)))

        for contestant, add in zip(OTHERS, (add_compose, add_tipg, add_path), strict=True):
            if contestant not in options.without:
                try:
                    add()
                except Exception as error:
                    figures.fail("start", contestant, error)
        ids = {"demo": parcel_ids(ours.store_url, DEMO), REAL: parcel_ids(ours.store_url, REAL)}
        figures.note(
            ", ".join(f"{commune} has {len(parcel_ids):,} parcels" for commune, parcel_ids in ids.items()) + "."
        )
        if not ids[REAL]:
            figures.fail("start", REAL, FileNotFoundError(DATA))
        land_units = {commune: LandUnits(parcel_ids) for commune, parcel_ids in ids.items() if parcel_ids}
        for case in CASES:
            if case.commune in land_units:
                measure(figures, contestants, case, land_units[case.commune])
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
