"""`land refresh`: what is loaded, fetched again from its publishers."""

import sys
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta

import click
from sqlalchemy import Engine

from land import registry
from land.configured import open_store
from land.loading.load_queue import Key
from land.loading.on_demand import OnDemand
from land.parcels import department_of
from land.partitions import COUNTRY, DEPARTMENTS
from land.server import connections_beside, on_demand_of
from land.settings import StoreSettings
from land.sources.selection import is_commune_code
from land.store import fetches
from land.store.snapshot import snapshot
from servicekit import logs

_WHENEVER = "9999"
"""Later than all that was retrieved."""


@click.command()
@click.option("--commune", help="Only what is loaded of this commune, by INSEE code.")
@click.option("--department", help="Only what is loaded of this département.")
@click.option("--older-than", default=0, show_default=True, help="Only what was retrieved more days ago than this.")
def refresh(commune: str | None, department: str | None, older_than: int) -> None:
    """Fetches again what is loaded, commune by commune, from the publishers that have files of communes.

    Each dataset of a commune changes in one step, and stays as it is where its publisher fails: the command then ends
    with status 1 after the others. A département at once is sooner imported from its own file.
    """
    settings = StoreSettings.load()
    logs.configure("land", settings)
    engine = open_store(settings, connections_beside(settings))
    instant = f"{datetime.now(UTC) - timedelta(days=older_than):%Y-%m-%dT%H:%M:%SZ}" if older_than else _WHENEVER
    on_demand = on_demand_of(settings, engine)
    keys = _keys(engine, on_demand, instant, commune, department)
    on_demand.start()
    failed = 0
    for start in range(0, len(keys), settings.loads_at_once):
        futures = [(key, on_demand.refresh(key, instant)) for key in keys[start : start + settings.loads_at_once]]
        failed += sum(not _told(key, future) for key, future in futures if future is not None)
    on_demand.end()
    click.echo(f"{len(keys) - failed} of {len(keys)} refreshed")
    sys.exit(1 if failed else 0)


def _told(key: Key, future: Future[None]) -> bool:
    """Waits for one to end and says how it went."""
    error = future.exception()
    click.echo(
        f"{key.dataset:20} {key.unit:8} {f'unchanged: {error}' if error else 'refreshed'}", err=error is not None
    )
    return error is None


def _is_asked(code: str, commune: str | None, department: str | None) -> bool:
    own = department_of(code)
    is_published = is_commune_code(code) and own in DEPARTMENTS
    return is_published and commune in (None, code) and department in (None, own)


def _keys(engine: Engine, on_demand: OnDemand, instant: str, commune: str | None, department: str | None) -> list[Key]:
    with snapshot(engine) as connection:
        loaded = fetches.loaded_partitions(connection, instant)
        asked = {(each.dataset, each.partition): each.commune_code for each in fetches.of_partition(connection, "")}
    national = {key.dataset: key for key in on_demand.national_keys()}
    of_commune = {(key.dataset, key.unit) for key in on_demand.keys_in_use([commune])} if commune else set()
    found = []
    for dataset, unit in loaded:
        code = asked.get((dataset, unit), unit)
        if unit == COUNTRY and not commune and not department:
            found.append(national[dataset])
        elif registry.DATASETS[dataset].kind == "document":
            is_asked = (dataset, unit) in of_commune if commune else _is_asked(code, None, department)
            if is_asked and (dataset, unit) in asked:
                found.append(Key(dataset, unit, code))
        elif _is_asked(code, commune, department):
            found += on_demand.keys(code, [dataset])
    return found
