"""Commands that migrate, list and delete runs."""

import json
from dataclasses import asdict
from datetime import timedelta

import click
from sqlalchemy.exc import SQLAlchemyError

from assistant.cli.errors import fail
from assistant.rpc.service import system_clock
from assistant.settings import StoreSettings
from assistant.store.runs import RunStore
from servicekit.schema import SchemaMismatch


@click.command()
def migrate() -> None:
    """Migrate the database to the schema of this version."""
    runs = RunStore(StoreSettings.load().database_url.get_secret_value())
    try:
        runs.migrate()
    except SchemaMismatch as error:
        fail(str(error))
    except SQLAlchemyError as error:
        fail(f"the database does not answer: {type(error).__name__}")
    click.echo("The schema is current.", err=True)


@click.command()
def purge() -> None:
    """Delete runs past their retention. `serve` also does this at regular intervals."""
    settings = StoreSettings.load()
    runs = RunStore(settings.database_url.get_secret_value())
    try:
        count = runs.purge(system_clock() - timedelta(days=settings.retention_days))
    except SQLAlchemyError as error:
        fail(f"the database does not answer: {type(error).__name__}")
    click.echo(f"{count} runs deleted.", err=True)


@click.command("erase-keys")
@click.argument("key_ids", nargs=-1, required=True)
@click.confirmation_option(prompt="This deletes the runs of these keys, with their questions. Erase?")
def erase_keys(key_ids: tuple[str, ...]) -> None:
    """Delete the runs of these keys, with their questions. `keys erase-partner` prints the ids."""
    runs = RunStore(StoreSettings.load().database_url.get_secret_value())
    try:
        count = runs.erase(key_ids)
    except SQLAlchemyError as error:
        fail(f"the database does not answer: {type(error).__name__}")
    click.echo(f"{count} runs deleted.", err=True)


@click.command("runs")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
def list_runs(limit: int) -> None:
    """Print the newest runs, newest first, one JSON object per line."""
    runs = RunStore(StoreSettings.load().database_url.get_secret_value())
    try:
        newest_runs = runs.latest(limit)
    except SQLAlchemyError as error:
        fail(f"the database does not answer: {type(error).__name__}")
    for run in newest_runs:
        click.echo(json.dumps(asdict(run), ensure_ascii=False, default=lambda instant: instant.isoformat()))
