"""`land migrate` and `land status`: the store itself."""

import click

from land.configured import MIGRATIONS, open_store
from land.settings import StoreSettings
from land.store import fetches, loads
from land.store.permits import placements
from land.store.snapshot import snapshot
from servicekit import logs
from servicekit.migrations import SchemaMismatch, upgrade


@click.command()
def migrate() -> None:
    """Brings the store's schema to the newest revision."""
    settings = StoreSettings.load()
    logs.configure("land", settings)
    try:
        upgrade(open_store(settings), MIGRATIONS)
    except SchemaMismatch as error:
        raise click.ClickException(str(error)) from error


@click.command()
@click.option("--unit", default="", help="Only this commune or filing commune.")
def status(unit: str) -> None:
    """Lists what is loaded: dataset, unit, edition, rows; what came on demand; how permits found their parcels."""
    settings = StoreSettings.load()
    engine = open_store(settings)
    after = ("", "", "")
    with snapshot(engine) as connection:
        click.echo(f"{'dataset':20} {'unit':12} {'part':7} {'edition':12} {'rows':>9} {'rejected':>9} loaded at")
        while found := loads.page(connection, [unit] if unit else [], "", after, 1000):
            for load in found:
                click.echo(
                    f"{load.dataset:20} {load.partition.code:12} {load.partition.part:7} {load.edition:12} "
                    f"{load.row_count:>9,} {load.rejected_count:>9,} {load.loaded_at}"
                )
            after = (found[-1].dataset, found[-1].partition.code, found[-1].partition.part)
        fetched = fetches.of_partition(connection, unit)
        if fetched:
            held = sum(each.size_bytes for each in fetched) / 1024**2
            click.echo(f"\n{'on demand':20} {'unit':8} {'complete':8} {'fetched at':20} {'used at':20} {held:.1f} MiB")
        for each in fetched:
            click.echo(
                f"{each.dataset:20} {each.partition:8} {'yes' if each.is_complete else 'no':8} {each.fetched_at:20} "
                f"{each.used_at:20}"
            )
        counts = placements(connection, unit)
        if counts:
            click.echo(f"\n{'permits of':10} {'placed':>9} {'ambiguous':>9} {'retired':>9} {'unchecked':>9}")
        for row in counts:
            click.echo(
                f"{row.commune_code:10} {row.placed:>9,} {row.ambiguous:>9,} {row.retired:>9,} {row.unchecked:>9,}"
            )
