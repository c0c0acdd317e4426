"""`land refresh`: downloads and loads again what is loaded."""

import sys
from concurrent.futures import Future
from datetime import timedelta

import click
from sqlalchemy import Engine

from land import registry
from land.cli.store import open_command_store
from land.datasets.partitions import COUNTRY, DEPARTMENTS, department_of
from land.datasets.risks import queries as risks
from land.datasets.risks.queries import AnswerAge
from land.datasets.risks.registration import GEORISQUES
from land.loading.load_queue import LoadKey
from land.loading.on_demand import OnDemand
from land.server import background_connections, make_on_demand, make_risk_lookups
from land.settings import LoadingSettings
from land.sources.values import is_commune_code
from land.store import fetches
from land.store.snapshot import snapshot
from servicekit import logs
from servicekit.clock import utc_now

_ANSWERS = 200
"""Answers of Géorisques that are renewed together."""
_ANY_TIME = "9999"
"""Later than every retrieval."""


@click.command()
@click.option("--commune", help="Only what is loaded of this commune, by INSEE code.")
@click.option("--department", help="Only what is loaded of this département.")
@click.option("--older-than", default=0, show_default=True, help="Only what was retrieved more days ago than this.")
def refresh(commune: str | None, department: str | None, older_than: int) -> None:
    """Downloads and loads again what is loaded, commune by commune, from publishers that have files of communes.

    Stored answers of Géorisques are asked for again.

    Each dataset of a commune changes in one transaction. If its download fails, it stays unchanged; the command loads
    the others and exits with status 1. For a whole département, importing its file is faster.
    """
    settings = LoadingSettings.load()
    logs.configure("land", settings)
    engine = open_command_store(settings.database_url, background_connections(settings))
    instant = utc_now(minus=timedelta(days=older_than)) if older_than else _ANY_TIME
    on_demand = make_on_demand(settings, engine)
    keys = _select_keys(engine, on_demand, instant, commune, department)
    on_demand.start()
    failed = 0
    for start in range(0, len(keys), settings.loads_at_once):
        futures = [(key, on_demand.refresh(key, instant)) for key in keys[start : start + settings.loads_at_once]]
        failed += sum(not _wait_and_print(key, future) for key, future in futures if future is not None)
    on_demand.end()
    renewed = question_count = 0
    if settings.georisques == "on":
        renewed, question_count = _renew_risks(settings, engine, instant, commune, department)
    if question_count:
        click.echo(f"{GEORISQUES.id:20} {renewed} of {question_count} answers renewed", err=renewed < question_count)
    click.echo(f"{len(keys) - failed} of {len(keys)} refreshed")
    sys.exit(1 if failed or renewed < question_count else 0)


def _renew_risks(
    settings: LoadingSettings, engine: Engine, instant: str, commune: str | None, department: str | None
) -> tuple[int, int]:
    """Asks again for stored answers of Géorisques, except the demo's. Returns how many were renewed, of how many."""
    lookups = make_risk_lookups(settings, engine)
    renewed, question_count, last = 0, 0, AnswerAge("", "", "")
    while True:
        with snapshot(engine) as connection:
            answers = risks.retrieved_before(connection, instant, commune, department, last, _ANSWERS)
        if not answers:
            lookups.end()
            return renewed, question_count
        renewed_now, asked_now = lookups.renew(answers)
        renewed, question_count, last = renewed + renewed_now, question_count + asked_now, answers[-1]


def _wait_and_print(key: LoadKey, future: Future[None]) -> bool:
    """Waits for a load and prints its result. Returns False if it failed."""
    error = future.exception()
    click.echo(
        f"{key.dataset:20} {key.partition:8} {f'unchanged: {error}' if error else 'refreshed'}", err=error is not None
    )
    return error is None


def _is_selected(code: str, department: str | None) -> bool:
    code_department = department_of(code)
    return is_commune_code(code) and code_department in DEPARTMENTS and department in (None, code_department)


def _select_keys(
    engine: Engine, on_demand: OnDemand, instant: str, commune: str | None, department: str | None
) -> list[LoadKey]:
    with snapshot(engine) as connection:
        loaded = fetches.loaded_partitions(connection, instant)
        requested = {
            (fetch.dataset, fetch.partition): fetch.commune_code for fetch in fetches.of_partition(connection, "")
        }
    if commune:
        in_use = on_demand.keys_in_use([commune]) if _is_selected(commune, department) else []
        kinds = {key.id: registry.DATASETS[key.dataset].kind for key in in_use}
        available = {key for key in loaded if key in requested or kinds.get(key) != "document"}
        return [key for key in in_use if key.id in available]
    national = {key.dataset: key for key in on_demand.national_keys()}
    keys = []
    for dataset, partition in loaded:
        kind = registry.DATASETS[dataset].kind
        code = requested.get((dataset, partition), partition)
        if partition == COUNTRY and not department:
            keys.append(national[dataset])
        elif kind == "department":
            if department in (None, partition):
                keys += on_demand.keys(partition, [dataset])
        elif _is_selected(code, department):
            if (dataset, partition) in requested:
                keys.append(LoadKey(dataset, partition, code))
            elif kind != "document":
                keys += on_demand.keys(code, [dataset])
    return keys
