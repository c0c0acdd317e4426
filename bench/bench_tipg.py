"""Compares geojson with tipg on the same parcels, and measures divide-land and resolve in the same run.

Contestants: this service embedded on SQLite, this service with Compose on PostGIS, and tipg on PostGIS with one worker,
as documented and tuned. All may use all cores, as do the clients. tipg returns a row, this service a land unit with the
blocks that the case names. The communes are the demo with 10,000 parcels, and the 18th arrondissement of Paris from
LAND_TEST_DATA (by default ../shared/data).
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tipg_server
from bench_import import register
from contestants import DIVIDE_LAND, GEOJSON, RESOLVE, Contestant, Ours, compose, embedded, measured_in_round
from load_generator import Call
from measuring import Figures, Values, alternate, counted, parser
from sample_data import DATA, labels
from sqlalchemy import create_engine, select

import demoland
from land.datasets.parcels.tables import parcel
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
BLOCKS = ("land", "urbanism", "buildings", "real_estate")
INCLUDED: Mapping[str, Sequence[str]] = {"all blocks": BLOCKS, "history only": (), **{name: (name,) for name in BLOCKS}}
SECONDS = 1.0


@dataclass(frozen=True)
class Case:
    commune: str
    parcels: int
    """Number of parcels in a request."""
    clients: int
    contents: Sequence[str]
    """What is asked of ours: blocks, `divide-land` or `resolve`."""

    def name(self, content: str) -> str:
        return f"{self.commune}, {content}, {counted(self.parcels, 'parcel')}, {counted(self.clients, 'client')}"

    @property
    def with_tipg(self) -> bool:
        return self.contents[0] in INCLUDED


CASES = [
    case
    for commune in (REAL, "demo")
    for case in (
        Case(commune, 1, 1, ("all blocks", "history only")),
        Case(commune, 1, 16, tuple(INCLUDED)),
        Case(commune, 1, 64, ("all blocks", "history only")),
        Case(commune, 10, 16, ("all blocks",)),
        Case(commune, 100, 1, ("all blocks",)),
        Case(commune, 1, 1, ("divide-land",)),
        Case(commune, 1, 16, ("divide-land",)),
    )
] + [Case(REAL, 1, clients, ("resolve",)) for clients in (1, 16)]


def parcel_ids(store_url: str, commune: str) -> list[str]:
    """Returns parcel ids in order, so that following parcels are mostly neighbours."""
    statement = select(parcel.c.parcel_id).where(parcel.c.commune_code == commune).order_by(parcel.c.parcel_id)
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


def calls(contestant: Contestant, case: Case, content: str, ids: Sequence[Sequence[str]]) -> list[Call]:
    if not isinstance(contestant, Ours):
        return [tipg_server.ask(parcel_id) for parcel_id in ids]
    if content == "resolve":
        return [contestant.ask(RESOLVE, {"label": label}, "city_code") for label in labels(REAL)]
    path = DIVIDE_LAND if content == "divide-land" else GEOJSON
    included: dict[str, Any] = {} if content == "divide-land" else {"include": INCLUDED[content]}
    return [contestant.ask(path, {"parcel_ids": unit_ids, **included}, unit_ids[-1]) for unit_ids in ids]


def measure(
    figures: Figures, contestants: Sequence[Contestant], case: Case, ids: Sequence[str], options: argparse.Namespace
) -> None:
    """Measures a case. All contestants answer about the same parcels, which differ from round to round."""
    groups = [ids[start : start + case.parcels] for start in range(len(ids) - case.parcels + 1)]
    random.Random(1).shuffle(groups)  # noqa: S311 (a sample, no secret)
    contents = [content for content in case.contents if options.only in case.name(content)]
    measures: dict[str, Callable[[int], Values]] = {}
    for contestant in contestants if contents else ():
        for content in contents if isinstance(contestant, Ours) else [""] if case.with_tipg else []:
            key = f"{contestant.name} {content}".strip()
            measures[key] = partial(
                measured_in_round, contestant, calls(contestant, case, content, groups), case.clients,
                options.seconds, options.rounds,
            )  # fmt: skip
    values = alternate(figures, case.name(" and ".join(contents)), measures, options.rounds)
    for content in contents:
        for contestant in contestants:
            key = f"{contestant.name} {content}" if isinstance(contestant, Ours) else contestant.name
            figures.add_all(case.name(content), {contestant.name: values.get(key, {})})


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("--without", nargs="+", default=[], choices=("Compose", "tipg"), help="leave out")
    options = arguments.parse_args()
    options.seconds, options.rounds = (0.3, 1) if options.quick else (SECONDS, options.rounds)
    figures = Figures(options.json)
    with tempfile.TemporaryDirectory(prefix="bench-") as name, ExitStack() as stack:
        ours = stack.enter_context(embedded())
        folder = Path(name)
        demo = dict(demoland.write(folder / "demo", addresses=DEMO_ADDRESSES).files)
        buildings = json.loads(demo["bdtopo"].read_text(encoding="utf-8"))["features"]
        rnb = register(folder / "RNB_00.csv", buildings)
        fill(ours, rnb)
        note_datasets(figures, ours)
        contestants: list[Contestant] = [ours]
        if "Compose" not in options.without:
            try:
                fill(other := stack.enter_context(compose()), rnb)
                contestants.append(other)
            except Exception as error:
                figures.fail("start", "Compose", error)
        if "tipg" not in options.without:
            try:
                them, versions = stack.enter_context(tipg_server.serving(Path("var/tipg").resolve(), ours.store_url))
                contestants += them
                figures.note(f"tipg runs with {versions}.")
            except Exception as error:
                figures.fail("start", "tipg", error)
        ids = {"demo": parcel_ids(ours.store_url, DEMO), REAL: parcel_ids(ours.store_url, REAL)}
        figures.note(
            ", ".join(f"{commune} has {len(parcel_ids):,} parcels" for commune, parcel_ids in ids.items()) + "."
        )
        if not ids[REAL]:
            figures.fail("start", REAL, FileNotFoundError(DATA))
        for case in CASES:
            if ids[case.commune]:
                measure(figures, contestants, case, ids[case.commune], options)
        return figures.status


if __name__ == "__main__":
    sys.exit(main())
