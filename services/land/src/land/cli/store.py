"""`land migrate` and `land status`: the schema and the contents of the store, which every command opens here."""

import click
from pydantic import SecretStr
from sqlalchemy import Engine

from land.datasets.permits.queries import placements
from land.registry import DATASETS
from land.settings import LoadingSettings
from land.store import COMMAND_CONNECTIONS, MIGRATIONS, fetches, loads, open_store
from land.store.snapshot import snapshot
from servicekit import logs
from servicekit.schema import SchemaMismatch, upgrade


def open_command_store(url: SecretStr, max_connections: int = COMMAND_CONNECTIONS) -> Engine:
    """Opens the store for the command that runs."""
    engine = open_store(url, max_connections)
    click.get_current_context().call_on_close(engine.dispose)
    return engine


@click.command()
def migrate() -> None:
    """Migrates the store's schema to the newest revision."""
    settings = LoadingSettings.load()
    logs.configure("land", settings)
    try:
        upgrade(open_command_store(settings.database_url), MIGRATIONS)
    except SchemaMismatch as error:
        raise click.ClickException(str(error)) from error


@click.command()
@click.option(
    "--partition", default="", help="Only this partition: a commune, a département, a planning document, or FR."
)
def status(partition: str) -> None:
    """Lists what is loaded: edition and rows, on-demand loads, why loads failed, and permits by their parcels."""
    after = ("", "", "")
    with snapshot(open_command_store(LoadingSettings.load().database_url)) as connection:
        click.echo(f"{'dataset':20} {'partition':12} {'part':7} {'edition':12} {'rows':>9} {'rejected':>9} loaded at")
        while page := loads.page(connection, [partition] if partition else [], "", after, 1000):
            for load in page:
                click.echo(
                    f"{load.dataset:20} {load.partition.code:12} {load.partition.part:7} "
                    f"{'not stated' if load.edition == loads.UNKNOWN_EDITION else load.edition:12} "
                    f"{load.row_count:>9,} {load.rejected_count:>9,} {load.loaded_at}"
                )
            after = (page[-1].dataset, *page[-1].partition)
        fetched = fetches.of_partition(connection, partition)
        if fetched:
            mib = sum(fetch.size_bytes for fetch in fetched) / 1024**2
            click.echo(
                f"\n{'on demand':20} {'partition':12} {'complete':8} {'fetched at':20} {'used at':20} {mib:.1f} MiB"
            )
        for fetch in fetched:
            complete = "yes" if fetch.is_complete else "no"
            click.echo(f"{fetch.dataset:20} {fetch.partition:12} {complete:8} {fetch.fetched_at:20} {fetch.used_at:20}")
        for fetch in fetched:
            if fetch.reason:
                click.echo(f"\nnot loaded: {fetch.dataset} {fetch.partition}: {fetch.reason}")
        editions = {name: loaded.newest_edition for name, loaded in loads.by_dataset(connection).items()}
        for name, dataset in DATASETS.items():
            if (days := dataset.days_late(editions.get(name)) or 0) > 0:
                click.echo(f"\nwarning: {name}: an edition after {editions[name]} has been due for {days} days")
        counts = placements(connection, partition)
        if counts:
            click.echo(f"\n{'permits of':10} {'placed':>9} {'ambiguous':>9} {'retired':>9} {'unchecked':>9}")
        for row in counts:
            click.echo(
                f"{row.commune_code:10} {row.placed:>9,} {row.ambiguous:>9,} {row.retired:>9,} {row.unchecked:>9,}"
            )
