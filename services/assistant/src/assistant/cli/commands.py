"""Commands that migrate, list and delete runs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import click
from sqlalchemy.exc import SQLAlchemyError

from assistant.rpc.service import system_clock
from assistant.settings import StoreSettings
from assistant.store.runs import RunStore
from servicekit.schema import SchemaMismatch


@contextmanager
def _opened(settings: StoreSettings) -> Iterator[RunStore]:
    """The runs of the settings. Ends the process with a message if their database does not answer, or is too new."""
    runs = RunStore(settings.database_url.get_secret_value())
    try:
        yield runs
    except SchemaMismatch as error:
        raise click.ClickException(str(error)) from None
    except SQLAlchemyError as error:
        raise click.ClickException(f"the database does not answer: {type(error).__name__}") from None


@click.command()
def migrate() -> None:
    """Migrate the database to the schema of this version."""
    with _opened(StoreSettings.load()) as runs:
        runs.migrate()
    click.echo("The schema is current.", err=True)


@click.command()
def purge() -> None:
    """Delete runs past their retention. `serve` also does this at regular intervals."""
    settings = StoreSettings.load()
    with _opened(settings) as runs:
        count = runs.purge(system_clock() - timedelta(days=settings.retention_days))
    click.echo(f"{count} runs deleted.", err=True)


@click.command("erase-keys")
@click.argument("key_ids", nargs=-1, required=True)
@click.confirmation_option(prompt="This deletes the runs of these keys, with their questions. Erase?")
def erase_keys(key_ids: tuple[str, ...]) -> None:
    """Delete the runs of these keys, with their questions. `keys erase-partner` prints the ids."""
    with _opened(StoreSettings.load()) as runs:
        count = runs.erase(key_ids)
    click.echo(f"{count} runs deleted.", err=True)


@click.command("runs")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
def list_runs(limit: int) -> None:
    """Print the newest runs, newest first, one JSON object per line."""
    with _opened(StoreSettings.load()) as runs:
        newest_runs = runs.latest(limit)
    for run in newest_runs:
        click.echo(json.dumps(run._asdict(), ensure_ascii=False, default=lambda instant: instant.isoformat()))
