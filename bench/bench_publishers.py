"""Measures one land unit of the 18th arrondissement of Paris, asked for again and again, while publishers fail.

Loading on demand is on, from a local stand-in of the publishers. The first contestant has every partition of the
commune: those without sample data are loaded empty. The second one has the same and loading on demand is off. The third
one does not have the permits for housing, whose publisher fails. The others have only the plan and the addresses:
every publisher fails, or loading on demand is off.
"""

import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from bench_tipg import INCLUDED, REAL, REAL_FILES, parcel_ids
from contestants import GEOJSON, Contestant, Ours, compare, embedded
from load_generator import Call, Clients
from measuring import Figures, counted, parser
from pydantic import SecretStr
from sample_data import DATA

from land.datasets.partitions import filing_commune
from land.loading.loader import load_empty
from land.loading.on_demand import OnDemand
from land.registry import HOSTS
from land.settings import LoadingSettings
from servicekit.database import open_engine
from stacks import PATIENT

sys.path.append(str(Path(__file__).parents[1] / "services/land/tests"))
from georisques_service import answers_of  # type: ignore[import-not-found]
from publishers import local_publishers  # type: ignore[import-not-found]

FAILING = "sitadel-housing"
ONLY = ("cog", "ban", "cadastre-parcels")
SETTLED_S = 5.0
"""The loads of a first request have failed after this time."""


def load_all(service: Ours, names: Sequence[str]) -> None:
    """Imports the sample data of these datasets."""
    for dataset in names:
        only = ["--commune", REAL] if dataset == "ban" else []
        service.command("land", "import", dataset, str(DATA / REAL_FILES[dataset]), *only)


def load_others_empty(service: Ours, folder: Path) -> None:
    """Loads every other partition of the commune without rows, except those of the dataset FAILING."""
    engine = open_engine(service.store_url)
    datasets = LoadingSettings(database_url=SecretStr(service.store_url)).datasets()
    on_demand = OnDemand(engine, datasets, folder)
    for key in on_demand.missing([*on_demand.national_keys(), *on_demand.keys_in_use([REAL])]):
        if key.dataset != FAILING:
            dataset = replace(datasets[key.dataset], is_never_empty=False)
            load_empty(engine, dataset, key.partition, "file", is_import=True)
    engine.dispose()


def main() -> int:
    figures = Figures.of(parser(__doc__).parse_args())
    services: list[Ours] = []
    with ExitStack() as stack:
        answering, failing = (stack.enter_context(local_publishers()) for _ in range(2))
        failing.set_mode("/", "failing")
        answering.set_mode("/", "failing")
        answering.set_mode("/georisques", "ok")
        answers = answers_of(REAL, filing_commune(REAL))
        answering.files = {f"/georisques{path}": json.dumps(body).encode() for path, body in answers.items()}
        loaded_without = [name for name in REAL_FILES if name != FAILING]
        for name, on_demand, publishers, loaded in (
            ("everything loaded", "on", answering, list(REAL_FILES)),
            ("everything loaded, on demand off", "off", answering, list(REAL_FILES)),
            ("one publisher failing", "on", answering, loaded_without),
            ("all failing", "on", failing, ONLY),
            ("all missing, on demand off", "off", failing, ONLY),
        ):
            bases = {f"LAND_{host.upper()}_BASE": f"{publishers.url}/{host}" for host in HOSTS}
            service = stack.enter_context(embedded({"LAND_ON_DEMAND": on_demand, **PATIENT, **bases}, paused=True))
            service.name = name
            with service.awake():
                load_all(service, loaded)
                if loaded != ONLY:
                    load_others_empty(service, Path("var"))
            services.append(service)
        unit = parcel_ids(services[0].store_url, REAL)[:1]
        body = {"parcel_ids": unit, "include": INCLUDED["all blocks"]}
        asked: dict[Contestant, list[Call]] = {service: [service.ask(GEOJSON, body, unit[0])] for service in services}
        for contestant, calls in asked.items():
            with contestant.awake(), Clients(contestant.url, 1) as clients:
                clients.send(calls)
                time.sleep(SETTLED_S)
        for count in (1, 16):
            compare(figures, f"{REAL}, all blocks, 1 parcel, {counted(count, 'client')}", asked, count)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
